/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs, with short rounds, on simulated drives that are in trouble or not. */
/* wrap: clock_gettime */
/* wrap: clock_nanosleep */
/* wrap: nanosleep */
/* wrap: usleep */
/* wrap: poll */
/* wrap: sem_clockwait */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pts/judge.h"
#include "pts/runner.h"
#include "tests/lib/clocks.h"
#include "tests/lib/suite.h"
#include "tests/unit/pts_fixture.h"

struct outcome {
	enum exit_code code;
	struct err err;
	char dir[512];
	struct st_run run;
};

/* 64 MiB: a second writes a third of it. */
#define SMALL ",capacity=64M,pages=16"

static const struct pts_opts short_rounds = {
	.round_ns = NSEC_PER_SEC, .seed = 1, .seed_set = true, .mode = SS_MODE_BOTH
};

static void go(const char *target, const struct pts_opts *opts, struct outcome *o)
{
	char *argv[] = { (char[]){ "plateau" }, NULL };
	struct dev_gate_opts gate = { .roots = &dev_roots_host };
	struct dev_info info;
	struct dev_claim *claim;
	struct pts_plan plan;
	struct st_writer *store;
	struct err err = { 0 };

	*o = (struct outcome){ 0 };
	snprintf(o->dir, sizeof(o->dir), "%s", fresh_path("run"));
	ck_assert_msg(!dev_identify(&dev_roots_host, target, &info, &err), "%s",
		      err.text);
	gate.erase_id = info.erase_id;
	ck_assert_msg(!dev_gate(&info, &gate, &claim, &err), "%s", err.text);
	ck_assert_msg(!pts_plan_make(opts, &info, &plan, &err), "%s", err.text);
	json_t *run = pts_run_json(&plan, dev_claim_handle(claim), 1, argv, 0);

	ck_assert_ptr_nonnull(run);
	ck_assert_msg(!st_create(o->dir, run, &store, &err), "%s", err.text);
	json_decref(run);
	struct pts_runner r = { .plan = &plan, .claim = claim, .store = store };

	o->code = pts_run(&r, &o->err);
	st_writer_close(store);
	dev_claim_free(claim);
	pts_plan_release(&plan);
	ck_assert_msg(!st_run_read(o->dir, &o->run, &err), "%s", err.text);
	ck_assert_int_eq(
		json_integer_value(json_object_get(st_run_end(&o->run), "exit_code")),
		o->code);
}

static const struct st_point *last_point(const struct st_run *run)
{
	for (size_t i = run->n; i-- > 0;)
		if (run->rec[i].kind == ST_POINT)
			return run->rec[i].point;
	ck_abort_msg("no point");
	return NULL;
}

static unsigned rounds_of(const struct st_run *run, const char *test, unsigned points)
{
	static const struct st_point *p[10000];

	return (unsigned)st_run_points(run, test, ST_ROUND, 0, p, 10000) / points;
}

static const char *const tests[] = { "iops", "tp", "lat", "wsat" };

START_TEST(a_failing_range_ends_any_test_with_7)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;

	opts.tests = tests[_i];
	go("sim:failing,fail_after=5s" SMALL, &opts, &o);
	const struct st_point *p = last_point(&o.run);

	ck_assert_msg(o.code == EXIT_CODE_DEVICE, "%d %s", o.code, o.err.text);
	ck_assert_uint_eq(p->errors, 1);
	ck_assert(!p->complete);
	ck_assert_int_eq(p->error[0].res, -EIO);
	/* The range is 2 % of the capacity, from its middle on. */
	ck_assert_uint_gt(p->error[0].off_b + p->error[0].len_b, MIB(32));
	ck_assert_uint_lt(p->error[0].off_b, MIB(32) + MIB(64) / 50);
	ck_assert_ptr_nonnull(strstr(o.err.text, strerror(EIO)));
	st_run_release(&o.run);
}
END_TEST

START_TEST(a_vanished_drive_ends_any_test_with_7)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;

	opts.tests = tests[_i];
	go("sim:vanishing,vanish_after=7s" SMALL, &opts, &o);
	const struct st_point *p = last_point(&o.run);

	ck_assert_msg(o.code == EXIT_CODE_DEVICE, "%d %s", o.code, o.err.text);
	ck_assert_uint_eq(p->errors, 1);
	ck_assert_int_eq(p->error[0].res, -ENODEV);
	ck_assert_ptr_nonnull(strstr(o.err.text, "gone"));
	st_run_release(&o.run);
}
END_TEST

