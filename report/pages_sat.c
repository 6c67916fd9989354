/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of a write saturation: its minutes against time, bytes written and drive fills. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "report/pages.h"

#define H_HALF   430
#define H_WINDOW 340
#define H_PAIR   375
#define ROWS     8 /* of the table by time */
#define SAMPLES  6
#define LONG_MIN 600 /* from here on the axis shows hours */

/* The minutes with what has been written by the end of each. */
struct sat {
	const struct rpt_scope *s;
	const struct rpt_points *minute;
	double *written_gb, *fills, *elapsed_min; /* by minute */
	double *art_ms, *five_ms, *max_ms; /* five_ms negative where not printable */
};

static struct sat sat_of(const struct rpt_scope *s)
{
	struct rpt_arena *a = &s->m->arena;
	const struct rpt_points *minute = &s->u->minute;
	size_t room_b = (minute->n + 1) * sizeof(double);
	struct sat t = { s,
			 minute,
			 rpt_alloc(a, room_b),
			 rpt_alloc(a, room_b),
			 rpt_alloc(a, room_b),
			 rpt_alloc(a, room_b),
			 rpt_alloc(a, room_b),
			 rpt_alloc(a, room_b) };
	uint64_t bytes = 0, t0_ns = minute->n ? minute->p[0]->t0_ns : 0;

	for (size_t i = 0; i < minute->n; i++) {
		const struct st_point *p = minute->p[i];

		bytes += p->dir[IO_WRITE].bytes;
		t.written_gb[i] = (double)bytes / 1e9;
		t.fills[i] = (double)bytes / (double)s->d->opts.capacity_b;
		t.elapsed_min[i] =
			(double)(p->t1_ns - t0_ns) / (60.0 * (double)NSEC_PER_SEC);
		t.art_ms[i] = st_point_lat_mean_ns(p) / 1e6;
		t.max_ms[i] = (double)st_point_lat_max_ns(p) / 1e6;
		t.five_ms[i] = rpt_percentile_ms(rpt_point_hist(s->d, p),
						 rpt_percentiles[RPT_FIVE_NINES].ppb);
	}
	return t;
}

enum axis { BY_TIME, BY_GB, BY_FILLS };

static double x_of(const struct sat *t, enum axis by, size_t i)
{
	double minutes = t->elapsed_min[t->minute->n - 1];

	switch (by) {
	case BY_TIME:
		return minutes > LONG_MIN ? t->elapsed_min[i] / 60 : t->elapsed_min[i];
	case BY_GB:
		return t->written_gb[i];
	case BY_FILLS:
		return t->fills[i];
	}
	return 0;
}

static const char *x_label(const struct sat *t, enum axis by)
{
	if (by == BY_GB)
		return "Total gigabytes written (GB)";
	if (by == BY_FILLS)
		return "Normalised capacity (drive fills: bytes written / user capacity)";
	return t->minute->n && t->elapsed_min[t->minute->n - 1] > LONG_MIN
		       ? "Time (hours)"
		       : "Time (minutes)";
}

/* Hours that divide a day. */
static void hour_ticks(const struct sat *t, struct rpt_axis *x)
{
	int step = x->hi <= 13 ? 1 : x->hi <= 26 ? 2 : 6;

	for (int hour = 0; hour <= x->hi; hour += step)
		rpt_tick_add(t->s->m, x, hour, rpt_fmt(&t->s->m->arena, "%d", hour));
}

static void x_axis(const struct sat *t, struct rpt_axis *x, enum axis by)
{
	x->label = x_label(t, by);
	if (!t->minute->n)
		return;
	x->hi = x_of(t, by, t->minute->n - 1) * 1.01;
	if (by == BY_TIME && t->elapsed_min[t->minute->n - 1] > LONG_MIN)
		hour_ticks(t, x);
	if (!(x->hi > 0))
		x->hi = 1;
}

/* Where the first whole user capacities were written, on the axes that do not show it. */
static void mark_fills(const struct sat *t, struct rpt_chart *c, enum axis by)
{
	unsigned next = 1;

	for (size_t i = 0; by != BY_FILLS && i < t->minute->n && next <= 4; i++) {
		if (t->fills[i] < next)
			continue;
		rpt_vmark_add(t->s->m, c, x_of(t, by, i),
			      next == 1 ? "1 fill"
					: rpt_fmt(&t->s->m->arena, "%u fills", next));
		next = (unsigned)t->fills[i] + 1;
	}
}

