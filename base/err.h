/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors that libraries hand up: a kind (which decides the exit code), an errno and one
 * printable sentence with the values in it. Libraries never print and never exit.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/compiler.h"

/* Exit codes of plateau; one meaning each (design.md section 4). */
enum exit_code {
	EXIT_CODE_COMPLETE = 0,
	EXIT_CODE_INTERNAL = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_SAFETY = 3,
	EXIT_CODE_PURGE = 4,
	EXIT_CODE_NOT_STEADY = 5,
	EXIT_CODE_LIMITS = 6,
	EXIT_CODE_DEVICE = 7,
	EXIT_CODE_HOST = 8,
	EXIT_CODE_INTERRUPTED = 9,
	EXIT_CODE_INVALID = 10,
	EXIT_CODE_DIFFERS = 11,
};

/* The graver of two codes: the first of 1 7 8 4 3 2 9 10 11 5 6, else 0. */
enum exit_code exit_code_graver(enum exit_code a, enum exit_code b);
/* A short word for the code, for JSON and reports ("complete", "device error", ...). */
const char *exit_code_word(enum exit_code code);

struct err {
	enum exit_code code; /* the exit code that this failure leads to */
	int errnum;          /* positive errno value, 0 if none applies */
	char text[768]; /* one sentence, no final newline; complete enough to print */
};

/*
 * Fill `err` (may be NULL) and return -errnum, or -EIO where errnum is 0, so that a library
 * function can end with `return err_set(...)`. The text is what, where and what to do.
 */
int err_set(struct err *err, enum exit_code code, int errnum, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

#endif