START_TEST(a_drifting_drive_uses_its_25_rounds_and_earns_5)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;

	/* 9 points of 1 s a round. */
	opts.tests = "lat";
	go("sim:never-steady,drift=0.1,drift_every=9s" SMALL, &opts, &o);
	ck_assert_msg(o.code == EXIT_CODE_NOT_STEADY, "%d %s", o.code, o.err.text);
	ck_assert_uint_eq(rounds_of(&o.run, "lat", 9), 25);
	st_run_release(&o.run);
}
END_TEST

static int64_t health(const struct st_run *run, size_t i, const char *member)
{
	return json_integer_value(
		json_object_get(st_run_nth(run, ST_HEALTH, i)->body, member));
}

START_TEST(a_hot_drive_is_steady_but_throttled_and_earns_10)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;
	size_t n = 0;

	opts.tests = "lat";
	go("sim:throttling,throttle_after=30s" SMALL, &opts, &o);
	const json_t *test =
		json_array_get(json_object_get(st_run_end(&o.run), "tests"), 0);
	const char *text = json_string_value(json_object_get(test, "text"));

	ck_assert_msg(o.code == EXIT_CODE_INVALID, "%d %s", o.code, o.err.text);
	ck_assert_msg(strstr(text, "steady but throttled") != NULL, "%s", text);
	ck_assert(json_is_true(json_object_get(test, "steady")));
	ck_assert_ptr_nonnull(strstr(o.err.text, "throttled"));
	while (st_run_nth(&o.run, ST_HEALTH, n))
		n++;
	ck_assert_uint_gt(n, 5);
	ck_assert_int_eq(health(&o.run, 0, "temperature_c"), 35);
	ck_assert_int_eq(health(&o.run, 0, "throttle_events"), 0);
	for (size_t i = 1; i < n; i++) {
		ck_assert_int_ge(health(&o.run, i, "t_ns") -
					 health(&o.run, i - 1, "t_ns"),
				 10 * (int64_t)NSEC_PER_SEC);
		ck_assert_int_ge(health(&o.run, i, "temperature_c"),
				 health(&o.run, i - 1, "temperature_c"));
	}
	ck_assert_int_eq(health(&o.run, n - 1, "temperature_c"), 75);
	ck_assert_int_eq(health(&o.run, n - 1, "throttle_events"), 1);
	st_run_release(&o.run);
}
END_TEST

static void read_journal(const struct outcome *o, struct str *ret)
{
	char path[600];
	struct err err = { 0 };

	snprintf(path, sizeof(path), "%s/journal.jsonl", o->dir);
	*ret = (struct str){ 0 };
	ck_assert_msg(!str_read_file(ret, path, 64 << 20, &err), "%s", err.text);
}

START_TEST(the_same_seed_writes_the_same_journal_and_another_another)
{
	struct pts_opts opts = short_rounds;
	struct outcome a, b, c;
	struct str ja, jb, jc;

	opts.tests = "iops,tp,lat,wsat";
	opts.max_rounds = 2;
	go("sim:client,slc=16M" SMALL, &opts, &a);
	go("sim:client,slc=16M" SMALL, &opts, &b);
	opts.seed = 2;
	go("sim:client,slc=16M" SMALL, &opts, &c);
	read_journal(&a, &ja);
	read_journal(&b, &jb);
	read_journal(&c, &jc);
	ck_assert_uint_eq(ja.len, jb.len);
	ck_assert_mem_eq(ja.text, jb.text, ja.len);
	ck_assert(ja.len != jc.len || memcmp(ja.text, jc.text, ja.len) != 0);
	/* Neither paths nor versions stand in it. */
	ck_assert_ptr_null(strstr(ja.text, a.dir));
	ck_assert_ptr_null(strstr(ja.text, PLATEAU_VERSION));
	str_release(&ja);
	str_release(&jb);
	str_release(&jc);
	st_run_release(&a.run);
	st_run_release(&b.run);
	st_run_release(&c.run);
}
END_TEST

