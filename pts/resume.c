/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Going on after a crash, a reboot or an interrupt, by the specification's logic: what idle time or a half-done write spoils is done
 * again. A purge: again. A fill: from the start of the pass. Rounds: from the first point of the broken round, and the
 * window lies after it. Write saturation: from the purge, unless the operator wants it continued. Its histogram: again.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "pts/walk.h"

static bool is_stage(const struct st_record *rec, const char *stage, size_t step)
{
	return rec->kind == ST_STAGE && !rec->is_void &&
	       !strcmp(st_text(rec->body, "stage"), stage) &&
	       json_integer_value(json_object_get(rec->body, "step")) == (json_int_t)step;
}

/* Number of the record with which the step began last; `run->n` where it did not. */
static uint64_t begun_at(const struct st_run *run, size_t step)
{
	for (size_t i = run->n; i--;)
		if (is_stage(&run->rec[i], "begin", step))
			return i;
	return run->n;
}

/* Steps are done in order: the first without an end. */
static size_t steps_ended(const struct st_run *run)
{
	size_t ended = 0;

	for (size_t i = 0; i < run->n; i++)
		if (is_stage(&run->rec[i], "end", ended))
			ended++;
	return ended;
}

/* The first point of this phase from `from` on whose round is `round` or later: it is to be done again. */
static uint64_t broken_at(const struct st_run *run, uint64_t from, enum st_phase phase,
			  unsigned round)
{
	for (uint64_t i = from; i < run->n; i++) {
		const struct st_point *p = st_counted(&run->rec[i]);

		if (p && p->phase == phase && p->round >= round)
			return i;
	}
	return run->n;
}

/* Passes, or minutes, that are whole. */
static unsigned whole(const struct st_run *run, const struct pts_plan_step *step,
		      uint64_t from, enum st_phase phase)
{
	unsigned n = 0;

	for (uint64_t i = from; i < run->n; i++) {
		const struct st_point *p = st_counted(&run->rec[i]);

		n += p && p->phase == phase && p->complete &&
		     !strcmp(p->test, step->test->id) && p->round == n + 1;
	}
	return n;
}

static int in_rounds(struct walk *w, struct restart *r, uint64_t begun, struct err *err)
{
	const struct st_run *run = st_writer_run(w->r->store);
	struct pts_verdict v;
	struct pts_rounds rounds;
	int rc = pts_rounds_collect(run, w->step->test, w->step->loop_bs_b, &rounds, err);

	if (rc)
		return rc;
	pts_judge_rounds(&rounds, w->opts.mode, &v);
	r->is_over = rounds.n_rounds &&
		     (v.decision.stop ||
		      rounds.n_rounds + 1 >= rounds.begin + w->step->max_rounds);
	r->round = rounds.n_rounds + 1;
	r->void_from = broken_at(run, begun, ST_ROUND, r->round);
	/* The sequential cursors go on where the last whole round left them. */
	for (uint64_t i = begun; i < r->void_from; i++) {
		const struct st_point *p = st_counted(&run->rec[i]);

		for (int d = 0; p && p->phase == ST_ROUND && d < IO_DIRS; d++)
			w->cursor_b[d] = (p->cursor_b[d] + p->dir[d].bytes) % p->len_b;
	}
	pts_rounds_release(&rounds);
	return 0;
}

static int in_saturation(struct walk *w, struct restart *r, uint64_t begun,
			 struct err *err)
{
	const struct st_run *run = st_writer_run(w->r->store);
	struct pts_sat_verdict v;
	int rc = pts_judge_saturation(run, w->step->test, &w->opts, &v, err);

	if (rc)
		return rc;
	r->is_over = v.stop != PTS_SAT_RUNNING && v.stop != PTS_SAT_CUT;
	if (r->is_over || w->r->continue_saturation) {
		r->round = whole(run, w->step, begun, ST_MINUTE) + 1;
		r->void_from = broken_at(run, begun, ST_MINUTE, r->round);
		return 0;
	}
	while (w->plan->step[r->at].verb != PTS_PURGE)
		r->at--;
	r->void_from = begun_at(run, r->at);
	return 0;
}

static int find_restart(struct walk *w, struct restart *r, struct err *err)
{
	const struct st_run *run = st_writer_run(w->r->store);
	uint64_t begun;

	*r = (struct restart){ .at = steps_ended(run), .round = 1, .void_from = run->n };
	r->is_over = r->at >= w->plan->n; /* only the end is missing */
	if (r->is_over)
		return 0;
	w->step = &w->plan->step[r->at];
	begun = begun_at(run, r->at);
	if (begun == run->n)
		return 0;
	switch (w->step->verb) {
	case PTS_WIPC:
		r->round = whole(run, w->step, begun, ST_FILL) + 1;
		r->void_from = broken_at(run, begun, ST_FILL, r->round);
		return 0;
	case PTS_ROUNDS:
		return in_rounds(w, r, begun, err);
	case PTS_SATURATE:
		return in_saturation(w, r, begun, err);
	case PTS_PURGE:
	case PTS_HISTOGRAM:
		r->void_from = begun;
	}
	return 0;
}

/* What made the run invalid before, and which test throttled. */
static void recall_events(struct walk *w, const struct pts_plan_step *step)
{
	const struct st_record *rec;

	w->health.throttled = false;
	for (size_t i = 0; (rec = st_run_nth(st_writer_run(w->r->store), ST_EVENT, i));
	     i++) {
		if (!json_is_true(json_object_get(rec->body, "invalid")))
			continue;
		if (!w->invalid[0])
			snprintf(w->invalid, sizeof(w->invalid), "%s",
				 st_text(rec->body, "text"));
		w->earned = exit_code_graver(w->earned, EXIT_CODE_INVALID);
		if (step && !strcmp(st_text(rec->body, "code"), "throttled") &&
		    !strcmp(st_text(rec->body, "test"), step->test->id))
			w->health.throttled = true;
	}
}

