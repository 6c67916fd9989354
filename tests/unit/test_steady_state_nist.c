/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Certified values of NIST's Statistical Reference Datasets. Our fit knows evenly spaced windows
 * alone, and the one set with a line y = B0 + B1 x has scattered x; so Norris goes through
 * gsl_fit_linear, which test_steady_state_verdict.c holds our line against, and the sums of our own
 * fit through NoInt2, whose slope through the origin they give.
 */
#include <check.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "steady_state/fit.h"
#include "tests/lib/suite.h"

#define MAX 64

static size_t read_set(const char *name, double *x, double *y)
{
	FILE *f = fopen("fixtures/series/nist.csv", "re");
	char line[128], set[32];
	size_t n = 0;

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		double at, value;

		if (sscanf(line, "%31[^,],%lf,%lf", set, &at, &value) != 3 ||
		    strcmp(set, name) != 0)
			continue;
		ck_assert_uint_lt(n, MAX);
		x[n] = at;
		y[n++] = value;
	}
	fclose(f);
	return n;
}

/* The certified figures have 15 digits; 12 must come out. */
static void ck_certified(double have, double certified)
{
	ck_assert_msg(fabs(have - certified) <= 1e-12 * fabs(certified),
		      "%.17g, certified %.17g", have, certified);
}

START_TEST(the_line_of_norris_is_the_certified_one)
{
	double x[MAX], y[MAX], c0, c1, cov[3], rest;
	size_t n = read_set("norris", x, y);

	ck_assert_uint_eq(n, 36);
	gsl_fit_linear(x, 1, y, 1, n, &c0, &c1, &cov[0], &cov[1], &cov[2], &rest);
	ck_certified(c1, 1.00211681802045);
	ck_certified(c0, -0.262323073774029);
	ck_certified(sqrt(rest / 34), 0.884796396144373);
	ck_certified(pow(gsl_stats_correlation(x, 1, y, 1, n), 2), 0.999993745883712);
}
END_TEST

/* Through the origin: sum xy / sum xx, each of them our sum about the means and n times these. */
START_TEST(our_sums_give_the_certified_slope_of_noint2)
{
	double x[MAX], y[MAX];
	struct ss_fit fit;
	size_t n = read_set("noint2", x, y);

	ck_assert_uint_eq(n, 3);
	ss_fit(y, n, &fit);
	ck_certified((fit.sxy + (double)n * 5 * fit.average) /
			     (fit.sxx + (double)n * 5 * 5),
		     0.727272727272727);
}
END_TEST

START_TEST(our_average_of_numacc1_is_the_certified_one)
{
	double x[MAX], y[MAX];
	struct ss_fit fit;
	size_t n = read_set("numacc1", x, y);

	ck_assert_uint_eq(n, 3);
	ss_fit(y, n, &fit);
	ck_assert(fit.average == 10000002);
	ck_assert(fit.range == 2);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("steady_state_nist");
	TCase *t = tcase_create("nist");

	tcase_add_test(t, the_line_of_norris_is_the_certified_one);
	tcase_add_test(t, our_sums_give_the_certified_slope_of_noint2);
	tcase_add_test(t, our_average_of_numacc1_is_the_certified_one);
	suite_add_tcase(s, t);
	return suite_run(s);
}
