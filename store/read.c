/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a run directory. Each record was synced before the next was begun, so a crash can harm the
 * last line only: that one is left out, and counted. A line that is not whole anywhere else, or
 * that is whole and makes no sense, is damage that no crash explains.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/record.h"

#define RUN_MAX_B MIB(16)

static bool reserve(struct st_run *run)
{
	if (run->n < run->cap)
		return true;
	size_t cap = run->cap ? run->cap * 2 : 64;
	struct st_record *rec = realloc(run->rec, cap * sizeof(*rec));

	if (!rec)
		return false;
	run->rec = rec;
	run->cap = cap;
	return true;
}

bool st_is_event(const struct st_record *rec, const char *name)
{
	return rec->kind == ST_EVENT && !strcmp(st_text(rec->body, "event"), name);
}

bool st_is_cut(const struct st_record *rec)
{
	return rec->kind == ST_END || (rec->point && !rec->point->complete) ||
	       (st_is_event(rec, "deviation") &&
		!strcmp(st_text(rec->body, "code"), "unfinished"));
}

/* What the run said of its end is void in any case; points and stages from "void_from" on. */
static void make_void(struct st_run *run, const json_t *resumed)
{
	json_int_t from = json_integer_value(json_object_get(resumed, "void_from"));

	for (size_t i = 0; i < run->n; i++) {
		struct st_record *rec = &run->rec[i];
		bool undone = rec->seq >= (uint64_t)from &&
			      (rec->kind == ST_POINT || rec->kind == ST_STAGE);

		if (undone || (!rec->point && st_is_cut(rec)))
			rec->is_void = true;
	}
}

bool st_run_add(struct st_run *run, struct st_record *rec)
{
	if (!reserve(run))
		return false;
	if (st_is_event(rec, "resumed"))
		make_void(run, rec->body);
	run->rec[run->n++] = *rec;
	return true;
}

static int run_json_read(struct st_run *run, const char *path, struct err *err)
{
	struct str text = { 0 };
	json_error_t why;
	struct err inner;
	int rc = str_read_file(&text, path, RUN_MAX_B, &inner);

	if (rc == -ENOENT || rc == -ENOTDIR) {
		rc = err_set(err, EXIT_CODE_HOST, -rc,
			     "%s is no run directory: it has no " ST_RUN_NAME, run->dir);
		goto out;
	}
	if (rc) {
		if (err)
			*err = inner;
		goto out;
	}
	run->run = json_loadb(str_text(&text), text.len, JSON_REJECT_DUPLICATES, &why);
	const json_t *schema = json_object_get(run->run, "schema");

	if (!json_is_object(run->run))
		rc = err_set(err, EXIT_CODE_HOST, EINVAL, "%s is damaged: %s", path,
			     run->run ? "no JSON object" : why.text);
	else if (!json_is_integer(schema) || json_integer_value(schema) != ST_SCHEMA)
		rc = err_set(err, EXIT_CODE_HOST, EINVAL,
			     "%s: schema %" JSON_INTEGER_FORMAT
			     " is not known to this version, which reads %d",
			     path, json_integer_value(schema), ST_SCHEMA);
out:
	str_release(&text);
	return rc;
}

static int line_read(struct st_run *run, const char *path, size_t number,
		     const char *line, size_t len, struct err *err)
{
	struct st_record rec;
	struct err why;
	int rc = st_line_parse(line, len, &rec, &why);

	if (rc)
		return err_set(err, why.code, -rc, "%s line %zu: %s", path, number,
			       why.text);
	if (rec.seq != run->n)
		rc = err_set(err, EXIT_CODE_HOST, EINVAL,
			     "%s line %zu: record %" PRIu64
			     " stands where record %zu belongs",
			     path, number, rec.seq, run->n);
	else if (!st_run_add(run, &rec))
		rc = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory reading %s",
			     path);
	if (rc)
		st_record_release(&rec);
	return rc;
}

static int journal_read(struct st_run *run, const char *path, struct err *err)
{
	struct str text = { 0 };
	int rc = str_read_file(&text, path, JOURNAL_MAX_B, err);
	const char *at = str_text(&text), *end = at + text.len;

	for (size_t number = 1; !rc && at < end; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);

		/* Without its newline a record was never finished, whatever it holds. */
		if (stop && st_line_whole(at, len)) {
			rc = line_read(run, path, number, at, len, err);
			at = stop + 1;
		} else if (!stop || stop + 1 == end) {
			run->dropped_b = (uint64_t)(end - at);
			at = end;
		} else {
			rc = err_set(err, EXIT_CODE_HOST, EINVAL,
				     "%s line %zu is damaged: its checksum does not fit",
				     path, number);
		}
	}
	str_release(&text);
	return rc;
}

int st_run_read(const char *dir, struct st_run *ret, struct err *err)
{
	char path[sizeof(ret->dir) + sizeof("/" ST_JOURNAL_NAME)];
	int rc;

	*ret = (struct st_run){ 0 };
	if (strlen(dir) >= sizeof(ret->dir))
		return err_set(err, EXIT_CODE_HOST, ENAMETOOLONG,
			       "the path of the run is too long");
	snprintf(ret->dir, sizeof(ret->dir), "%s", dir);
	snprintf(path, sizeof(path), "%s/" ST_RUN_NAME, dir);
	rc = run_json_read(ret, path, err);
	if (!rc) {
		snprintf(path, sizeof(path), "%s/" ST_JOURNAL_NAME, dir);
		rc = journal_read(ret, path, err);
	}
	if (rc)
		st_run_release(ret);
	return rc;
}

void st_run_release(struct st_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		st_record_release(&run->rec[i]);
	free(run->rec);
	json_decref(run->run);
	*run = (struct st_run){ 0 };
}

const struct st_record *st_run_nth(const struct st_run *run, enum st_kind kind, size_t i)
{
	for (size_t k = 0; k < run->n; k++)
		if (run->rec[k].kind == kind && !run->rec[k].is_void && !i--)
			return &run->rec[k];
	return NULL;
}

size_t st_run_points(const struct st_run *run, const char *test, enum st_phase phase,
		     uint32_t loop_bs_b, const struct st_point **ret, size_t max)
{
	size_t n = 0;

	for (size_t k = 0; k < run->n && n < max; k++) {
		const struct st_point *p = st_counted(&run->rec[k]);

		if (p && p->phase == phase && p->loop_bs_b == loop_bs_b &&
		    !strcmp(p->test, test))
			ret[n++] = p;
	}
	return n;
}

const char *st_text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

bool st_run_simulated(const struct st_run *run)
{
	const json_t *device = json_object_get(run->run, "device");
	const char *kind = json_string_value(json_object_get(device, "kind"));

	return kind && !strcmp(kind, "sim");
}

const json_t *st_run_end(const struct st_run *run)
{
	const struct st_record *rec = st_run_nth(run, ST_END, 0);

	return rec ? rec->body : NULL;
}
