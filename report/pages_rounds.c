/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of the tests that run rounds: convergence, tables and plots of the window. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/pages.h"

#define H_HALF      430 /* chart heights in pixels: with a table below, ... */
#define H_PAIR      375 /* ... two on a page, ... */
#define H_3D        515 /* ... and bars with a table below */
#define NARROW_COLS 3
#define BAR_COLOURS 4 /* from one bar to the next, so that they differ in grey too */

static const struct pts_step *rounds_step(const struct rpt_scope *s)
{
	return pts_test_step(s->u->test, PTS_ROUNDS);
}

/* The metric that the test is about. */
static enum pts_metric metric_of(const struct rpt_unit *u)
{
	return u->test->track[0].metric;
}

/* Block sizes of the scope, small to large, cycles included. */
static size_t block_sizes(const struct rpt_scope *s, uint32_t ret[PTS_MAX_LIST])
{
	const struct pts_step *step = rounds_step(s);
	size_t n = 0;

	for (size_t cycle = 0; cycle < s->n; cycle++)
		for (unsigned i = 0; i < step->n_bs && n < PTS_MAX_LIST; i++)
			if (cycle == 0 || !step->bs_b[i])
				ret[n++] = step->bs_b[i] ? step->bs_b[i]
							 : s->u[cycle].loop_bs_b;
	for (size_t i = 1; i < n; i++) /* insertion: a handful */
		for (size_t k = i; k && ret[k - 1] > ret[k]; k--) {
			uint32_t swap = ret[k];

			ret[k] = ret[k - 1];
			ret[k - 1] = swap;
		}
	return n;
}

/* The cycle that has a block size. */
static const struct rpt_unit *unit_of(const struct rpt_scope *s, uint32_t bs_b)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->u[i].loop_bs_b == bs_b)
			return &s->u[i];
	return s->u;
}

/* Those of them that any round ran: charts have no place for what was not. */
static size_t sizes_run(const struct rpt_scope *s, uint32_t ret[PTS_MAX_LIST])
{
	const struct pts_step *step = rounds_step(s);
	size_t all = block_sizes(s, ret), n = 0;

	for (size_t i = 0; i < all; i++)
		for (unsigned k = 0; k < step->n_read_pct; k++)
			if (pts_rounds_at(&unit_of(s, ret[i])->rounds, 1,
					  step->read_pct[k], ret[i])) {
				ret[n++] = ret[i];
				break;
			}
	return n;
}

/* Mixes as tables show them: writes first. */
static uint8_t mix_at(const struct pts_step *step, unsigned i)
{
	return step->read_pct[step->n_read_pct - 1 - i];
}

static const char *rounds_words(const struct rpt_scope *s, const struct rpt_unit *u)
{
	struct rpt_arena *a = &s->m->arena;

	if (!u->first)
		return "no complete round";
	if (u->in_window)
		return rpt_fmt(a, "average of the measurement window, rounds %u-%u",
			       u->first, u->last);
	return rpt_fmt(a, "no measurement window; average of the complete rounds %u-%u",
		       u->first, u->last);
}

static const char *axis_of(enum pts_metric m, bool of_max)
{
	return of_max ? "Maximum response time (ms)" : rpt_metric_axis[m];
}

/* --- convergence --- */

static double convergence_value(enum pts_output what, enum pts_metric m,
				const struct st_point *p)
{
	struct pts_track track = { .metric = m };

	if (what == PTS_OUT_CONVERGENCE_MAX)
		return (double)st_point_lat_max_ns(p) / 1e6;
	return pts_track_value(&track, p);
}

static void convergence_table(const struct rpt_scope *s, struct rpt_page *p,
			      enum pts_output what, const uint32_t *bs_b, size_t n,
			      uint8_t read_pct)
{
	struct rpt_table *t = rpt_table_add(s->m, p, "");
	const struct pts_rounds *r = &s->u->rounds;
	enum pts_metric m = metric_of(s->u);

	t->span_title =
		what == PTS_OUT_CONVERGENCE_MAX
			? "Maximum response time (ms) by block size"
			: rpt_fmt(&s->m->arena, "%s by block size", rpt_metric_axis[m]);
	t->span_from = 1;
	t->narrow = n <= NARROW_COLS;
	rpt_col_add(s->m, t, "Round", true, 0.7);
	for (size_t i = 0; i < n; i++)
		rpt_col_add(
			s->m, t,
			rpt_fmt(&s->m->arena, "%s KiB", rpt_kib(&s->m->arena, bs_b[i])),
			true, 1);
	for (unsigned round = 1; round <= r->n_rounds; round++) {
		bool in = s->u->in_window && round >= s->u->first && round <= s->u->last;

		rpt_cell_add(s->m, t, in ? RPT_GOOD : RPT_PLAIN, "%u%s", round,
			     in ? " *" : "");
		for (size_t i = 0; i < n; i++) {
			const struct st_point *pt =
				pts_rounds_at(r, round, read_pct, bs_b[i]);

			rpt_cell_add(s->m, t, pt ? RPT_PLAIN : RPT_DIM, "%s",
				     pt ? rpt_number(&s->m->arena, m,
						     convergence_value(what, m, pt))
					: "n/a");
		}
	}
	if (s->u->in_window)
		rpt_text_add(s->m, p, RPT_DIM, "* in the measurement window");
}

