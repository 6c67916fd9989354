/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hand-made runs: a run directory whose points have the figures that a test wants. */
#ifndef TESTS_PTS_FIXTURE_H
#define TESTS_PTS_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "store/store.h"

/* A new name below T_DIR (or /var/tmp, where O_DIRECT works). */
static inline const char *fresh_path(const char *name)
{
	static char path[512];
	static char top[256];
	static unsigned n;
	const char *given = getenv("T_DIR");

	if (!top[0]) {
		snprintf(top, sizeof(top), "%s",
			 given ? given : "/var/tmp/plateau-pts.XXXXXX");
		if (!given)
			ck_assert_ptr_nonnull(mkdtemp(top));
	}
	snprintf(path, sizeof(path), "%s/%s-%d-%u", top, name, (int)getpid(), n++);
	return path;
}

/* The least that judging needs of run.json; `options` and `steps` are JSON texts. */
static inline json_t *small_run_json(const char *edition, uint64_t capacity_b,
				     const char *options, const char *steps)
{
	json_t *o = json_loads(options, 0, NULL), *s = json_loads(steps, 0, NULL);

	ck_assert_ptr_nonnull(o);
	ck_assert_ptr_nonnull(s);
	return json_pack("{s:s,s:s,s:o,s:{s:s,s:I,s:i,s:s},s:{s:I,s:{s:i,s:i,s:I},s:o}}",
			 "edition", edition, "seed", "1", "options", o, "device", "kind",
			 "block", "size_b", (json_int_t)capacity_b, "lbs_b", 512,
			 "write_cache", "off", "plan", "capacity_b",
			 (json_int_t)capacity_b, "active_range", "pct", 100, "off_b", 0,
			 "len_b", (json_int_t)capacity_b, "steps", s);
}

static inline struct st_writer *small_run(const char *edition, uint64_t capacity_b,
					  const char *options, const char *steps)
{
	json_t *run = small_run_json(edition, capacity_b, options, steps);
	struct st_writer *w;
	struct err err = { 0 };

	ck_assert_msg(!st_create(fresh_path("run"), run, &w, &err), "%s", err.text);
	json_decref(run);
	return w;
}

/* `ios` I/Os in the direction, each of lat_ns. */
static inline void set_ios(struct st_point *p, enum io_dir dir, uint64_t ios,
			   uint64_t lat_ns)
{
	struct st_dir *d = &p->dir[dir];

	d->bytes = ios * p->bs_b;
	if (!ios)
		return;
	d->lat = (struct hist_sparse){ .count = ios,
				       .sum_ns = ios * lat_ns,
				       .min_ns = lat_ns,
				       .max_ns = lat_ns,
				       .n = 1,
				       .cell = malloc(sizeof(struct hist_cell)) };
	ck_assert_ptr_nonnull(d->lat.cell);
	*d->lat.cell = (struct hist_cell){ hist_index(lat_ns), ios };
}

static inline void append(struct st_writer *w, struct st_point *p)
{
	struct err err = { 0 };

	ck_assert_msg(!st_append_point(w, 0, p, &err), "%s", err.text);
}

static inline void append_json(struct st_writer *w, enum st_kind kind, json_t *body)
{
	struct err err = { 0 };

	ck_assert_ptr_nonnull(body);
	ck_assert_msg(!st_append(w, kind, 0, body, &err), "%s", err.text);
	json_decref(body);
}

#endif
