/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rule, one window: does it hold, and why. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steady_state/fit.h"
#include "steady_state/ss.h"

/* Beyond these the arithmetic could leave a double's range; no drive's figure comes near. */
#define VALUE_MIN 1e-300
#define VALUE_MAX 1e300

static void say(struct ss_verdict *v, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add to the reason, which is long enough for all that is said here. */
static void say(struct ss_verdict *v, const char *fmt, ...)
{
	size_t len = strlen(v->reason);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->reason + len, sizeof(v->reason) - len, fmt, ap);
	va_end(ap);
}

/* False, and the reason says why, where the window cannot be judged. */
static bool usable(struct ss_verdict *v)
{
	bool any = false;

	if (v->n < v->rule->window) {
		say(v, "%zu value%s, the rule %s needs %u", v->n, v->n == 1 ? "" : "s",
		    v->rule->name, v->rule->window);
		return false;
	}
	for (size_t i = 0; i < v->n; i++) {
		double y = v->window[i];
		const char *bad = !isfinite(y)             ? "is no finite number"
				  : y < 0                  ? "is negative"
				  : y > VALUE_MAX          ? "is too large"
				  : y > 0 && y < VALUE_MIN ? "is too small"
							   : NULL;

		if (bad) {
			say(v, "the value of round %u %s", v->first + (unsigned)i, bad);
			return false;
		}
		any = any || y > 0;
	}
	if (!any)
		say(v, "every value is 0");
	return any;
}

/*
 * Digits that show pct on the side of the limit where the verdict put it: a reader must not
 * find "10.00 % (limit 10 %): fails".
 */
static int digits_for(double pct, double limit_pct, bool holds)
{
	int digits = 2;

	for (; digits < 17; digits++) {
		char text[64];

		snprintf(text, sizeof(text), "%.*f", digits, pct);
		if ((strtod(text, NULL) <= limit_pct) == holds)
			break;
	}
	return digits;
}

static void conclude(struct ss_verdict *v, bool holds)
{
	say(v, ": %s", holds ? "holds" : "fails");
	v->steady = v->steady && holds;
}

/* @pts 2.1.24 (a) */
static void judge_range(struct ss_verdict *v)
{
	double limit = v->rule->max_range_pct;
	bool holds = ss_within(v->range, limit, v->average);

	/* Four digits, or every whole one. */
	say(v,
	    v->average >= 1000 && v->average < 1e15 ? "range %.*f %% of the average %.0f"
						    : "range %.*f %% of the average %.4g",
	    digits_for(v->range_pct, limit, holds), v->range_pct, v->average);
	say(v, " (limit %g %%)", limit);
	conclude(v, holds);
}

/* The line's own max - min, (n - 1) |slope|. @pts 2.1.24 (b) */
static void judge_excursion(struct ss_verdict *v, const struct ss_fit *fit)
{
	double limit = v->rule->max_excursion_pct;
	bool holds = ss_within((double)(v->n - 1) * fabs(fit->sxy), limit,
			       v->average * fit->sxx);

	say(v, "line %.*f %% (limit %g %%)", digits_for(v->excursion_pct, limit, holds),
	    v->excursion_pct, limit);
	conclude(v, holds);
}

/* The line passes through the average at the window's middle, so its ends lie at equal distances. */
static void judge_corridor(struct ss_verdict *v, const struct ss_fit *fit)
{
	double lo = v->rule->line_lo_pct, hi = v->rule->line_hi_pct;
	double limit = fmin(100 - lo, hi - 100);
	bool holds = ss_within((double)(v->n - 1) / 2 * fabs(fit->sxy), limit,
			       v->average * fit->sxx);
	int digits = digits_for(v->excursion_pct / 2, limit, holds);

	say(v, "line %.*f..%.*f %% of the average (limits %g..%g %%)", digits,
	    v->line_low_pct, digits, v->line_high_pct, lo, hi);
	conclude(v, holds);
}

static void figures(struct ss_verdict *v, const struct ss_fit *fit)
{
	double middle = (double)v->round - (double)(v->n - 1) / 2;

	v->average = fit->average;
	v->range = fit->range;
	v->range_pct = 100 * (fit->range / fit->average);
	v->slope = fit->sxy / fit->sxx;
	v->intercept = fit->average - v->slope * middle;
	v->excursion = (double)(v->n - 1) * fabs(v->slope);
	v->excursion_pct = 100 * (v->excursion / fit->average);
	v->line_low_pct = 100 - v->excursion_pct / 2;
	v->line_high_pct = 100 + v->excursion_pct / 2;
	v->r = fit->r;
}

void ss_judge(const struct ss_rule *rule, const double *y, size_t n, unsigned round,
	      struct ss_verdict *ret)
{
	struct ss_fit fit;
	size_t kept = n < rule->window ? n : rule->window;

	*ret = (struct ss_verdict){
		.rule = rule,
		.first = round + 1 - (unsigned)kept,
		.round = round,
		.n = kept,
	};
	for (size_t i = 0; i < kept; i++)
		ret->window[i] = y[n - kept + i];
	if (!usable(ret))
		return;
	ss_fit(ret->window, kept, &fit);
	figures(ret, &fit);
	ret->judged = ret->steady = true;
	if (rule->max_range_pct > 0)
		judge_range(ret);
	if (rule->max_excursion_pct > 0) {
		say(ret, "%s", ret->reason[0] ? "; " : "");
		judge_excursion(ret, &fit);
	}
	if (rule->line_hi_pct > 0) {
		say(ret, "%s", ret->reason[0] ? "; " : "");
		judge_corridor(ret, &fit);
	}
}

void ss_find(const struct ss_rule *rule, const double *y, size_t n, unsigned first,
	     struct ss_verdict *ret)
{
	size_t seen = n < rule->window ? n : rule->window;

	do
		ss_judge(rule, y, seen, first + (unsigned)seen - 1, ret);
	while (!ret->steady && seen++ < n);
}
