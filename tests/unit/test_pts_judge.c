/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts over hand-made runs, and what verify says when a stored one was changed. */
#include "pts/judge.h"

#include "base/str.h"
#include "tests/lib/suite.h"
#include "tests/unit/pts_fixture.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define BOTH      "{\"steady_rule\":\"both\"}"
#define PTS_ONLY  "{\"steady_rule\":\"pts\"}"

static uint64_t now_ns;

/* A complete point of a minute. */
static struct st_point point(const char *test, enum st_phase phase, unsigned round,
			     unsigned index, uint8_t read_pct, uint32_t bs_b)
{
	struct st_point p = { .phase = phase,
			      .round = round,
			      .index = index,
			      .bs_b = bs_b,
			      .read_pct = read_pct,
			      .tc = 1,
			      .qd = 1,
			      .seed = now_ns,
			      .t0_ns = now_ns,
			      .t1_ns = now_ns + MINUTE_NS,
			      .complete = true };

	snprintf(p.test, sizeof(p.test), "%s", test);
	now_ns += MINUTE_NS;
	return p;
}

static const unsigned mixes[] = { 100, 95, 65, 50, 35, 5, 0 };
static const uint32_t sizes[] = { 1048576, 131072, 65536, 32768, 16384, 8192, 4096, 512 };

/* One IOPS round. Tracked are 0/100 4 KiB, 65/35 64 KiB and 100/0 1024 KiB; the rest does 60 I/Os. */
static void iops_round(struct st_writer *w, unsigned round, uint64_t w4, uint64_t m64,
		       uint64_t r1024)
{
	for (unsigned i = 0; i < 56; i++) {
		struct st_point p = point("iops", ST_ROUND, round, i,
					  (uint8_t)mixes[i / 8], sizes[i % 8]);
		uint64_t iops = i == 54 ? w4 : i == 18 ? m64 : i == 0 ? r1024 : 1;

		/* A mix: two thirds reads, the total is what counts. */
		set_ios(&p, IO_READ,
			mixes[i / 8] == 65 ? 40 * iops
			: mixes[i / 8]     ? 60 * iops
					   : 0,
			1000);
		set_ios(&p, IO_WRITE,
			mixes[i / 8] == 65 ? 20 * iops
			: mixes[i / 8]     ? 0
					   : 60 * iops,
			1000);
		append(w, &p);
	}
}

static struct pts_verdict judge(const struct st_writer *w, const char *test,
				uint32_t loop_bs_b, enum ss_mode mode, unsigned *rounds)
{
	const struct pts_test *t = pts_test_find(test, "pts-e-2.0");
	struct pts_rounds r;
	struct pts_verdict v;
	struct err err = { 0 };

	ck_assert_msg(!pts_rounds_collect(st_writer_run(w), t, loop_bs_b, &r, &err), "%s",
		      err.text);
	pts_judge_rounds(&r, mode, &v);
	*rounds = r.n_rounds;
	pts_rounds_release(&r);
	return v;
}

START_TEST(three_level_series_are_steady_in_round_five)
{
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");
	unsigned rounds;

	for (unsigned i = 1; i <= 5; i++)
		iops_round(w, i, 1000, 600, 30);
	struct pts_verdict v = judge(w, "iops", 0, SS_MODE_BOTH, &rounds);

	ck_assert_uint_eq(rounds, 5);
	ck_assert(v.decision.steady && v.decision.stop);
	ck_assert_uint_eq(v.first, 1);
	ck_assert_uint_eq(v.last, 5);
	ck_assert_double_eq_tol(v.decision.pts[0].average, 1000, 1e-9);
	ck_assert_double_eq_tol(v.decision.pts[1].average, 600,
				1e-9); /* reads and writes together */
	ck_assert_double_eq_tol(v.decision.pts[2].average, 30, 1e-9);
	st_writer_close(w);
}
END_TEST

