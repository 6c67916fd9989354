/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point as JSON, and back. Whole numbers are tables, read by both directions, so that a field
 * cannot be written and forgotten. jansson's integers are signed 64 bits; the seed, which uses
 * all 64, is a text of 16 hexadecimal digits.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/record.h"

struct field {
	const char *name;
	size_t offset, size;
};

#define FIELD_AS(type, text, member)                                                     \
	{                                                                                \
		text, offsetof(struct type, member),                                     \
			sizeof(((struct type *)NULL)->member)                            \
	}
#define FIELD(type, member) FIELD_AS(type, #member, member)

static const struct field point_fields[] = {
	FIELD(st_point, loop_bs_b), FIELD(st_point, round),    FIELD(st_point, index),
	FIELD(st_point, bs_b),      FIELD(st_point, read_pct), FIELD(st_point, tc),
	FIELD(st_point, qd),        FIELD(st_point, off_b),    FIELD(st_point, len_b),
	FIELD(st_point, t0_ns),     FIELD(st_point, t1_ns),    FIELD(st_point, gap_ns),
	FIELD(st_point, depth_ns),  FIELD(st_point, errors),
};

static const struct field host_fields[] = {
	FIELD(st_point, cpu_ns),      FIELD(st_point, usr_ns),
	FIELD(st_point, sys_ns),      FIELD(st_point, worst_busy_ns),
	FIELD(st_point, submit_ns),   FIELD(st_point, turnaround_ns),
	FIELD(st_point, turnarounds),
};

static const struct field dir_fields[] = {
	FIELD(st_dir, bytes),
	FIELD_AS(st_dir, "ios", lat.count),
	FIELD_AS(st_dir, "sum_ns", lat.sum_ns),
	FIELD_AS(st_dir, "min_ns", lat.min_ns),
	FIELD_AS(st_dir, "max_ns", lat.max_ns),
};

static const struct field error_fields[] = {
	FIELD(st_error, off_b),
	FIELD(st_error, len_b),
	FIELD(st_error, t_ns),
};

static const char *const dir_words[IO_DIRS] = {
	[IO_READ] = "read", [IO_WRITE] = "write"
};

static const char *const phase_words[] = {
	[ST_FILL] = "fill",
	[ST_ROUND] = "round",
	[ST_MINUTE] = "minute",
	[ST_HISTOGRAM] = "histogram",
};

const char *st_phase_word(enum st_phase p)
{
	return phase_words[p];
}

/* Index of a text among n words, n where it is none of them. */
static size_t word_index(const json_t *text, const char *const *words, size_t n)
{
	const char *word = json_string_value(text);
	size_t i = 0;

	while (i < n && (!word || strcmp(word, words[i]) != 0))
		i++;
	return i;
}