/* The summary's lines of what ended before the interruption. */
static int recall_steps(struct walk *w, size_t n, struct err *err)
{
	const struct st_run *run = st_writer_run(w->r->store);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct pts_sat_verdict sat;
		struct pts_verdict v;
		struct pts_rounds r;

		w->step = &w->plan->step[i];
		recall_events(w, w->step);
		if (w->step->verb == PTS_ROUNDS) {
			rc = pts_rounds_collect(run, w->step->test, w->step->loop_bs_b,
						&r, err);
			if (rc)
				return rc;
			pts_judge_rounds(&r, w->opts.mode, &v);
			pts_rounds_release(&r);
			rc = tell_rounds(w, &v, err);
		} else if (w->step->verb == PTS_SATURATE) {
			rc = pts_judge_saturation(run, w->step->test, &w->opts, &sat,
						  err);
			if (!rc)
				rc = tell_saturation(w, &sat, err);
		}
	}
	recall_events(w, NULL);
	return rc;
}

/* Interruptions so far, and their length in all. */
static unsigned count_interruptions(const struct st_run *run, uint64_t *ret_ns)
{
	const struct st_record *rec;
	unsigned n = 0;

	*ret_ns = 0;
	for (size_t i = 0; (rec = st_run_nth(run, ST_EVENT, i)); i++) {
		if (!st_is_event(rec, "resumed"))
			continue;
		n++;
		*ret_ns += (uint64_t)json_integer_value(
			json_object_get(rec->body, "gap_ns"));
	}
	return n;
}

static void words_for(const struct restart *r, const struct pts_plan_step *step,
		      char buf[128])
{
	switch (r->is_over ? PTS_PURGE : step->verb) {
	case PTS_WIPC:
		snprintf(buf, 128, "filling went on with pass %u", r->round);
		return;
	case PTS_ROUNDS:
		snprintf(buf, 128,
			 "round %u was begun anew, and the window lies after it",
			 r->round);
		return;
	case PTS_SATURATE:
		snprintf(buf, 128, "the stimulus went on with minute %u", r->round);
		return;
	case PTS_HISTOGRAM:
		snprintf(buf, 128, "the histogram was taken anew");
		return;
	case PTS_PURGE:
		snprintf(buf, 128, "%s",
			 r->is_over ? "everything had been measured"
				    : "begun anew with the purge");
	}
}

static int record_resumed(struct walk *w, uint64_t gap_ns, struct err *err)
{
	const struct restart *r = &w->restart;
	const struct pts_plan_step *step =
		&w->plan->step[r->at < w->plan->n ? r->at : w->plan->n - 1];
	bool in_rounds = step->verb == PTS_ROUNDS && !r->is_over;
	char what[128], last[UNITS_TEXT], all[UNITS_TEXT];
	uint64_t all_ns;
	unsigned n;
	int rc = record(w, ST_EVENT,
			json_pack("{s:s,s:s,s:I,s:I,s:s,s:I,s:I,s:I,s:I}", "event",
				  "resumed", "test", step->test->id, "loop_bs_b",
				  (json_int_t)step->loop_bs_b, "step", (json_int_t)r->at,
				  "verb", pts_verb_word(step->verb), "t_ns",
				  (json_int_t)(walk_now_ns(w) - w->base_ns), "gap_ns",
				  (json_int_t)gap_ns, "void_from",
				  (json_int_t)r->void_from, "first_round",
				  (json_int_t)(in_rounds ? r->round : 0)),
			err);

	if (rc)
		return rc;
	n = count_interruptions(st_writer_run(w->r->store), &all_ns);
	words_for(r, step, what);
	return record_deviation(
		w, "interrupted", "4", step->test->id, err,
		"interrupted for %s: %s%s%s%s", units_dur(gap_ns, last), what,
		n > 1 ? " (the latest of several; all of the run's: " : "",
		n > 1 ? units_dur(all_ns, all) : "", n > 1 ? ")" : "");
}

bool pts_is_resumable(const struct st_run *run)
{
	const json_t *end = st_run_end(run);

	switch ((int)json_integer_value(json_object_get(end, "exit_code"))) {
	case EXIT_CODE_COMPLETE:
	case EXIT_CODE_NOT_STEADY:
	case EXIT_CODE_LIMITS:
	case EXIT_CODE_INVALID:
		return !end;
	default:
		return true;
	}
}

int resume_begin(struct walk *w, struct err *err)
{
	const struct st_run *run = st_writer_run(w->r->store);
	int64_t started =
		json_integer_value(json_object_get(run->run, "started_wall_ns"));
	int64_t now = w->clk->wall_ns(w->clk),
		last = run->n ? run->rec[run->n - 1].wall_ns : started;
	uint64_t gap_ns = now > last ? (uint64_t)(now - last) : 0,
		 since_ns = now > started ? (uint64_t)(now - started) : 0;
	int rc;

	/* Times go on rising, whatever the wall clock did meanwhile. */
	for (size_t i = 0; i < run->n; i++)
		if (run->rec[i].point && run->rec[i].point->t1_ns > since_ns)
			since_ns = run->rec[i].point->t1_ns;
	w->base_ns = walk_now_ns(w) - since_ns;
	rc = find_restart(w, &w->restart, err);
	/* Stopped before the first step: perhaps not all that was known then is recorded. */
	if (!rc && !st_run_nth(run, ST_STAGE, 0))
		rc = record_notes(w, err);
	if (!rc)
		rc = record_resumed(w, gap_ns, err);
	return rc ? rc : recall_steps(w, w->restart.at, err);
}
