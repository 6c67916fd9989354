/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The confidence page: how response times are distributed, to five nines and the maximum. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "report/pages.h"

#define H_ONE           430
#define BINS_PER_DECADE 40
#define DECADES         13       /* 1 ns .. 10^13 ns */
#define NINES_FROM_PPB  10000000 /* the curve by nines begins at the fastest 1 % */
#define NINES_AIR       1.05

struct marker {
	const char *label, *what;
	uint32_t ppb;
	double ms; /* negative: not printable */
};
#define MARKERS (RPT_PERCENTILES + 2)

static void markers(const struct hist *h, struct marker ret[MARKERS])
{
	ret[0] = (struct marker){ "ART", "average response time", 0,
				  (double)h->sum_ns / (double)h->count / 1e6 };
	for (size_t i = 0; i < RPT_PERCENTILES; i++)
		ret[i + 1] =
			(struct marker){ rpt_percentiles[i].nines,
					 rpt_percentiles[i].label, rpt_percentiles[i].ppb,
					 rpt_percentile_ms(h, rpt_percentiles[i].ppb) };
	ret[MARKERS - 1] = (struct marker){ "MRT", "maximum response time", 0,
					    (double)h->max_ns / 1e6 };
}

static void mark_chart(const struct rpt_scope *s, struct rpt_chart *c,
		       const struct marker mark[MARKERS])
{
	struct rpt_arena *a = &s->m->arena;

	for (size_t i = 0; i < MARKERS; i++)
		if (mark[i].ms > 0)
			rpt_vmark_add(s->m, c, mark[i].ms,
				      rpt_fmt(a, "%s %s ms", mark[i].label,
					      rpt_number(a, PTS_ART, mark[i].ms)));
}

static unsigned bin_of(double ns)
{
	double at = ns < 1 ? 0 : floor(log10(ns) * BINS_PER_DECADE);

	return (unsigned)fmin(at, DECADES * BINS_PER_DECADE - 1);
}

static double bin_low_ms(unsigned bin)
{
	return pow(10, (double)bin / BINS_PER_DECADE) / 1e6;
}

/* Counts in bins of equal width on the logarithmic axis, and how many are done by then. */
static void count_chart(const struct rpt_scope *s, struct rpt_page *p,
			const struct hist *h, const struct marker mark[MARKERS])
{
	struct rpt_chart *c = rpt_test_chart(
		s, p, "histogram", "Response Time Histogram and Confidence Level", H_ONE);
	struct rpt_series *count, *share;
	uint64_t bin[DECADES * BINS_PER_DECADE] = { 0 }, seen = 0;
	unsigned first = DECADES * BINS_PER_DECADE, last = 0;

	c->x = (struct rpt_axis){ .label = "Response time (ms)", .log = true };
	c->y = (struct rpt_axis){ .label = "Count of I/Os", .log = true };
	c->y2 = (struct rpt_axis){ .label = "Confidence (% done)", .lo = 0, .hi = 100 };
	count = rpt_series_add(s->m, c, "Count (left)", RPT_BARS, 5);
	share = rpt_series_add(s->m, c, "Cumulative share (right)", RPT_LINE, 6);
	share->right = true;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		unsigned b;

		if (!h->bucket[i])
			continue;
		b = bin_of(
			(double)(hist_bucket_low_ns(i) / 2 + hist_bucket_high_ns(i) / 2));
		bin[b] += h->bucket[i];
		first = b < first ? b : first;
		last = b > last ? b : last;
	}
	rpt_point_add(s->m, c, share, bin_low_ms(first), 0);
	for (unsigned b = first; b <= last; b++) {
		seen += bin[b];
		if (bin[b])
			rpt_point_add(s->m, c, count,
				      bin_low_ms(b) * pow(10, 0.5 / BINS_PER_DECADE),
				      (double)bin[b]);
		rpt_point_add(s->m, c, share, bin_low_ms(b + 1),
			      100.0 * (double)seen / (double)h->count);
	}
	c->y.lo = 0.5;
	c->y.hi = pow(10, ceil(log10((double)h->count) + 0.1));
	c->x.lo = bin_low_ms(first) / 1.1;
	c->x.hi = bin_low_ms(last + 1) * 1.1;
	c->log_bin = pow(10, 1.0 / BINS_PER_DECADE);
	mark_chart(s, c, mark);
}

