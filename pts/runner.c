/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the plan step by step, judges, and says how it ended. */
#include "pts/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "engine/cpulatency.h"
#include "pts/walk.h"

static void say(struct walk *w, const char *text)
{
	if (w->r->on_note)
		w->r->on_note(w->r->arg, text);
}

static uint64_t less(uint64_t from, uint64_t by)
{
	return from > by ? from - by : 0;
}

/* What the interval showed, and what is left by the plan's estimate. */
void walk_show(struct walk *w, const struct eng_result *last, bool point_done)
{
	struct pts_progress *p = &w->progress;
	uint64_t now_ns = walk_now_ns(w), in_step_ns = now_ns - w->step_t0_ns;
	struct pts_estimate left;

	if (!w->r->on_progress)
		return;
	pts_plan_estimate_from(w->plan, w->at, w->fill_bytes_per_s, &left);
	p->elapsed_ns = now_ns - w->base_ns;
	p->eta_best_ns = less(left.best_ns, in_step_ns);
	p->eta_worst_ns = less(left.worst_ns, in_step_ns);
	p->point_done = point_done;
	if (last && last->t1_ns > last->t0_ns) {
		double s = (double)(last->t1_ns - last->t0_ns) / 1e9;
		struct hist *h = w->scratch;

		*h = last->dir[IO_READ].lat;
		hist_merge(h, &last->dir[IO_WRITE].lat);
		p->iops = (double)h->count / s;
		p->mb_per_s =
			(double)(last->dir[IO_READ].bytes + last->dir[IO_WRITE].bytes) /
			1e6 / s;
		p->lat_mean_ms =
			h->count ? (double)h->sum_ns / (double)h->count / 1e6 : 0;
		p->lat_p9999_known = hist_beyond(h, 999900000) >= HIST_MIN_BEYOND;
		p->lat_p9999_ms = (double)hist_quantile_ns(h, 999900000) / 1e6;
		if (!point_done && p->total_b)
			p->done_b += last->dir[IO_WRITE].bytes;
	}
	w->r->on_progress(w->r->arg, p);
}

/* One line of the end record's summary. */
static int summarise(struct walk *w, json_t *steady, unsigned round, const char *text,
		     struct err *err)
{
	json_t *o = json_pack("{s:s,s:I,s:o,s:I,s:s}", "test", w->step->test->id,
			      "loop_bs_b", (json_int_t)w->step->loop_bs_b, "steady",
			      steady, "round", (json_int_t)round, "text", text);

	say(w, text);
	if (json_array_append_new(w->tests, o))
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	return 0;
}

static int run_purge(struct walk *w, json_t **ret, struct err *err)
{
	struct dev_purge_result res = { 0 };
	int rc;

	if (w->plan->purge == DEV_PURGE_NONE) {
		*ret = json_pack("{s:s,s:s,s:b,s:I,s:I}", "method", "none", "words",
				 "skipped", "is_pts_purge", 0, "bytes", (json_int_t)0,
				 "dur_ns", (json_int_t)0);
		return 0;
	}
	rc = dev_claim_recheck(w->r->claim, err);
	if (!rc)
		rc = dev_purge(w->r->claim, w->plan->purge, w->dev->info.size_b, w->clk,
			       w->r->cancel, &res, err);
	if (rc)
		return rc;
	*ret = json_pack("{s:s,s:s,s:b,s:I,s:I}", "method", dev_purge_word(res.method),
			 "words", res.words, "is_pts_purge", res.is_pts_purge, "bytes",
			 (json_int_t)res.bytes, "dur_ns", (json_int_t)res.dur_ns);
	return 0;
}

