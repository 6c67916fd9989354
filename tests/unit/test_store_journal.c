/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/unit/store_fixture.h"

START_TEST(every_field_of_a_point_comes_back_as_it_was_written)
{
	enum { N = 200 };
	static struct st_point sent[N];
	struct rng r;
	struct st_run run;
	struct err err;
	struct st_writer *w = create("round-trip");
	const struct st_run *memory = st_writer_run(w);

	rng_seed(&r, 20260101);
	append(w, ST_START, json_pack("{s:s}", "test", "iops"));
	for (int i = 0; i < N; i++) {
		sent[i] = random_point(&r);
		struct st_point given = copy_of(&sent[i]);

		ck_assert_msg(!st_append_point(w, -i, &given, &err), "%s", err.text);
		ck_assert_ptr_null(given.dir[0].lat.cell);
	}
	append(w, ST_END, json_pack("{s:i, s:f, s:n}", "exit", 0, "share", 0.1, "host"));
	ck_assert_msg(!st_run_read(path_of("round-trip"), &run, &err), "%s", err.text);
	ck_assert_uint_eq(run.n, N + 2);
	ck_assert_uint_eq(memory->n, N + 2);
	ck_assert_uint_eq(run.dropped_b, 0);
	for (size_t i = 0; i < run.n; i++) {
		ck_assert_uint_eq(run.rec[i].seq, i);
		ck_assert(run.rec[i].kind == memory->rec[i].kind);
		ck_assert_int_eq(run.rec[i].wall_ns, memory->rec[i].wall_ns);
		ck_assert(json_equal(run.rec[i].body, memory->rec[i].body) ||
			  run.rec[i].point);
	}
	for (size_t i = 0; i < N; i++) {
		assert_same(&sent[i], run.rec[i + 1].point);
		assert_same(&sent[i], memory->rec[i + 1].point);
		ck_assert_int_eq(run.rec[i + 1].wall_ns, -(int64_t)i);
		release(&sent[i]);
	}
	ck_assert(json_equal(run.run, memory->run));
	ck_assert_int_eq(json_integer_value(json_object_get(run.run, "schema")),
			 ST_SCHEMA);
	ck_assert_ptr_null(json_object_get(run.rec[0].body, "schema"));
	ck_assert_int_eq(json_integer_value(json_object_get(st_run_end(&run), "exit")),
			 0);
	ck_assert_ptr_null(st_run_nth(&run, ST_POINT, N));
	st_run_release(&run);
	st_writer_close(w);
}
END_TEST

static int create_at(const char *path, struct st_writer **ret, struct err *err)
{
	json_t *run = json_object();
	int rc = st_create(path, run, ret, err);

	json_decref(run);
	return rc;
}

START_TEST(only_a_new_or_empty_directory_is_taken)
{
	struct st_writer *w;
	struct err err;
	char says[600];

	ck_assert_int_eq(mkdir(path_of("empty"), 0755), 0);
	ck_assert_int_eq(create_at(path_of("empty"), &w, &err), 0);
	st_writer_close(w);

	ck_assert_int_eq(create_at(path_of("empty"), &w, &err), -ENOTEMPTY);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	snprintf(says, sizeof(says), "output directory %s is not empty",
		 path_of("empty"));
	ck_assert_str_eq(err.text, says);

	ck_assert_int_eq(create_at(path_of("empty/run.json"), &w, &err), -ENOTDIR);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_eq(create_at(path_of("missing/run"), &w, &err), -ENOENT);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_eq(create_at("", &w, &err), -ENOENT);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
}
END_TEST

/* Otherwise a night's records would go to a file that nobody can open. */
START_TEST(a_journal_that_was_deleted_is_noticed_at_the_next_record)
{
	struct st_writer *w;
	struct err err;
	json_t *body = json_object();

	ck_assert_int_eq(create_at(path_of("deleted"), &w, &err), 0);
	ck_assert_int_eq(st_append(w, ST_START, 0, body, &err), 0);
	ck_assert_int_eq(rename(path_of("deleted"), path_of("moved")), 0);
	ck_assert_int_eq(st_append(w, ST_EVENT, 0, body, &err), 0);
	ck_assert_int_eq(unlink(path_of("moved/journal.jsonl")), 0);
	ck_assert_int_eq(st_append(w, ST_EVENT, 0, body, &err), -ENOENT);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_msg(strstr(err.text, "was deleted"), "%s", err.text);
	ck_assert_uint_eq(st_writer_run(w)->n, 2);
	json_decref(body);
	st_writer_close(w);
}
END_TEST

