/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing text. Out of memory is remembered in `failed`; check it once, at the end. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/err.h"

struct str {
	char *text; /* always terminated once non-NULL */
	size_t len, cap;
	bool failed;
};

void str_addf(struct str *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *bytes, size_t n);
void str_release(struct str *s);
/* The text, never NULL. */
const char *str_text(const struct str *s);

/* Read a whole (small) file, at most max bytes. The caller releases. EXIT_CODE_HOST. */
int str_read_file(struct str *s, const char *path, size_t max,
		  struct err *err) MUST_CHECK;
/* Write text to path through a temporary file, fsync and rename: all or nothing. */
int str_write_file(const struct str *s, const char *path, struct err *err) MUST_CHECK;

#endif