/* Where the saturation falls, and where it comes to rest. */
static void mark_shape(const struct sat *t, struct rpt_chart *c, enum axis by)
{
	const struct ss_shape *shape = &t->s->u->shape;

	if (!shape->cliff)
		return;
	rpt_vmark_add(t->s->m, c, x_of(t, by, shape->fresh_n - 1), "cliff");
	if (shape->settled)
		rpt_vmark_add(t->s->m, c, x_of(t, by, shape->floor_from), "floor");
}

static void level(const struct sat *t, struct rpt_chart *c, enum axis by,
		  const char *what, double iops, size_t from, size_t to)
{
	struct rpt_arena *a = &t->s->m->arena;
	bool fresh = from == 0;
	struct rpt_series *line = rpt_series_add(
		t->s->m, c,
		rpt_fmt(a, "%s, %s IOPS", what, rpt_number(a, PTS_IOPS, iops)),
		fresh ? RPT_DASHED : RPT_DOTTED, fresh ? 6 : 2);

	rpt_point_add(t->s->m, c, line, fresh ? 0 : x_of(t, by, from), iops);
	rpt_point_add(t->s->m, c, line, x_of(t, by, to), iops);
}

static void levels(const struct sat *t, struct rpt_chart *c, enum axis by)
{
	const struct ss_shape *shape = &t->s->u->shape;

	if (!shape->cliff)
		return;
	level(t, c, by, "Fresh plateau", shape->fresh, 0, shape->fresh_n - 1);
	if (shape->settled)
		level(t, c, by, "Floor", shape->floor, shape->floor_from,
		      t->minute->n - 1);
}

static struct rpt_chart *iops_chart(const struct sat *t, struct rpt_page *p,
				    const char *slug, const char *title, enum axis by,
				    bool log)
{
	const struct rpt_scope *s = t->s;
	struct rpt_chart *c = rpt_test_chart(s, p, slug, title, H_PAIR);
	struct rpt_series *line;

	x_axis(t, &c->x, by);
	c->y = (struct rpt_axis){ .label = "IOPS", .log = log, .from_zero = !log };
	line = rpt_series_add(s->m, c, "IOPS, average of each minute",
			      t->minute->n > 1 ? RPT_LINE : RPT_POINTS_LINE, 0);
	for (size_t i = 0; i < t->minute->n; i++)
		rpt_point_add(s->m, c, line, x_of(t, by, i),
			      st_point_iops(t->minute->p[i]));
	mark_fills(t, c, by);
	mark_shape(t, c, by);
	return c;
}

static void add_samples(const struct sat *t, struct rpt_chart *c)
{
	const struct pts_sat_verdict *v = &t->s->u->sat;
	size_t n = v->samples < ARRAY_LEN(v->sample) ? v->samples : ARRAY_LEN(v->sample);
	struct rpt_series *dots;

	if (!n)
		return;
	dots = rpt_series_add(t->s->m, c, "Steady-state samples", RPT_POINTS, 1);
	for (size_t i = 0; i < n; i++)
		if (v->sample_minute[i] >= 1 && v->sample_minute[i] <= t->minute->n)
			rpt_point_add(t->s->m, c, dots,
				      x_of(t, BY_TIME, v->sample_minute[i] - 1),
				      v->sample[i]);
}

static const char *ended_by(const struct rpt_scope *s)
{
	const struct pts_sat_verdict *v = &s->u->sat;
	char buf[UNITS_TEXT], minutes[64];

	return rpt_fmt(
		&s->m->arena,
		"%s, %s written (%.2f drive fills); ended by: %s. Steady state first held "
		"at minute: %s.",
		pts_minutes_text(&s->d->opts, v->minutes, minutes),
		units_capacity(v->written_b, buf),
		(double)v->written_b / (double)s->d->opts.capacity_b,
		pts_sat_stop_word(v->stop),
		v->held_minute ? rpt_fmt(&s->m->arena, "%u", v->held_minute) : "never");
}

static void minutes_table(const struct sat *t, struct rpt_page *p)
{
	const struct rpt_scope *s = t->s;
	struct rpt_arena *a = &s->m->arena;
	size_t n = t->minute->n, step = n > ROWS ? (n + ROWS - 1) / ROWS : 1;
	struct rpt_table *tab = rpt_table_add(
		s->m, p,
		step > 1
			? rpt_fmt(a,
				  "Every %zuth minute, and the last; all of them are in the CSV file",
				  step)
			: "Each minute");
	static const char *const cols[] = { "Minute", "TGBW (GB)", "Drive fills", "IOPS",
					    "MB/s",   "ART (ms)",  "MRT (ms)" };

	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		rpt_col_add(s->m, tab, cols[i], true, 1);
	rpt_col_add(s->m, tab,
		    rpt_fmt(a, "%s (ms)", rpt_percentiles[RPT_FIVE_NINES].label), true,
		    1);
	for (size_t i = 0; i < n; i++) {
		const struct st_point *pt = t->minute->p[i];

		if (i && (i + 1) % step && i + 1 != n)
			continue;
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%u", pt->round);
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%.2f", t->written_gb[i]);
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%.3f", t->fills[i]);
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_IOPS, st_point_iops(pt)));
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_MBPS, st_point_bytes_per_s(pt) / 1e6));
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_ART, t->art_ms[i]));
		rpt_cell_add(s->m, tab, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_ART, t->max_ms[i]));
		rpt_cell_add(s->m, tab, t->five_ms[i] < 0 ? RPT_DIM : RPT_PLAIN, "%s",
			     rpt_number(a, PTS_ART, t->five_ms[i]));
	}
}