/* With no descriptor left an empty directory can be opened, and not looked into. */
START_TEST(a_directory_that_cannot_be_looked_into_is_not_called_full)
{
	struct rlimit was, few;
	struct st_writer *w;
	struct err err;
	int last = dup(0);

	ck_assert_int_eq(mkdir(path_of("unseen"), 0755), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	few.rlim_cur = (rlim_t)last + 1;
	close(last);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	int rc = create_at(path_of("unseen"), &w, &err);

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
	ck_assert_int_eq(rc, -EMFILE);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_msg(strstr(err.text, "look into"), "%s", err.text);
}
END_TEST

START_TEST(the_directory_is_locked_while_the_writer_lives)
{
	struct st_writer *w, *other;
	struct err err;

	ck_assert(!st_is_locked(path_of("locked")));
	ck_assert_int_eq(create_at(path_of("locked"), &w, &err), 0);
	ck_assert(st_is_locked(path_of("locked")));
	ck_assert_int_lt(create_at(path_of("locked"), &other, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_msg(strstr(err.text, "in use"), "%s", err.text);
	st_writer_close(w);
	ck_assert(!st_is_locked(path_of("locked")));
}
END_TEST

START_TEST(what_cannot_be_stored_is_refused_and_harms_nothing)
{
	struct st_writer *w = create("refused");
	struct err err;
	struct st_run run;
	struct st_point p = { .test = "iops", .t0_ns = 1, .t1_ns = 2 };
	json_t *body = json_pack("{s:i}", "seq", 3);

	append(w, ST_START, NULL);
	p.t1_ns = UINT64_MAX;
	ck_assert_int_eq(st_append_point(w, 0, &p, &err), -EOVERFLOW);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	ck_assert_msg(strstr(err.text, "t1_ns"), "%s", err.text);
	p.t1_ns = 0;
	ck_assert_int_lt(st_append_point(w, 0, &p, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	ck_assert_msg(strstr(err.text, "t1_ns"), "%s", err.text);
	ck_assert_int_lt(st_append(w, ST_EVENT, 0, body, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	json_decref(body);
	append(w, ST_END, NULL);
	st_writer_close(w);
	ck_assert_msg(!st_run_read(path_of("refused"), &run, &err), "%s", err.text);
	ck_assert_uint_eq(run.n, 2);
	ck_assert_ptr_nonnull(st_run_end(&run));
	st_run_release(&run);
}
END_TEST

START_TEST(points_are_found_by_test_phase_and_cycle)
{
	static const struct {
		const char *test;
		enum st_phase phase;
		uint32_t loop_bs_b;
	} sent[] = {
		{ "tp", ST_FILL, 0 },        { "tp", ST_ROUND, 131072 },
		{ "tp", ST_ROUND, 1048576 }, { "tp", ST_ROUND, 131072 },
		{ "iops", ST_ROUND, 0 },     { "tp", ST_ROUND, 131072 },
	};
	struct st_writer *w = create("points");
	const struct st_point *found[8];
	struct err err;

	append(w, ST_START, NULL);
	for (size_t i = 0; i < ARRAY_LEN(sent); i++) {
		struct st_point p = { .phase = sent[i].phase,
				      .loop_bs_b = sent[i].loop_bs_b,
				      .index = (unsigned)i };

		snprintf(p.test, sizeof(p.test), "%s", sent[i].test);
		ck_assert_int_eq(st_append_point(w, 0, &p, &err), 0);
	}
	const struct st_run *run = st_writer_run(w);

	ck_assert_uint_eq(st_run_points(run, "tp", ST_ROUND, 131072, found, 8), 3);
	ck_assert(found[0]->index == 1 && found[1]->index == 3 && found[2]->index == 5);
	ck_assert_uint_eq(st_run_points(run, "tp", ST_ROUND, 131072, found, 2), 2);
	ck_assert_uint_eq(st_run_points(run, "tp", ST_MINUTE, 0, found, 8), 0);
	ck_assert_uint_eq(st_run_points(run, "t", ST_ROUND, 0, found, 8), 0);
	ck_assert_ptr_null(st_run_end(run));
	ck_assert_uint_eq(st_run_nth(run, ST_POINT, 4)->point->index, 4);
	st_writer_close(w);
}
END_TEST

START_TEST(figures_are_those_of_the_counts)
{
	/* 3 reads of 10 20 60 us and 1 write of 110 us in 2 s; 5 s of outstanding I/O */
	static struct hist h;
	struct st_point p = { .t0_ns = NSEC_PER_SEC,
			      .t1_ns = 3 * NSEC_PER_SEC,
			      .depth_ns = 5 * NSEC_PER_SEC };
	struct st_point empty = { 0 };

	hist_clear(&h);
	hist_add(&h, 10000);
	hist_add(&h, 20000);
	hist_add(&h, 60000);
	ck_assert_int_eq(hist_pack(&h, &p.dir[IO_READ].lat), 0);
	hist_clear(&h);
	hist_add(&h, 110000);
	ck_assert_int_eq(hist_pack(&h, &p.dir[IO_WRITE].lat), 0);
	p.dir[IO_READ].bytes = 3 * 4096;
	p.dir[IO_WRITE].bytes = 4096;
	ck_assert(st_point_iops(&p) == 2);
	ck_assert(st_point_bytes_per_s(&p) == 8192);
	ck_assert(st_point_lat_mean_ns(&p) == 50000);
	ck_assert_uint_eq(st_point_lat_max_ns(&p), 110000);
	ck_assert(st_point_depth(&p) == 2.5);
	hist_clear(&h);
	ck_assert(st_point_merge_lat(&p, &h));
	ck_assert_uint_eq(h.count, 4);
	ck_assert_uint_eq(h.min_ns, 10000);
	ck_assert_uint_eq(h.max_ns, 110000);
	p.dir[IO_WRITE].lat.cell[0].index = HIST_BUCKETS;
	ck_assert(!st_point_merge_lat(&p, &h));
	ck_assert(st_point_iops(&empty) == 0 && st_point_lat_mean_ns(&empty) == 0 &&
		  st_point_bytes_per_s(&empty) == 0 && st_point_depth(&empty) == 0);
	release(&p);
}
END_TEST

/* Latencies over 10 us .. 100 ms, a wide spread for one minute: 13 octaves. */
START_TEST(a_day_of_minutes_stays_below_20_MB)
{
	enum { N = 10 };
	static struct hist h;
	struct st_writer *w = create("day");
	struct rng r;
	struct err err;
	struct stat st;

	rng_seed(&r, 1440);
	append(w, ST_START, NULL);
	for (int i = 0; i < N; i++) {
		struct st_point p = { .test = "wsat",
				      .phase = ST_MINUTE,
				      .t1_ns = 60 * NSEC_PER_SEC };

		hist_clear(&h);
		for (int k = 0; k < 300000; k++) {
			/* a sum of draws: bell-shaped in the logarithm */
			double log2_ns = 13.3;

			for (int d = 0; d < 4; d++)
				log2_ns += (double)rng_below(&r, 3300) / 1000;
			hist_add(&h, (uint64_t)__builtin_exp2(log2_ns));
		}
		ck_assert_int_eq(hist_pack(&h, &p.dir[IO_WRITE].lat), 0);
		ck_assert_int_eq(st_append_point(w, 0, &p, &err), 0);
	}
	st_writer_close(w);
	ck_assert_int_eq(stat(path_of("day/journal.jsonl"), &st), 0);
	ck_assert_int_lt(st.st_size / N * 1440, 20000000);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("journal");

	tcase_add_test(t, every_field_of_a_point_comes_back_as_it_was_written);
	tcase_add_test(t, only_a_new_or_empty_directory_is_taken);
	tcase_add_test(t, a_journal_that_was_deleted_is_noticed_at_the_next_record);
	tcase_add_test(t, a_directory_that_cannot_be_looked_into_is_not_called_full);
	tcase_add_test(t, the_directory_is_locked_while_the_writer_lives);
	tcase_add_test(t, what_cannot_be_stored_is_refused_and_harms_nothing);
	tcase_add_test(t, points_are_found_by_test_phase_and_cycle);
	tcase_add_test(t, figures_are_those_of_the_counts);
	tcase_add_test(t, a_day_of_minutes_stays_below_20_MB);
	return run_cases(t);
}
