/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* A file that is being written. What holds for the run is the last cell of every line. */
struct csv {
	struct rpt_data *d;
	struct str text;
	unsigned cells; /* of the current line */
	bool headed;
};

void rpt_csv_word(struct str *s, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		str_add(s, text);
		return;
	}
	str_add(s, "\"");
	for (; *text; text++)
		str_add_bytes(s, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	str_add(s, "\"");
}

static void word(struct csv *c, const char *text)
{
	str_add(&c->text, c->cells++ ? "," : "");
	rpt_csv_word(&c->text, text);
}

static void PRINTF_LIKE(2, 3) cell(struct csv *c, const char *fmt, ...)
{
	char text[640];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	word(c, text);
}

/* Enough digits to get the same double back; an absent figure is an empty cell. */
static void real(struct csv *c, double v)
{
	if (isfinite(v))
		cell(c, "%.17g", v);
	else
		word(c, "");
}

static void line_end(struct csv *c)
{
	word(c, c->headed ? c->d->status : "status");
	c->headed = true;
	str_add(&c->text, "\r\n");
	c->cells = 0;
}

static void header(struct csv *c, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		word(c, name[i]);
}

static void percentile_header(struct csv *c)
{
	for (size_t i = 0; i < RPT_PERCENTILES; i++)
		cell(c, "p%.*s_ms", (int)strcspn(rpt_percentiles[i].label, " "),
		     rpt_percentiles[i].label);
}

static void percentiles(struct csv *c, const struct hist *h)
{
	for (size_t i = 0; i < RPT_PERCENTILES; i++) {
		double ms = rpt_percentile_ms(h, rpt_percentiles[i].ppb);

		real(c, ms < 0 ? (double)NAN : ms);
	}
}

static int save(struct csv *c, const char *dir, const char *name, struct err *err)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s.csv", dir, name) >= (int)sizeof(path))
		r = err_set(err, EXIT_CODE_HOST, ENAMETOOLONG, "%s: the path is too long",
			    dir);
	else if (c->text.failed)
		r = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory writing %s",
			    path);
	else
		r = str_write_file(&c->text, path, err);
	str_release(&c->text);
	return r;
}

/* --- points: every interval as it was measured --- */

static void point_line(struct csv *c, const struct st_point *p)
{
	word(c, p->test);
	word(c, st_phase_word(p->phase));
	cell(c, "%g", p->loop_bs_b / 1024.0);
	cell(c, "%u", p->round);
	cell(c, "%u", p->index);
	word(c, io_pattern_word(p->pattern));
	cell(c, "%g", p->bs_b / 1024.0);
	cell(c, "%u", p->read_pct);
	cell(c, "%" PRIu32, p->tc);
	cell(c, "%" PRIu32, p->qd);
	real(c, (double)p->t0_ns / 1e9);
	real(c, (double)(p->t1_ns - p->t0_ns) / 1e9);
	real(c, (double)p->gap_ns / 1e6);
	cell(c, "%" PRIu64, p->dir[IO_READ].lat.count);
	cell(c, "%" PRIu64, p->dir[IO_WRITE].lat.count);
	cell(c, "%" PRIu64, p->dir[IO_READ].bytes);
	cell(c, "%" PRIu64, p->dir[IO_WRITE].bytes);
	real(c, st_point_iops(p));
	real(c, st_point_bytes_per_s(p) / 1e6);
	real(c, st_point_lat_mean_ns(p) / 1e6);
	real(c, (double)st_point_lat_max_ns(p) / 1e6);
	percentiles(c, rpt_point_hist(c->d, p));
	real(c, st_point_depth(p));
	cell(c, "%" PRIu64, p->errors);
	word(c, p->host_known ? (p->host_limited ? "yes" : "no") : "");
	word(c, p->complete ? "yes" : "no");
	line_end(c);
}

static int points_file(struct rpt_data *d, const char *dir, struct err *err)
{
	static const char *const before[] = {
		"test",       "phase",       "cycle_kib", "round",    "index",
		"pattern",    "block_kib",   "read_pct",  "tc",       "qd",
		"start_s",    "duration_s",  "gap_ms",    "reads",    "writes",
		"read_bytes", "write_bytes", "iops",      "mb_per_s", "art_ms",
		"mrt_ms",
	};
	static const char *const after[] = { "outstanding_ios", "errors", "host_limited",
					     "complete" };
	struct csv c = { .d = d };

	header(&c, before, ARRAY_LEN(before));
	percentile_header(&c);
	header(&c, after, ARRAY_LEN(after));
	line_end(&c);
	for (size_t i = 0; i < d->run->n; i++)
		if (st_counted(&d->run->rec[i]))
			point_line(&c, d->run->rec[i].point);
	return save(&c, dir, "points", err);
}

/* --- window: what the tables average --- */

