/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pts/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

double pts_metric_value(enum pts_metric m, const struct st_point *p)
{
	switch (m) {
	case PTS_IOPS:
		return st_point_iops(p);
	case PTS_MBPS:
		return st_point_bytes_per_s(p) / 1e6;
	case PTS_ART:
		return st_point_lat_mean_ns(p) / 1e6;
	}
	return (double)NAN;
}

double pts_track_value(const struct pts_track *t, const struct st_point *p)
{
	return pts_metric_value(t->metric, p);
}

/* A whole number of run.json; 0 where the member is null or missing, as "not asked for" is. */
static uint64_t get_u64(const json_t *o, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(o, name));

	return v > 0 ? (uint64_t)v : 0;
}

static int damaged(struct err *err, const char *what)
{
	return err_set(err, EXIT_CODE_HOST, EINVAL,
		       "run.json: %s is missing or makes no sense", what);
}

int pts_run_opts_read(const json_t *run, struct pts_run_opts *ret, struct err *err)
{
	const json_t *options = json_object_get(run, "options");
	const json_t *plan = json_object_get(run, "plan");
	const json_t *range = json_object_get(plan, "active_range");
	const char *edition = json_string_value(json_object_get(run, "edition"));
	const char *rule = json_string_value(json_object_get(options, "steady_rule"));
	struct pts_run_opts o = {
		.edition = edition ? pts_edition_find(edition) : NULL,
		.max_rounds = (unsigned)get_u64(options, "max_rounds"),
		.point_ns = get_u64(options, "round_time_ns"),
		.wsat_ns = get_u64(options, "duration_ns"),
		.no_steady_stop =
			json_is_true(json_object_get(options, "no_steady_stop")),
		.capacity_b = get_u64(plan, "capacity_b"),
		.off_b = get_u64(range, "off_b"),
		.len_b = get_u64(range, "len_b"),
	};

	if (json_object_get(run, "imported"))
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"the run was imported: it has figures for `plateau compare`, and no raw data");
	if (!o.edition)
		return damaged(err, "edition");
	if (!rule || ss_mode_parse(rule, &o.mode, NULL))
		return damaged(err, "options.steady_rule");
	if (!o.capacity_b || !o.len_b)
		return damaged(err, "plan.capacity_b or plan.active_range");
	*ret = o;
	return 0;
}

/* The logical block that run.json records; it decides which cells a round has. */
static uint32_t run_lbs_b(const json_t *run)
{
	uint64_t lbs_b = get_u64(json_object_get(run, "device"), "lbs_b");

	return lbs_b && lbs_b <= UINT32_MAX ? (uint32_t)lbs_b : 0;
}

static bool is_round_point(const struct st_record *rec, const struct pts_test *test,
			   uint32_t loop_bs_b)
{
	const struct st_point *p = st_counted(rec);

	return p && p->phase == ST_ROUND && p->complete && p->loop_bs_b == loop_bs_b &&
	       !strcmp(p->test, test->id);
}

/* Rounds 1..n without a hole in any of them. */
static unsigned whole_rounds(const struct pts_rounds *r, unsigned max)
{
	for (unsigned i = 0; i < max * r->n_points; i++)
		if (!r->point[i])
			return i / r->n_points;
	return max;
}

/* Idle time lets garbage collection run: no window spans an interruption of the rounds. */
static unsigned first_after(const struct st_run *run, const struct pts_test *test,
			    uint32_t loop_bs_b)
{
	const struct st_record *rec;
	unsigned begin = 1;

	for (size_t i = 0; (rec = st_run_nth(run, ST_EVENT, i)); i++) {
		const char *verb = st_text(rec->body, "verb");
		uint64_t first = get_u64(rec->body, "first_round");

		if (!st_is_event(rec, "resumed") ||
		    strcmp(st_text(rec->body, "test"), test->id) ||
		    get_u64(rec->body, "loop_bs_b") != loop_bs_b)
			continue;
		if (first)
			begin = (unsigned)first;
		else if (!strcmp(verb, pts_verb_word(PTS_PURGE)) ||
			 !strcmp(verb, pts_verb_word(PTS_WIPC)))
			begin = 1; /* the rounds are still to come */
	}
	return begin;
}

