/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger over a hand-made IOPS run that keeps every demand, and over the same run with one thing
 * wrong: that row, and only that row, must change.
 */
#include "pts/ledger.h"
#include "tests/lib/suite.h"
#include "tests/unit/pts_fixture.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define CAP_B     GIB(1)

enum fault {
	NOTHING,
	TRIM_PURGE,
	FILL_SHORT,
	FILL_BLOCKS,
	CELLS_SWAPPED,
	CELL_MISSING,
	POINT_SHORT,
	LONG_GAP,
	SEED_TWICE,
	DEPTH_CHANGES,
	HOST_LIMITED,
	BAND_RULE,
	CACHE_UNKNOWN,
	FOUR_ROUNDS,
	HOST_UNKNOWN,
};

static const struct change {
	enum fault fault;
	const char *required; /* what the changed row demands */
	enum pts_state state; /* what it becomes */
} changes[] = {
	{ TRIM_PURGE, "purged by", PTS_DEVIATION },
	{ FILL_SHORT, "2 x user capacity", PTS_DEVIATION },
	{ FILL_BLOCKS, "SEQ 128 KiB", PTS_DEVIATION },
	{ CELLS_SWAPPED, "56 points", PTS_DEVIATION },
	{ CELL_MISSING, "56 points", PTS_DEVIATION },
	{ POINT_SHORT, "points of 1 min", PTS_DEVIATION },
	{ LONG_GAP, "without a pause", PTS_DEVIATION },
	{ SEED_TWICE, "seedable", PTS_DEVIATION },
	{ DEPTH_CHANGES, "operator's choice", PTS_DEVIATION },
	{ HOST_LIMITED, "not the bottleneck", PTS_DEVIATION },
	{ BAND_RULE, "five rounds", PTS_DEVIATION },
	{ CACHE_UNKNOWN, "write cache disabled", PTS_UNVERIFIABLE },
	{ FOUR_ROUNDS, "rounds until steady", PTS_DEVIATION },
	{ HOST_UNKNOWN, "not the bottleneck", PTS_UNVERIFIABLE },
};

static uint64_t now_ns;

static struct st_point point(enum st_phase phase, unsigned round, uint32_t bs_b,
			     enum fault f)
{
	struct st_point p = { .test = "iops",
			      .phase = phase,
			      .round = round,
			      .bs_b = bs_b,
			      .pattern = phase == ST_FILL ? IO_SEQ : IO_RAND,
			      .tc = 4,
			      .qd = 32,
			      .seed = now_ns,
			      .len_b = CAP_B,
			      .t0_ns = now_ns,
			      .t1_ns = now_ns + MINUTE_NS,
			      .host_known = f != HOST_UNKNOWN,
			      .complete = true };

	now_ns += MINUTE_NS;
	return p;
}

static void fill(struct st_writer *w, enum fault f)
{
	for (unsigned pass = 1; pass <= 2; pass++) {
		uint32_t bs_b = f == FILL_BLOCKS ? MIB(1) : KIB(128);
		struct st_point p = point(ST_FILL, pass, bs_b, f);

		set_ios(&p, IO_WRITE, CAP_B / bs_b - (f == FILL_SHORT && pass == 2),
			1000);
		append(w, &p);
	}
}

static const unsigned mixes[] = { 100, 95, 65, 50, 35, 5, 0 };
static const uint32_t sizes[] = { 1048576, 131072, 65536, 32768, 16384, 8192, 4096, 512 };

/* One thing wrong, in round 2. */
static void spoil(struct st_point *p, enum fault f, unsigned i)
{
	if (f == CELLS_SWAPPED && i == 10)
		p->bs_b = sizes[3];
	if (f == CELLS_SWAPPED && i == 11)
		p->bs_b = sizes[2];
	if (f == POINT_SHORT && i == 7)
		p->t1_ns -= NSEC_PER_SEC;
	if (f == LONG_GAP && i == 7)
		p->gap_ns = NSEC_PER_SEC + 1;
	if (f == SEED_TWICE && i == 7)
		p->seed = p->t0_ns - MINUTE_NS;
	if (f == DEPTH_CHANGES && i == 7)
		p->qd = 31;
	if (f == HOST_LIMITED && i == 7)
		p->host_limited = true;
}

static void one_round(struct st_writer *w, unsigned round, enum fault f)
{
	for (unsigned i = 0; i < 56; i++) {
		struct st_point p = point(ST_ROUND, round, sizes[i % 8], f);

		p.index = i;
		p.read_pct = (uint8_t)mixes[i / 8];
		if (round == 2)
			spoil(&p, f, i);
		if (f == CELL_MISSING && round == 6 && i == 20)
			continue;
		set_ios(&p, p.read_pct == 100 ? IO_READ : IO_WRITE, 600, 1000);
		append(w, &p);
	}
}