void rpt_page_sat_time(const struct rpt_scope *s)
{
	struct sat t = sat_of(s);
	struct rpt_page *p = rpt_test_page(s, "time", "Write Saturation - IOPS v Time");
	struct rpt_chart *c = iops_chart(&t, p, "time", p->title, BY_TIME, false);

	if (!t.minute->n)
		return;
	c->h_px = H_HALF;
	add_samples(&t, c);
	levels(&t, c, BY_TIME);
	rpt_text_add(s->m, p, RPT_PLAIN, "%s", ended_by(s));
	rpt_shape_facts(s, p);
	minutes_table(&t, p);
}

void rpt_page_sat_tgbw(const struct rpt_scope *s)
{
	struct sat t = sat_of(s);
	struct rpt_page *p = rpt_test_page(s, "tgbw", "Write Saturation - IOPS v TGBW");

	iops_chart(&t, p, "tgbw", "Write Saturation - IOPS v TGBW, linear", BY_GB, false);
	iops_chart(&t, p, "tgbw-log", "Write Saturation - IOPS v TGBW, logarithmic",
		   BY_GB, true);
}

static void latency_chart(const struct sat *t, struct rpt_page *p, const char *slug,
			  const char *title, enum axis by)
{
	const struct rpt_scope *s = t->s;
	struct rpt_arena *a = &s->m->arena;
	struct rpt_chart *c =
		rpt_test_chart(s, p, slug, title, by == BY_TIME ? H_HALF : H_PAIR);
	struct rpt_series *max, *five, *art;

	x_axis(t, &c->x, by);
	c->y = (struct rpt_axis){ .label = "Response time (ms)", .log = true };
	max = rpt_series_add(s->m, c, "MRT (maximum)", RPT_LINE, 1);
	five = rpt_series_add(s->m, c, rpt_percentiles[RPT_FIVE_NINES].label, RPT_LINE,
			      2);
	art = rpt_series_add(s->m, c, "ART (average)", RPT_LINE, 0);
	for (size_t i = 0; i < t->minute->n; i++) {
		double x = x_of(t, by, i);

		rpt_point_add(s->m, c, max, x, t->max_ms[i]);
		if (t->five_ms[i] >= 0)
			rpt_point_add(s->m, c, five, x, t->five_ms[i]);
		rpt_point_add(s->m, c, art, x, t->art_ms[i]);
	}
	if (t->minute->n && !five->n)
		rpt_text_add(s->m, p, RPT_DIM,
			     "%s is not drawn: no minute has %d samples beyond it.",
			     rpt_fmt(a, "%s", rpt_percentiles[RPT_FIVE_NINES].label),
			     HIST_MIN_BEYOND);
}

void rpt_page_sat_fills(const struct rpt_scope *s)
{
	struct sat t = sat_of(s);
	struct rpt_page *p =
		rpt_test_page(s, "fills", "Write Saturation - Normalised Capacity");

	iops_chart(&t, p, "fills", "Write Saturation - IOPS v Drive Fills", BY_FILLS,
		   false);
	latency_chart(&t, p, "fills-latency",
		      "Write Saturation - Response Time v Drive Fills", BY_FILLS);
}

struct spread {
	double lo, sum, hi;
	size_t n;
};

static void spread_add(struct spread *s, double v)
{
	if (!isfinite(v) || v < 0)
		return;
	s->lo = s->n ? fmin(s->lo, v) : v;
	s->hi = s->n ? fmax(s->hi, v) : v;
	s->sum += v;
	s->n++;
}

static void spread_row(const struct rpt_scope *s, struct rpt_table *tab, const char *what,
		       enum pts_metric m, const struct spread *v)
{
	struct rpt_arena *a = &s->m->arena;