/* 82 91 100 109 118: excursion 36 % of the average. */
START_TEST(one_drifting_variable_of_three_is_not_steady)
{
	static const uint64_t drift[] = { 820, 910, 1000, 1090, 1180 };
	unsigned rounds;

	for (unsigned which = 0; which < 3; which++) {
		struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");

		for (unsigned i = 0; i < 5; i++)
			iops_round(w, i + 1, which == 0 ? drift[i] : 1000,
				   which == 1 ? drift[i] : 600,
				   which == 2 ? drift[i] : 30);
		struct pts_verdict v = judge(w, "iops", 0, SS_MODE_BOTH, &rounds);

		ck_assert(!v.decision.steady);
		ck_assert(!v.decision.stop);
		st_writer_close(w);
	}
}
END_TEST

START_TEST(a_round_with_a_missing_or_cut_point_does_not_count)
{
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");
	unsigned rounds;

	for (unsigned i = 1; i <= 5; i++)
		iops_round(w, i, 1000, 600, 30);
	for (unsigned i = 0; i < 56; i++) {
		struct st_point p = point("iops", ST_ROUND, 6, i, (uint8_t)mixes[i / 8],
					  sizes[i % 8]);

		p.complete = i < 55;
		append(w, &p);
	}
	(void)judge(w, "iops", 0, SS_MODE_BOTH, &rounds);
	ck_assert_uint_eq(rounds, 5);
	st_writer_close(w);
}
END_TEST

START_TEST(never_steady_reports_the_last_five_rounds)
{
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");
	unsigned rounds;

	for (unsigned i = 1; i <= 25; i++)
		iops_round(w, i, i % 2 ? 1000 : 2000, 600, 30);
	struct pts_verdict v = judge(w, "iops", 0, SS_MODE_BOTH, &rounds);

	ck_assert(!v.decision.steady);
	ck_assert_uint_eq(v.first, 21);
	ck_assert_uint_eq(v.last, 25);
	st_writer_close(w);
}
END_TEST

/* Means of some ten microseconds with 30 % of drift: rounding to 0.1 ms would hide it. */
START_TEST(latency_is_judged_on_unrounded_means)
{
	static const uint64_t lat_ns[] = { 17000, 18500, 20000, 21500, 23000 };
	static const unsigned rw[] = { 100, 65, 0 }, bs[] = { 8192, 4096, 512 };
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");
	unsigned rounds;

	for (unsigned r = 0; r < 5; r++) {
		for (unsigned i = 0; i < 9; i++) {
			struct st_point p = point("lat", ST_ROUND, r + 1, i,
						  (uint8_t)rw[i / 3], bs[i % 3]);

			set_ios(&p, IO_WRITE, 100, lat_ns[r]);
			append(w, &p);
		}
	}
	struct pts_verdict v = judge(w, "lat", 0, SS_MODE_BOTH, &rounds);

	ck_assert(!v.decision.steady);
	ck_assert_double_eq_tol(v.decision.pts[0].average, 0.020, 1e-12);
	ck_assert_double_eq_tol(v.decision.pts[0].excursion_pct, 30, 1e-9);
	st_writer_close(w);
}
END_TEST

/* Reads drift (80 .. 120), writes hold: steady, and the reads' verdict stands beside it. */
START_TEST(throughput_is_decided_by_writes_and_shows_reads)
{
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), BOTH, "[]");
	unsigned rounds;

	for (unsigned r = 0; r < 5; r++) {
		struct st_point rd = point("tp", ST_ROUND, r + 1, 0, 100, 131072);
		struct st_point wr = point("tp", ST_ROUND, r + 1, 1, 0, 131072);

		rd.loop_bs_b = wr.loop_bs_b = 131072;
		set_ios(&rd, IO_READ, 600 * (8 + r), 1000);
		set_ios(&wr, IO_WRITE, 6000, 1000);
		append(w, &rd);
		append(w, &wr);
	}
	struct pts_verdict v = judge(w, "tp", 131072, SS_MODE_BOTH, &rounds);

	ck_assert(v.decision.steady);
	ck_assert_uint_eq(v.n_extra, 1);
	ck_assert(!v.extra[0].steady);
	/* 6000 x 131072 B / 60 s = 13.1072 MB/s, decimal. */
	ck_assert_double_eq_tol(v.decision.pts[0].average, 13.1072, 1e-9);
	(void)judge(w, "tp", 1048576, SS_MODE_BOTH, &rounds);
	ck_assert_uint_eq(rounds, 0);
	st_writer_close(w);
}
END_TEST

