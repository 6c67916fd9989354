/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "steady_state/ss.h"
#include "tests/lib/suite.h"

static struct ss_verdict judge(const struct ss_rule *rule, const double *y, size_t n)
{
	struct ss_verdict v;

	ss_judge(rule, y, n, (unsigned)n, &v);
	return v;
}

/* Worked by hand, or printed in published reports; figures to the digits given there. */
static const struct {
	double y[5], average, range_pct, slope, excursion_pct;
	bool pts, band; /* band over the last four of the five */
} vectors[] = {
	/* clang-format off */
	/* a vendor's printed log: average 238.23, range 5.0 %, slope 2.41, line 4.1 % */
	{ { 228.90, 240.21, 240.60, 240.71, 240.71 }, 238.226, 4.957, 2.412, 4.050, true, true },
	{ { 100, 100, 100, 100, 100 },     100,    0,      0,    0,     true,  true },
	{ { 95, 97.5, 100, 102.5, 105 },   100,    10,     2.5,  10,    true,  true },  /* on (b) */
	{ { 90, 110, 100, 90, 110 },       100,    20,     2,    8,     true,  true },  /* on (a) */
	{ { 94, 97, 100, 103, 106 },       100,    12,     3,    12,    false, true },
	{ { 90, 95, 100, 105, 110 },       100,    20,     5,    20,    false, true },
	{ { 120, 100, 100, 100, 100 },     104,    19.231, -4,   15.385, false, true },
	{ { 89, 111, 100, 89, 111 },       100,    22,     2.2,  8.8,   false, true },
	{ { 96, 96, 113, 96, 96 },         99.4,   17.103, 0,    0,     true,  true },
	{ { 100, 91, 100, 109, 100 },      100,    18,     1.8,  7.2,   true,  true },
	{ { 97, 97, 113, 97, 96 },         100,    17,     -0.2, 0.8,   true,  true },
	{ { 93, 96.5, 100, 103.5, 107 },   100,    14,     3.5,  14,    false, true },
	{ { 110, 100, 100, 100, 90 },      100,    20,     -4,   16,    false, true },
	{ { 100, 100, 100, 100, 118.6 },   103.72, 17.933, 3.72, 14.346, false, true },
	{ { 82, 91, 100, 109, 118 },       100,    36,     9,    36,    false, false },
	/* the mean of five within 20 % of each, and yet a range of 38 % */
	{ { 81, 100, 100, 100, 119 },      100,    38,     7.6,  30.4,  false, true },
	{ { 110, 90, 90, 110, 110 },       102,    19.608, 2,    7.843, true,  false },
	/* clang-format on */
};

START_TEST(published_and_hand_worked_vectors_get_their_verdict_and_figures)
{
	const double *y = vectors[_i].y;
	struct ss_verdict pts = judge(&ss_rule_pts, y, 5),
			  band = judge(&ss_rule_band, y, 5);

	ck_assert_msg(pts.steady == vectors[_i].pts, "pts: %s", pts.reason);
	ck_assert_msg(band.steady == vectors[_i].band, "band: %s", band.reason);
	ck_assert(pts.judged && band.judged);
	ck_assert_double_eq_tol(pts.average, vectors[_i].average, 5e-4);
	ck_assert_double_eq_tol(pts.range_pct, vectors[_i].range_pct, 5e-4);
	ck_assert_double_eq_tol(pts.slope, vectors[_i].slope, 5e-4);
	ck_assert_double_eq_tol(pts.excursion_pct, vectors[_i].excursion_pct, 5e-4);
	ck_assert_double_eq_tol(pts.excursion, 4 * fabs(pts.slope), 1e-12);
	ck_assert_uint_eq(pts.first, 1);
	ck_assert_uint_eq(band.first, 2);
	ck_assert_uint_eq(band.n, 4);
}
END_TEST

START_TEST(a_window_exactly_on_a_limit_holds_and_one_step_beyond_does_not)
{
	const double on_line[] = { 95, 97.5, 100, 102.5, 105 };
	const double on_range[] = { 90, 110, 100, 90, 110 };
	const double on_band[] = { 90, 290. / 3, 310. / 3, 110 };
	double y[5];

	ck_assert(judge(&ss_rule_pts, on_line, 5).steady);
	ck_assert(judge(&ss_rule_pts, on_range, 5).steady);
	ck_assert(judge(&ss_rule_band, on_band, 4).steady);
	memcpy(y, on_line, sizeof(y));
	y[4] = nextafter(y[4], 200);
	ck_assert(!judge(&ss_rule_pts, y, 5).steady);
	memcpy(y, on_range, sizeof(y));
	y[1] = nextafter(y[1], 200);
	ck_assert(!judge(&ss_rule_pts, y, 5).steady);
}
END_TEST

/*
 * Whole numbers, where both limits are met in equality: 20 |sxy| = sum, 25 range = 5 sum. The
 * verdict of the exact arithmetic (in integers, here) must come out for every one of them.
 */
