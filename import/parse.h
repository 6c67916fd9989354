/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of the single formats share. Each gets UTF-8 without carriage returns. */
#ifndef IMPORT_PARSE_H
#define IMPORT_PARSE_H

#include <stdbool.h>

#include "import/import.h"

int imp_cdm(const char *text, struct imp_result *r, struct err *err) MUST_CHECK;
int imp_asssd(const char *text, struct imp_result *r, struct err *err) MUST_CHECK;
int imp_fio(const char *text, struct imp_result *r, struct err *err) MUST_CHECK;
int imp_tkperf(const char *text, struct imp_result *r, struct err *err) MUST_CHECK;

/* The next line, without its end, into `line` (cut where it is longer); false at the end. */
#define IMP_LINE 512
bool imp_line(const char **at, char line[IMP_LINE]);
/* A number with a point or a comma before its decimals; false where it is none, negative or endless. */
bool imp_number(const char *text, double *ret);
/* One more; what follows from the rest is filled in. Too many, or no sense: EXIT_CODE_USAGE. */
int imp_add(struct imp_result *r, const struct imp_figure *f, struct err *err) MUST_CHECK;

#endif
