/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of figures side by side, against values worked out by hand. */
#include <check.h>
#include <stdlib.h>

#include "report/compare.h"
#include "tests/lib/suite.h"

static struct cmp_value value[CMP_MAX_RUNS];
static struct cmp_row row = { .value = value };

static struct cmp_stat stat_of(enum cmp_quantity q, size_t n, const double *v,
			       double range)
{
	const struct cmp c = { .n = n };

	row.quantity = q;
	for (size_t i = 0; i < n; i++)
		value[i] = (struct cmp_value){ .known = v[i] >= 0,
					       .v = v[i],
					       .range = range };
	return cmp_stat(&c, &row);
}

START_TEST(the_best_is_the_highest_rate_and_the_lowest_time)
{
	const double v[] = { 100, 130, 90 };

	ck_assert_uint_eq(stat_of(CMP_IOPS, 3, v, -1).best, 1);
	ck_assert_uint_eq(stat_of(CMP_ART, 3, v, -1).best, 2);
}
END_TEST

/* (130 - 90) / 100 */
START_TEST(spread_is_of_the_median_and_absent_runs_count_for_nothing)
{
	const double v[] = { 100, -1, 130, 90 };
	struct cmp_stat s = stat_of(CMP_IOPS, 4, v, -1);

	ck_assert_uint_eq(s.n, 3);
	ck_assert_double_eq(s.median, 100);
	ck_assert_double_eq(s.spread_pct, 40);
	ck_assert_uint_eq(s.best, 2);
	ck_assert(!s.noise_known);
}
END_TEST

START_TEST(within_noise_is_no_further_apart_than_the_wider_window)
{
	const double v[] = { 100, 108 };

	ck_assert(stat_of(CMP_IOPS, 2, v, 8).within_noise);
	ck_assert(stat_of(CMP_IOPS, 2, v, 8).noise_known);
	ck_assert(!stat_of(CMP_IOPS, 2, v, 7.9).within_noise);
	value[1].range = 20;
	ck_assert(cmp_stat(&(struct cmp){ .n = 2 }, &row).within_noise);
	value[1].range = -1;
	ck_assert(!cmp_stat(&(struct cmp){ .n = 2 }, &row).noise_known);
}
END_TEST

/* Median 100.5; distances 0.5 0.5 1.5 19.5 (median 1): 19.5 is more than three of it and than 5 %. */
START_TEST(an_outlier_is_far_by_its_drives_own_measure)
{
	const double v[] = { 100, 101, 99, 120 }, near[] = { 100, 101, 99, 104.5 },
		     few[] = { 100, 101, 150 };

	ck_assert_int_eq(stat_of(CMP_IOPS, 4, v, -1).outlier, 3);
	ck_assert_int_eq(stat_of(CMP_IOPS, 4, near, -1).outlier, -1);
	ck_assert_int_eq(stat_of(CMP_IOPS, 3, few, -1).outlier, -1);
}
END_TEST

START_TEST(a_figure_that_no_run_has_is_nothing)
{
	const double v[] = { -1, -1 };

	ck_assert_uint_eq(stat_of(CMP_IOPS, 2, v, -1).n, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compare");
	TCase *t = tcase_create("stat");

	suite_add_tcase(s, t);
	tcase_add_test(t, the_best_is_the_highest_rate_and_the_lowest_time);
	tcase_add_test(t, spread_is_of_the_median_and_absent_runs_count_for_nothing);
	tcase_add_test(t, within_noise_is_no_further_apart_than_the_wider_window);
	tcase_add_test(t, an_outlier_is_far_by_its_drives_own_measure);
	tcase_add_test(t, a_figure_that_no_run_has_is_nothing);
	return suite_run(s);
}
