/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compliance ledger: each demand of the edition's tables against what the run recorded.
 * Judged from raw points and stage records, never from what the plan intended.
 */
#include "pts/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define LARGE_GAP_NS NSEC_PER_SEC

static bool same_deviation(const struct pts_deviation *a, const struct pts_deviation *b)
{
	return !strcmp(a->code, b->code) && !strcmp(a->test, b->test);
}

int pts_deviations(const struct st_run *run, struct pts_deviation **ret, size_t *ret_n,
		   struct err *err)
{
	struct pts_deviation *list = calloc(run->n + 1, sizeof(*list));
	const struct st_record *rec;
	size_t n = 0, at;

	if (!list)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	for (size_t i = 0; (rec = st_run_nth(run, ST_EVENT, i)); i++) {
		if (!st_is_event(rec, "deviation"))
			continue;
		list[n] = (struct pts_deviation){ .code = st_text(rec->body, "code"),
						  .clause = st_text(rec->body, "clause"),
						  .test = st_text(rec->body, "test"),
						  .text = st_text(rec->body, "text") };
		for (at = 0; !same_deviation(&list[at], &list[n]);)
			at++;
		list[at] = list[n]; /* the newest words know the most */
		n += at == n;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}

const char *pts_state_word(enum pts_state s)
{
	static const char *const words[PTS_STATES] = {
		[PTS_MET] = "met",
		[PTS_MET_READING] = "met by our reading, text unconfirmed",
		[PTS_DEVIATION] = "deviation",
		[PTS_UNVERIFIABLE] = "cannot be verified",
	};

	return words[s];
}

/* What an evaluation came to. */
enum finding { KEPT, BROKEN, UNKNOWN };

/* The test (and cycle) under evaluation, and the points that belong to it. */
struct books {
	const struct st_run *run;
	struct pts_run_opts opts;
	struct pts_ledger *l;
	struct pts_ledger_row spare; /* written to where memory has run out */
	struct err *err;
	int rc; /* of the first failure */
	const struct pts_test *test;
	uint32_t loop_bs_b;
	const struct st_record **point;
	size_t n;
};

static struct pts_ledger_row *row(struct books *b, struct pts_cite cite, const char *fmt,
				  ...) PRINTF_LIKE(3, 4);

/* A new row that says what is required. */
static struct pts_ledger_row *row(struct books *b, struct pts_cite cite, const char *fmt,
				  ...)
{
	struct pts_ledger_row *grown = realloc(b->l->row, (b->l->n + 1) * sizeof(*grown));
	va_list ap;

	if (!grown) {
		b->rc = err_set(b->err, EXIT_CODE_HOST, ENOMEM, "out of memory");
		return &b->spare;
	}
	b->l->row = grown;
	grown += b->l->n++;
	*grown = (struct pts_ledger_row){ .cite = cite,
					  .test = b->test ? b->test->id : "",
					  .loop_bs_b = b->loop_bs_b };
	va_start(ap, fmt);
	vsnprintf(grown->required, sizeof(grown->required), fmt, ap);
	va_end(ap);
	return grown;
}

static void found(struct pts_ledger_row *r, enum finding f, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void found(struct pts_ledger_row *r, enum finding f, const char *fmt, ...)
{
	bool confirmed = r->cite.conf == PTS_T || r->cite.conf == PTS_Q;
	va_list ap;

	r->state = f == UNKNOWN  ? PTS_UNVERIFIABLE
		   : f == BROKEN ? PTS_DEVIATION
		   : confirmed   ? PTS_MET
				 : PTS_MET_READING;
	va_start(ap, fmt);
	vsnprintf(r->actual, sizeof(r->actual), fmt, ap);
	va_end(ap);
}

static void evidence(struct pts_ledger_row *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void evidence(struct pts_ledger_row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->evidence, sizeof(r->evidence), fmt, ap);
	va_end(ap);
}

/* "journal seq 12 to 67": first and last point of a phase. */
static void evidence_points(struct pts_ledger_row *r, const struct books *b,
			    enum st_phase phase)
{
	uint64_t first = 0, last = 0;
	bool any = false;

	for (size_t i = 0; i < b->n; i++) {
		if (b->point[i]->point->phase != phase)
			continue;
		first = any ? first : b->point[i]->seq;
		last = b->point[i]->seq;
		any = true;
	}
	if (any)
		evidence(r, "journal seq %" PRIu64 " to %" PRIu64, first, last);
	else
		evidence(r, "no such point in the journal");
}

/* The points of a phase, complete ones: calls for one after another, in the journal's order. */
static const struct st_point *next_point(const struct books *b, enum st_phase phase,
					 size_t *i)
{
	while (*i < b->n) {
		const struct st_point *p = b->point[(*i)++]->point;

		if (p->phase == phase && p->complete)
			return p;
	}
	return NULL;
}

static const struct st_record *stage_end(const struct books *b, enum pts_verb verb)
{
	const struct st_record *rec;

	for (size_t i = 0; (rec = st_run_nth(b->run, ST_STAGE, i)); i++)
		if (!strcmp(st_text(rec->body, "stage"), "end") &&
		    !strcmp(st_text(rec->body, "test"), b->test->id) &&
		    !strcmp(st_text(rec->body, "verb"), pts_verb_word(verb)) &&
		    json_integer_value(json_object_get(rec->body, "loop_bs_b")) ==
			    b->loop_bs_b)
			return rec;
	return NULL;
}

/* @pts 3.7 */
static void cache_row(struct books *b)
{
	const struct pts_edition *e = b->opts.edition;
	const char *is = st_text(json_object_get(b->run->run, "device"), "write_cache");
	bool on = e->cache == PTS_WCE, known = *is && strcmp(is, "unknown") != 0;
	bool kept = on ? !strcmp(is, "on") : !strcmp(is, "off") || !strcmp(is, "none");
	struct pts_ledger_row *r = row(b, e->cache_cite, "volatile write cache %s",
				       on ? "enabled" : "disabled");

	found(r, !known ? UNKNOWN : kept ? KEPT : BROKEN, "%s", *is ? is : "unknown");
	evidence(r, "run.json device.write_cache");
}

/* @pts 3.4: a part of the device, be it by range or by capacity, is less than the range asked for. */
static void range_row(struct books *b)
{
	const struct pts_edition *e = b->opts.edition;
	const json_t *device = json_object_get(b->run->run, "device");
	uint64_t size_b = (uint64_t)json_integer_value(json_object_get(device, "size_b"));
	uint64_t lbs_b = (uint64_t)json_integer_value(json_object_get(device, "lbs_b"));
	uint64_t want_b = (uint64_t)((u128)size_b * e->active_range_pct / 100);
	struct pts_ledger_row *r =
		row(b, e->active_range_cite,
		    "active range 0 to %u %% of the device: %" PRIu64 " B",
		    e->active_range_pct, want_b);
	bool kept = !b->opts.off_b && b->opts.len_b <= want_b &&
		    want_b - b->opts.len_b < lbs_b;

	found(r, kept ? KEPT : BROKEN, "%" PRIu64 " B from %" PRIu64, b->opts.len_b,
	      b->opts.off_b);
	evidence(r, "run.json plan.active_range");
}

static void data_row(struct books *b)
{
	static const struct pts_cite cite = { "3.5", PTS_T };
	struct pts_ledger_row *r = row(b, cite, "random data");

	if (st_run_simulated(b->run))
		found(r, UNKNOWN, "a simulated drive holds no data");
	else
		found(r, KEPT, "random, every 512 B of every write stamped differently");
	evidence(r, "by construction: the engine writes nothing else");
}

static void direct_row(struct books *b)
{
	static const struct pts_cite cite = { "3.7", PTS_D };
	struct pts_ledger_row *r = row(b, cite, "no page cache of the host in between");

	if (st_run_simulated(b->run))
		found(r, UNKNOWN, "a simulated drive has no host");
	else
		found(r, KEPT, "opened with O_DIRECT");
	evidence(r, "by construction: the safety gate opens it so");
}

static int compare_seeds(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void seed_row(struct books *b)
{
	static const struct pts_cite cite = { "6", PTS_Q };
	uint64_t *seed = calloc(b->run->n + 1, sizeof(*seed));
	struct pts_ledger_row *r =
		row(b, cite, "a seedable LBA generator of 48 bits or more");
	size_t n = 0, twice = 0;

	if (!seed)
		b->rc = err_set(b->err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	for (size_t i = 0; seed && i < b->run->n; i++) {
		const struct st_point *p = st_counted(&b->run->rec[i]);

		/* The minutes of one stimulus share its seed. */
		if (p && p->pattern == IO_RAND &&
		    (p->phase != ST_MINUTE || p->round == 1))
			seed[n++] = p->seed;
	}
	if (seed)
		qsort(seed, n, sizeof(*seed), compare_seeds);
	for (size_t i = 1; i < n; i++)
		twice += seed[i] == seed[i - 1];
	found(r, twice ? BROKEN : KEPT,
	      "xoshiro256++, 64 bits; %zu seeds recorded, %zu of them twice", n, twice);
	evidence(r, "journal: seed of every point; run.json seed");
	free(seed);
}

static void rule_row(struct books *b)
{
	static const struct pts_cite cite = { "2.1.24", PTS_T };
	struct pts_ledger_row *r =
		row(b, cite,
		    "steady: five rounds, range <= 20 %%, line's excursion <= 10 %%");

	found(r, b->opts.mode == SS_MODE_BAND ? BROKEN : KEPT, "rule '%s'",
	      ss_mode_word(b->opts.mode));
	evidence(r, "run.json options.steady_rule");
}

static void platform_row(struct books *b)
{
	static const struct pts_cite cite = { "6", PTS_T };
	struct pts_ledger_row *r = row(b, cite, "the host is not the bottleneck");
	size_t n = 0, known = 0, limited = 0;

	for (size_t i = 0; i < b->run->n; i++) {
		const struct st_point *p = st_counted(&b->run->rec[i]);

		if (!p || !p->complete || p->phase == ST_FILL)
			continue;
		n++;
		known += p->host_known;
		limited += p->host_limited;
	}
	found(r,
	      limited           ? BROKEN
	      : !n || known < n ? UNKNOWN
				: KEPT,
	      "%zu of %zu points limited by the host", limited, n);
	evidence(r, "journal: host and host_limited of every point");
}

static void purge_row(struct books *b)
{
	const struct pts_step *s = pts_test_step(b->test, PTS_PURGE);
	const struct st_record *rec = stage_end(b, PTS_PURGE);
	struct pts_ledger_row *r = row(b, s->cite, "purged by an accepted method");

	if (!rec) {
		found(r, UNKNOWN, "not reached");
		evidence(r, "no purge in the journal");
		return;
	}
	found(r, json_is_true(json_object_get(rec->body, "is_pts_purge")) ? KEPT : BROKEN,
	      "%s", st_text(rec->body, "words"));
	evidence(r, "journal seq %" PRIu64, rec->seq);
}

/* @pts 7.2 (2.2): exactly so many bytes, sequential, in the block size asked for. */
static void fill_row(struct books *b)
{
	const struct pts_step *s = pts_test_step(b->test, PTS_WIPC);
	uint32_t bs_b = s->bs_b[0] ? s->bs_b[0] : b->loop_bs_b;
	uint64_t want_b = b->opts.capacity_b * s->passes, have_b = 0;
	const struct st_point *p;
	bool right = true;
	size_t i = 0;
	char kib[UNITS_TEXT];
	struct pts_ledger_row *r =
		row(b, s->cite, "SEQ %s KiB writes of %u x user capacity: %" PRIu64 " B",
		    units_kib(bs_b, kib), s->passes, want_b);

	while ((p = next_point(b, ST_FILL, &i))) {
		have_b += p->dir[IO_WRITE].bytes;
		right = right && p->pattern == IO_SEQ && p->bs_b == bs_b &&
			!p->read_pct && !p->dir[IO_READ].bytes;
	}
	/* Left out, as against not reached: something was done without it. */
	if (!b->n)
		found(r, UNKNOWN, "not reached");
	else if (!stage_end(b, PTS_WIPC) && have_b < want_b)
		found(r, have_b ? UNKNOWN : BROKEN, "%" PRIu64 " B; the fill did not end",
		      have_b);
	else
		found(r, have_b == want_b && right ? KEPT : BROKEN,
		      "%" PRIu64 " B, %.2f passes over the active range%s", have_b,
		      (double)have_b / (double)b->opts.len_b,
		      right ? "" : ", not all as required");
	evidence_points(r, b, ST_FILL);
}

static void no_fill_row(struct books *b)
{
	struct pts_cite cite = { pts_test_step(b->test, PTS_SATURATE)->cite.clause,
				 PTS_P };
	struct pts_ledger_row *r = row(b, cite, "no fill before the saturation");
	size_t i = 0;

	if (next_point(b, ST_FILL, &i))
		found(r, BROKEN, "see the journal");
	else
		found(r, b->n ? KEPT : UNKNOWN, b->n ? "none" : "not reached");
	evidence_points(r, b, ST_FILL);
}

/* @pts 7.2 (3.2): the cells in the order of the text, round after round. */
static void order_row(struct books *b, const struct pts_step *s)
{
	struct pts_cell cell[PTS_MAX_CELLS];
	unsigned n_cells = pts_step_cells(s, b->loop_bs_b, 1, cell), at = 0, round = 0;
	unsigned have = 0, wrong = 0;
	const struct st_point *p;
	size_t i = 0;
	struct pts_ledger_row *r =
		row(b, s->cite,
		    "%u points a round, read/write mixes outside, block sizes inside",
		    n_cells);
	unsigned skipped = 0;

	while ((p = next_point(b, ST_ROUND, &i))) {
		if (p->round != round) {
			skipped += round ? n_cells - at : 0;
			round = p->round;
			at = 0;
		}
		have++;
		while (at < n_cells &&
		       (cell[at].read_pct != p->read_pct || cell[at].bs_b != p->bs_b)) {
			at++;
			skipped++;
		}
		wrong += at == n_cells || p->pattern != s->pattern;
		at += at < n_cells;
	}
	found(r,
	      !have              ? UNKNOWN
	      : wrong || skipped ? BROKEN
				 : KEPT,
	      "%u points in %u rounds, %u out of order, %u left out", have, round, wrong,
	      skipped);
	evidence_points(r, b, ST_ROUND);
}

/* Every interval of a phase against the length in the table; a thousandth of it is tolerated. */
static void length_row(struct books *b, const struct pts_step *s, enum st_phase phase)
{
	uint64_t want_ns = s->point_s * NSEC_PER_SEC, min_ns = UINT64_MAX, max_ns = 0;
	char want[UNITS_TEXT], lo[UNITS_TEXT], hi[UNITS_TEXT];
	const struct st_point *p;
	size_t i = 0;
	struct pts_ledger_row *r = row(b, s->cite, "%s of %s",
				       phase == ST_HISTOGRAM ? "histogram" : "points",
				       units_dur(want_ns, want));

	while ((p = next_point(b, phase, &i))) {
		uint64_t dur_ns = p->t1_ns - p->t0_ns;

		min_ns = dur_ns < min_ns ? dur_ns : min_ns;
		max_ns = dur_ns > max_ns ? dur_ns : max_ns;
	}
	if (!max_ns)
		found(r, UNKNOWN, "none complete");
	else
		found(r,
		      min_ns >= want_ns - want_ns / 1000 &&
				      max_ns <= want_ns + want_ns / 1000
			      ? KEPT
			      : BROKEN,
		      "%s to %s", units_dur(min_ns, lo), units_dur(max_ns, hi));
	evidence_points(r, b, phase);
}

/* TC and QD: as the text fixes them, or the operator's choice; the same in every point. */
static void tc_qd_row(struct books *b, const struct pts_step *s)
{
	const struct st_point *first = NULL;
	bool same = true, right;
	struct pts_ledger_row *r;

	for (size_t i = 0; i < b->n; i++) {
		const struct st_point *p = b->point[i]->point;

		first = first ? first : p;
		same = same && p->tc == first->tc && p->qd == first->qd;
	}
	if (s->tc_qd_fixed)
		r = row(b, s->tc_qd_cite,
			"TC %" PRIu32 " QD %" PRIu32 " from fill to end", s->tc, s->qd);
	else
		r = row(b, s->tc_qd_cite,
			"TC and QD of the operator's choice (TC %" PRIu32 " QD %" PRIu32
			" recommended), the same from fill to end",
			s->tc, s->qd);
	evidence(r, "journal: tc and qd of every point");
	if (!first) {
		found(r, UNKNOWN, "no points");
		return;
	}
	right = !s->tc_qd_fixed || (first->tc == s->tc && first->qd == s->qd);
	found(r, same && right ? KEPT : BROKEN, "TC %" PRIu32 " QD %" PRIu32 "%s",
	      first->tc, first->qd, same ? "" : ", and others");
}

static void gap_row(struct books *b)
{
	static const struct pts_cite cite = { "4", PTS_Q };
	uint64_t longest_ns = 0;
	unsigned gaps = 0;
	struct pts_ledger_row *r =
		row(b, cite, "steps follow one another without a pause");

	for (size_t i = 0; i < b->n; i++) {
		uint64_t gap_ns = b->point[i]->point->gap_ns;

		gaps += gap_ns > LARGE_GAP_NS;
		longest_ns = gap_ns > longest_ns ? gap_ns : longest_ns;
	}
	found(r,
	      !b->n  ? UNKNOWN
	      : gaps ? BROKEN
		     : KEPT,
	      "longest gap %.1f ms, %u of %zu over 1 s", (double)longest_ns / 1e6, gaps,
	      b->n);
	evidence(r, "journal: gap_ns of every point");
}

/* @pts 7.2 (3.2): until steady, at most so many rounds; the window is the last five. */
static void rounds_row(struct books *b, const struct pts_step *s,
		       const struct pts_rounds *rounds, const struct pts_verdict *v)
{
	struct pts_ledger_row *r =
		row(b, s->cite, "rounds until steady, or %u", s->max_rounds);
	unsigned n = rounds->n_rounds;

	if (v->decision.steady)
		found(r, KEPT, "steady in round %u, window %u to %u, %u rounds run",
		      v->decision.round, v->first, v->last, n);
	else
		found(r,
		      !n                   ? UNKNOWN
		      : n >= s->max_rounds ? KEPT
					   : BROKEN,
		      "STEADY STATE NOT ATTAINED in %u rounds", n);
	evidence_points(r, b, ST_ROUND);
}

static void track_rows(struct books *b, const struct pts_verdict *v)
{
	char word[96];

	for (size_t i = 0; i < v->decision.n_series; i++) {
		const struct pts_track *t = &b->test->track[v->track_of[i]];
		const struct ss_verdict *w = &v->decision.pts[i];
		struct pts_ledger_row *r;

		pts_track_word(t, b->loop_bs_b, word, sizeof(word));
		r = row(b, t->cite, "tracked: %s", word);
		if (w->judged)
			found(r, KEPT,
			      "rounds %u to %u: range %.2f %%, excursion %.2f %%",
			      w->first, w->round, w->range_pct, w->excursion_pct);
		else
			found(r, UNKNOWN, "%s", w->reason);
		evidence_points(r, b, ST_ROUND);
	}
}

static void rounds_rows(struct books *b)
{
	const struct pts_step *s = pts_test_step(b->test, PTS_ROUNDS);
	struct pts_rounds rounds;
	struct pts_verdict v;

	order_row(b, s);
	length_row(b, s, ST_ROUND);
	tc_qd_row(b, s);
	int rc = pts_rounds_collect(b->run, b->test, b->loop_bs_b, &rounds, b->err);

	if (rc) {
		b->rc = rc;
		return;
	}
	pts_judge_rounds(&rounds, b->opts.mode, &v);
	rounds_row(b, s, &rounds, &v);
	track_rows(b, &v);
	pts_rounds_release(&rounds);
}

/* @pts 10.2: the minutes are snapshots of one stimulus. */
static void continuous_row(struct books *b, const struct pts_step *s)
{
	const struct st_point *p, *before = NULL;
	unsigned n = 0, breaks = 0;
	size_t i = 0;
	struct pts_ledger_row *r = row(b, s->cite, "one continuous stimulus");

	while ((p = next_point(b, ST_MINUTE, &i))) {
		breaks += before && p->t0_ns != before->t1_ns;
		before = p;
		n++;
	}
	found(r,
	      !n       ? UNKNOWN
	      : breaks ? BROKEN
		       : KEPT,
	      "%u minutes, %u breaks", n, breaks);
	evidence_points(r, b, ST_MINUTE);
}

static void stop_row(struct books *b, const struct pts_step *s,
		     const struct pts_sat_verdict *v)
{
	char cap[UNITS_TEXT];
	struct pts_ledger_row *r =
		row(b, s->stop_cite,
		    "ends with the first of %u x user capacity, %s, steady state",
		    s->stop_x_uc, units_dur(s->stop_s * NSEC_PER_SEC, cap));
	bool cut = v->stop == PTS_SAT_CUT || v->stop == PTS_SAT_RUNNING;
	bool scaled = b->opts.point_ns && b->opts.point_ns != s->point_s * NSEC_PER_SEC;
	bool altered = b->opts.wsat_ns || b->opts.no_steady_stop || scaled;

	found(r,
	      cut       ? UNKNOWN
	      : altered ? BROKEN
			: KEPT,
	      "%s%s after %u minutes and %" PRIu64 " B (%.2f x user capacity)",
	      cut ? "cut short" : "ended by ", cut ? "" : pts_sat_stop_word(v->stop),
	      v->minutes, v->written_b,
	      (double)v->written_b / (double)b->opts.capacity_b);
	evidence_points(r, b, ST_MINUTE);
}

static void samples_row(struct books *b, const struct pts_step *s,
			const struct pts_sat_verdict *v)
{
	struct pts_ledger_row *r =
		row(b, s->ss_cite,
		    "steady state by one-minute samples, %u minutes of writes between",
		    s->ss_period - 1);

	unsigned needed;

	if (!pts_sat_evaluated(v, &needed))
		found(r, UNKNOWN, "not evaluated: %u of %u samples", v->samples, needed);
	else if (v->held_minute)
		found(r, KEPT, "%u samples; held first in minute %u", v->samples,
		      v->held_minute);
	else if (v->decision.steady)
		found(r, KEPT, "%u samples; %s", v->samples, v->decision.reason);
	else
		found(r, KEPT, "%u samples; STEADY STATE NOT ATTAINED", v->samples);
	evidence_points(r, b, ST_MINUTE);
}

static void saturation_rows(struct books *b)
{
	const struct pts_step *s = pts_test_step(b->test, PTS_SATURATE);
	struct pts_sat_verdict v;

	no_fill_row(b);
	continuous_row(b, s);
	length_row(b, s, ST_MINUTE);
	tc_qd_row(b, s);
	int rc = pts_judge_saturation(b->run, b->test, &b->opts, &v, b->err);

	if (rc) {
		b->rc = rc;
		return;
	}
	stop_row(b, s, &v);
	samples_row(b, s, &v);
}

static void histogram_rows(struct books *b)
{
	const struct pts_step *s = pts_test_step(b->test, PTS_HISTOGRAM);
	static const struct pts_cite at_once = { "4", PTS_D };
	const struct st_point *p;
	size_t i = 0;
	struct pts_ledger_row *r;

	length_row(b, s, ST_HISTOGRAM);
	r = row(b, at_once, "the histogram starts within 1 s after the test");
	p = next_point(b, ST_HISTOGRAM, &i);
	if (p)
		found(r, p->gap_ns <= LARGE_GAP_NS ? KEPT : BROKEN, "after %.1f ms",
		      (double)p->gap_ns / 1e6);
	else
		found(r, UNKNOWN, "none complete");
	evidence_points(r, b, ST_HISTOGRAM);
}

static void test_rows(struct books *b)
{
	b->n = 0;
	for (size_t i = 0; i < b->run->n; i++) {
		const struct st_point *p = st_counted(&b->run->rec[i]);

		if (p && !strcmp(p->test, b->test->id) && p->loop_bs_b == b->loop_bs_b)
			b->point[b->n++] = &b->run->rec[i];
	}
	purge_row(b);
	if (pts_test_step(b->test, PTS_WIPC))
		fill_row(b);
	if (pts_test_step(b->test, PTS_ROUNDS))
		rounds_rows(b);
	if (pts_test_step(b->test, PTS_SATURATE))
		saturation_rows(b);
	if (pts_test_step(b->test, PTS_HISTOGRAM))
		histogram_rows(b);
	gap_row(b);
}

/* Every test and cycle of the plan, once: a purge begins each. */
static void plan_rows(struct books *b)
{
	const json_t *steps =
		json_object_get(json_object_get(b->run->run, "plan"), "steps");
	size_t i;
	json_t *s;

	json_array_foreach(steps, i, s)
	{
		if (strcmp(st_text(s, "verb"), pts_verb_word(PTS_PURGE)) != 0)
			continue;
		b->test = pts_test_find(st_text(s, "test"), b->opts.edition->id);
		b->loop_bs_b =
			(uint32_t)json_integer_value(json_object_get(s, "loop_bs_b"));
		if (b->test && !b->rc)
			test_rows(b);
	}
}

int pts_ledger_make(const struct st_run *run, struct pts_ledger *ret, struct err *err)
{
	struct pts_ledger l = { 0 };
	struct books b = { .run = run, .l = &l, .err = err };
	int rc = pts_run_opts_read(run->run, &b.opts, err);

	if (rc)
		return rc;
	b.point = calloc(run->n + 1, sizeof(*b.point));
	if (!b.point)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	cache_row(&b);
	range_row(&b);
	data_row(&b);
	direct_row(&b);
	seed_row(&b);
	rule_row(&b);
	platform_row(&b);
	plan_rows(&b);
	free(b.point);
	if (b.rc) {
		pts_ledger_release(&l);
		return b.rc;
	}
	for (size_t i = 0; i < l.n; i++)
		l.count[l.row[i].state]++;
	*ret = l;
	return 0;
}

void pts_ledger_release(struct pts_ledger *l)
{
	free(l->row);
	*l = (struct pts_ledger){ 0 };
}

json_t *pts_ledger_json(const struct pts_ledger *l)
{
	json_t *rows = json_array(), *counts = json_object();

	for (int s = 0; s < PTS_STATES; s++)
		json_object_set_new(counts, pts_state_word((enum pts_state)s),
				    json_integer(l->count[s]));
	for (size_t i = 0; i < l->n; i++) {
		const struct pts_ledger_row *r = &l->row[i];

		json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s}",
						      "clause", r->cite.clause, "conf",
						      pts_conf_word(r->cite.conf), "test",
						      r->test, "required", r->required,
						      "actual", r->actual, "state",
						      pts_state_word(r->state),
						      "evidence", r->evidence));
	}
	return json_pack("{s:o,s:o}", "counts", counts, "rows", rows);
}