/* @pts 7.2 (2.2): the amount is of user capacity, written sequentially and wrapped in the range. */
static int run_fill(struct walk *w, json_t **ret, struct err *err)
{
	uint64_t left_b = w->step->fill_b, len_b = w->plan->len_b, busy_ns = 0;
	struct stimulus s = { .phase = ST_FILL,
			      .bs_b = w->step->bs_b,
			      .round = w->first_round - 1 };
	uint64_t done_b = s.round * len_b;
	int rc = dev_claim_recheck(w->r->claim, err);

	left_b -= done_b < left_b ? done_b : left_b;

	w->progress.total_b = w->step->fill_b;
	w->progress.max_rounds = (unsigned)((left_b + len_b - 1) / len_b);
	while (!rc && left_b) {
		s.round++;
		s.limit_b = left_b < len_b ? left_b : len_b;
		w->progress.round = s.round;
		rc = measure(w, &s, err);
		busy_ns += w->sum->t1_ns - w->sum->t0_ns;
		left_b -= s.limit_b;
	}
	w->progress.total_b = w->progress.done_b = 0;
	if (rc)
		return rc;
	if (busy_ns)
		w->fill_bytes_per_s = (uint64_t)((u128)less(w->step->fill_b, done_b) *
						 NSEC_PER_SEC / busy_ns) +
				      1;
	*ret = json_pack("{s:I,s:I,s:I}", "bytes", (json_int_t)w->step->fill_b, "passes",
			 (json_int_t)s.round, "range_b", (json_int_t)len_b);
	return 0;
}

/* @pts 7.2 (3.2): mixes outside, block sizes inside, each cell once. */
static int run_round(struct walk *w, unsigned round, struct err *err)
{
	for (unsigned i = 0; i < w->step->n_cells; i++) {
		const struct pts_cell *c = &w->step->cell[i];
		const struct stimulus s = { .phase = ST_ROUND,
					    .round = round,
					    .index = i,
					    .read_pct = c->read_pct,
					    .bs_b = c->bs_b,
					    .total_ns = w->step->point_ns };
		int rc;

		w->progress.point = i + 1;
		w->progress.read_pct = c->read_pct;
		w->progress.bs_b = c->bs_b;
		rc = measure(w, &s, err);
		if (rc)
			return rc;
		memcpy(w->cursor_b, w->sum->cursor_b, sizeof(w->cursor_b));
	}
	return 0;
}

static int judge_rounds(struct walk *w, struct pts_verdict *v, json_t **ret,
			struct err *err)
{
	struct pts_rounds r;
	int rc = pts_rounds_collect(st_writer_run(w->r->store), w->step->test,
				    w->step->loop_bs_b, &r, err);

	if (rc)
		return rc;
	pts_judge_rounds(&r, w->opts.mode, v);
	json_decref(*ret);
	*ret = pts_verdict_json(&r, v);
	pts_rounds_release(&r);
	return 0;
}

/* What a verdict is worth when the drive slowed itself down. */
static const char *throttled_words(const struct walk *w, bool steady)
{
	if (!w->health.throttled)
		return "";
	return steady ? "steady but throttled; " : "throttled; ";
}

int tell_rounds(struct walk *w, const struct pts_verdict *v, struct err *err)
{
	char text[640], kib[UNITS_TEXT], cycle[UNITS_TEXT + 8] = "";

	if (w->step->loop_bs_b)
		snprintf(cycle, sizeof(cycle), " %s KiB",
			 units_kib(w->step->loop_bs_b, kib));
	snprintf(text, sizeof(text), "%s%s: %s%s", w->step->test->title, cycle,
		 throttled_words(w, v->decision.steady), v->decision.reason);
	if (!v->decision.steady)
		w->earned = exit_code_graver(w->earned, EXIT_CODE_NOT_STEADY);
	return summarise(w, json_boolean(v->decision.steady), v->decision.round, text,
			 err);
}

static int run_rounds(struct walk *w, json_t **ret, struct err *err)
{
	struct pts_verdict v = { 0 };
	json_t *verdict = NULL;
	unsigned round, last = w->first_round - 1 + w->step->max_rounds;
	int rc = 0;

	if (last > PTS_MAX_ROUNDS)
		last = PTS_MAX_ROUNDS;
	if (w->first_round == 1)
		memset(w->cursor_b, 0, sizeof(w->cursor_b));
	w->progress.max_rounds = last;
	w->progress.n_points = w->step->n_cells;
	if (w->restart.is_over && w->at == w->restart.at) {
		rc = judge_rounds(w, &v, &verdict, err);
		last = 0;
	}
	for (round = w->first_round; !rc && round <= last && !v.decision.stop; round++) {
		w->progress.round = round;
		rc = run_round(w, round, err);
		if (!rc)
			rc = judge_rounds(w, &v, &verdict, err);
		if (rc)
			goto out;
	}
	if (rc)
		goto out;
	*ret = json_pack("{s:I,s:O}", "rounds", (json_int_t)round - 1, "verdict",
			 verdict);
	rc = tell_rounds(w, &v, err);
out:
	json_decref(verdict);
	return rc;
}

