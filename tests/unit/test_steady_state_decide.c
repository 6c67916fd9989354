/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <string.h>

#include "steady_state/ss.h"
#include "tests/lib/suite.h"

#define N(y) (sizeof(y) / sizeof((y)[0]))

static struct ss_decision decide(enum ss_mode mode, const double *y, size_t n,
				 unsigned first)
{
	struct ss_decision d;

	ss_decide(mode, &y, 1, n, first, &d);
	return d;
}

#define ASSERT_SAYS(d, words) ck_assert_msg(strstr((d).reason, words), "%s", (d).reason)

/* pts holds over rounds 1..5, not over 2..6, again over 3..7, and only then with band */
static const double band_late[] = { 110, 90, 90, 110, 110, 95, 100 };
/* band holds over rounds 1..4, pts never: the range is 25 % of the average */
static const double band_alone[] = { 85, 110, 110, 85, 110, 85 };
/* a whole period of this is flat to both rules, in part it is not: steady by luck */
static const double swinging[] = { 100, 100, 100, 100, 100, 130, 70, 130, 70, 100 };

START_TEST(both_goes_on_until_both_hold_and_names_the_earlier_pts_round)
{
	struct ss_decision d = decide(SS_MODE_BOTH, band_late, N(band_late), 1);

	ck_assert(d.steady && d.stop);
	ck_assert_uint_eq(d.round, 7);
	ck_assert_uint_eq(d.pts_first, 5);
	ck_assert_uint_eq(d.band_first,
			  4); /* 110 90 90 110 is flat, and too early for pts */
	ck_assert_ptr_eq(d.deciding, &ss_rule_pts);
	ck_assert_uint_eq(d.pts[0].first, 3);
	ck_assert_uint_eq(d.band[0].first, 4);
	ck_assert(d.pts[0].steady && d.band[0].steady);
	ASSERT_SAYS(d, "steady in round 7 by pts and band");
	ASSERT_SAYS(d, "pts held first in round 5");
	ASSERT_SAYS(d, "operator's extension");
}
END_TEST

START_TEST(both_falls_back_on_pts_where_band_is_never_attained)
{
	struct ss_decision d = decide(SS_MODE_BOTH, band_late, 5, 1);

	ck_assert(d.steady && !d.stop);
	ck_assert_uint_eq(d.round, 5);
	ck_assert(d.pts[0].steady && !d.band[0].steady);
	ASSERT_SAYS(d, "steady in round 5 by pts; band not attained");
}
END_TEST

START_TEST(band_alone_does_not_make_both_steady)
{
	struct ss_decision d = decide(SS_MODE_BOTH, band_alone, N(band_alone), 1);

	ck_assert(!d.steady && !d.stop);
	ck_assert_uint_eq(d.round, N(band_alone));
	ck_assert_uint_eq(d.pts_first, 0);
	ck_assert_uint_eq(d.band_first, 4);
	ck_assert_uint_eq(d.pts[0].first, 2);
	ASSERT_SAYS(d, "not steady up to round 6 by pts: range 25");
	ASSERT_SAYS(d, "band held in round 4");

	d = decide(SS_MODE_BAND, band_alone, N(band_alone), 1);
	ck_assert(d.steady && d.stop);
	ck_assert_uint_eq(d.round, 4);
	ck_assert_ptr_eq(d.deciding, &ss_rule_band);
	ASSERT_SAYS(d, "steady in round 4 by band");

	d = decide(SS_MODE_PTS, band_alone, N(band_alone), 1);
	ck_assert(!d.steady && !d.stop);
	ck_assert_ptr_eq(d.deciding, &ss_rule_pts);
}
END_TEST

START_TEST(later_windows_that_fail_are_counted)
{
	struct ss_decision d = decide(SS_MODE_PTS, swinging, N(swinging), 1);

	ck_assert_uint_eq(d.round, 5);
	ck_assert_uint_eq(d.later, 5);
	ck_assert_uint_eq(d.later_failed, 5);
	ASSERT_SAYS(d, "of 5 later windows 5 fail pts");
	d = decide(SS_MODE_PTS, band_late, N(band_late), 1);
	ck_assert_uint_eq(d.later, 2);
	ck_assert_uint_eq(d.later_failed, 1);
	ASSERT_SAYS(d, "of 2 later windows 1 fails pts");
}
END_TEST

