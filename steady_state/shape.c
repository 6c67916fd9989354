/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steady_state/shape.h"

#include <math.h>

#include "steady_state/fit.h"

#define CLIFF_RUN       3
#define CLIFF_PCT       80.0
#define TAIL_PART       3
#define TAIL_MIN        5
#define TAIL_MOVE_PCT   5.0
#define FLOOR_MARGIN    0.05
#define OSCILLATION_PCT 10.0
#define SWING_SHARE     0.25

static bool all_usable(const double *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(y[i]) || y[i] < 0)
			return false;
	return true;
}

static double mean(const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += y[i];
	return sum / (double)n;
}

struct span {
	double lo, hi;
};

static struct span span_of(const double *y, size_t n)
{
	struct span s = { y[0], y[0] };

	for (size_t i = 1; i < n; i++) {
		s.lo = fmin(s.lo, y[i]);
		s.hi = fmax(s.hi, y[i]);
	}
	return s;
}

/* Index of the first value of the first fall; n where there is none. */
static size_t find_cliff(const double *y, size_t n)
{
	double before = y[0];

	for (size_t i = 1; i + CLIFF_RUN <= n; before += y[i++]) {
		double limit = CLIFF_PCT / 100 * before / (double)i;
		size_t low = 0;

		while (low < CLIFF_RUN && y[i + low] < limit)
			low++;
		if (low == CLIFF_RUN)
			return i;
	}
	return n;
}

static bool is_outside(double v, const struct span *s, double margin)
{
	return v < s->lo - margin || v > s->hi + margin;
}

/* No earlier than `from`. */
static size_t find_floor(const double *y, size_t n, size_t tail_n, size_t from)
{
	const double *tail = y + n - tail_n;
	struct span s = span_of(tail, tail_n);
	double margin = FLOOR_MARGIN * mean(tail, tail_n);

	for (size_t i = n - tail_n; i > from + 1; i--)
		if (is_outside(y[i - 1], &s, margin) && is_outside(y[i - 2], &s, margin))
			return i;
	return from < n && is_outside(y[from], &s, margin) ? from + 1 : from;
}

static double find_period(const double *y, size_t n, double average)
{
	struct span s = span_of(y, n);
	size_t crossings = 0, first = 0, last = 0;
	int side = 0;

	for (size_t i = 0; i < n; i++) {
		int now = y[i] > average + SWING_SHARE * (s.hi - average)   ? 1
			  : y[i] < average - SWING_SHARE * (average - s.lo) ? -1
									    : side;

		if (side && now != side) {
			first = crossings ? first : i;
			last = i;
			crossings++;
		}
		side = now;
	}
	return crossings > 2 ? 2 * (double)(last - first) / (double)(crossings - 1) : 0;
}

static void find_oscillation(const double *y, size_t n, struct ss_shape *ret)
{
	struct span s = span_of(y, n);

	ret->swing_pct = ret->floor > 0 ? 100 * (s.hi - s.lo) / ret->floor : 0;
	if (ret->swing_pct > OSCILLATION_PCT)
		ret->period = find_period(y, n, ret->floor);
}

static bool is_settled(const double *tail, size_t n)
{
	double average = mean(tail, n);
	struct ss_fit fit;

	if (!(average > 0))
		return false;
	ss_fit_line(tail, n, &fit);
	return ss_within((double)(n - 1) * fabs(fit.sxy) / fit.sxx, TAIL_MOVE_PCT,
			 average);
}

void ss_shape(const double *y, size_t n, struct ss_shape *ret)
{
	size_t tail_n = n / TAIL_PART > TAIL_MIN ? n / TAIL_PART : TAIL_MIN;
	const double *tail;

	*ret = (struct ss_shape){ 0 };
	if (n < SS_SHAPE_MIN || !all_usable(y, n))
		return;
	tail = y + n - tail_n;
	ret->judged = true;
	ret->tail_n = tail_n;
	ret->fresh_n = find_cliff(y, n);
	ret->fresh = mean(y, ret->fresh_n);
	ret->cliff =
		ret->fresh_n < n && mean(tail, tail_n) < CLIFF_PCT / 100 * ret->fresh;
	if (!ret->cliff) {
		ret->fresh_n = n;
		ret->fresh = mean(y, n);
	}
	ret->lowest_at = ret->cliff ? ret->fresh_n : 0;
	for (size_t i = ret->lowest_at; i < n; i++)
		if (y[i] < y[ret->lowest_at])
			ret->lowest_at = i;
	ret->lowest = y[ret->lowest_at];
	ret->settled = is_settled(tail, tail_n);
	if (!ret->settled)
		return;
	ret->floor_from = ret->cliff ? find_floor(y, n, tail_n, ret->fresh_n) : 0;
	ret->floor = mean(y + ret->floor_from, n - ret->floor_from);
	find_oscillation(y + ret->floor_from, n - ret->floor_from, ret);
}