START_TEST(whole_numbers_are_judged_exactly)
{
	struct rng r;
	unsigned on_limit = 0;

	rng_seed(&r, 4);
	for (int k = 0; k < 200000; k++) {
		int64_t w[5], sum = 0, min = INT64_MAX, max = 0;
		double y[5];
		int64_t base = 5 + (int64_t)rng_below(&r, 400);

		for (int i = 0; i < 5; i++) {
			w[i] = base + (int64_t)rng_below(&r, (uint64_t)base / 5 + 1);
			sum += w[i];
			min = w[i] < min ? w[i] : min;
			max = w[i] > max ? w[i] : max;
			y[i] = (double)w[i];
		}
		int64_t sxy = llabs(2 * (w[4] - w[0]) + w[3] - w[1]);
		bool expect = 25 * (max - min) <= sum && 20 * sxy <= sum;

		on_limit += expect && (25 * (max - min) == sum || 20 * sxy == sum);
		ck_assert_msg(judge(&ss_rule_pts, y, 5).steady == expect,
			      "%g %g %g %g %g", y[0], y[1], y[2], y[3], y[4]);
		int64_t sum4 = sum - w[0], sxy4 = llabs(3 * (w[4] - w[1]) + w[3] - w[2]);

		/* ends of the line: 1.5 |slope| = 1.5 (sxy4 / 2) / 5 <= 0.1 (sum4 / 4) */
		ck_assert(judge(&ss_rule_band, y, 5).steady == (6 * sxy4 <= sum4));
	}
	ck_assert_uint_gt(on_limit, 100);
}
END_TEST

START_TEST(the_line_is_that_of_the_general_least_squares_fit)
{
	struct rng r;

	rng_seed(&r, 5);
	for (int k = 0; k < 20000; k++) {
		const struct ss_rule *rule = k % 2 ? &ss_rule_pts : &ss_rule_band;
		size_t n = rule->window;
		unsigned round = (unsigned)n + (unsigned)rng_below(&r, 1000);
		double x[5], y[5], c0, c1, cov[3], sum;
		double scale = pow(10, (double)rng_below(&r, 24) - 12);
		struct ss_verdict v;

		for (size_t i = 0; i < n; i++) {
			x[i] = (double)(round + 1 - n + i);
			y[i] = scale * (0.5 + (double)rng_below(&r, 1 << 30) / (1 << 30));
		}
		ss_judge(rule, y, n, round, &v);
		gsl_fit_linear(x, 1, y, 1, n, &c0, &c1, &cov[0], &cov[1], &cov[2], &sum);
		ck_assert_double_eq_tol(v.slope, c1, 1e-12 * scale);
		ck_assert_double_eq_tol(v.intercept, c0, 1e-9 * scale);
		ck_assert_double_eq_tol(v.r, gsl_stats_correlation(x, 1, y, 1, n), 1e-9);
		double left = c0 + c1 * x[0], right = c0 + c1 * x[n - 1];

		ck_assert_double_eq_tol(v.line_low_pct,
					100 * fmin(left, right) / v.average, 1e-9);
		ck_assert_double_eq_tol(v.line_high_pct,
					100 * fmax(left, right) / v.average, 1e-9);
	}
}
END_TEST

START_TEST(a_constant_series_is_steady_with_a_slope_of_exactly_0)
{
	const double values[] = { 1e-9,
				  0.1,
				  1,
				  3.3,
				  65983276891132.61,
				  6.6e13,
				  1e300,
				  1e-300,
				  66000000000000.123,
				  1.0 / 3 };

	for (size_t k = 0; k < ARRAY_LEN(values); k++) {
		double y[5] = { values[k], values[k], values[k], values[k], values[k] };
		const struct ss_rule *rules[] = { &ss_rule_pts, &ss_rule_band };

		for (size_t i = 0; i < 2; i++) {
			struct ss_verdict v = judge(rules[i], y, 5);

			ck_assert(v.steady);
			ck_assert(v.slope == 0 && v.range == 0 && v.excursion == 0 &&
				  v.r == 0);
			ck_assert(v.line_low_pct == 100 && v.line_high_pct == 100);
			ck_assert_double_eq_tol(v.average / values[k], 1, 1e-15);
			ck_assert(v.intercept == v.average);
		}
	}
}
END_TEST

