/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of one window of consecutive rounds. */
#ifndef STEADY_STATE_FIT_H
#define STEADY_STATE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * sxy and sxx are the sums of (x - mean x)(y - mean y) and (x - mean x)^2; slope = sxy / sxx. They
 * are kept because a limit is compared before that division: the line's excursion is
 * (n - 1) |sxy| / sxx, and where y are whole numbers the comparison is then exact.
 */
struct ss_fit {
	double average, range, sxy, sxx, r;
};

/* 2 <= n <= SS_MAX_WINDOW usable values (see ss_usable). r is 0 where they are constant. */
void ss_fit(const double *y, size_t n, struct ss_fit *ret);
/* The same of any n >= 2, without r. */
void ss_fit_line(const double *y, size_t n, struct ss_fit *ret);
/* part / whole <= limit_pct %, inclusive, without a division that rounds. whole > 0. */
bool ss_within(double part, double limit_pct, double whole);

#endif