void rpt_page_convergence(const struct rpt_scope *s, enum pts_output what)
{
	static const char *const slug[] = { [PTS_OUT_CONVERGENCE] = "convergence",
					    [PTS_OUT_CONVERGENCE_READ] =
						    "convergence-read",
					    [PTS_OUT_CONVERGENCE_MAX] =
						    "convergence-max" };
	struct rpt_arena *a = &s->m->arena;
	const struct pts_rounds *r = &s->u->rounds;
	enum pts_metric m = metric_of(s->u);
	uint8_t read_pct = what == PTS_OUT_CONVERGENCE_READ ? 100 : 0;
	uint32_t bs_b[PTS_MAX_LIST];
	size_t n = sizes_run(s, bs_b);
	const char *of = what == PTS_OUT_CONVERGENCE_MAX ? "Maximum Response Time"
			 : m == PTS_ART                  ? "Average Response Time"
							 : s->u->title;
	struct rpt_page *p = rpt_test_page(
		s, slug[what],
		rpt_fmt(a, "%s - Steady State Convergence, RW %s%s", of,
			rpt_mix(a, read_pct),
			rounds_step(s)->n_bs > 1 ? ", All Block Sizes" : ""));
	struct rpt_chart *c = rpt_test_chart(s, p, slug[what], p->title, H_HALF);

	if (r->n_rounds)
		rpt_round_axis(s, c, 1, r->n_rounds, "Round");
	c->y = (struct rpt_axis){ .label = axis_of(m, what == PTS_OUT_CONVERGENCE_MAX),
				  .from_zero = true };
	for (size_t i = 0; i < n; i++) {
		struct rpt_series *line =
			rpt_series_add(s->m, c, rpt_fmt(a, "%s KiB", rpt_kib(a, bs_b[i])),
				       RPT_POINTS_LINE, (unsigned)i);

		for (unsigned round = 1; round <= r->n_rounds; round++) {
			const struct st_point *pt =
				pts_rounds_at(r, round, read_pct, bs_b[i]);

			if (pt)
				rpt_point_add(s->m, c, line, round,
					      convergence_value(what, m, pt));
		}
	}
	if (r->n_rounds)
		convergence_table(s, p, what, bs_b, n, read_pct);
}

/* --- tables of the window --- */

/* Negative where the cell was not run. */
static double value_of(const struct rpt_cell_stat *c, enum pts_metric m, bool of_max)
{
	return of_max && c->rounds ? c->mrt_ms : rpt_metric(m, c);
}

static void matrix(const struct rpt_scope *s, struct rpt_page *p, enum pts_metric m,
		   bool of_max)
{
	struct rpt_arena *a = &s->m->arena;
	const struct pts_step *step = rounds_step(s);
	struct rpt_table *t = rpt_table_add(s->m, p, axis_of(m, of_max));
	uint32_t bs_b[PTS_MAX_LIST];
	size_t n = block_sizes(s, bs_b);

	t->span_title = "Read / write mix (%)";
	t->narrow = step->n_read_pct <= NARROW_COLS;
	t->span_from = 1;
	rpt_col_add(s->m, t, "Block size (KiB)", false, 1.2);
	for (unsigned k = 0; k < step->n_read_pct; k++)
		rpt_col_add(s->m, t, rpt_mix(a, mix_at(step, k)), true, 1);
	for (size_t i = 0; i < n; i++) {
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", rpt_kib(a, bs_b[i]));
		for (unsigned k = 0; k < step->n_read_pct; k++) {
			struct rpt_cell_stat c = rpt_cell_stat(s->d, unit_of(s, bs_b[i]),
							       mix_at(step, k), bs_b[i]);

			rpt_cell_add(s->m, t, c.rounds ? RPT_PLAIN : RPT_DIM, "%s",
				     rpt_number(a, m, value_of(&c, m, of_max)));
		}
	}
}