START_TEST(scaling_keeps_the_verdict_and_reversing_negates_the_slope)
{
	struct rng r;

	rng_seed(&r, 6);
	for (int k = 0; k < 20000; k++) {
		double y[5], scaled[5], back[5];
		double factor = exp2((double)rng_below(&r, 60) - 30);

		for (int i = 0; i < 5; i++)
			y[i] = 100 + (double)rng_below(&r, 2800) / 100;
		for (int i = 0; i < 5; i++) {
			scaled[i] = y[i] * factor;
			back[i] = y[4 - i];
		}
		struct ss_verdict v = judge(&ss_rule_pts, y, 5),
				  s = judge(&ss_rule_pts, scaled, 5),
				  b = judge(&ss_rule_pts, back, 5);

		ck_assert(v.steady == s.steady && v.steady == b.steady);
		ck_assert(s.slope == v.slope * factor && s.range_pct == v.range_pct);
		ck_assert(b.slope == -v.slope && b.excursion_pct == v.excursion_pct);
	}
}
END_TEST

static const struct {
	double y[5];
	size_t n;
	const char *why;
} unusable[] = {
	{ { 0 }, 0, "0 values, the rule pts needs 5" },
	{ { 100 }, 1, "1 value, the rule pts needs 5" },
	{ { 100, 100, 100, 100 }, 4, "4 values, the rule pts needs 5" },
	{ { 0, 0, 0, 0, 0 }, 5, "every value is 0" },
	{ { -0.0, 0, 0, 0, -0.0 }, 5, "every value is 0" },
	{ { 100, (double)NAN, 100, 100, 100 },
	  5,
	  "the value of round 2 is no finite number" },
	{ { 100, 100, 100, 100, (double)INFINITY },
	  5,
	  "the value of round 5 is no finite number" },
	{ { -(double)INFINITY, 100, 100, 100, 100 },
	  5,
	  "the value of round 1 is no finite number" },
	{ { 100, 100, -1e-9, 100, 100 }, 5, "the value of round 3 is negative" },
	{ { 100, 100, 100, 1e301, 100 }, 5, "the value of round 4 is too large" },
	{ { 1e-310, 100, 100, 100, 100 }, 5, "the value of round 1 is too small" },
};

START_TEST(a_window_that_cannot_be_judged_is_never_steady_and_says_why)
{
	struct ss_verdict v = judge(&ss_rule_pts, unusable[_i].y, unusable[_i].n);

	ck_assert(!v.steady && !v.judged);
	ck_assert_str_eq(v.reason, unusable[_i].why);
	ck_assert(v.average == 0 && v.slope == 0 && v.range_pct == 0 &&
		  v.line_low_pct == 0);
}
END_TEST

START_TEST(a_latency_of_30_microseconds_in_ms_is_judged_unrounded)
{
	const double flat[] = { 0.031, 0.030, 0.030, 0.031, 0.030 };
	const double rising[] = { 0.028, 0.030, 0.032, 0.034, 0.036 };

	ck_assert(judge(&ss_rule_pts, flat, 5).steady);
	ck_assert(!judge(&ss_rule_pts, rising, 5).steady);
	ck_assert_double_eq_tol(judge(&ss_rule_pts, rising, 5).slope, 0.002, 1e-15);
}
END_TEST

START_TEST(the_reason_holds_the_arithmetic)
{
	struct ss_verdict v = judge(&ss_rule_pts, vectors[0].y, 5);

	ck_assert_str_eq(v.reason,
			 "range 4.96 % of the average 238.2 (limit 20 %): holds; "
			 "line 4.05 % (limit 10 %): holds");
	v = judge(&ss_rule_band, vectors[14].y, 5);
	ck_assert_str_eq(v.reason,
			 "line 87.08..112.92 % of the average (limits 90..110 %): fails");
}
END_TEST

START_TEST(the_reason_never_rounds_a_failure_onto_the_limit)
{
	const double y[] = { 95, 97.5, 100, 102.5, 105.00001 };
	struct ss_verdict v = judge(&ss_rule_pts, y, 5);

	ck_assert(!v.steady);
	ck_assert_msg(strstr(v.reason, "line 10.00001 % (limit 10 %): fails"), "%s",
		      v.reason);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("steady_state_verdict");
	TCase *t = tcase_create("verdict");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
		t, published_and_hand_worked_vectors_get_their_verdict_and_figures, 0,
		(int)ARRAY_LEN(vectors));
	tcase_add_test(t, a_window_exactly_on_a_limit_holds_and_one_step_beyond_does_not);
	tcase_add_test(t, whole_numbers_are_judged_exactly);
	tcase_add_test(t, the_line_is_that_of_the_general_least_squares_fit);
	tcase_add_test(t, a_constant_series_is_steady_with_a_slope_of_exactly_0);
	tcase_add_test(t, scaling_keeps_the_verdict_and_reversing_negates_the_slope);
	tcase_add_loop_test(t,
			    a_window_that_cannot_be_judged_is_never_steady_and_says_why,
			    0, (int)ARRAY_LEN(unusable));
	tcase_add_test(t, a_latency_of_30_microseconds_in_ms_is_judged_unrounded);
	tcase_add_test(t, the_reason_holds_the_arithmetic);
	tcase_add_test(t, the_reason_never_rounds_a_failure_onto_the_limit);
	suite_add_tcase(s, t);
	return suite_run(s);
}
