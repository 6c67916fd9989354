/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wrap: fallocate */
/*
 * Whole runs over gate, engine and store on a small O_DIRECT file; what must hold is read from
 * the journal afterwards, as a reader of it would.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/str.h"
#include "pts/ledger.h"
#include "pts/runner.h"
#include "tests/lib/suite.h"
#include "tests/unit/pts_fixture.h"

#define SIZE_B (MIB(8) + KIB(88)) /* no multiple of 128 KiB */

struct outcome {
	enum exit_code code;
	struct err err;
	struct st_run run;
};

static volatile sig_atomic_t cancel;
static unsigned cancel_at; /* points after which the operator has had enough; 0 = never */
static unsigned
	shrink_at; /* points after which the target loses its content; 0 = never */
static unsigned
	cramp_at;        /* points after which no write reaches beyond 1 MiB; 0 = never */
static bool no_purge;    /* the file system refuses to free blocks */
static unsigned link_at; /* points after which the target gets a second name; 0 = never */
static unsigned points_seen;
static const char *target_name = "target";
static char target[512];

int __real_fallocate(int fd, int mode, off_t off, off_t len);
int __wrap_fallocate(int fd, int mode, off_t off, off_t len);

int __wrap_fallocate(int fd, int mode, off_t off, off_t len)
{
	if (!no_purge || !(mode & FALLOC_FL_PUNCH_HOLE))
		return __real_fallocate(fd, mode, off, len);
	errno = EIO;
	return -1;
}

static void on_progress(void *arg, const struct pts_progress *p)
{
	(void)arg;
	points_seen += p->point_done;
	if (cancel_at && points_seen >= cancel_at)
		cancel = 1;
	if (shrink_at && points_seen == shrink_at)
		ck_assert_int_eq(truncate(target, 0), 0);
	if (cramp_at && points_seen == cramp_at)
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE,
					   &(struct rlimit){ MIB(1), RLIM_INFINITY }),
				 0);
	if (link_at && points_seen == link_at)
		ck_assert_int_eq(link(target, fresh_path("link")), 0);
}

static void claim_file(const char *path, uint64_t size_b, struct dev_info *info,
		       struct dev_claim **claim)
{
	struct dev_gate_opts gate = { .roots = &dev_roots_host };
	struct err err = { 0 };

	ck_assert_msg(!dev_file_create(path, size_b, &err), "%s", err.text);
	ck_assert_msg(!dev_identify(&dev_roots_host, path, info, &err), "%s", err.text);
	gate.erase_id = info->erase_id;
	ck_assert_msg(!dev_gate(info, &gate, claim, &err), "%s", err.text);
}

static struct outcome go(const struct pts_opts *opts, uint64_t size_b)
{
	char dir[512], *argv[] = { (char[]){ "plateau" }, NULL };
	struct dev_info info;
	struct dev_claim *claim;
	struct pts_plan plan;
	struct st_writer *store;
	struct outcome o = { 0 };

	cancel = 0;
	points_seen = 0;
	snprintf(target, sizeof(target), "%s", fresh_path(target_name));
	snprintf(dir, sizeof(dir), "%s", fresh_path("run"));
	claim_file(target, size_b, &info, &claim);
	ck_assert_msg(!pts_plan_make(opts, &info, &plan, &o.err), "%s", o.err.text);
	json_t *run = pts_run_json(&plan, dev_claim_handle(claim), 1, argv, 0);

	ck_assert_ptr_nonnull(run);
	ck_assert_msg(!st_create(dir, run, &store, &o.err), "%s", o.err.text);
	json_decref(run);
	struct pts_runner r = { .plan = &plan,
				.claim = claim,
				.store = store,
				.cancel = &cancel,
				.on_progress = on_progress };

	o.err.text[0] = '\0';
	o.code = pts_run(&r, &o.err);
	st_writer_close(store);
	dev_claim_free(claim);
	pts_plan_release(&plan);
	ck_assert_int_eq(unlink(target), 0);
	struct err err = { 0 };

	ck_assert_msg(!st_run_read(dir, &o.run, &err), "%s", err.text);
	return o;
}

/* All points of a phase, in the journal's order. */
static size_t points_of(const struct st_run *run, const char *test, enum st_phase phase,
			uint32_t loop_bs_b, const struct st_point **p, size_t max)
{
	return st_run_points(run, test, phase, loop_bs_b, p, max);
}