static void make(struct pts_ledger *l, struct st_writer **w, enum fault f)
{
	json_t *run = small_run_json(
		"pts-e-2.0", CAP_B,
		f == BAND_RULE ? "{\"steady_rule\":\"band\"}"
			       : "{\"steady_rule\":\"both\"}",
		"[{\"test\":\"iops\",\"verb\":\"purge\",\"loop_bs_b\":0}]");
	struct err err = { 0 };

	now_ns = 0;
	if (f == CACHE_UNKNOWN)
		json_object_set_new(json_object_get(run, "device"), "write_cache",
				    json_string("unknown"));
	ck_assert_msg(!st_create(fresh_path("run"), run, w, &err), "%s", err.text);
	json_decref(run);
	append_json(*w, ST_STAGE,
		    json_pack("{s:s,s:s,s:s,s:i,s:b,s:s}", "stage", "end", "test", "iops",
			      "verb", "purge", "loop_bs_b", 0, "is_pts_purge",
			      f != TRIM_PURGE, "words", "a purge"));
	fill(*w, f);
	append_json(*w, ST_STAGE,
		    json_pack("{s:s,s:s,s:s,s:i}", "stage", "end", "test", "iops", "verb",
			      "wipc", "loop_bs_b", 0));
	for (unsigned r = 1; r <= (f == FOUR_ROUNDS ? 4 : f == CELL_MISSING ? 6 : 5); r++)
		one_round(*w, r, f);
	ck_assert_msg(!pts_ledger_make(st_writer_run(*w), l, &err), "%s", err.text);
}

START_TEST(a_run_that_keeps_every_demand_has_no_deviation)
{
	struct st_writer *w;
	struct pts_ledger l;

	make(&l, &w, NOTHING);
	for (size_t i = 0; i < l.n; i++) {
		const struct pts_ledger_row *r = &l.row[i];
		bool confirmed = r->cite.conf == PTS_T || r->cite.conf == PTS_Q;

		ck_assert_msg(r->state == (confirmed ? PTS_MET : PTS_MET_READING),
			      "%s: %s", r->required, r->actual);
		ck_assert_int_gt((int)strlen(r->evidence), 0);
	}
	ck_assert_uint_eq(l.count[PTS_MET] + l.count[PTS_MET_READING], l.n);
	pts_ledger_release(&l);
	st_writer_close(w);
}
END_TEST

START_TEST(one_thing_wrong_changes_its_own_row)
{
	const struct change *c = &changes[_i];
	/* The tracked variables have no window of five to show. */
	bool no_window = c->fault == FOUR_ROUNDS || c->fault == BAND_RULE;
	struct st_writer *w;
	struct pts_ledger l;
	unsigned hit = 0;

	make(&l, &w, c->fault);
	for (size_t i = 0; i < l.n; i++) {
		const struct pts_ledger_row *r = &l.row[i];

		if (strstr(r->required, c->required)) {
			ck_assert_msg(r->state == c->state, "%s: %s", r->required,
				      r->actual);
			hit++;
		} else if (!no_window || !strstr(r->required, "tracked")) {
			ck_assert_msg(r->state == PTS_MET || r->state == PTS_MET_READING,
				      "%s: %s", r->required, r->actual);
		}
	}
	ck_assert_uint_eq(hit, 1);
	pts_ledger_release(&l);
	st_writer_close(w);
}
END_TEST

START_TEST(what_was_not_reached_cannot_be_verified)
{
	struct st_writer *w =
		small_run("pts-e-2.0", CAP_B, "{\"steady_rule\":\"both\"}",
			  "[{\"test\":\"iops\",\"verb\":\"purge\",\"loop_bs_b\":0},"
			  "{\"test\":\"wsat\",\"verb\":\"purge\",\"loop_bs_b\":0}]");
	struct pts_ledger l;
	struct err err;

	ck_assert_int_eq(pts_ledger_make(st_writer_run(w), &l, &err), 0);
	for (size_t i = 0; i < l.n; i++)
		if (l.row[i].test[0])
			ck_assert_msg(l.row[i].state == PTS_UNVERIFIABLE, "%s: %s",
				      l.row[i].required, l.row[i].actual);
	ck_assert_uint_eq(l.count[PTS_DEVIATION], 0);
	pts_ledger_release(&l);
	st_writer_close(w);
}
END_TEST

START_TEST(too_few_rounds_are_said_and_not_shown_as_zeros)
{
	struct st_writer *w;
	struct pts_ledger l;
	unsigned said = 0;

	make(&l, &w, FOUR_ROUNDS);
	for (size_t i = 0; i < l.n; i++)
		if (strstr(l.row[i].required, "tracked")) {
			ck_assert_ptr_null(strstr(l.row[i].actual, "0.00 %"));
			ck_assert_ptr_nonnull(strstr(l.row[i].actual, "4 values"));
			said++;
		}
	ck_assert_uint_eq(said, 3);
	pts_ledger_release(&l);
	st_writer_close(w);
}
END_TEST