START_TEST(a_clock_that_jumps_to_and_fro_changes_no_byte_of_the_journal)
{
	struct pts_opts opts = short_rounds;
	struct outcome a, b;
	struct str ja, jb;

	opts.tests = "iops,tp,lat,wsat";
	opts.max_rounds = 1;
	go("sim:throttling,throttle_after=20s,stall_every=5s,stall=50ms" SMALL, &opts,
	   &a);
	clock_wild = true;
	go("sim:throttling,throttle_after=20s,stall_every=5s,stall=50ms" SMALL, &opts,
	   &b);
	uint64_t t[3] = { clock_mono_ns(), clock_mono_ns(), clock_mono_ns() };

	clock_wild = false;
	/* It did jump back. */
	ck_assert(t[1] < t[0] || t[2] < t[1]);
	read_journal(&a, &ja);
	read_journal(&b, &jb);
	ck_assert_uint_eq(ja.len, jb.len);
	ck_assert_mem_eq(ja.text, jb.text, ja.len);
	ck_assert_uint_eq(sleeps, 0);
	str_release(&ja);
	str_release(&jb);
	st_run_release(&a.run);
	st_run_release(&b.run);
}
END_TEST

START_TEST(no_clock_of_the_machine_enters_a_simulated_run)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;
	unsigned looks = clock_looks;

	opts.tests = "iops,tp,lat,wsat";
	opts.max_rounds = 1;
	go("sim:enterprise" SMALL, &opts, &o);
	ck_assert_uint_eq(clock_looks, looks);
	ck_assert_uint_eq(sleeps, 0);
	(void)clock_mono_ns();
	ck_assert_uint_eq(clock_looks, looks + 1);
	for (size_t i = 0; i < o.run.n; i++) {
		const struct st_record *rec = &o.run.rec[i];

		/* date -u -d 2024-01-01 +%s; less than a year of virtual time */
		ck_assert_int_ge(rec->wall_ns, INT64_C(1704067200000000000));
		ck_assert_int_lt(rec->wall_ns, INT64_C(1735689600000000000));
		if (rec->kind == ST_POINT)
			ck_assert(!rec->point->host_known && !rec->point->host_limited);
	}
	st_run_release(&o.run);
}
END_TEST

START_TEST(verify_recomputes_a_simulated_run)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;
	struct str text = { 0 };
	struct err err = { 0 };
	unsigned differs;

	opts.tests = "iops,tp,lat,wsat";
	opts.max_rounds = 6;
	go("sim:coarse-iu" SMALL, &opts, &o);
	ck_assert_msg(!pts_verify(&o.run, &text, &differs, &err), "%s", err.text);
	ck_assert_msg(!differs, "%s", str_text(&text));
	str_release(&text);
	st_run_release(&o.run);
}
END_TEST

/* Blocks of 512 B cannot be asked of it. */
START_TEST(a_4kn_drive_leaves_half_a_kib_out_and_says_so)
{
	struct pts_opts opts = short_rounds;
	struct outcome o;

	opts.tests = "iops";
	opts.max_rounds = 1;
	go("sim:4kn" SMALL, &opts, &o);
	ck_assert_uint_eq(rounds_of(&o.run, "iops", 1), 49);
	st_run_release(&o.run);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts on simulated drives");
	TCase *t = tcase_create("runs");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_failing_range_ends_any_test_with_7, 0,
			    (int)ARRAY_LEN(tests));
	tcase_add_loop_test(t, a_vanished_drive_ends_any_test_with_7, 0,
			    (int)ARRAY_LEN(tests));
	tcase_add_test(t, a_drifting_drive_uses_its_25_rounds_and_earns_5);
	tcase_add_test(t, a_hot_drive_is_steady_but_throttled_and_earns_10);
	tcase_add_test(t, the_same_seed_writes_the_same_journal_and_another_another);
	tcase_add_test(t, a_clock_that_jumps_to_and_fro_changes_no_byte_of_the_journal);
	tcase_add_test(t, no_clock_of_the_machine_enters_a_simulated_run);
	tcase_add_test(t, verify_recomputes_a_simulated_run);
	tcase_add_test(t, a_4kn_drive_leaves_half_a_kib_out_and_says_so);
	suite_add_tcase(s, t);
	return suite_run(s);
}