static void verify_is_clean(const struct st_run *run)
{
	struct str text = { 0 };
	struct err err = { 0 };
	unsigned differs;

	ck_assert_msg(!pts_verify(run, &text, &differs, &err), "%s", err.text);
	ck_assert_msg(!differs, "%s", str_text(&text));
	str_release(&text);
}

/* Typed from the specification's pseudo code, not from the tables. */
static const unsigned mixes[] = { 100, 95, 65, 50, 35, 5, 0 };
static const unsigned half_kib[] = { 2048, 256, 128, 64, 32, 16, 8, 1 };

START_TEST(an_iops_round_is_56_cells_in_the_specifications_order)
{
	const struct pts_opts opts = { .tests = "iops",
				       .round_ns = 20 * NSEC_PER_MSEC,
				       .max_rounds = 2,
				       .tc = 2,
				       .qd = 4,
				       .seed = 7,
				       .seed_set = true,
				       .mode = SS_MODE_BOTH };
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[200];

	ck_assert_msg(o.code == EXIT_CODE_NOT_STEADY, "%d %s", o.code, o.err.text);
	ck_assert_uint_eq(points_of(&o.run, "iops", ST_ROUND, 0, p, 200), 112);
	for (unsigned i = 0; i < 112; i++) {
		ck_assert_uint_eq(p[i]->round, i / 56 + 1);
		ck_assert_uint_eq(p[i]->index, i % 56);
		ck_assert_uint_eq(p[i]->read_pct, mixes[i % 56 / 8]);
		ck_assert_uint_eq(p[i]->bs_b, 512 * half_kib[i % 8]);
		ck_assert_int_eq(p[i]->pattern, IO_RAND);
		ck_assert(p[i]->complete);
		ck_assert_uint_ge(p[i]->t1_ns - p[i]->t0_ns, 20 * NSEC_PER_MSEC);
		ck_assert_uint_eq(p[i]->tc, 2);
		ck_assert_uint_eq(p[i]->qd, 4);
		if (i)
			ck_assert_uint_ge(p[i]->t0_ns, p[i - 1]->t1_ns);
		for (unsigned j = 0; j < i; j++)
			ck_assert(p[i]->seed != p[j]->seed);
	}
	verify_is_clean(&o.run);
	st_run_release(&o.run);
}
END_TEST

START_TEST(a_fill_is_twice_the_capacity_tail_and_all)
{
	const struct pts_opts opts = { .tests = "iops",
				       .round_ns = NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .tc = 4,
				       .mode = SS_MODE_BOTH };
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[8];

	ck_assert_uint_eq(points_of(&o.run, "iops", ST_FILL, 0, p, 8), 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(p[i]->dir[IO_WRITE].bytes, SIZE_B);
		ck_assert_uint_eq(p[i]->dir[IO_WRITE].lat.count,
				  65); /* 64 whole ones and 88 KiB */
		ck_assert_uint_eq(p[i]->dir[IO_READ].bytes, 0);
		ck_assert_int_eq(p[i]->pattern, IO_SEQ);
		ck_assert(p[i]->complete);
	}
	st_run_release(&o.run);
}
END_TEST

/* The first pass is well; a round on a half-filled drive would be worth nothing. */
START_TEST(a_fill_that_fails_in_its_second_pass_ends_the_run)
{
	const struct pts_opts opts = { .tests = "iops,lat",
				       .round_ns = NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };

	cramp_at = 1;
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[200];

	ck_assert_msg(o.code == EXIT_CODE_DEVICE, "%d %s", o.code, o.err.text);
	ck_assert_uint_eq(points_of(&o.run, "iops", ST_FILL, 0, p, 8), 2);
	ck_assert(p[0]->complete && !p[1]->complete);
	ck_assert_uint_gt(p[1]->errors, 0);
	ck_assert_int_eq(p[1]->error[0].res, -EFBIG);
	ck_assert_uint_eq(points_of(&o.run, "iops", ST_ROUND, 0, p, 200), 0);
	ck_assert_uint_eq(points_of(&o.run, "lat", ST_FILL, 0, p, 8), 0);
	st_run_release(&o.run);
}
END_TEST