START_TEST(rounds_may_begin_anywhere)
{
	struct ss_decision a = decide(SS_MODE_BOTH, band_late, N(band_late), 1),
			   b = decide(SS_MODE_BOTH, band_late, N(band_late), 101);

	ck_assert_uint_eq(b.round, a.round + 100);
	ck_assert_uint_eq(b.pts_first, a.pts_first + 100);
	ck_assert(a.pts[0].slope == b.pts[0].slope);
	ck_assert_double_eq_tol(b.pts[0].intercept,
				a.pts[0].intercept - 100 * a.pts[0].slope, 1e-9);
}
END_TEST

START_TEST(no_values_or_too_few_are_not_steady)
{
	static const double y[] = { 100, 100, 100, 100 };

	for (int mode = SS_MODE_PTS; mode <= SS_MODE_BOTH; mode++) {
		struct ss_decision d = decide((enum ss_mode)mode, y, 0, 1);

		ck_assert(!d.steady && !d.stop);
		ASSERT_SAYS(d, "0 values");
		d = decide((enum ss_mode)mode, y, 3, 1);
		ck_assert(!d.steady && d.round == 3);
		ASSERT_SAYS(d, "3 values");
	}
	ck_assert(!decide(SS_MODE_BOTH, y, 4, 1).steady);
	ck_assert(decide(SS_MODE_BAND, y, 4, 1).steady);
}
END_TEST

/* Tracking one variable alone would stop in round 5; one of the three drifts until round 9. */
START_TEST(every_variable_must_hold_in_the_same_window)
{
	static const double small[] = {
		100, 100, 100, 100, 100, 100, 100, 100, 100, 100
	};
	static const double mixed[] = { 50, 51, 50, 50, 51, 50, 51, 50, 51, 50 };
	static const double large[] = { 10, 14, 18, 22, 26, 27, 27, 27, 27, 27 };
	const double *const y[] = { small, mixed, large };
	struct ss_decision d;

	ss_decide(SS_MODE_PTS, y, 2, 10, 1, &d);
	ck_assert_uint_eq(d.round, 5);
	ss_decide(SS_MODE_PTS, y, 3, 8, 1, &d);
	ck_assert(!d.steady);
	ck_assert(d.pts[0].steady && d.pts[1].steady && !d.pts[2].steady);
	ASSERT_SAYS(d, "variable 3 of 3: range 19");
	ss_decide(SS_MODE_PTS, (const double *const[]){ large, small }, 2, 8, 1, &d);
	ck_assert(!d.steady);
	ASSERT_SAYS(d, "variable 1 of 2: range 19");
	ss_decide(SS_MODE_PTS, y, 3, 10, 1, &d);
	ck_assert(d.steady);
	ck_assert_uint_eq(d.round, 9);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(d.pts[i].first, 5);
}
END_TEST

START_TEST(the_first_steady_window_is_found_and_else_the_last)
{
	static const double falling[] = { 100, 90, 80, 70, 60, 50 };
	struct ss_verdict v;

	ss_find(&ss_rule_band, band_alone, N(band_alone), 11, &v);
	ck_assert(v.steady && v.first == 11 && v.round == 14);
	ss_find(&ss_rule_pts, falling, N(falling), 1, &v);
	ck_assert(!v.steady && v.round == 6 && v.first == 2);
	ck_assert(v.slope == -10);
	ss_find(&ss_rule_pts, falling, 2, 1, &v);
	ck_assert(!v.steady && !v.judged && v.n == 2);
}
END_TEST

START_TEST(rules_have_their_words)
{
	struct err err;
	enum ss_mode mode;

	for (int m = SS_MODE_PTS; m <= SS_MODE_BOTH; m++) {
		ck_assert_int_eq(
			ss_mode_parse(ss_mode_word((enum ss_mode)m), &mode, &err), 0);
		ck_assert_int_eq((int)mode, m);
	}
	ck_assert_int_lt(ss_mode_parse("Pts", &mode, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_lt(ss_mode_parse("", &mode, &err), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("steady_state_decide");
	TCase *t = tcase_create("decide");

	tcase_add_test(t, both_goes_on_until_both_hold_and_names_the_earlier_pts_round);
	tcase_add_test(t, both_falls_back_on_pts_where_band_is_never_attained);
	tcase_add_test(t, band_alone_does_not_make_both_steady);
	tcase_add_test(t, later_windows_that_fail_are_counted);
	tcase_add_test(t, rounds_may_begin_anywhere);
	tcase_add_test(t, no_values_or_too_few_are_not_steady);
	tcase_add_test(t, every_variable_must_hold_in_the_same_window);
	tcase_add_test(t, the_first_steady_window_is_found_and_else_the_last);
	tcase_add_test(t, rules_have_their_words);
	suite_add_tcase(s, t);
	return suite_run(s);
}
