/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least-squares line of evenly spaced points. Their x are symmetric about the middle of the
 * window, so sxy is a weighted sum of differences of opposite values. Unlike a recurrence
 * over general x, this gives slope 0 exactly for constant values, the exact negative for the
 * reversed series, and no rounding at all where the values are whole numbers: a window that lies
 * on a limit is judged as the rule says, not as rounding has it.
 */
#include "steady_state/fit.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "steady_state/ss.h"

/* Pearson's r, of values brought to 0..1: squares of the raw ones may leave a double's range. */
static double correlation(const double *y, size_t n, double min, double range)
{
	double x[SS_MAX_WINDOW], z[SS_MAX_WINDOW];

	if (!(range > 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i;
		z[i] = (y[i] - min) / range;
	}
	return gsl_stats_correlation(x, 1, z, 1, n);
}

void ss_fit_line(const double *y, size_t n, struct ss_fit *ret)
{
	double min, max;

	*ret = (struct ss_fit){ .average = gsl_stats_mean(y, 1, n) };
	for (size_t i = 0; i < n / 2; i++) {
		double from_middle = (double)(n - 1) / 2 - (double)i;

		ret->sxy += from_middle * (y[n - 1 - i] - y[i]);
		ret->sxx += 2 * from_middle * from_middle;
	}
	gsl_stats_minmax(&min, &max, y, 1, n);
	ret->range = max - min;
}

void ss_fit(const double *y, size_t n, struct ss_fit *ret)
{
	ss_fit_line(y, n, ret);
	ret->r = correlation(y, n, gsl_stats_min(y, 1, n), ret->range);
}

bool ss_within(double part, double limit_pct, double whole)
{
	return 100 * part <= limit_pct * whole;
}