int tell_saturation(struct walk *w, const struct pts_sat_verdict *v, struct err *err)
{
	char steady[640], text[768], minutes[64];
	unsigned needed;
	bool judged = pts_sat_evaluated(v, &needed);

	if (judged)
		snprintf(steady, sizeof(steady), "%s", v->decision.reason);
	else
		snprintf(steady, sizeof(steady),
			 "steady state not evaluated (%u of %u samples)", v->samples,
			 needed);
	snprintf(text, sizeof(text), "%s: ended by %s after %s; %s%s",
		 w->step->test->title, pts_sat_stop_word(v->stop),
		 pts_minutes_text(&w->opts, v->minutes, minutes),
		 throttled_words(w, judged && v->decision.steady), steady);
	return summarise(w, judged ? json_boolean(v->decision.steady) : json_null(),
			 v->held_minute, text, err);
}

/* One minute after another until a stop rule of @pts 10.2 holds. */
static int saturate(struct walk *w, const struct eng_workload *load, struct stimulus *s,
		    uint64_t gap_ns, struct pts_sat_verdict *v, struct err *err)
{
	while (v->stop == PTS_SAT_RUNNING) {
		int rc;

		w->progress.round = ++s->round;
		rc = stimulus_point(w, s, load, gap_ns, err);
		if (!rc)
			rc = pts_judge_saturation(st_writer_run(w->r->store),
						  w->step->test, &w->opts, v, err);
		if (rc)
			return rc;
		gap_ns = 0;
	}
	return 0;
}

/* @pts 10.2: one continuous stimulus; the minutes are snapshots of it. */
static int run_saturation(struct walk *w, json_t **ret, struct err *err)
{
	struct stimulus s = { .phase = ST_MINUTE,
			      .bs_b = w->step->bs_b,
			      .round = w->first_round - 1,
			      .total_ns = w->step->point_ns };
	struct pts_sat_verdict v = { 0 };
	struct eng_workload load;
	uint64_t gap_ns;
	int rc, stopped;

	if (w->restart.is_over && w->at == w->restart.at) {
		rc = pts_judge_saturation(st_writer_run(w->r->store), w->step->test,
					  &w->opts, &v, err);
		goto judged;
	}
	rc = dev_claim_recheck(w->r->claim, err);
	w->progress.max_rounds = (unsigned)(w->step->dur_ns / w->step->point_ns);
	w->progress.bs_b = s.bs_b;
	if (!rc)
		rc = stimulus_begin(w, &s, &load, &gap_ns, err);
	if (rc)
		return rc;
	rc = saturate(w, &load, &s, gap_ns, &v, err);
	stopped = stimulus_end(w, rc ? NULL : err);
	rc = rc ? rc : stopped;
judged:
	if (rc)
		return rc;
	*ret = json_pack("{s:o}", "verdict", pts_sat_verdict_json(&v));
	return tell_saturation(w, &v, err);
}

static int run_histogram(struct walk *w, struct err *err)
{
	const struct stimulus s = { .phase = ST_HISTOGRAM,
				    .round = 1,
				    .bs_b = w->step->bs_b,
				    .total_ns = w->step->dur_ns };

	w->progress.bs_b = s.bs_b;
	return measure(w, &s, err);
}

static bool same_session(const struct pts_plan_step *a, const struct pts_plan_step *b)
{
	return a->test == b->test && a->loop_bs_b == b->loop_bs_b;
}

static void max_u32(uint32_t *max, uint32_t v)
{
	if (v > *max)
		*max = v;
}

/* One session for a test, or for one block size of throughput: big enough for all its steps. */
static int open_session(struct walk *w, struct err *err)
{
	struct eng_limits limits = { .io_timeout_ns = w->plan->opts.io_timeout_ns };

	for (size_t i = w->at; i < w->plan->n && same_session(&w->plan->step[i], w->step);
	     i++) {
		const struct pts_plan_step *s = &w->plan->step[i];

		max_u32(&limits.max_tc, s->tc);
		max_u32(&limits.max_qd, s->qd);
		max_u32(&limits.max_bs_b, s->bs_b);
		for (unsigned c = 0; c < s->n_cells; c++)
			max_u32(&limits.max_bs_b, s->cell[c].bs_b);
	}
	return eng_open(w->dev, &limits, &w->eng, err);
}