static void latency_table(const struct rpt_scope *s, struct rpt_page *p)
{
	const struct rpt_percentile *five = &rpt_percentiles[RPT_FIVE_NINES];
	struct rpt_arena *a = &s->m->arena;
	const struct pts_step *step = rounds_step(s);
	struct rpt_table *t = rpt_table_add(s->m, p, "Response times");
	uint32_t bs_b[PTS_MAX_LIST];
	size_t n = block_sizes(s, bs_b);

	rpt_col_add(s->m, t, "RW mix", false, 0.8);
	rpt_col_add(s->m, t, "Block size (KiB)", true, 1);
	rpt_col_add(s->m, t, "IOPS", true, 1);
	rpt_col_add(s->m, t, "ART (ms)", true, 1);
	for (size_t i = 0; i < RPT_PERCENTILES; i++)
		rpt_col_add(s->m, t, rpt_fmt(a, "%s (ms)", rpt_percentiles[i].label),
			    true, 1);
	rpt_col_add(s->m, t, "MRT (ms)", true, 1);
	rpt_col_add(s->m, t, "Greatest (ms)", true, 1);
	for (unsigned k = 0; k < step->n_read_pct; k++) {
		for (size_t i = 0; i < n; i++) {
			struct rpt_cell_stat c =
				rpt_cell_stat(s->d, s->u, step->read_pct[k], bs_b[i]);
			enum rpt_tone tone = c.rounds ? RPT_PLAIN : RPT_DIM;

			rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
				     rpt_mix(a, step->read_pct[k]));
			rpt_cell_add(s->m, t, RPT_PLAIN, "%s", rpt_kib(a, bs_b[i]));
			rpt_cell_add(s->m, t, tone, "%s",
				     rpt_number(a, PTS_IOPS, rpt_metric(PTS_IOPS, &c)));
			rpt_cell_add(s->m, t, tone, "%s",
				     rpt_number(a, PTS_ART, rpt_metric(PTS_ART, &c)));
			for (size_t q = 0; q < RPT_PERCENTILES; q++)
				rpt_cell_add(s->m, t, tone, "%s",
					     rpt_percentile_text(a, c.lat,
								 rpt_percentiles[q].ppb));
			rpt_cell_add(s->m, t, tone, "%s",
				     rpt_number(a, PTS_ART, c.rounds ? c.mrt_ms : -1));
			rpt_cell_add(s->m, t, tone, "%s",
				     rpt_number(a, PTS_ART, c.rounds ? c.max_ms : -1));
		}
	}
	rpt_text_add(
		s->m, p, RPT_DIM,
		"ART: mean of the rounds' averages, over reads and writes together. %s: from the "
		"merged histogram of all rounds; n/a (N) where only N samples lie beyond it, fewer "
		"than %d. MRT: mean of the rounds' maxima; greatest: the longest of all.",
		five->label, HIST_MIN_BEYOND);
}

void rpt_page_matrix(const struct rpt_scope *s)
{
	enum pts_metric m = metric_of(s->u);
	struct rpt_page *p = rpt_test_page(
		s, "table",
		rpt_fmt(&s->m->arena, "%s - All RW Mixes and Block Sizes - Tabular Data",
			m == PTS_ART ? "IOPS and Response Time" : s->u->test->title));
	uint32_t bs_b[PTS_MAX_LIST];
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		any = any || s->u[i].first;
		rpt_text_add(s->m, p, RPT_PLAIN, "%s: %s.", s->u[i].title,
			     rounds_words(s, &s->u[i]));
	}
	if (!any) {
		rpt_text_add(s->m, p, RPT_DIM, "no data");
		return;
	}
	if (block_sizes(s, bs_b) > sizes_run(s, bs_b))
		rpt_text_add(
			s->m, p, RPT_DIM,
			"n/a: not run; the block is no multiple of the drive's logical block of %s B.",
			rpt_word(s->d, "device.lbs_b"));
	if (m == PTS_ART) {
		latency_table(s, p);
	} else {
		matrix(s, p, m, false);
	}
	if (m == PTS_IOPS)
		matrix(s, p, PTS_MBPS, false);
	if (m == PTS_MBPS)
		matrix(s, p, PTS_IOPS, false);
	if (m != PTS_ART)
		matrix(s, p, PTS_ART, false);
}

/* --- plots of the window --- */