int pts_rounds_collect(const struct st_run *run, const struct pts_test *test,
		       uint32_t loop_bs_b, struct pts_rounds *ret, struct err *err)
{
	const struct pts_step *step = pts_test_step(test, PTS_ROUNDS);
	struct pts_rounds r = { .test = test, .loop_bs_b = loop_bs_b };
	struct pts_cell cell[PTS_MAX_CELLS];
	uint32_t lbs_b = run_lbs_b(run->run);
	unsigned max = 0;

	if (!lbs_b)
		return damaged(err, "device.lbs_b");
	r.n_points = pts_step_cells(step, loop_bs_b, lbs_b, cell);
	for (size_t i = 0; i < run->n; i++) {
		const struct st_record *rec = &run->rec[i];

		if (!is_round_point(rec, test, loop_bs_b))
			continue;
		if (!rec->point->round || rec->point->round > PTS_MAX_ROUNDS ||
		    rec->point->index >= r.n_points)
			return err_set(
				err, EXIT_CODE_HOST, EINVAL,
				"record %" PRIu64 ": round %u, point %u is none of %s",
				rec->seq, rec->point->round, rec->point->index, test->id);
		if (rec->point->round > max)
			max = rec->point->round;
	}
	r.point = calloc((size_t)max * r.n_points + 1, sizeof(*r.point));
	if (!r.point)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	/* A round that was begun again takes the later points. */
	for (size_t i = 0; i < run->n; i++) {
		const struct st_point *p = run->rec[i].point;

		if (is_round_point(&run->rec[i], test, loop_bs_b))
			r.point[(size_t)(p->round - 1) * r.n_points + p->index] = p;
	}
	r.n_rounds = whole_rounds(&r, max);
	r.begin = first_after(run, test, loop_bs_b);
	*ret = r;
	return 0;
}

void pts_rounds_release(struct pts_rounds *r)
{
	free(r->point);
	*r = (struct pts_rounds){ 0 };
}

const struct st_point *pts_rounds_at(const struct pts_rounds *r, unsigned round,
				     uint8_t read_pct, uint32_t bs_b)
{
	if (!round || round > r->n_rounds)
		return NULL;
	for (unsigned i = 0; i < r->n_points; i++) {
		const struct st_point *p =
			r->point[(size_t)(round - 1) * r->n_points + i];

		if (p->read_pct == read_pct && p->bs_b == bs_b)
			return p;
	}
	return NULL;
}

/* A tracked point that was not run leaves NaN behind, which is never steady and says so. */
static void track_series(const struct pts_rounds *r, const struct pts_track *t, double *y)
{
	for (unsigned round = 1; round <= r->n_rounds; round++) {
		const struct st_point *p = pts_rounds_at(
			r, round, t->read_pct, t->bs_b ? t->bs_b : r->loop_bs_b);

		y[round - 1] = p ? pts_track_value(t, p) : (double)NAN;
	}
}

/* @pts 2.1.24: every tracking variable on the same window. */
void pts_judge_rounds(const struct pts_rounds *r, enum ss_mode mode,
		      struct pts_verdict *ret)
{
	double y[SS_MAX_SERIES][PTS_MAX_ROUNDS], extra[PTS_MAX_ROUNDS];
	const double *series[SS_MAX_SERIES];
	const double *alone[1] = { extra };
	unsigned n = 0, skip = r->begin - 1;
	unsigned rounds = r->n_rounds > skip ? r->n_rounds - skip : 0;

	*ret = (struct pts_verdict){ 0 };
	alone[0] += skip;
	for (unsigned i = 0; i < r->test->n_track; i++) {
		const struct pts_track *t = &r->test->track[i];

		if (t->decides) {
			track_series(r, t, y[n]);
			series[n] = y[n] + skip;
			ret->track_of[n++] = i;
			continue;
		}
		track_series(r, t, extra);
		ss_decide(mode, alone, 1, rounds, r->begin, &ret->extra[ret->n_extra]);
		ret->extra_of[ret->n_extra++] = i;
	}
	ss_decide(mode, series, n, rounds, r->begin, &ret->decision);
	const struct ss_rule *rule = ret->decision.deciding;

	if (rule && rounds >= rule->window) {
		ret->last = ret->decision.round;
		ret->first = ret->last + 1 - rule->window;
	}
}

const char *pts_sat_stop_word(enum pts_sat_stop s)
{
	static const char *const words[] = {
		[PTS_SAT_RUNNING] = "running", [PTS_SAT_X_UC] = "user capacity",
		[PTS_SAT_TIME] = "time",       [PTS_SAT_STEADY] = "steady state",
		[PTS_SAT_CUT] = "cut short",
	};

	return words[s];
}

const char *pts_minutes_text(const struct pts_run_opts *opts, unsigned minutes,
			     char buf[64])
{
	char dur[UNITS_TEXT];
	bool is_scaled = opts->point_ns && opts->point_ns != 60 * NSEC_PER_SEC;

	snprintf(buf, 64, "%u minute%s%s%s", minutes, minutes == 1 ? "" : "s",
		 is_scaled ? " of " : "",
		 is_scaled ? units_dur(opts->point_ns, dur) : "");
	return buf;
}

bool pts_sat_evaluated(const struct pts_sat_verdict *v, unsigned *ret_needed)
{
	unsigned needed = v->decision.deciding->window;

	if (ret_needed)
		*ret_needed = needed;
	return v->samples >= needed;
}

/* Minutes and samples of a saturation, gathered one after another. */
struct saturation {
	const struct pts_step *step;
	const struct pts_track *track;
	const struct pts_run_opts *opts;
	uint64_t max_minutes, stop_b, ss_stop_b;
	double y[PTS_MAX_ROUNDS];
	unsigned n;
};