static void close_session(struct walk *w)
{
	eng_close(w->eng);
	w->eng = NULL;
	w->idle_since_ns = 0;
}

static int do_step(struct walk *w, json_t **ret, struct err *err)
{
	int rc = w->step->verb == PTS_PURGE || w->eng ? 0 : open_session(w, err);

	if (rc)
		return rc;
	switch (w->step->verb) {
	case PTS_PURGE:
		return run_purge(w, ret, err);
	case PTS_WIPC:
		return run_fill(w, ret, err);
	case PTS_ROUNDS:
		return run_rounds(w, ret, err);
	case PTS_SATURATE:
		return run_saturation(w, ret, err);
	case PTS_HISTOGRAM:
		return run_histogram(w, err);
	}
	return 0;
}

/* What the host did during the step, as deviations. */
static int look_at_host(struct walk *w, struct err *err)
{
	const char *test = w->step->test->id;
	uint64_t slept_ns = host_watch_suspended_ns(&w->host);
	int rc = 0;

	if (slept_ns)
		rc = record_invalid(w, "suspended", "5", test, err,
				    "the machine was suspended for %" PRIu64 " ms",
				    slept_ns / NSEC_PER_MSEC);
	if (!rc && host_watch_clock_changed(&w->host))
		rc = record_deviation(w, "clock-source", "6", test, err,
				      "the kernel changed its clock source to %s",
				      w->host.clock_source);
	return rc;
}

static int run_step(struct walk *w, struct err *err)
{
	json_t *result = NULL;
	int rc;

	w->step_t0_ns = walk_now_ns(w);
	w->first_round =
		w->restart.round && w->at == w->restart.at ? w->restart.round : 1;
	w->progress = (struct pts_progress){ .test = w->step->test->id,
					     .verb = w->step->verb,
					     .loop_bs_b = w->step->loop_bs_b };
	rc = record_stage(w, "begin", NULL, err);
	if (rc)
		return rc;
	walk_show(w, NULL, false);
	rc = do_step(w, &result, err);
	if (rc) {
		json_decref(result);
		return rc;
	}
	return record_stage(w, "end", result, err);
}

/* Once a test, with what was counted over it. */
static int tell_tally(struct walk *w, struct err *err)
{
	const struct tally t = w->tally;
	const char *test = w->step->test->id;
	int rc = 0;

	w->tally = (struct tally){ 0 };
	w->health.throttled = false;
	if (t.gaps)
		rc = record_deviation(
			w, "gap", "4", test, err,
			"%u gaps over 1 s between points, the longest %" PRIu64 " ms",
			t.gaps, t.longest_gap_ns / NSEC_PER_MSEC);
	if (!rc && t.limited)
		rc = record_deviation(w, "host-limited", "6", test, err,
				      "the host, not the drive, limited %u of %u points",
				      t.limited, t.points);
	return rc ? rc : look_at_host(w, err);
}