static uint64_t field_get(const void *from, const struct field *f)
{
	const char *at = (const char *)from + f->offset;
	uint64_t v64;
	uint32_t v32;
	uint8_t v8;

	switch (f->size) {
	case sizeof(v8):
		memcpy(&v8, at, sizeof(v8));
		return v8;
	case sizeof(v32):
		memcpy(&v32, at, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
}

static void field_set(void *into, const struct field *f, uint64_t v64)
{
	char *at = (char *)into + f->offset;
	uint32_t v32 = (uint32_t)v64;
	uint8_t v8 = (uint8_t)v64;

	switch (f->size) {
	case sizeof(v8):
		memcpy(at, &v8, sizeof(v8));
		break;
	case sizeof(v32):
		memcpy(at, &v32, sizeof(v32));
		break;
	default:
		memcpy(at, &v64, sizeof(v64));
		break;
	}
}

static uint64_t field_max(const struct field *f)
{
	return f->size == sizeof(uint64_t) ? INT64_MAX
					   : (UINT64_C(1) << (8 * f->size)) - 1;
}

/* Writing: `out` remembers the first trouble, so that the members can be listed plainly. */
struct out {
	int failed; /* 0, -ENOMEM or -EOVERFLOW */
	const char *name;
};

static void put(struct out *out, json_t *o, const char *name, json_t *value)
{
	if (json_object_set_new(o, name, value) && !out->failed)
		*out = (struct out){ -ENOMEM, name };
}

static void put_fields(struct out *out, json_t *o, const void *from,
		       const struct field *f, size_t n)
{
	for (; n; n--, f++) {
		uint64_t value = field_get(from, f);

		if (value > field_max(f) && !out->failed)
			*out = (struct out){ -EOVERFLOW, f->name };
		put(out, o, f->name, json_integer((json_int_t)value));
	}
}

/* [step to the first index, count, step to the next, count, ...] */
static json_t *cells_to_json(struct out *out, const struct hist_sparse *lat)
{
	json_t *a = json_array();
	uint32_t before = 0;

	for (size_t i = 0; i < lat->n; i++) {
		const struct hist_cell *c = &lat->cell[i];

		if (c->count > INT64_MAX && !out->failed)
			*out = (struct out){ -EOVERFLOW, "cells" };
		if (json_array_append_new(a,
					  json_integer((json_int_t)c->index - before)) ||
		    json_array_append_new(a, json_integer((json_int_t)c->count)))
			*out = (struct out){ -ENOMEM, "cells" };
		before = c->index;
	}
	return a;
}

static json_t *dir_to_json(struct out *out, const struct st_dir *d)
{
	json_t *o = json_object();

	put_fields(out, o, d, dir_fields, ARRAY_LEN(dir_fields));
	put(out, o, "cells", cells_to_json(out, &d->lat));
	return o;
}

static json_t *errors_to_json(struct out *out, const struct st_point *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->n_error && i < ST_ERRORS_KEPT; i++) {
		const struct st_error *e = &p->error[i];
		json_t *o = json_object();

		put_fields(out, o, e, error_fields, ARRAY_LEN(error_fields));
		put(out, o, "dir", json_string(dir_words[e->dir]));
		put(out, o, "res", json_integer(e->res));
		if (json_array_append_new(a, o))
			*out = (struct out){ -ENOMEM, "first_errors" };
	}
	return a;
}

static json_t *cursors_to_json(struct out *out, const struct st_point *p)
{
	json_t *a = json_array();

	for (int dir = 0; dir < IO_DIRS; dir++) {
		if (p->cursor_b[dir] > INT64_MAX && !out->failed)
			*out = (struct out){ -EOVERFLOW, "cursor_b" };
		if (json_array_append_new(a, json_integer((json_int_t)p->cursor_b[dir])))
			*out = (struct out){ -ENOMEM, "cursor_b" };
	}
	return a;
}

static json_t *host_to_json(struct out *out, const struct st_point *p)
{
	if (!p->host_known)
		return json_null();
	json_t *o = json_object();

	put_fields(out, o, p, host_fields, ARRAY_LEN(host_fields));
	return o;
}

int st_point_to_json(const struct st_point *p, json_t **ret, struct err *err)
{
	struct out out = { 0 };
	json_t *o = json_object();
	char seed[17];

	snprintf(seed, sizeof(seed), "%016" PRIx64, p->seed);
	put(&out, o, "test", json_string(p->test));
	put(&out, o, "phase", json_string(st_phase_word(p->phase)));
	put(&out, o, "pattern", json_string(io_pattern_word(p->pattern)));
	put(&out, o, "seed", json_string(seed));
	put_fields(&out, o, p, point_fields, ARRAY_LEN(point_fields));
	put(&out, o, "cursor_b", cursors_to_json(&out, p));
	for (int dir = 0; dir < IO_DIRS; dir++)
		put(&out, o, dir_words[dir], dir_to_json(&out, &p->dir[dir]));
	put(&out, o, "first_errors", errors_to_json(&out, p));
	put(&out, o, "host", host_to_json(&out, p));
	put(&out, o, "host_limited", json_boolean(p->host_limited));
	put(&out, o, "complete", json_boolean(p->complete));
	if (out.failed) {
		json_decref(o);
		if (out.failed == -ENOMEM)
			return err_set(err, EXIT_CODE_HOST, ENOMEM,
				       "out of memory writing a point");
		return err_set(err, EXIT_CODE_INTERNAL, EOVERFLOW,
			       "%s of a point is beyond 2^63 - 1 and cannot be stored",
			       out.name);
	}
	*ret = o;
	return 0;
}

/* Reading: the name of the first member that is missing or makes no sense, or NULL. */
static const char *get_fields(const json_t *o, void *into, const struct field *f,
			      size_t n)
{
	for (; n; n--, f++) {
		const json_t *value = json_object_get(o, f->name);
		json_int_t v = json_integer_value(value);

		if (!json_is_integer(value) || v < 0 || (uint64_t)v > field_max(f))
			return f->name;
		field_set(into, f, (uint64_t)v);
	}
	return NULL;
}

static bool get_bool(const json_t *o, const char *name, bool *ret)
{
	const json_t *value = json_object_get(o, name);

	*ret = json_is_true(value);
	return json_is_boolean(value);
}

/* The cells must be those of a histogram with this count, sum, min and max. */
static bool cells_from_json(const json_t *a, struct hist_sparse *lat)
{
	size_t n = json_array_size(a);
	uint64_t total = 0;
	json_int_t index = 0;

	if (!json_is_array(a) || n % 2 || n / 2 > HIST_BUCKETS)
		return false;
	lat->cell = calloc(n / 2 + 1, sizeof(*lat->cell));
	if (!lat->cell)
		return false;
	for (size_t i = 0; i < n; i += 2) {
		const json_t *step = json_array_get(a, i),
			     *count = json_array_get(a, i + 1);
		json_int_t by = json_integer_value(step), c = json_integer_value(count);

		if (!json_is_integer(step) || !json_is_integer(count) || by < 0 ||
		    by >= HIST_BUCKETS || (i && !by) || c <= 0)
			return false;
		index += by;
		total += (uint64_t)c;
		if (index >= HIST_BUCKETS || total > INT64_MAX)
			return false;
		lat->cell[lat->n++] = (struct hist_cell){ (uint32_t)index, (uint64_t)c };
	}
	if (total != lat->count)
		return false;
	return !lat->n || (lat->min_ns <= lat->max_ns &&
			   hist_index(lat->min_ns) == lat->cell[0].index &&
			   hist_index(lat->max_ns) == lat->cell[lat->n - 1].index);
}

static const char *dir_from_json(const json_t *o, struct st_dir *d)
{
	const char *bad = get_fields(o, d, dir_fields, ARRAY_LEN(dir_fields));

	if (!bad && !cells_from_json(json_object_get(o, "cells"), &d->lat))
		bad = "cells";
	return bad;
}

static bool errors_from_json(const json_t *a, struct st_point *p)
{
	p->n_error = json_array_size(a);
	if (!json_is_array(a) || p->n_error > ST_ERRORS_KEPT)
		return false;
	for (size_t i = 0; i < p->n_error; i++) {
		const json_t *o = json_array_get(a, i), *res = json_object_get(o, "res");
		struct st_error *e = &p->error[i];
		size_t dir = word_index(json_object_get(o, "dir"), dir_words, IO_DIRS);

		if (get_fields(o, e, error_fields, ARRAY_LEN(error_fields)) ||
		    dir == IO_DIRS || !json_is_integer(res))
			return false;
		e->dir = (enum io_dir)dir;
		e->res = json_integer_value(res);
	}
	return true;
}

static bool cursors_from_json(const json_t *a, struct st_point *p)
{
	if (json_array_size(a) != IO_DIRS)
		return false;
	for (size_t dir = 0; dir < IO_DIRS; dir++) {
		const json_t *value = json_array_get(a, dir);

		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
		p->cursor_b[dir] = (uint64_t)json_integer_value(value);
	}
	return true;
}

static bool seed_from_json(const json_t *value, uint64_t *ret)
{
	const char *text = json_string_value(value);

	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*ret = strtoull(text, NULL, 16);
	return true;
}

static bool words_from_json(const json_t *o, struct st_point *p)
{
	static const char *const patterns[] = { "RND", "SEQ" };
	const char *test = json_string_value(json_object_get(o, "test"));
	size_t phase = word_index(json_object_get(o, "phase"), phase_words,
				  ARRAY_LEN(phase_words));
	size_t pattern =
		word_index(json_object_get(o, "pattern"), patterns, ARRAY_LEN(patterns));

	if (!test || strlen(test) >= sizeof(p->test) || phase == ARRAY_LEN(phase_words) ||
	    pattern == ARRAY_LEN(patterns))
		return false;
	snprintf(p->test, sizeof(p->test), "%s", test);
	p->phase = (enum st_phase)phase;
	p->pattern = pattern ? IO_SEQ : IO_RAND;
	return true;
}

static const char *host_from_json(const json_t *host, struct st_point *p)
{
	p->host_known = !json_is_null(host);
	return p->host_known ? get_fields(host, p, host_fields, ARRAY_LEN(host_fields))
			     : NULL;
}

static const char *members_from_json(const json_t *o, struct st_point *p)
{
	const char *bad = NULL;

	if (!words_from_json(o, p))
		return "test, phase or pattern";
	if (!seed_from_json(json_object_get(o, "seed"), &p->seed))
		return "seed";
	bad = get_fields(o, p, point_fields, ARRAY_LEN(point_fields));
	if (bad)
		return bad;
	if (p->read_pct > 100)
		return "read_pct";
	if (p->t1_ns < p->t0_ns)
		return "t1_ns";
	if (!cursors_from_json(json_object_get(o, "cursor_b"), p))
		return "cursor_b";
	for (int dir = 0; dir < IO_DIRS && !bad; dir++)
		bad = dir_from_json(json_object_get(o, dir_words[dir]), &p->dir[dir]);
	if (bad)
		return bad;
	if (!errors_from_json(json_object_get(o, "first_errors"), p))
		return "first_errors";
	bad = host_from_json(json_object_get(o, "host"), p);
	if (bad)
		return bad;
	if (!get_bool(o, "host_limited", &p->host_limited))
		return "host_limited";
	return get_bool(o, "complete", &p->complete) ? NULL : "complete";
}

int st_point_from_json(const json_t *o, struct st_point *ret, struct err *err)
{
	*ret = (struct st_point){ 0 };
	const char *bad = members_from_json(o, ret);

	if (!bad)
		return 0;
	st_point_release(ret);
	return err_set(err, EXIT_CODE_HOST, EINVAL,
		       "the point's %s is missing or makes no sense", bad);
}

void st_point_release(struct st_point *p)
{
	for (int dir = 0; dir < IO_DIRS; dir++)
		hist_sparse_release(&p->dir[dir].lat);
	*p = (struct st_point){ 0 };
}