/* Minutes from `from` to `to`, each of iops I/Os a second of 4 KiB. */
static void minutes(struct st_writer *w, unsigned from, unsigned to, uint64_t iops)
{
	for (unsigned m = from; m <= to; m++) {
		struct st_point p = point("wsat", ST_MINUTE, m, 0, 0, 4096);

		set_ios(&p, IO_WRITE, iops * 60, 1000);
		append(w, &p);
	}
}

static struct pts_sat_verdict saturation(const struct st_writer *w)
{
	struct pts_run_opts o;
	struct pts_sat_verdict v;
	struct err err = { 0 };

	ck_assert_msg(!pts_run_opts_read(st_writer_run(w)->run, &o, &err), "%s",
		      err.text);
	ck_assert_msg(!pts_judge_saturation(st_writer_run(w),
					    pts_test_find("wsat", "pts-e-2.0"), &o, &v,
					    &err),
		      "%s", err.text);
	return v;
}

/* 100 IOPS x 60 s x 4096 B = 24576000 B a minute. */
#define MINUTE_B UINT64_C(24576000)

START_TEST(saturation_ends_in_the_minute_that_passes_4x)
{
	struct st_writer *w = small_run("pts-e-2.0", 5 * MINUTE_B, BOTH, "[]");

	minutes(w, 1, 19, 100);
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_RUNNING);
	minutes(w, 20, 20, 100);
	struct pts_sat_verdict v = saturation(w);

	ck_assert_int_eq(v.stop, PTS_SAT_X_UC);
	ck_assert_uint_eq(v.minutes, 20);
	ck_assert_uint_eq(v.written_b, 20 * MINUTE_B);
	ck_assert_uint_eq(v.samples, 0);
	ck_assert(!v.decision.steady);
	st_writer_close(w);
}
END_TEST

START_TEST(samples_are_minutes_31_62_93_and_steady_state_waits_for_2x)
{
	/* 2x is reached in minute 160, between the fifth sample (155) and the sixth (186). */
	struct st_writer *w = small_run("pts-e-2.0", 80 * MINUTE_B, BOTH, "[]");

	minutes(w, 1, 155, 100);
	struct pts_sat_verdict v = saturation(w);

	ck_assert_uint_eq(v.samples, 5);
	ck_assert_uint_eq(v.sample_minute[0], 31);
	ck_assert_uint_eq(v.sample_minute[1], 62);
	ck_assert_uint_eq(v.sample_minute[4], 155);
	ck_assert_double_eq_tol(v.sample[4], 100, 1e-9);
	ck_assert_uint_eq(v.held_minute, 155);
	ck_assert_int_eq(v.stop, PTS_SAT_RUNNING);
	minutes(w, 156, 185, 100);
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_RUNNING);
	minutes(w, 186, 186, 100);
	v = saturation(w);
	ck_assert_int_eq(v.stop, PTS_SAT_STEADY);
	ck_assert_uint_eq(v.decision.round, 6); /* the sample, not the minute */
	ck_assert_uint_eq(v.held_minute, 155);
	st_writer_close(w);
}
END_TEST

