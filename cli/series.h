/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series of round values as text: "round value" a line, separated by blanks or a comma, or one
 * value a line, which are rounds 1, 2, .. A first line of words is a header; # begins a
 * comment. Rounds are consecutive.
 */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include <stdio.h>

#include "base/err.h"

struct series {
	unsigned first; /* round of value[0] */
	double *value; /* as written: nan, inf and negative values are for the rule to refuse */
	size_t n, cap;
};

/* `name` is the file's name for the sentence. EXIT_CODE_USAGE with the line number. */
int series_read(FILE *f, const char *name, struct series *ret,
		struct err *err) MUST_CHECK;
void series_release(struct series *s);

#endif
