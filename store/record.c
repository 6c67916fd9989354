/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const kind_words[] = {
	[ST_START] = "start",   [ST_STAGE] = "stage", [ST_POINT] = "point",
	[ST_HEALTH] = "health", [ST_EVENT] = "event", [ST_END] = "end",
};

/* The members that are the record's own; a start record has the journal's schema as well. */
static const char *const own_members[] = { "kind", "seq", "wall_ns", "crc32" };

#define CRC_FORMAT ",\"crc32\":\"%08" PRIx32 "\"}"
#define CRC_LEN    20

static uint32_t crc_of(const char *bytes, size_t len)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)bytes, len);
}

bool st_line_whole(const char *line, size_t len)
{
	char tail[CRC_LEN + 1];

	if (len <= CRC_LEN)
		return false;
	snprintf(tail, sizeof(tail), CRC_FORMAT, crc_of(line, len - CRC_LEN));
	return !memcmp(line + len - CRC_LEN, tail, CRC_LEN);
}

static int header_parse(const json_t *o, struct st_record *rec, struct err *err)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	const json_t *seq = json_object_get(o, "seq"),
		     *wall_ns = json_object_get(o, "wall_ns");
	size_t i = 0;

	while (i < ARRAY_LEN(kind_words) && (!kind || strcmp(kind, kind_words[i]) != 0))
		i++;
	if (i == ARRAY_LEN(kind_words))
		return err_set(err, EXIT_CODE_HOST, EINVAL, "a record of unknown kind");
	if (!json_is_integer(seq) || json_integer_value(seq) < 0 ||
	    !json_is_integer(wall_ns))
		return err_set(err, EXIT_CODE_HOST, EINVAL,
			       "seq or wall_ns is missing or makes no sense");
	rec->kind = (enum st_kind)i;
	rec->seq = (uint64_t)json_integer_value(seq);
	rec->wall_ns = json_integer_value(wall_ns);
	if (rec->kind == ST_START) {
		const json_t *schema = json_object_get(o, "schema");

		if (json_integer_value(schema) != ST_SCHEMA)
			return err_set(err, EXIT_CODE_HOST, EINVAL,
				       "schema %" JSON_INTEGER_FORMAT
				       " is not known to this version, which reads %d",
				       json_integer_value(schema), ST_SCHEMA);
	}
	return 0;
}

int st_line_parse(const char *line, size_t len, struct st_record *ret, struct err *err)
{
	json_error_t why;
	json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	int rc = 0;

	*ret = (struct st_record){ 0 };
	if (!json_is_object(o)) {
		rc = err_set(err, EXIT_CODE_HOST, EINVAL, "no JSON object%s%s",
			     o ? "" : ": ", o ? "" : why.text);
		goto out;
	}
	rc = header_parse(o, ret, err);
	if (rc)
		goto out;
	if (ret->kind != ST_POINT) {
		for (size_t i = 0; i < ARRAY_LEN(own_members); i++)
			json_object_del(o, own_members[i]);
		if (ret->kind == ST_START)
			json_object_del(o, "schema");
		ret->body = o;
		return 0;
	}
	ret->point = malloc(sizeof(*ret->point));
	rc = ret->point ? st_point_from_json(o, ret->point, err)
			: err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	if (rc) {
		free(ret->point);
		*ret = (struct st_record){ 0 };
	}
out:
	json_decref(o);
	return rc;
}

/* The record's own members first, then its body's. */
static json_t *compose(enum st_kind kind, uint64_t seq, int64_t wall_ns,
		       const json_t *members)
{
	json_t *o = json_pack("{s:s, s:I, s:I}", "kind", kind_words[kind], "seq",
			      (json_int_t)seq, "wall_ns", (json_int_t)wall_ns);
	const char *name;
	json_t *value;

	if (!o || (kind == ST_START &&
		   json_object_set_new(o, "schema", json_integer(ST_SCHEMA))))
		goto fail;
	void *it = json_object_iter(
		(json_t *)(uintptr_t)members); /* its prototype lacks const */

	for (; it; it = json_object_iter_next((json_t *)(uintptr_t)members, it)) {
		name = json_object_iter_key(it);
		value = json_object_iter_value(it);
		if (json_object_get(o, name) || json_object_set(o, name, value))
			goto fail;
	}
	return o;
fail:
	json_decref(o);
	return NULL;
}

int st_line_write(struct str *s, enum st_kind kind, uint64_t seq, int64_t wall_ns,
		  const json_t *members, struct err *err)
{
	json_t *o = compose(kind, seq, wall_ns, members);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
	int rc = 0;

	if (text) {
		size_t len = strlen(text) - 1; /* without the closing brace */

		str_add_bytes(s, text, len);
		str_addf(s, CRC_FORMAT "\n", crc_of(text, len));
	}
	if (!text || s->failed)
		rc = err_set(
			err, EXIT_CODE_INTERNAL, EINVAL,
			"a %s record cannot be written: out of memory, text that is not UTF-8, or a member named like the record's own",
			kind_words[kind]);
	free(text);
	json_decref(o);
	return rc;
}

void st_record_release(struct st_record *rec)
{
	if (rec->point)
		st_point_release(rec->point);
	free(rec->point);
	json_decref(rec->body);
	*rec = (struct st_record){ 0 };
}