START_TEST(a_fresh_plateau_before_2x_does_not_end_it_after_the_cliff)
{
	struct st_writer *w = small_run("pts-e-2.0", 80 * MINUTE_B, BOTH, "[]");

	minutes(w, 1, 160, 100);
	minutes(w, 161, 186, 30); /* the sixth sample is behind the cliff */
	struct pts_sat_verdict v = saturation(w);

	ck_assert_int_eq(v.stop, PTS_SAT_RUNNING);
	ck_assert_uint_eq(v.held_minute, 155);
	ck_assert_uint_eq(v.decision.later, 1);
	ck_assert_uint_eq(v.decision.later_failed, 1);
	ck_assert(!v.decision.steady);
	st_writer_close(w);
}
END_TEST

/* Samples 1..5 lie on the fresh plateau, 6..10 on the floor; the cap ends it at minute 360. */
START_TEST(the_verdict_at_the_cap_is_that_of_the_newest_window)
{
	struct st_writer *w = small_run("pts-e-2.0", 1000 * MINUTE_B,
					"{\"steady_rule\":\"both\"}", "[]");

	minutes(w, 1, 160, 100);
	minutes(w, 161, 320, 30);
	struct pts_sat_verdict v = saturation(w);

	ck_assert(v.decision.steady);
	ck_assert_uint_eq(v.decision.pts[0].first, 6);
	ck_assert_uint_eq(v.decision.round, 10);
	ck_assert_double_eq_tol(
		v.decision.pts[0].average,
		st_point_iops(st_run_nth(st_writer_run(w), ST_POINT, 200)->point), 1e-6);
	minutes(w, 321, 360, 10);
	v = saturation(w);
	ck_assert_int_eq(v.stop, PTS_SAT_TIME);
	ck_assert(!v.decision.steady);
	ck_assert_uint_eq(v.decision.round, 11);
	ck_assert_uint_eq(v.held_minute, 155);
	st_writer_close(w);
}
END_TEST

START_TEST(steady_stop_off_runs_to_the_cap_of_360_minutes)
{
	struct st_writer *w =
		small_run("pts-e-2.0", 100 * MINUTE_B,
			  "{\"steady_rule\":\"pts\",\"no_steady_stop\":true}", "[]");

	minutes(w, 1, 359, 100);
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_RUNNING);
	minutes(w, 360, 360, 100);
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_TIME);
	st_writer_close(w);
}
END_TEST

START_TEST(a_duration_replaces_cap_and_4x_and_an_end_record_cuts)
{
	struct st_writer *w =
		small_run("pts-e-2.0", MINUTE_B,
			  "{\"steady_rule\":\"pts\",\"duration_ns\":720000000000}", "[]");

	minutes(w, 1, 11, 100); /* 11 x user capacity */
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_RUNNING);
	append_json(w, ST_END, json_pack("{s:i}", "exit_code", 9));
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_CUT);
	minutes(w, 12, 12, 100);
	ck_assert_int_eq(saturation(w).stop, PTS_SAT_TIME);
	st_writer_close(w);
}
END_TEST

static unsigned verify(const struct st_writer *w, struct str *text)
{
	struct err err = { 0 };
	unsigned differs = 0;

	ck_assert_msg(!pts_verify(st_writer_run(w), text, &differs, &err), "%s",
		      err.text);
	return differs;
}

static void append_verdict(struct st_writer *w, json_t *verdict)
{
	append_json(w, ST_STAGE,
		    json_pack("{s:s,s:s,s:s,s:i,s:o}", "stage", "end", "test", "iops",
			      "verb", "rounds", "loop_bs_b", 0, "verdict", verdict));
}

static json_t *true_verdict(const struct st_writer *w)
{
	const struct pts_test *t = pts_test_find("iops", "pts-e-2.0");
	struct pts_rounds r;
	struct pts_verdict v;
	struct err err;

	ck_assert_int_eq(pts_rounds_collect(st_writer_run(w), t, 0, &r, &err), 0);
	pts_judge_rounds(&r, SS_MODE_PTS, &v);
	json_t *o = pts_verdict_json(&r, &v);

	pts_rounds_release(&r);
	return o;
}