	rpt_cell_add(s->m, tab, RPT_PLAIN, "%s", what);
	rpt_cell_add(s->m, tab, RPT_PLAIN, "%s", rpt_number(a, m, v->n ? v->lo : -1));
	rpt_cell_add(s->m, tab, RPT_PLAIN, "%s",
		     rpt_number(a, m, v->n ? v->sum / (double)v->n : -1));
	rpt_cell_add(s->m, tab, RPT_PLAIN, "%s", rpt_number(a, m, v->n ? v->hi : -1));
	rpt_cell_add(s->m, tab, RPT_PLAIN, "%zu", v->n);
}

static void spread_table(const struct sat *t, struct rpt_page *p)
{
	const struct rpt_scope *s = t->s;
	struct rpt_table *tab = rpt_table_add(s->m, p, "Over all minutes");
	struct spread iops = { 0 }, art = { 0 }, five = { 0 }, max = { 0 };

	for (size_t i = 0; i < t->minute->n; i++) {
		spread_add(&iops, st_point_iops(t->minute->p[i]));
		spread_add(&art, t->art_ms[i]);
		spread_add(&five, t->five_ms[i]);
		spread_add(&max, t->max_ms[i]);
	}
	rpt_col_add(s->m, tab, "Figure of a minute", false, 2);
	rpt_col_add(s->m, tab, "Lowest", true, 1);
	rpt_col_add(s->m, tab, "Mean", true, 1);
	rpt_col_add(s->m, tab, "Highest", true, 1);
	rpt_col_add(s->m, tab, "Minutes", true, 1);
	spread_row(s, tab, "IOPS", PTS_IOPS, &iops);
	spread_row(s, tab, "ART (ms)", PTS_ART, &art);
	spread_row(
		s, tab,
		rpt_fmt(&s->m->arena, "%s (ms)", rpt_percentiles[RPT_FIVE_NINES].label),
		PTS_ART, &five);
	spread_row(s, tab, "MRT (ms)", PTS_ART, &max);
}

void rpt_page_sat_latency(const struct rpt_scope *s)
{
	struct sat t = sat_of(s);
	struct rpt_page *p =
		rpt_test_page(s, "latency", "Write Saturation - Response Time v Time");

	latency_chart(&t, p, "latency", p->title, BY_TIME);
	if (t.minute->n)
		spread_table(&t, p);
}

/* The last samples, those of the window among them. */
static void samples_table(const struct rpt_scope *s, struct rpt_page *p)
{
	const struct pts_sat_verdict *v = &s->u->sat;
	const struct ss_verdict *w = rpt_window(s->u->decision, 0);
	size_t kept =
		v->samples < ARRAY_LEN(v->sample) ? v->samples : ARRAY_LEN(v->sample);
	size_t from = kept > SAMPLES ? kept - SAMPLES : 0;
	struct rpt_table *t;

	if (!kept)
		return;
	t = rpt_table_add(s->m, p,
			  rpt_fmt(&s->m->arena, "The last %zu of %u one-minute samples",
				  kept - from, v->samples));
	rpt_col_add(s->m, t, "Sample", true, 1);
	rpt_col_add(s->m, t, "Minute", true, 1);
	rpt_col_add(s->m, t, "IOPS", true, 1);
	rpt_col_add(s->m, t, "In the window", false, 1);
	for (size_t i = from; i < kept; i++) {
		unsigned sample = v->samples - (unsigned)(kept - 1 - i);
		bool in = w->judged && sample >= w->first && sample <= w->round;

		rpt_cell_add(s->m, t, RPT_PLAIN, "%u", sample);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%u", v->sample_minute[i]);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     rpt_number(&s->m->arena, PTS_IOPS, v->sample[i]));
		rpt_cell_add(s->m, t, in ? RPT_GOOD : RPT_PLAIN, in ? "yes" : "");
	}
}

void rpt_page_sat_window(const struct rpt_scope *s)
{
	struct rpt_window_view v = {
		.slug = "window",
		.title = "Write Saturation - Steady State Samples",
		.metric = s->u->test->track[0].metric,
		.x_label = "Sample",
		.x_word = "sample",
		.h_px = H_WINDOW,
		.decides = true,
		.decision = s->u->decision,
	};
	const struct pts_step *sat = pts_test_step(s->u->test, PTS_SATURATE);

	rpt_window_page(s, &v);
	if (s->u->sat.samples < SS_MAX_WINDOW)
		rpt_text_add(
			s->m, s->m->page[s->m->n_page - 1], RPT_PLAIN,
			"Samples are minutes %u, %u, %u and so on; the run had %u minutes.",
			sat->ss_offset, sat->ss_offset + sat->ss_period,
			sat->ss_offset + 2 * sat->ss_period, s->u->sat.minutes);
	samples_table(s, s->m->page[s->m->n_page - 1]);
}