static void window_lines(struct csv *c, struct rpt_data *d, const struct rpt_unit *u)
{
	const struct pts_step *step = pts_test_step(u->test, PTS_ROUNDS);

	for (unsigned k = 0; k < step->n_read_pct; k++) {
		for (unsigned i = 0; i < step->n_bs; i++) {
			uint32_t bs_b = step->bs_b[i] ? step->bs_b[i] : u->loop_bs_b;
			struct rpt_cell_stat s =
				rpt_cell_stat(d, u, step->read_pct[k], bs_b);

			if (!s.rounds)
				continue;
			word(c, u->test->id);
			cell(c, "%g", u->loop_bs_b / 1024.0);
			cell(c, "%u", u->first);
			cell(c, "%u", u->last);
			word(c, u->in_window ? "yes" : "no");
			cell(c, "%u", step->read_pct[k]);
			cell(c, "%g", bs_b / 1024.0);
			real(c, s.iops);
			real(c, s.mb_per_s);
			real(c, s.art_ms);
			real(c, s.mrt_ms);
			real(c, s.max_ms);
			percentiles(c, s.lat);
			line_end(c);
		}
	}
}

static int window_file(struct rpt_data *d, const char *dir, struct err *err)
{
	static const char *const names[] = { "test",
					     "cycle_kib",
					     "first_round",
					     "last_round",
					     "measurement_window",
					     "read_pct",
					     "block_kib",
					     "iops",
					     "mb_per_s",
					     "art_ms",
					     "mrt_ms",
					     "greatest_ms" };
	struct csv c = { .d = d };

	header(&c, names, ARRAY_LEN(names));
	percentile_header(&c);
	line_end(&c);
	for (size_t i = 0; i < d->n_unit; i++)
		if (pts_test_step(d->unit[i].test, PTS_ROUNDS))
			window_lines(&c, d, &d->unit[i]);
	return save(&c, dir, "window", err);
}

/* --- verdicts --- */

static void verdict_line(struct csv *c, struct rpt_data *d, const struct rpt_unit *u,
			 unsigned track, const struct ss_decision *dec,
			 const struct ss_verdict *w)
{
	if (!w->rule)
		return;
	word(c, u->test->id);
	cell(c, "%g", u->loop_bs_b / 1024.0);
	word(c, rpt_track(d, u, track));
	word(c, u->test->track[track].decides ? "yes" : "no");
	word(c, w->rule->name);
	word(c, dec->deciding == w->rule ? "yes" : "no");
	word(c, w->steady ? "yes" : "no");
	cell(c, "%u", w->first);
	cell(c, "%u", w->round);
	real(c, w->judged ? w->average : (double)NAN);
	real(c, w->judged ? w->range_pct : (double)NAN);
	real(c, w->judged ? w->excursion_pct : (double)NAN);
	real(c, w->judged ? w->slope : (double)NAN);
	real(c, w->judged ? w->intercept : (double)NAN);
	real(c, w->judged ? w->r : (double)NAN);
	word(c, w->reason);
	line_end(c);
}

static void decision_lines(struct csv *c, struct rpt_data *d, const struct rpt_unit *u,
			   unsigned track, const struct ss_decision *dec, size_t series)
{
	verdict_line(c, d, u, track, dec, &dec->pts[series]);
	verdict_line(c, d, u, track, dec, &dec->band[series]);
}

static int verdicts_file(struct rpt_data *d, const char *dir, struct err *err)
{
	static const char *const names[] = {
		"test",    "cycle_kib",   "tracking_variable",
		"decides", "rule",        "deciding_rule",
		"steady",  "first_round", "last_round",
		"average", "range_pct",   "line_excursion_pct",
		"slope",   "intercept",   "correlation",
		"reason"
	};
	struct csv c = { .d = d };

	header(&c, names, ARRAY_LEN(names));
	line_end(&c);
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];

		if (pts_test_step(u->test, PTS_SATURATE)) {
			decision_lines(&c, d, u, 0, u->decision, 0);
			continue;
		}
		for (size_t k = 0; k < u->decision->n_series; k++)
			decision_lines(&c, d, u, u->verdict.track_of[k], u->decision, k);
		for (unsigned k = 0; k < u->verdict.n_extra; k++)
			decision_lines(&c, d, u, u->verdict.extra_of[k],
				       &u->verdict.extra[k], 0);
	}
	return save(&c, dir, "verdicts", err);
}

/* --- minutes and histograms --- */

static int minutes_file(struct rpt_data *d, const struct rpt_unit *u, const char *dir,
			struct err *err)
{
	static const char *const names[] = { "minute",      "elapsed_s", "written_gb",
					     "drive_fills", "iops",      "mb_per_s",
					     "art_ms",      "mrt_ms" };
	struct csv c = { .d = d };
	uint64_t bytes = 0;