static void change(json_t *verdict, const char *name, json_t *value)
{
	json_t *track = json_array_get(json_object_get(verdict, "tracks"), 0);

	ck_assert_int_eq(json_object_set_new(json_object_get(track, "pts"), name, value),
			 0);
}

START_TEST(a_scaled_minute_says_what_it_is)
{
	struct pts_run_opts o = { 0 };
	char buf[64];

	ck_assert_str_eq(pts_minutes_text(&o, 112, buf), "112 minutes");
	o.point_ns = 60 * NSEC_PER_SEC;
	ck_assert_str_eq(pts_minutes_text(&o, 1, buf), "1 minute");
	o.point_ns = 300 * NSEC_PER_MSEC;
	ck_assert_str_eq(pts_minutes_text(&o, 31, buf), "31 minutes of 300 ms");
}
END_TEST

START_TEST(verify_passes_a_true_verdict_and_names_what_was_changed)
{
	struct st_writer *w = small_run("pts-e-2.0", GIB(1), PTS_ONLY, "[]");
	struct str text = { 0 };

	for (unsigned i = 1; i <= 5; i++)
		iops_round(w, i, 1000 + i, 600, 30);
	append_verdict(w, true_verdict(w));
	ck_assert_uint_eq(verify(w, &text), 0);
	ck_assert_str_eq(str_text(&text), "");

	json_t *changed = true_verdict(w);

	change(changed, "average", json_real(1003.0 * (1 + 2e-9))); /* true: 1003 */
	append_verdict(w, changed);
	ck_assert_uint_eq(verify(w, &text), 1);
	ck_assert_ptr_nonnull(
		strstr(str_text(&text), "tracks[0].pts.average: stored 1003.000002"));

	changed = true_verdict(w);
	json_object_set_new(changed, "steady", json_false());
	json_object_set_new(changed, "reason",
			    json_string("other words are no difference"));
	append_verdict(w, changed);
	str_release(&text);
	ck_assert_uint_eq(verify(w, &text), 2);
	ck_assert_ptr_nonnull(
		strstr(str_text(&text), "iops.steady: stored false, recomputed true"));
	str_release(&text);
	st_writer_close(w);
}
END_TEST

START_TEST(a_run_json_without_the_options_is_damaged)
{
	json_t *run = small_run_json("pts-e-2.0", GIB(1), "{}", "[]");
	struct pts_run_opts o;
	struct err err = { 0 };

	ck_assert_int_lt(pts_run_opts_read(run, &o, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_ptr_nonnull(strstr(err.text, "steady_rule"));
	json_decref(run);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts judge");
	TCase *t = tcase_create("judge");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, three_level_series_are_steady_in_round_five);
	tcase_add_test(t, one_drifting_variable_of_three_is_not_steady);
	tcase_add_test(t, a_round_with_a_missing_or_cut_point_does_not_count);
	tcase_add_test(t, never_steady_reports_the_last_five_rounds);
	tcase_add_test(t, latency_is_judged_on_unrounded_means);
	tcase_add_test(t, throughput_is_decided_by_writes_and_shows_reads);
	tcase_add_test(t, saturation_ends_in_the_minute_that_passes_4x);
	tcase_add_test(t, samples_are_minutes_31_62_93_and_steady_state_waits_for_2x);
	tcase_add_test(t, a_fresh_plateau_before_2x_does_not_end_it_after_the_cliff);
	tcase_add_test(t, the_verdict_at_the_cap_is_that_of_the_newest_window);
	tcase_add_test(t, steady_stop_off_runs_to_the_cap_of_360_minutes);
	tcase_add_test(t, a_duration_replaces_cap_and_4x_and_an_end_record_cuts);
	tcase_add_test(t, a_scaled_minute_says_what_it_is);
	tcase_add_test(t, verify_passes_a_true_verdict_and_names_what_was_changed);
	tcase_add_test(t, a_run_json_without_the_options_is_damaged);
	suite_add_tcase(s, t);
	return suite_run(s);
}