START_TEST(a_purge_that_fails_ends_the_run_with_4_before_any_point)
{
	const struct pts_opts opts = { .tests = "wsat,lat",
				       .round_ns = NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };

	no_purge = true;
	struct outcome o = go(&opts, SIZE_B);

	ck_assert_msg(o.code == EXIT_CODE_PURGE, "%d %s", o.code, o.err.text);
	ck_assert_ptr_nonnull(strstr(o.err.text, strerror(EIO)));
	ck_assert_ptr_null(st_run_nth(&o.run, ST_POINT, 0));
	st_run_release(&o.run);
}
END_TEST

/* 75 % of 8 MiB: 6 MiB, so 16 MiB are 2 passes and 4 MiB. */
START_TEST(a_client_fill_wraps_inside_its_range)
{
	const struct pts_opts opts = { .edition = "pts-c-2.0",
				       .tests = "iops",
				       .round_ns = NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };
	struct outcome o = go(&opts, MIB(8));
	const struct st_point *p[8];

	ck_assert_uint_eq(points_of(&o.run, "iops", ST_FILL, 0, p, 8), 3);
	ck_assert_uint_eq(p[0]->dir[IO_WRITE].bytes, MIB(6));
	ck_assert_uint_eq(p[1]->dir[IO_WRITE].bytes, MIB(6));
	ck_assert_uint_eq(p[2]->dir[IO_WRITE].bytes, MIB(4));
	ck_assert_uint_eq(p[2]->len_b, MIB(6));
	st_run_release(&o.run);
}
END_TEST

START_TEST(throughput_goes_on_where_it_stopped)
{
	const struct pts_opts opts = { .tests = "tp",
				       .round_ns = 20 * NSEC_PER_MSEC,
				       .max_rounds = 3,
				       .mode = SS_MODE_BOTH };
	static const uint32_t cycles[] = { 1048576, 131072 };
	static const uint64_t size_b = MIB(64) + KIB(88);
	struct outcome o = go(&opts, size_b);
	const struct st_point *p[16], *fill[4];

	for (unsigned c = 0; c < 2; c++) {
		ck_assert_uint_eq(points_of(&o.run, "tp", ST_FILL, cycles[c], fill, 4),
				  2);
		ck_assert_uint_eq(fill[0]->bs_b, cycles[c]);
		ck_assert_uint_eq(points_of(&o.run, "tp", ST_ROUND, cycles[c], p, 16), 6);
		ck_assert_uint_eq(p[0]->cursor_b[IO_READ], 0);
		ck_assert_uint_eq(p[1]->cursor_b[IO_WRITE], 0);
		for (unsigned i = 0; i < 6; i++) {
			ck_assert_uint_eq(p[i]->read_pct, i % 2 ? 0 : 100);
			ck_assert_uint_eq(p[i]->bs_b, cycles[c]);
			ck_assert_int_eq(p[i]->pattern, IO_SEQ);
		}
		/* Reads move the read cursor alone, writes the write cursor alone. */
		for (unsigned i = 1; i < 6; i++) {
			enum io_dir still = i % 2 ? IO_WRITE : IO_READ;

			ck_assert_uint_eq(p[i]->cursor_b[still],
					  p[i - 1]->cursor_b[still]);
		}
		/*
		 * A cursor is where the next I/O would go: what was completed, and what was in flight
		 * when the point ended or was issued while it did. It wraps at the end of the range.
		 */
		uint64_t moved = (p[1]->cursor_b[IO_READ] + size_b -
				  p[0]->dir[IO_READ].bytes % size_b) %
				 size_b;

		ck_assert_uint_le(moved, 2 * 32 * (uint64_t)cycles[c]);
	}
	verify_is_clean(&o.run);
	st_run_release(&o.run);
}
END_TEST

START_TEST(latency_is_random_at_depth_one_with_a_histogram_after_it)
{
	const struct pts_opts opts = { .tests = "lat",
				       .round_ns = 30 * NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };
	static const unsigned rw[] = { 100, 65, 0 }, bs[] = { 8192, 4096, 512 };
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[16];

	ck_assert_uint_eq(points_of(&o.run, "lat", ST_ROUND, 0, p, 16), 9);
	for (unsigned i = 0; i < 9; i++) {
		ck_assert_int_eq(p[i]->pattern, IO_RAND);
		ck_assert_uint_eq(p[i]->tc, 1);
		ck_assert_uint_eq(p[i]->qd, 1);
		ck_assert_uint_eq(p[i]->read_pct, rw[i / 3]);
		ck_assert_uint_eq(p[i]->bs_b, bs[i % 3]);
	}
	ck_assert_uint_eq(points_of(&o.run, "lat", ST_HISTOGRAM, 0, p, 16), 1);
	ck_assert_uint_ge(p[0]->t1_ns - p[0]->t0_ns,
			  600 * NSEC_PER_MSEC); /* 1200 s / 60 s x 30 ms */
	ck_assert(p[0]->complete);
	ck_assert_uint_eq(p[0]->bs_b, 4096);
	ck_assert_uint_eq(p[0]->read_pct, 0);
	st_run_release(&o.run);
}
END_TEST