static int walk_plan(struct walk *w, struct err *err)
{
	const struct pts_plan *p = w->plan;

	for (w->at = w->restart.at; w->at < p->n; w->at++) {
		bool last = w->at + 1 == p->n;
		int rc;

		w->step = &p->step[w->at];
		rc = run_step(w, err);
		if (last || !same_session(w->step, w->step + 1))
			close_session(w);
		if (!rc && (last || w->step->test != w->step[1].test))
			rc = tell_tally(w, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int hold_cpus(struct walk *w, struct err *err)
{
	struct err why;

	if (w->host.simulated || w->plan->opts.keep_cpu_latency)
		return 0;
	w->host.latency_fd = eng_cpulatency_hold(&why);
	if (w->host.latency_fd >= 0)
		return record(
			w, ST_EVENT,
			json_pack("{s:s,s:i}", "event", "cpu-latency-held", "us", 0),
			err);
	say(w, why.text);
	return record_deviation(w, "cpu-latency", "6", "", err,
				"the processors may sleep between I/Os: %.180s",
				why.text);
}

int record_notes(struct walk *w, struct err *err)
{
	const char *waived = dev_claim_waived(w->r->claim);
	int rc = 0;

	for (size_t i = 0; !rc && i < w->plan->n_notes; i++) {
		const struct pts_plan_note *n = &w->plan->note[i];

		rc = record_deviation(w, n->code, n->clause, n->test, err, "%s", n->text);
	}
	if (!rc && waived[0])
		rc = record(w, ST_EVENT,
			    json_pack("{s:s,s:s}", "event", "signatures-discarded",
				      "found", waived),
			    err);
	return rc;
}

static int record_start(struct walk *w, struct err *err)
{
	int rc = record(w, ST_START,
			json_pack("{s:s,s:b}", "edition", w->plan->edition->id,
				  "simulated", w->clk->simulated),
			err);

	return rc ? rc : record_notes(w, err);
}

/* The last words. They are not allowed to hide what came before. */
static enum exit_code finish(struct walk *w, int rc, struct err *err)
{
	enum exit_code code = rc ? exit_code_graver(w->earned, err->code) : w->earned;
	bool invalid = !rc && w->invalid[0];
	struct err late = { 0 }, beyond = { 0 };
	bool limited = !rc && w->r->on_judge &&
		       w->r->on_judge(w->r->arg, st_writer_run(w->r->store), &beyond);
	int failed = 0;

	if (limited) {
		code = exit_code_graver(code, beyond.code);
		*err = beyond;
	}
	if (invalid)
		(void)err_set(err, EXIT_CODE_INVALID, 0, "finished, but invalid: %s",
			      w->invalid);
	if (rc && w->step && !w->store_failed)
		failed = tell_tally(w, &late);
	if (!failed && !w->store_failed && rc && err->code == EXIT_CODE_INTERRUPTED)
		failed = record_deviation(w, "unfinished", "4",
					  w->step ? w->step->test->id : "", &late,
					  "stopped before its end");
	if (!failed && !w->store_failed)
		failed = record(
			w, ST_END,
			json_pack("{s:i,s:s,s:o,s:O}", "exit_code", (int)code, "exit",
				  exit_code_word(code), "reason",
				  record_words(rc || invalid || limited
						       ? err->text
						       : "every step ran to its end"),
				  "tests", w->tests),
			&late);
	if (failed && !rc) {
		*err = late;
		code = exit_code_graver(code, late.code);
	}
	return code;
}

static int seed_of(const json_t *run, uint64_t *ret, struct err *err)
{
	const char *text = json_string_value(json_object_get(run, "seed"));
	char *end = NULL;

	errno = 0;
	*ret = text ? strtoull(text, &end, 10) : 0;
	if (!text || !*text || *end || errno)
		return err_set(err, EXIT_CODE_HOST, EINVAL,
			       "run.json: seed is no number");
	return 0;
}

static int prepare(struct walk *w, struct err *err)
{
	const json_t *run = st_writer_run(w->r->store)->run;
	int rc = pts_run_opts_read(run, &w->opts, err);

	if (!rc)
		rc = seed_of(run, &w->seed, err);
	if (rc)
		return rc;
	w->slice = malloc(sizeof(*w->slice));
	w->sum = malloc(sizeof(*w->sum));
	w->scratch = malloc(sizeof(*w->scratch));
	w->tests = json_array();
	if (!w->slice || !w->sum || !w->scratch || !w->tests)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	return 0;
}

enum exit_code pts_run(struct pts_runner *r, struct err *err)
{
	const struct dev_handle *dev = dev_claim_handle(r->claim);
	struct clock *clk = dev_handle_clock(dev);
	struct walk w = {
		.r = r,
		.plan = r->plan,
		.dev = dev,
		.clk = clk,
		.base_ns = clk->now_ns(clk),
		.fill_bytes_per_s = pts_plan_fill_rate(r->plan),
	};
	enum exit_code code;
	int rc;

	host_watch_begin(&w.host, clk->simulated);
	rc = prepare(&w, err);
	if (!rc)
		rc = r->go_on && st_writer_run(r->store)->n ? resume_begin(&w, err)
							    : record_start(&w, err);
	if (!rc)
		rc = health_begin(&w, err);
	if (!rc)
		rc = hold_cpus(&w, err);
	if (!rc)
		rc = walk_plan(&w, err);
	close_session(&w);
	code = finish(&w, rc, err);
	host_watch_end(&w.host);
	json_decref(w.tests);
	free(w.scratch);
	free(w.sum);
	free(w.slice);
	return code;
}
