/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of store/ share: a directory of their own, random points, comparison. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "store/store.h"
#include "tests/lib/suite.h"

static char top[256];              /* this program's own directory */
static uint64_t max_samples = 300; /* of a random histogram */

static inline const char *path_of(const char *name)
{
	static char path[4][512];
	static int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", top, name);
	return p;
}

static inline void random_lat(struct rng *r, struct hist_sparse *sp)
{
	static struct hist h;
	uint64_t n = rng_below(r, max_samples);

	hist_clear(&h);
	for (uint64_t i = 0; i < n; i++)
		hist_add(&h, rng_next(r) >> (rng_below(r, 44) + 20));
	ck_assert_int_eq(hist_pack(&h, sp), 0);
}

/* Every field set, at random, over its whole stored range. */
static inline struct st_point random_point(struct rng *r)
{
	static const char *const tests[] = { "iops", "tp", "lat", "wsat",
					     "fifteen-letters" };
	struct st_point p = {
		.phase = (enum st_phase)rng_below(r, 4),
		.loop_bs_b = (uint32_t)rng_next(r),
		.round = (unsigned)rng_next(r),
		.index = (unsigned)rng_next(r),
		.pattern = (enum io_pattern)rng_below(r, 2),
		.bs_b = (uint32_t)rng_next(r),
		.read_pct = (uint8_t)rng_below(r, 101),
		.tc = (uint32_t)rng_next(r),
		.qd = (uint32_t)rng_next(r),
		.seed = rng_next(r),
		.off_b = rng_next(r) >> 1,
		.len_b = rng_next(r) >> 1,
		.cursor_b = { rng_next(r) >> 1, rng_next(r) >> 1 },
		.t0_ns = rng_next(r) >> 2,
		.gap_ns = rng_next(r) >> 1,
		.depth_ns = rng_next(r) >> 1,
		.errors = rng_next(r) >> 1,
		.n_error = rng_below(r, ST_ERRORS_KEPT + 1),
		.host_known = rng_below(r, 2),
		.host_limited = rng_below(r, 2),
		.complete = rng_below(r, 2),
	};

	snprintf(p.test, sizeof(p.test), "%s", tests[rng_below(r, ARRAY_LEN(tests))]);
	p.t1_ns = p.t0_ns + (rng_next(r) >> 2);
	for (int dir = 0; dir < IO_DIRS; dir++) {
		p.dir[dir].bytes = rng_next(r) >> 1;
		random_lat(r, &p.dir[dir].lat);
	}
	for (size_t i = 0; i < p.n_error; i++)
		p.error[i] = (struct st_error){
			.off_b = rng_next(r) >> 1,
			.t_ns = rng_next(r) >> 1,
			.len_b = (uint32_t)rng_next(r),
			.dir = (enum io_dir)rng_below(r, 2),
			.res = (int64_t)rng_next(r),
		};
	if (p.host_known) {
		p.cpu_ns = rng_next(r) >> 1;
		p.usr_ns = rng_next(r) >> 1;
		p.sys_ns = rng_next(r) >> 1;
		p.worst_busy_ns = rng_next(r) >> 1;
		p.submit_ns = rng_next(r) >> 1;
		p.turnaround_ns = rng_next(r) >> 1;
		p.turnarounds = rng_next(r) >> 1;
	}
	return p;
}

static inline struct st_point copy_of(const struct st_point *p)
{
	struct st_point copy = *p;

	for (int dir = 0; dir < IO_DIRS; dir++) {
		struct hist_sparse *sp = &copy.dir[dir].lat;
		size_t size = sp->n * sizeof(*sp->cell);

		if (!sp->cell)
			continue;
		sp->cell = malloc(size + 1);
		ck_assert_ptr_nonnull(sp->cell);
		memcpy(sp->cell, p->dir[dir].lat.cell, size);
	}
	return copy;
}

static inline void release(struct st_point *p)
{
	for (int dir = 0; dir < IO_DIRS; dir++)
		hist_sparse_release(&p->dir[dir].lat);
}

#define SAME(member) ck_assert_msg(a->member == b->member, #member)
static inline void assert_same(const struct st_point *a, const struct st_point *b)
{
	ck_assert_str_eq(a->test, b->test);
	SAME(phase);
	ck_assert_uint_eq(a->seed, b->seed);
	SAME(loop_bs_b);
	SAME(round);
	SAME(index);
	SAME(pattern);
	SAME(bs_b);
	SAME(read_pct);
	SAME(tc);
	SAME(qd);
	SAME(off_b);
	SAME(len_b);
	SAME(cursor_b[IO_READ]);
	SAME(cursor_b[IO_WRITE]);
	SAME(t0_ns);
	SAME(t1_ns);
	SAME(gap_ns);
	SAME(depth_ns);
	SAME(errors);
	SAME(n_error);
	for (size_t i = 0; i < a->n_error; i++) {
		SAME(error[i].off_b);
		SAME(error[i].t_ns);
		SAME(error[i].len_b);
		SAME(error[i].dir);
		SAME(error[i].res);
	}
	SAME(host_known);
	SAME(cpu_ns);
	SAME(usr_ns);
	SAME(sys_ns);
	SAME(worst_busy_ns);
	SAME(submit_ns);
	SAME(turnaround_ns);
	SAME(turnarounds);
	SAME(host_limited);
	SAME(complete);
	for (int dir = 0; dir < IO_DIRS; dir++) {
		SAME(dir[dir].bytes);
		SAME(dir[dir].lat.count);
		SAME(dir[dir].lat.sum_ns);
		SAME(dir[dir].lat.min_ns);
		SAME(dir[dir].lat.max_ns);
		SAME(dir[dir].lat.n);
		for (size_t i = 0; i < a->dir[dir].lat.n; i++) {
			SAME(dir[dir].lat.cell[i].index);
			SAME(dir[dir].lat.cell[i].count);
		}
	}
}

static inline struct st_writer *create(const char *name)
{
	struct st_writer *w;
	struct err err;
	json_t *run = json_pack("{s:s, s:i}", "edition", "pts-e-2.0", "rounds", 25);

	ck_assert_msg(!st_create(path_of(name), run, &w, &err), "%s", err.text);
	json_decref(run);
	return w;
}

static inline void append(struct st_writer *w, enum st_kind kind, json_t *body)
{
	struct err err;

	ck_assert_msg(!st_append(w, kind, 1790000000000000000, body, &err), "%s",
		      err.text);
	json_decref(body);
}

/* Run the cases; the program's exit status. */
static inline int run_cases(TCase *t)
{
	const char *dir = getenv("T_DIR");

	snprintf(top, sizeof(top), "%s", dir ? dir : "/var/tmp/plateau-test-XXXXXX");
	if (!dir && !mkdtemp(top))
		return 1;
	Suite *s = suite_create("store");

	tcase_set_timeout(t, 240);
	suite_add_tcase(s, t);
	return suite_run(s);
}

#endif