START_TEST(saturation_minutes_join_without_a_gap_and_4x_ends_them)
{
	const struct pts_opts opts = { .tests = "wsat",
				       .round_ns = 50 * NSEC_PER_MSEC,
				       .mode = SS_MODE_BOTH };
	struct outcome o = go(&opts, MIB(4));
	const struct st_point *p[400];
	size_t n = points_of(&o.run, "wsat", ST_MINUTE, 0, p, 400);
	uint64_t sum = 0;

	ck_assert_msg(o.code == EXIT_CODE_COMPLETE, "%d %s", o.code, o.err.text);
	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(p[i]->round, i + 1);
		if (i)
			ck_assert_uint_eq(p[i]->t0_ns, p[i - 1]->t1_ns);
		if (i)
			ck_assert_uint_eq(p[i]->gap_ns, 0);
		if (i + 1 < n)
			sum += p[i]->dir[IO_WRITE].bytes;
	}
	if (n <
	    360) { /* it was not the time cap: the last minute crossed 16 MiB, none before */
		ck_assert_uint_lt(sum, MIB(16));
		ck_assert_uint_ge(sum + p[n - 1]->dir[IO_WRITE].bytes, MIB(16));
	}
	ck_assert_uint_eq(points_of(&o.run, "wsat", ST_FILL, 0, p, 400), 0);
	ck_assert_uint_eq(points_of(&o.run, "wsat", ST_HISTOGRAM, 0, p, 400), 1);
	verify_is_clean(&o.run);
	st_run_release(&o.run);
}
END_TEST

START_TEST(a_cancelled_run_keeps_what_it_has_and_says_9)
{
	const struct pts_opts opts = { .tests = "iops,lat",
				       .round_ns = 20 * NSEC_PER_MSEC,
				       .max_rounds = 2,
				       .mode = SS_MODE_BOTH };

	cancel_at = 10;
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[200];
	const json_t *end = st_run_end(&o.run);

	cancel_at = 0;
	ck_assert_int_eq(o.code, EXIT_CODE_INTERRUPTED);
	ck_assert_int_eq(json_integer_value(json_object_get(end, "exit_code")), 9);
	ck_assert_uint_eq(points_of(&o.run, "iops", ST_ROUND, 0, p, 200),
			  8); /* and two fills */
	ck_assert_uint_eq(points_of(&o.run, "lat", ST_ROUND, 0, p, 200), 0);
	verify_is_clean(&o.run);
	st_run_release(&o.run);
}
END_TEST

/* A device that is gone completes reads with 0 bytes, as fast as it is asked. */
START_TEST(reads_of_nothing_end_the_run_with_7_and_are_no_iops)
{
	const struct pts_opts opts = { .tests = "iops,lat",
				       .round_ns = 20 * NSEC_PER_MSEC,
				       .max_rounds = 2,
				       .mode = SS_MODE_BOTH };

	shrink_at = 2; /* the fills; reads come first in the round */
	struct outcome o = go(&opts, SIZE_B);
	const struct st_point *p[200];
	const json_t *end = st_run_end(&o.run);

	shrink_at = 0;
	ck_assert_msg(o.code == EXIT_CODE_DEVICE, "%d %s", o.code, o.err.text);
	ck_assert_int_eq(json_integer_value(json_object_get(end, "exit_code")), 7);
	ck_assert_uint_eq(points_of(&o.run, "iops", ST_ROUND, 0, p, 200), 1);
	ck_assert(!p[0]->complete);
	ck_assert_uint_gt(p[0]->errors, 0);
	ck_assert_int_eq(p[0]->error[0].res, 0);
	ck_assert_uint_eq(p[0]->dir[IO_READ].lat.count, 0);
	st_run_release(&o.run);
}
END_TEST