static void category_axis(const struct rpt_scope *s, struct rpt_axis *axis,
			  const uint32_t *bs_b, size_t n)
{
	axis->label = "Block size (KiB)";
	axis->lo = -0.5;
	axis->hi = (double)n - 0.5;
	for (size_t i = 0; i < n; i++)
		rpt_tick_add(s->m, axis, (double)i, rpt_kib(&s->m->arena, bs_b[i]));
}

static void plot_2d(const struct rpt_scope *s, struct rpt_page *p, const char *slug,
		    const char *title, bool log)
{
	struct rpt_arena *a = &s->m->arena;
	const struct pts_step *step = rounds_step(s);
	enum pts_metric m = metric_of(s->u);
	struct rpt_chart *c = rpt_test_chart(s, p, slug, title, H_PAIR);
	uint32_t bs_b[PTS_MAX_LIST];
	size_t n = sizes_run(s, bs_b);
	bool bars = m == PTS_MBPS;
	double width = 0.8 / step->n_read_pct;

	category_axis(s, &c->x, bs_b, n);
	c->y = (struct rpt_axis){ .label = rpt_metric_axis[m],
				  .log = log,
				  .from_zero = !log };
	c->bar_w = bars ? width * 0.9 : 0;
	for (unsigned k = 0; k < step->n_read_pct; k++) {
		uint8_t read_pct = mix_at(step, k);
		struct rpt_series *line = rpt_series_add(
			s->m, c, rpt_fmt(a, "RW %s", rpt_mix(a, read_pct)),
			bars ? RPT_BARS : RPT_POINTS_LINE, bars ? k * BAR_COLOURS : k);
		double shift = bars ? width * (k - (step->n_read_pct - 1) / 2.0) : 0;

		for (size_t i = 0; i < n; i++) {
			struct rpt_cell_stat cell = rpt_cell_stat(
				s->d, unit_of(s, bs_b[i]), read_pct, bs_b[i]);

			if (cell.rounds)
				rpt_point_add(s->m, c, line, (double)i + shift,
					      rpt_metric(m, &cell));
		}
	}
}

void rpt_page_plot_2d(const struct rpt_scope *s)
{
	enum pts_metric m = metric_of(s->u);
	const char *title =
		rpt_fmt(&s->m->arena, "%s v Block Size - 2-D Plot",
			m == PTS_ART ? "Average Response Time" : s->u->test->title);
	struct rpt_page *p = rpt_test_page(s, "2d", title);

	if (m == PTS_IOPS) {
		plot_2d(s, p, "2d-log", rpt_fmt(&s->m->arena, "%s, logarithmic", title),
			true);
		plot_2d(s, p, "2d-linear", rpt_fmt(&s->m->arena, "%s, linear", title),
			false);
		return;
	}
	plot_2d(s, p, "2d", title, false);
	matrix(s, p, m, false);
}

void rpt_page_plot_3d(const struct rpt_scope *s, bool of_max)
{
	struct rpt_arena *a = &s->m->arena;
	const struct pts_step *step = rounds_step(s);
	enum pts_metric m = metric_of(s->u);
	const char *of = of_max         ? "Maximum Response Time"
			 : m == PTS_ART ? "Average Response Time"
					: s->u->test->title;
	const char *slug = of_max ? "3d-max" : "3d";
	struct rpt_page *p = rpt_test_page(s, slug, rpt_fmt(a, "%s - 3-D Plot", of));
	struct rpt_chart *c = rpt_test_chart(s, p, slug, p->title, H_3D);
	struct rpt_bars *b = rpt_alloc(a, sizeof(*b));
	uint32_t bs_b[PTS_MAX_LIST];
	size_t n = sizes_run(s, bs_b);

	c->x.label = "Block size (KiB)";
	c->y.label = "Read / write mix (%)";
	c->y2.label = axis_of(m, of_max);
	c->bars = b;
	b->value = rpt_alloc(a, n * step->n_read_pct * sizeof(*b->value));
	b->row = rpt_alloc(a, n * sizeof(*b->row));
	b->col = rpt_alloc(a, step->n_read_pct * sizeof(*b->col));
	b->n_col = step->n_read_pct;
	for (unsigned k = 0; k < step->n_read_pct; k++)
		b->col[k] = rpt_mix(a, mix_at(step, k));
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < step->n_read_pct; k++) {
			struct rpt_cell_stat cell =
				rpt_cell_stat(s->d, s->u, mix_at(step, k), bs_b[i]);

			b->value[i * b->n_col + k] = value_of(&cell, m, of_max);
		}
		b->row[b->n_row++] = rpt_kib(a, bs_b[i]);
	}
	matrix(s, p, m, of_max);
}
