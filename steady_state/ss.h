/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steady state: a series of round values in, a verdict with all its figures out. Pure
 * functions: no I/O, no printing, no state. All compared unrounded, limits inclusive.
 */
#ifndef STEADY_STATE_SS_H
#define STEADY_STATE_SS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SS_MAX_WINDOW 5

/* A rule is data. A limit of 0 (or an absent band: lo == hi == 0) is not applied. */
struct ss_rule {
	const char *name;
	const char *clause;       /* where it comes from */
	unsigned window;          /* values in the window, 2..SS_MAX_WINDOW */
	double max_range_pct;     /* max - min of the values, % of the average */
	double max_excursion_pct; /* max - min of the fitted line, % of the average */
	double line_lo_pct,
		line_hi_pct; /* corridor of the fitted line, % of the average */
};

/* @pts 2.1.24: five values x-4..x; range <= 20 %, line's own max - min (4 |slope|) <= 10 %. */
extern const struct ss_rule ss_rule_pts;
/* Last four rounds; the line stays within 90..110 % of the average. A lab practice, no PTS rule. */
extern const struct ss_rule ss_rule_band;

enum ss_mode { SS_MODE_PTS, SS_MODE_BAND, SS_MODE_BOTH };
/* "pts", "band", "both"; EXIT_CODE_USAGE. */
int ss_mode_parse(const char *word, enum ss_mode *ret, struct err *err) MUST_CHECK;
const char *ss_mode_word(enum ss_mode mode);

struct ss_verdict {
	const struct ss_rule *rule;
	bool steady;
	bool judged; /* false: too few values or one unusable; average and what follows are 0 */
	unsigned first, round; /* the window's first and last round number */
	size_t n;              /* values in window[] */
	double window[SS_MAX_WINDOW];
	double average, range, range_pct;
	double slope, intercept; /* least squares; x are round numbers */
	double excursion, excursion_pct;
	double line_low_pct, line_high_pct; /* ends of the line, % of the average */
	double r;                           /* Pearson; 0 where the values are constant */
	char reason[320];                   /* in words, with the arithmetic */
};

/*
 * Judge the window that ends with y[n - 1], whose round number is `round` (rounds are
 * consecutive). Fewer than window values, or any that is not finite, negative, or all zero:
 * not steady, and the reason says so.
 */
void ss_judge(const struct ss_rule *rule, const double *y, size_t n, unsigned round,
	      struct ss_verdict *ret);
/* The first steady window of the series whose first value is round `first`; the last window where none is. */
void ss_find(const struct ss_rule *rule, const double *y, size_t n, unsigned first,
	     struct ss_verdict *ret);

/*
 * Several tracking variables (n_series of n values each) under a mode, all on the same window.
 * MODE_BOTH stops where both rules hold for every one; see design.md section 6.
 */
#define SS_MAX_SERIES 3
struct ss_decision {
	enum ss_mode mode;
	bool steady; /* by `deciding` */
	bool stop;   /* the mode's own condition holds at `round`: the loop may end */
	unsigned
		round; /* end of the reported window: where it held, else the last round */
	const struct ss_rule *deciding; /* whose window and verdict are reported */
	unsigned pts_first; /* round where pts first held for all, 0 = never */
	unsigned band_first;
	unsigned later,
		later_failed; /* pts windows after pts_first, and how many of them fail */
	size_t n_series;
	struct ss_verdict pts[SS_MAX_SERIES];  /* at `round` */
	struct ss_verdict band[SS_MAX_SERIES]; /* at `round` */
	char reason[512];
};
void ss_decide(enum ss_mode mode, const double *const y[], size_t n_series, size_t n,
	       unsigned first, struct ss_decision *ret);

#endif