	header(&c, names, ARRAY_LEN(names));
	percentile_header(&c);
	line_end(&c);
	for (size_t i = 0; i < u->minute.n; i++) {
		const struct st_point *p = u->minute.p[i];

		bytes += p->dir[IO_WRITE].bytes;
		cell(&c, "%u", p->round);
		real(&c, (double)(p->t1_ns - u->minute.p[0]->t0_ns) / 1e9);
		real(&c, (double)bytes / 1e9);
		real(&c, (double)bytes / (double)d->opts.capacity_b);
		real(&c, st_point_iops(p));
		real(&c, st_point_bytes_per_s(p) / 1e6);
		real(&c, st_point_lat_mean_ns(p) / 1e6);
		real(&c, (double)st_point_lat_max_ns(p) / 1e6);
		percentiles(&c, rpt_point_hist(d, p));
		line_end(&c);
	}
	return save(&c, dir, rpt_fmt(d->arena, "%s-minutes", u->key), err);
}

/* Minutes count from 1; an absent figure is an empty cell. */
static int shape_file(struct rpt_data *d, const struct rpt_unit *u, const char *dir,
		      struct err *err)
{
	static const char *const names[] = { "judged",
					     "cliff",
					     "settled",
					     "fresh_minutes",
					     "fresh_iops",
					     "cliff_written_gb",
					     "cliff_drive_fills",
					     "lowest_minute",
					     "lowest_iops",
					     "floor_from_minute",
					     "floor_iops",
					     "oscillation_pct",
					     "period_minutes" };
	const struct ss_shape *shape = &u->shape;
	double none = (double)NAN,
	       cliff_b = (double)rpt_written_b(&u->minute, shape->fresh_n);
	struct csv c = { .d = d };

	header(&c, names, ARRAY_LEN(names));
	line_end(&c);
	word(&c, shape->judged ? "yes" : "no");
	word(&c, shape->cliff ? "yes" : "no");
	word(&c, shape->settled ? "yes" : "no");
	cell(&c, "%zu", shape->fresh_n);
	real(&c, shape->judged ? shape->fresh : none);
	real(&c, shape->cliff ? cliff_b / 1e9 : none);
	real(&c, shape->cliff ? cliff_b / (double)d->opts.capacity_b : none);
	real(&c, shape->judged ? (double)shape->lowest_at + 1 : none);
	real(&c, shape->judged ? shape->lowest : none);
	real(&c, shape->settled ? (double)shape->floor_from + 1 : none);
	real(&c, shape->settled ? shape->floor : none);
	real(&c, shape->settled ? shape->swing_pct : none);
	real(&c, shape->period > 0 ? shape->period : none);
	line_end(&c);
	return save(&c, dir, rpt_fmt(d->arena, "%s-shape", u->key), err);
}

static int histogram_file(struct rpt_data *d, const struct rpt_unit *u, const char *dir,
			  struct err *err)
{
	static const char *const names[] = { "from_ns", "to_ns", "count",
					     "cumulative_pct" };
	const struct hist *h = rpt_merge(d->arena, &u->hist);
	struct csv c = { .d = d };
	uint64_t seen = 0;

	header(&c, names, ARRAY_LEN(names));
	line_end(&c);
	for (uint32_t i = 0; h && i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		seen += h->bucket[i];
		cell(&c, "%" PRIu64, hist_bucket_low_ns(i));
		cell(&c, "%" PRIu64, hist_bucket_high_ns(i));
		cell(&c, "%" PRIu64, h->bucket[i]);
		real(&c, 100.0 * (double)seen / (double)h->count);
		line_end(&c);
	}
	return save(&c, dir, rpt_fmt(d->arena, "%s-histogram", u->key), err);
}

/* --- the run: what every figure in the other files depends on --- */

static int run_file(struct rpt_data *d, const char *dir, struct err *err)
{
	struct csv c = { .d = d };

	word(&c, "item");
	word(&c, "value");
	line_end(&c);
	word(&c, "drive");
	word(&c, d->drive);
	line_end(&c);
	word(&c, "edition");
	word(&c, d->opts.edition->label);
	line_end(&c);
	word(&c, "test run date");
	word(&c, rpt_run_date(d));
	line_end(&c);
	for (size_t i = 0; i < d->n_deviation; i++) {
		word(&c, "deviation");
		word(&c, rpt_fmt(d->arena, "%s: %s", d->deviation[i].code,
				 d->deviation[i].text));
		line_end(&c);
	}
	return save(&c, dir, "run", err);
}

int rpt_csv_write(struct rpt_data *d, const char *dir, struct err *err)
{
	int r = run_file(d, dir, err);

	if (r == 0)
		r = points_file(d, dir, err);
	if (r == 0)
		r = window_file(d, dir, err);
	if (r == 0)
		r = verdicts_file(d, dir, err);
	for (size_t i = 0; r == 0 && i < d->n_unit; i++) {
		if (d->unit[i].minute.n)
			r = minutes_file(d, &d->unit[i], dir, err);
		if (r == 0 && d->unit[i].minute.n)
			r = shape_file(d, &d->unit[i], dir, err);
		if (r == 0 && d->unit[i].hist.n)
			r = histogram_file(d, &d->unit[i], dir, err);
	}
	return r;
}