/* The row of write saturation's end, one minute long, with points of round_s. */
static enum pts_state end_of_saturation(unsigned round_s)
{
	enum pts_state state = PTS_STATES;
	struct st_writer *w;
	struct pts_ledger l;
	struct err err;
	char options[128];

	now_ns = 0;
	snprintf(options, sizeof(options),
		 "{\"steady_rule\":\"both\",\"round_time_ns\":%u000000000}", round_s);
	w = small_run("pts-e-2.0", CAP_B, options,
		      "[{\"test\":\"wsat\",\"verb\":\"purge\",\"loop_bs_b\":0}]");
	struct st_point p = point(ST_MINUTE, 1, KIB(4), NOTHING);

	snprintf(p.test, sizeof(p.test), "wsat");
	p.t1_ns = p.t0_ns + round_s * NSEC_PER_SEC;
	set_ios(&p, IO_WRITE, 4 * CAP_B / KIB(4), 1000);
	append(w, &p);
	ck_assert_msg(!pts_ledger_make(st_writer_run(w), &l, &err), "%s", err.text);
	for (size_t i = 0; i < l.n; i++)
		if (strstr(l.row[i].required, "ends with the first of"))
			state = l.row[i].state;
	pts_ledger_release(&l);
	st_writer_close(w);
	return state;
}

/* The window of `band` is four samples: the end that it makes is evaluated. */
START_TEST(a_saturation_that_band_ended_is_evaluated_by_four_samples)
{
	struct st_writer *w =
		small_run("pts-e-2.0", CAP_B, "{\"steady_rule\":\"band\"}",
			  "[{\"test\":\"wsat\",\"verb\":\"purge\",\"loop_bs_b\":0}]");
	const struct pts_ledger_row *samples = NULL;
	struct pts_ledger l;
	struct err err;

	now_ns = 0;
	for (unsigned minute = 1; minute <= 124; minute++) {
		struct st_point p = point(ST_MINUTE, minute, KIB(4), BAND_RULE);

		snprintf(p.test, sizeof(p.test), "wsat");
		set_ios(&p, IO_WRITE, MIB(17) / KIB(4), 1000); /* 2 GiB in 121 */
		append(w, &p);
	}
	ck_assert_msg(!pts_ledger_make(st_writer_run(w), &l, &err), "%s", err.text);
	for (size_t i = 0; i < l.n; i++) {
		if (strstr(l.row[i].required, "ends with the first of"))
			ck_assert_msg(strstr(l.row[i].actual, "steady state after 124"),
				      "%s", l.row[i].actual);
		if (strstr(l.row[i].required, "one-minute samples"))
			samples = &l.row[i];
	}
	ck_assert_ptr_nonnull(samples);
	ck_assert_int_eq(samples->state, PTS_MET_READING);
	ck_assert_msg(strstr(samples->actual, "4 samples; steady in round 4 by band"),
		      "%s", samples->actual);
	pts_ledger_release(&l);
	st_writer_close(w);
}
END_TEST

START_TEST(to_ask_for_the_editions_own_minute_alters_nothing)
{
	ck_assert_int_eq(end_of_saturation(60), PTS_MET);
	ck_assert_int_eq(end_of_saturation(59), PTS_DEVIATION);
}
END_TEST

static void deviation(struct st_writer *w, const char *code, const char *test)
{
	append_json(w, ST_EVENT,
		    json_pack("{s:s,s:s,s:s,s:s,s:s}", "event", "deviation", "code", code,
			      "clause", "4", "test", test, "text", "said once"));
}

START_TEST(a_deviation_is_listed_once_a_code_and_test)
{
	struct st_writer *w =
		small_run("pts-e-2.0", CAP_B, "{\"steady_rule\":\"both\"}", "[]");
	struct pts_deviation *d;
	struct err err;
	size_t n;

	deviation(w, "gap", "iops");
	deviation(w, "gap", "lat");
	append_json(w, ST_EVENT, json_pack("{s:s}", "event", "cpu-latency-held"));
	deviation(w, "gap", "iops");
	ck_assert_int_eq(pts_deviations(st_writer_run(w), &d, &n, &err), 0);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(d[0].test, "iops");
	ck_assert_str_eq(d[1].test, "lat");
	free(d);
	st_writer_close(w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts ledger");
	TCase *t = tcase_create("ledger");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_run_that_keeps_every_demand_has_no_deviation);
	tcase_add_loop_test(t, one_thing_wrong_changes_its_own_row, 0,
			    (int)ARRAY_LEN(changes));
	tcase_add_test(t, what_was_not_reached_cannot_be_verified);
	tcase_add_test(t, too_few_rounds_are_said_and_not_shown_as_zeros);
	tcase_add_test(t, a_saturation_that_band_ended_is_evaluated_by_four_samples);
	tcase_add_test(t, to_ask_for_the_editions_own_minute_alters_nothing);
	tcase_add_test(t, a_deviation_is_listed_once_a_code_and_test);
	suite_add_tcase(s, t);
	return suite_run(s);
}
