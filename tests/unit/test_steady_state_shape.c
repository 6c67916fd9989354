/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <math.h>

#include "base/compiler.h"
#include "steady_state/shape.h"
#include "tests/lib/suite.h"

#define MINUTES 60

/* Fresh for `fresh` minutes at 100, then down by 2 a minute to 20 or where it is held. */
static void make(double *y, size_t fresh, double floor)
{
	for (size_t i = 0; i < MINUTES; i++)
		y[i] = i < fresh ? 100 : fmax(floor, 60 - 2 * (double)(i - fresh));
}

START_TEST(a_fall_to_a_level_has_its_plateau_cliff_transition_and_floor)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, 10, 40); /* 60 58 ... 42 40 40: the tail is all 40, its margin 2 */
	ss_shape(y, MINUTES, &s);
	ck_assert(s.judged && s.cliff && s.settled);
	ck_assert_uint_eq(s.fresh_n, 10);
	ck_assert_double_eq(s.fresh, 100);
	ck_assert_uint_eq(s.tail_n, 20);
	ck_assert_uint_eq(s.floor_from,
			  19); /* of 42, the first that is no more than 2 away */
	ck_assert_double_eq_tol(s.floor, (42 + 40.0 * 40) / 41, 1e-12);
	ck_assert_double_eq(s.lowest, 40);
	ck_assert_uint_eq(s.lowest_at, 20);
	ck_assert_double_eq(s.period, 0);
}
END_TEST

START_TEST(a_drive_that_never_falls_has_one_level)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, MINUTES, 0);
	ss_shape(y, MINUTES, &s);
	ck_assert(s.judged && !s.cliff && s.settled);
	ck_assert_uint_eq(s.fresh_n, MINUTES);
	ck_assert_uint_eq(s.floor_from, 0);
	ck_assert_double_eq(s.floor, 100);
	ck_assert_double_eq(s.swing_pct, 0);
}
END_TEST

START_TEST(a_stall_of_two_minutes_is_no_cliff_and_no_end_of_the_floor)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, 10, 40);
	y[4] = y[5] = 0;
	y[30] = 0;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.cliff && s.settled);
	ck_assert_uint_eq(s.fresh_n, 10);
	ck_assert_double_eq(s.fresh, 80);
	ck_assert_uint_eq(s.floor_from, 19);
	ck_assert_uint_eq(s.lowest_at, 30);
}
END_TEST

START_TEST(a_dip_that_heals_is_no_cliff)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, MINUTES, 0);
	for (size_t i = 20; i < 28; i++)
		y[i] = 50;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.judged && !s.cliff);
	ck_assert_uint_eq(s.fresh_n, MINUTES);
}
END_TEST

START_TEST(a_drive_that_still_slows_down_has_no_floor)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, 10, 0);
	for (size_t i = 10; i < MINUTES; i++)
		y[i] = 60 - 0.2 * (double)i;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.judged && s.cliff && !s.settled);
}
END_TEST

/* Rises or falls by `move` over the 20 values of the tail, to either side of 100. */
START_TEST(the_tail_may_move_by_5_percent_of_its_average)
{
	double y[MINUTES];
	struct ss_shape s;

	for (size_t i = 0; i < MINUTES; i++)
		y[i] = 400;
	for (size_t i = 0; i < 20; i++)
		y[40 + i] = 97.5 + 4.99 * (double)i / 19;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.settled);
	for (size_t i = 0; i < 20; i++)
		y[40 + i] = 97.5 + 5.02 * (double)i / 19;
	ss_shape(y, MINUTES, &s);
	ck_assert(!s.settled);
}
END_TEST

START_TEST(an_undershoot_is_the_lowest_value_and_part_of_the_transition)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, 10, 40);
	for (size_t i = 10; i < 15; i++)
		y[i] = 30;
	for (size_t i = 15; i < MINUTES; i++)
		y[i] = 40;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.cliff && s.settled);
	ck_assert_double_eq(s.lowest, 30);
	ck_assert_uint_eq(s.lowest_at, 10);
	ck_assert_uint_eq(s.floor_from, 15);
}
END_TEST

/* Two minutes up, two down: 4 a period. */
START_TEST(an_oscillation_has_its_swing_and_its_period)
{
	double y[MINUTES];
	struct ss_shape s;

	for (size_t i = 0; i < MINUTES; i++)
		y[i] = i % 4 < 2 ? 107 : 93;
	ss_shape(y, MINUTES, &s);
	ck_assert(s.settled);
	ck_assert_double_eq_tol(s.swing_pct, 14, 1e-9);
	ck_assert_double_eq_tol(s.period, 4, 1e-9);
}
END_TEST

START_TEST(a_short_or_unusable_series_has_no_shape)
{
	double y[MINUTES];
	struct ss_shape s;

	make(y, 10, 40);
	ss_shape(y, SS_SHAPE_MIN - 1, &s);
	ck_assert(!s.judged);
	ss_shape(y, 0, &s);
	ck_assert(!s.judged);
	y[7] = (double)NAN;
	ss_shape(y, MINUTES, &s);
	ck_assert(!s.judged && !s.cliff && !s.settled);
}
END_TEST

START_TEST(nothing_but_zeros_is_no_floor)
{
	double y[MINUTES] = { 0 };
	struct ss_shape s;

	ss_shape(y, MINUTES, &s);
	ck_assert(s.judged && !s.cliff && !s.settled);
	ck_assert_double_eq(s.fresh, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("steady_state_shape");
	TCase *t = tcase_create("shape");

	tcase_add_test(t, a_fall_to_a_level_has_its_plateau_cliff_transition_and_floor);
	tcase_add_test(t, a_drive_that_never_falls_has_one_level);
	tcase_add_test(t, a_stall_of_two_minutes_is_no_cliff_and_no_end_of_the_floor);
	tcase_add_test(t, a_dip_that_heals_is_no_cliff);
	tcase_add_test(t, a_drive_that_still_slows_down_has_no_floor);
	tcase_add_test(t, the_tail_may_move_by_5_percent_of_its_average);
	tcase_add_test(t, an_undershoot_is_the_lowest_value_and_part_of_the_transition);
	tcase_add_test(t, an_oscillation_has_its_swing_and_its_period);
	tcase_add_test(t, a_short_or_unusable_series_has_no_shape);
	tcase_add_test(t, nothing_but_zeros_is_no_floor);
	suite_add_tcase(s, t);
	return suite_run(s);
}
