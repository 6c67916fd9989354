/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several tracking variables and two rules into one decision. Every variable must hold in the
 * same window. @pts 2.1.24
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "steady_state/ss.h"

struct series {
	const double *const *y;
	size_t n_series;
	unsigned first;
};

/* The rule over the window that ends with the n-th value of each variable; *ret may be NULL. */
static bool holds(const struct series *s, const struct ss_rule *rule, size_t n,
		  struct ss_verdict *ret)
{
	bool all = s->n_series > 0;

	for (size_t i = 0; i < s->n_series; i++) {
		struct ss_verdict v;

		ss_judge(rule, s->y[i], n, s->first + (unsigned)n - 1, &v);
		all = all && v.steady;
		if (ret)
			ret[i] = v;
	}
	return all;
}

static void say(struct ss_decision *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(struct ss_decision *d, const char *fmt, ...)
{
	size_t len = strlen(d->reason);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->reason + len, sizeof(d->reason) - len, fmt, ap);
	va_end(ap);
}

/* The first variable that a rule rejects speaks for it. */
static void say_why_not(struct ss_decision *d, const struct ss_verdict *v)
{
	size_t i = 0;

	while (i + 1 < d->n_series && v[i].steady)
		i++;
	if (d->n_series > 1)
		say(d, "variable %zu of %zu: ", i + 1, d->n_series);
	say(d, "%s", v[i].reason);
}

static void explain(struct ss_decision *d, unsigned last)
{
	bool by_pts = d->deciding == &ss_rule_pts;

	if (!d->steady) {
		say(d, "not steady up to round %u by %s: ", last, d->deciding->name);
		say_why_not(d, by_pts ? d->pts : d->band);
		if (d->mode == SS_MODE_BOTH && d->band_first)
			say(d, "; band held in round %u, which decides nothing alone",
			    d->band_first);
		return;
	}
	if (d->mode != SS_MODE_BOTH)
		say(d, "steady in round %u by %s", d->round, d->deciding->name);
	else if (d->stop)
		say(d, "steady in round %u by pts and band", d->round);
	else
		say(d, "steady in round %u by pts; band not attained %sup to round %u",
		    d->round, d->band_first ? "together with pts " : "", last);
	if (d->stop && by_pts && d->pts_first < d->round)
		say(d,
		    "; pts held first in round %u, the rounds after it are the operator's extension",
		    d->pts_first);
	if (d->later)
		say(d, "; of %u later window%s %u fail%s pts", d->later,
		    d->later == 1 ? "" : "s", d->later_failed,
		    d->later_failed == 1 ? "s" : "");
}

void ss_decide(enum ss_mode mode, const double *const y[], size_t n_series, size_t n,
	       unsigned first, struct ss_decision *ret)
{
	const struct series s = { y, n_series < SS_MAX_SERIES ? n_series : SS_MAX_SERIES,
				  first };
	unsigned last = first + (unsigned)n - 1, both_first = 0;

	assert(n_series <= SS_MAX_SERIES);
	*ret = (struct ss_decision){
		.mode = mode,
		.deciding = mode == SS_MODE_BAND ? &ss_rule_band : &ss_rule_pts,
		.n_series = n_series,
	};
	for (size_t k = 1; k <= n; k++) {
		unsigned round = first + (unsigned)k - 1;
		bool pts = holds(&s, &ss_rule_pts, k, NULL),
		     band = holds(&s, &ss_rule_band, k, NULL);

		if (ret->pts_first) {
			ret->later++;
			ret->later_failed += !pts;
		}
		if (pts && !ret->pts_first)
			ret->pts_first = round;
		if (band && !ret->band_first)
			ret->band_first = round;
		if (pts && band && !both_first)
			both_first = round;
	}
	unsigned own = mode == SS_MODE_BAND  ? ret->band_first
		       : mode == SS_MODE_PTS ? ret->pts_first
					     : both_first;

	/* Where the two never hold together, the specification's own rule decides alone. */
	unsigned at = own ? own : mode == SS_MODE_BOTH ? ret->pts_first : 0;

	ret->stop = own > 0;
	ret->steady = at > 0;
	ret->round = at ? at : last;
	(void)holds(&s, &ss_rule_pts, ret->round - first + 1, ret->pts);
	(void)holds(&s, &ss_rule_band, ret->round - first + 1, ret->band);
	explain(ret, last);
}