static void limits(struct saturation *s)
{
	const struct pts_run_opts *o = s->opts;
	uint64_t table_ns = s->step->point_s * NSEC_PER_SEC;
	uint64_t point_ns = o->point_ns ? o->point_ns : table_ns;

	s->max_minutes = s->step->stop_s / s->step->point_s;
	s->stop_b = o->capacity_b * s->step->stop_x_uc;
	s->ss_stop_b = o->capacity_b * s->step->ss_stop_x_uc;
	if (o->wsat_ns) {
		s->max_minutes = (o->wsat_ns + point_ns - 1) / point_ns;
		s->stop_b = UINT64_MAX;
	}
}

static unsigned window_of(const struct saturation *s)
{
	return s->opts->mode == SS_MODE_BAND ? ss_rule_band.window : ss_rule_pts.window;
}

/* Judge the window that ends with the newest sample; there are enough for one. */
static void judge_newest(const struct saturation *s, struct ss_decision *ret)
{
	unsigned window = window_of(s);
	const double *series[1] = { s->y + s->n - window };

	ss_decide(s->opts->mode, series, 1, window, s->n - window + 1, ret);
}

/* Does the mode's condition hold on it? */
static bool holds_now(const struct saturation *s, struct ss_decision *d)
{
	if (s->n < window_of(s))
		return false;
	judge_newest(s, d);
	return d->stop;
}

/*
 * The verdict of what did not end by steady state is that of its newest window: an earlier one
 * may lie on the fresh plateau before the cliff. How often the rule held and failed before stays.
 */
static void judge_end(const struct saturation *s, struct pts_sat_verdict *v)
{
	const double *series[1] = { s->y };
	struct ss_decision all;

	ss_decide(s->opts->mode, series, 1, s->n, 1, &all);
	if (all.pts_first)
		v->held_minute =
			s->step->ss_offset + (all.pts_first - 1) * s->step->ss_period;
	if (v->stop == PTS_SAT_STEADY)
		return;
	v->decision = all;
	if (s->n < window_of(s))
		return;
	judge_newest(s, &v->decision);
	v->decision.pts_first = all.pts_first;
	v->decision.band_first = all.band_first;
	v->decision.later = all.later;
	v->decision.later_failed = all.later_failed;
}

static void keep_sample(struct pts_sat_verdict *v, double value, unsigned minute)
{
	size_t max = ARRAY_LEN(v->sample);

	if (v->samples >= max) {
		memmove(v->sample, v->sample + 1, (max - 1) * sizeof(v->sample[0]));
		memmove(v->sample_minute, v->sample_minute + 1,
			(max - 1) * sizeof(v->sample_minute[0]));
	}
	size_t at = v->samples < max ? v->samples : max - 1;

	v->sample[at] = value;
	v->sample_minute[at] = minute;
	v->samples++;
}

/* @pts 10.2: first of 4x user capacity, the time cap, steady state. */
static void take_minute(struct saturation *s, const struct st_point *p,
			struct pts_sat_verdict *v)
{
	struct ss_decision d;
	bool steady = false;

	v->minutes++;
	if (v->minutes >= s->step->ss_offset &&
	    (v->minutes - s->step->ss_offset) % s->step->ss_period == 0 &&
	    s->n < PTS_MAX_ROUNDS) {
		s->y[s->n++] = pts_track_value(s->track, p);
		keep_sample(v, s->y[s->n - 1], v->minutes);
		steady = holds_now(s, &d) && !s->opts->no_steady_stop &&
			 v->written_b >= s->ss_stop_b;
	}
	if (v->written_b >= s->stop_b)
		v->stop = PTS_SAT_X_UC;
	else if (v->minutes >= s->max_minutes)
		v->stop = PTS_SAT_TIME;
	else if (steady)
		v->stop = PTS_SAT_STEADY;
	if (v->stop == PTS_SAT_STEADY)
		v->decision = d;
}

static bool is_minute(const struct st_point *p, const struct pts_test *test)
{
	return p && p->phase == ST_MINUTE && !strcmp(p->test, test->id);
}

int pts_judge_saturation(const struct st_run *run, const struct pts_test *test,
			 const struct pts_run_opts *opts, struct pts_sat_verdict *ret,
			 struct err *err)
{
	struct saturation s = { .step = pts_test_step(test, PTS_SATURATE),
				.track = &test->track[0],
				.opts = opts };

	*ret = (struct pts_sat_verdict){ 0 };
	if (!s.step)
		return err_set(err, EXIT_CODE_INTERNAL, EINVAL,
			       "%s is no saturation test", test->id);
	limits(&s);
	for (size_t i = 0; i < run->n && ret->stop == PTS_SAT_RUNNING; i++) {
		const struct st_point *p = st_counted(&run->rec[i]);

		if (!is_minute(p, test))
			continue;
		ret->written_b += p->dir[IO_WRITE].bytes;
		if (p->complete)
			take_minute(&s, p, ret);
	}
	if (ret->stop == PTS_SAT_RUNNING && st_run_end(run))
		ret->stop = PTS_SAT_CUT;
	judge_end(&s, ret);
	return 0;
}