/* From the left end of the axis to where too few samples are left. */
void rpt_nines_curve(struct rpt_model *m, struct rpt_chart *c, struct rpt_series *line,
		     const struct hist *h)
{
	uint64_t beyond = h->count;
	double pct = 100;

	for (uint32_t i = 0; i < HIST_BUCKETS && beyond >= HIST_MIN_BEYOND; i++) {
		uint64_t high_ns = hist_bucket_high_ns(i);
		double ms = (double)(high_ns < h->max_ns ? high_ns : h->max_ns) / 1e6;

		if (!h->bucket[i])
			continue;
		if (ms > c->x.lo && !line->n)
			rpt_point_add(m, c, line, fmax(c->x.lo, (double)h->min_ns / 1e6),
				      pct);
		beyond -= h->bucket[i];
		pct = 100.0 * (double)beyond / (double)h->count;
		if (ms > c->x.lo && beyond >= HIST_MIN_BEYOND)
			rpt_point_add(m, c, line, ms, pct);
	}
}

void rpt_nines_axes(struct rpt_model *m, struct rpt_chart *c,
		    const struct hist *const h[], size_t n)
{
	static const struct rpt_tick nines[] = {
		{ 100, "0 %" },         { 10, "90 %" },      { 1, "99 %" },
		{ 0.1, "99.9 %" },      { 0.01, "99.99 %" }, { 0.001, "99.999 %" },
		{ 0.0001, "99.9999 %" }
	};
	double lo_ms = HUGE_VAL, hi_ms = 0, most = 1;

	for (size_t i = 0; i < n; i++) {
		/* The few fastest would take most of the axis and say nothing of the slow ones. */
		lo_ms = fmin(lo_ms, (double)hist_quantile_ns(h[i], NINES_FROM_PPB) / 1e6);
		hi_ms = fmax(hi_ms, (double)h[i]->max_ns / 1e6);
		most = fmax(most, (double)h[i]->count);
	}
	c->x = (struct rpt_axis){ .label = "Response time (ms)",
				  .log = true,
				  .lo = lo_ms / NINES_AIR,
				  .hi = hi_ms * NINES_AIR };
	c->y = (struct rpt_axis){ .label = "Confidence level", .log = true, .lo = 100 };
	c->y.hi = fmax(1e-4,
		       fmin(10, pow(10, floor(log10(100.0 * HIST_MIN_BEYOND / most)))));
	for (size_t i = 0; i < ARRAY_LEN(nines); i++)
		rpt_tick_add(m, &c->y, nines[i].at, nines[i].label);
}

/* The share that takes longer than x, on an axis of nines. */
static void exceedance_chart(const struct rpt_scope *s, struct rpt_page *p,
			     const struct hist *h, const struct marker mark[MARKERS])
{
	struct rpt_chart *c =
		rpt_test_chart(s, p, "nines", "Response Time by Confidence Level", H_ONE);
	struct rpt_series *line =
		rpt_series_add(s->m, c, "Share done within", RPT_LINE, 0);

	rpt_nines_axes(s->m, c, &h, 1);
	rpt_nines_curve(s->m, c, line, h);
	mark_chart(s, c, mark);
}

static void marker_table(const struct rpt_scope *s, struct rpt_page *p,
			 const struct hist *h, const struct marker mark[MARKERS])
{
	struct rpt_arena *a = &s->m->arena;
	struct rpt_table *t = rpt_table_add(s->m, p, "");

	rpt_col_add(s->m, t, "Marker", false, 0.6);
	rpt_col_add(s->m, t, "Meaning", false, 1.6);
	rpt_col_add(s->m, t, "Response time (ms)", true, 1);
	rpt_col_add(s->m, t, "I/Os beyond it", true, 1);
	for (size_t i = 0; i < MARKERS; i++) {
		bool nines = mark[i].ppb > 0;

		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", mark[i].label);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s%s", mark[i].what,
			     nines ? " of I/Os done within" : "");
		rpt_cell_add(s->m, t, nines && mark[i].ms < 0 ? RPT_DIM : RPT_PLAIN, "%s",
			     nines ? rpt_percentile_text(a, h, mark[i].ppb)
				   : rpt_number(a, PTS_ART, mark[i].ms));
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     nines ? rpt_fmt(a, "%" PRIu64, hist_beyond(h, mark[i].ppb))
				   : "");
	}
}

