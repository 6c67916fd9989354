/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inih gets its lines from next_line(), which knows their numbers, tells of empty sections too, and
 * refuses what inih would cut: lines longer than its buffer, and long names.
 */
#include "base/ini.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define MAX_FILE_B (1 << 20)
#define MAX_NAME   48 /* inih keeps so much of a section or key */

struct reader {
	const char *at; /* what is left of the text */
	unsigned line;
	bool section_next; /* the line just given began a section */
	bool owed;         /* the line just given must come back as a call */
	ini_on_line on_line;
	void *arg;
	int rc;
	struct err err;
};

static bool fail(struct reader *r, const char *why)
{
	r->rc = err_set(&r->err, EXIT_CODE_USAGE, EINVAL, "%s", why);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A section's or key's name of so many bytes, with blanks behind it perhaps. */
static bool fits(const char *name, size_t n)
{
	while (n && is_blank(name[n - 1]))
		n--;
	return n <= MAX_NAME;
}

static bool check_line(struct reader *r, const char *line, size_t len, size_t room)
{
	if (len > room)
		return fail(r, "the line is too long");
	if (*line == '[') {
		const char *end = memchr(line, ']', len);

		if (!end)
			return fail(r, "']' is missing");
		if (!fits(line + 1, (size_t)(end - line) - 1))
			return fail(r, "the section's name is too long");
	} else if (!fits(line, strcspn(line, "=:\n"))) {
		return fail(r, "the key is too long");
	}
	return true;
}

/* What inih asks for in place of fgets(). */
static char *next_line(char *buf, int size, void *arg)
{
	struct reader *r = arg;
	size_t len;

	if (r->owed && !r->rc)
		fail(r, "this is neither [section] nor key = value");
	if (r->rc)
		return NULL;
	if (r->section_next) { /* a line without key and value: see on_key() */
		r->section_next = false;
		return strcpy(buf, "=\n");
	}
	if (!*r->at)
		return NULL;
	r->line++;
	while (is_blank(
		*r->at)) /* inih takes an indented line for more of the last value */
		r->at++;
	len = strcspn(r->at, "\n");
	if (!check_line(r, r->at, len, (size_t)size - 3))
		return NULL;
	memcpy(buf, r->at, len);
	strcpy(buf + len, "\n");
	r->at += len + (r->at[len] == '\n');
	r->section_next = *buf == '[';
	r->owed = !strchr("[;#\n", *buf);
	return buf;
}

static int on_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reader *r = arg;
	bool begins = !r->owed; /* only next_line()'s own line is not owed */

	r->owed = false;
	if (!begins && !*key)
		fail(r, "a key is missing before '='");
	if (!r->rc)
		r->rc = r->on_line(r->arg, section, begins ? NULL : key, value, &r->err);
	return !r->rc;
}

int ini_read(const char *path, ini_on_line on_line, void *arg, struct err *err)
{
	struct reader r = { .on_line = on_line, .arg = arg };
	struct str text = { 0 };
	int rc = str_read_file(&text, path, MAX_FILE_B, err);

	if (!rc && strlen(str_text(&text)) != text.len)
		rc = err_set(err, EXIT_CODE_USAGE, EINVAL, "%s is no text", path);
	if (!rc) {
		r.at = str_text(&text);
		if (!strncmp(r.at, "\xef\xbb\xbf", 3)) /* a byte order mark */
			r.at += 3;
		rc = ini_parse_stream(next_line, &r, on_key, &r) < 0 ? -ENOMEM : r.rc;
		if (r.rc)
			err_set(err, r.err.code, r.err.errnum, "%s:%u: %s", path, r.line,
				r.err.text);
		else if (rc)
			err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	}
	str_release(&text);
	return rc;
}
