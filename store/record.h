/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One record, one line of the journal:
 *
 *	{"kind":"point","seq":7,"wall_ns":1790000000000000000, ... ,"crc32":"0b1c2d3e"}\n
 *
 * The checksum is zlib's CRC-32 over the bytes from the opening brace up to, not including, the
 * comma before "crc32". That member always stands last and is always 20 bytes long, so a
 * reader can check a line without parsing it.
 */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "base/str.h"
#include "store/store.h"

/* True where the line (without its newline) ends in its own right checksum. */
bool st_line_whole(const char *line, size_t len) MUST_CHECK;
/*
 * A whole line into a record. -EINVAL: what is wrong stands in err->text as half a sentence that
 * the caller puts behind file and line number.
 */
int st_line_parse(const char *line, size_t len, struct st_record *ret,
		  struct err *err) MUST_CHECK;
/* A record's line, with its newline, added to `s`. `members` is borrowed. */
int st_line_write(struct str *s, enum st_kind kind, uint64_t seq, int64_t wall_ns,
		  const json_t *members, struct err *err) MUST_CHECK;
void st_record_release(struct st_record *rec);

/* A point's members, as a new object. A value beyond 2^63 - 1: EXIT_CODE_INTERNAL. */
int st_point_to_json(const struct st_point *p, json_t **ret, struct err *err) MUST_CHECK;
/* The same back. On failure `ret` is empty and err->text as for st_line_parse. */
int st_point_from_json(const json_t *o, struct st_point *ret, struct err *err) MUST_CHECK;
void st_point_release(struct st_point *p);

#define ST_RUN_NAME     "run.json"
#define ST_JOURNAL_NAME "journal.jsonl"
#define JOURNAL_MAX_B   GIB(1)

/* Add a record, taking it over. An event "resumed" makes void what it says. False without memory. */
bool st_run_add(struct st_run *run, struct st_record *rec) MUST_CHECK;
/* A point that was cut short, or the words about it: what a replay does not reproduce. */
bool st_is_cut(const struct st_record *rec);

#endif