/* JSON is UTF-8, a path need not be; yet the run must not seem to have stopped without an end. */
START_TEST(a_refusal_that_quotes_an_odd_path_still_ends_the_journal)
{
	const struct pts_opts opts = { .tests = "lat,iops",
				       .round_ns = 20 * NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };

	target_name = "odd-\xff-target";
	link_at = 5; /* within the first test; the second looks again */
	struct outcome o = go(&opts, SIZE_B);
	const json_t *end = st_run_end(&o.run);

	target_name = "target";
	link_at = 0;
	ck_assert_msg(o.code == EXIT_CODE_SAFETY, "%d %s", o.code, o.err.text);
	ck_assert_int_eq(json_integer_value(json_object_get(end, "exit_code")), 3);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(end, "reason")),
				     "odd-?-target"));
	st_run_release(&o.run);
}
END_TEST

static const struct pts_ledger_row *find_row(const struct pts_ledger *l, const char *test,
					     const char *required)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->row[i].test, test) && strstr(l->row[i].required, required))
			return &l->row[i];
	ck_abort_msg("no row '%s'", required);
	return NULL;
}

START_TEST(deviations_and_ledger_of_a_short_run_on_a_file)
{
	const struct pts_opts opts = { .tests = "iops",
				       .round_ns = 10 * NSEC_PER_MSEC,
				       .max_rounds = 1,
				       .mode = SS_MODE_BOTH };
	struct outcome o = go(&opts, SIZE_B);
	struct pts_deviation *d;
	struct pts_ledger l;
	struct err err = { 0 };
	size_t n, found = 0;

	ck_assert_int_eq(pts_deviations(&o.run, &d, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		found += !strcmp(d[i].code, "short-rounds") ||
			 !strcmp(d[i].code, "target-file") ||
			 !strcmp(d[i].code, "purge-discard") ||
			 !strcmp(d[i].code, "max-rounds");
	ck_assert_uint_eq(found, 4);
	ck_assert_int_eq(pts_ledger_make(&o.run, &l, &err), 0);
	ck_assert_int_eq(find_row(&l, "iops", "purged by")->state, PTS_DEVIATION);
	ck_assert_int_eq(find_row(&l, "iops", "2 x user capacity")->state, PTS_MET);
	ck_assert_int_eq(find_row(&l, "iops", "56 points")->state, PTS_MET);
	ck_assert_int_eq(find_row(&l, "iops", "points of 1 min")->state, PTS_DEVIATION);
	ck_assert_int_eq(find_row(&l, "iops", "operator's choice")->state,
			 PTS_MET_READING);
	ck_assert_int_eq(find_row(&l, "iops", "rounds until steady")->state,
			 PTS_DEVIATION);
	ck_assert_int_eq(find_row(&l, "", "seedable")->state, PTS_MET);
	ck_assert_int_eq(find_row(&l, "", "active range")->state, PTS_MET);
	json_t *o_json = pts_ledger_json(&l);

	ck_assert_ptr_nonnull(o_json);
	json_decref(o_json);
	pts_ledger_release(&l);
	free(d);
	st_run_release(&o.run);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts runner");
	TCase *t = tcase_create("runs");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, an_iops_round_is_56_cells_in_the_specifications_order);
	tcase_add_test(t, a_fill_is_twice_the_capacity_tail_and_all);
	tcase_add_test(t, a_fill_that_fails_in_its_second_pass_ends_the_run);
	tcase_add_test(t, a_purge_that_fails_ends_the_run_with_4_before_any_point);
	tcase_add_test(t, a_client_fill_wraps_inside_its_range);
	tcase_add_test(t, throughput_goes_on_where_it_stopped);
	tcase_add_test(t, latency_is_random_at_depth_one_with_a_histogram_after_it);
	tcase_add_test(t, saturation_minutes_join_without_a_gap_and_4x_ends_them);
	tcase_add_test(t, a_cancelled_run_keeps_what_it_has_and_says_9);
	tcase_add_test(t, reads_of_nothing_end_the_run_with_7_and_are_no_iops);
	tcase_add_test(t, a_refusal_that_quotes_an_odd_path_still_ends_the_journal);
	tcase_add_test(t, deviations_and_ledger_of_a_short_run_on_a_file);
	suite_add_tcase(s, t);
	return suite_run(s);
}