/* A ladder of percentiles, each with what lies beyond it. */
static void ladder_table(const struct rpt_scope *s, struct rpt_page *p,
			 const struct hist *h)
{
	static const struct {
		uint32_t ppb;
		const char *label;
	} steps[] = {
		{ 100000000, "10 %" },          { 250000000, "25 %" },
		{ 500000000, "50 % (median)" }, { 750000000, "75 %" },
		{ 900000000, "90 %" },          { 950000000, "95 %" },
		{ 990000000, "99 %" },          { 999000000, "99.9 %" },
		{ 999900000, "99.99 %" },       { 999990000, "99.999 %" },
		{ 999999000, "99.9999 %" },
	};
	struct rpt_arena *a = &s->m->arena;
	struct rpt_table *t = rpt_table_add(s->m, p, "");

	rpt_col_add(s->m, t, "Share of I/Os done within", false, 1.4);
	rpt_col_add(s->m, t, "Response time (ms)", true, 1);
	rpt_col_add(s->m, t, "I/Os beyond it", true, 1);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		bool known = rpt_percentile_ms(h, steps[i].ppb) >= 0;

		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", steps[i].label);
		rpt_cell_add(s->m, t, known ? RPT_PLAIN : RPT_DIM, "%s",
			     rpt_percentile_text(a, h, steps[i].ppb));
		rpt_cell_add(s->m, t, RPT_PLAIN, "%" PRIu64,
			     hist_beyond(h, steps[i].ppb));
	}
	rpt_text_add(
		s->m, p, RPT_DIM,
		"n/a (N): only N samples lie beyond it, fewer than %d. The curve ends where fewer than "
		"%d samples are left.",
		HIST_MIN_BEYOND, HIST_MIN_BEYOND);
}

static void stimulus_text(const struct rpt_scope *s, struct rpt_page *p,
			  const struct hist *h)
{
	const struct rpt_points *points = &s->u->hist;
	const struct st_point *first = points->p[0];
	struct rpt_arena *a = &s->m->arena;
	uint64_t ns = 0, bytes = 0;
	char dur[UNITS_TEXT];

	for (size_t i = 0; i < points->n; i++) {
		ns += points->p[i]->t1_ns - points->p[i]->t0_ns;
		bytes += points->p[i]->dir[IO_READ].bytes +
			 points->p[i]->dir[IO_WRITE].bytes;
	}
	rpt_text_add(
		s->m, p, RPT_PLAIN,
		"%s %s KiB, RW %s, TC %" PRIu32 " / QD %" PRIu32 ", %s: %" PRIu64
		" I/Os, %s IOPS, %s MB/s, MRT %s ms.",
		io_pattern_word(first->pattern), rpt_kib(a, first->bs_b),
		rpt_mix(a, first->read_pct), first->tc, first->qd, units_dur(ns, dur),
		h->count,
		rpt_number(a, PTS_IOPS, ns ? (double)h->count * 1e9 / (double)ns : -1),
		rpt_number(a, PTS_MBPS, ns ? (double)bytes * 1e3 / (double)ns : -1),
		rpt_number(a, PTS_ART, (double)h->max_ns / 1e6));
}

void rpt_page_histogram(const struct rpt_scope *s)
{
	struct rpt_arena *a = &s->m->arena;
	const char *steady = s->u->decision->steady ? "" : " (steady state not attained)";
	struct rpt_page *p = rpt_test_page(
		s, "histogram",
		rpt_fmt(a, "%s - Response Time Histogram%s", s->u->title, steady));
	const struct hist *h = rpt_merge(a, &s->u->hist);
	struct marker mark[MARKERS];

	if (!h) {
		rpt_text_add(s->m, p, RPT_DIM,
			     "no data: the histogram stimulus did not run");
		return;
	}
	markers(h, mark);
	stimulus_text(s, p, h);
	count_chart(s, p, h, mark);
	marker_table(s, p, h, mark);
	p = rpt_test_page(s, "confidence",
			  rpt_fmt(a, "%s - Response Time by Confidence Level%s",
				  s->u->title, steady));
	exceedance_chart(s, p, h, mark);
	ladder_table(s, p, h);
}
