/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every figure as CSV (RFC 4180), unrounded, with the unit in the header of its column. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/str.h"
#include "report/data.h"

/* One cell, quoted where it must be. RFC 4180 section 2. */
void rpt_csv_word(struct str *s, const char *text);
/* Into `dir`, which exists. */
int rpt_csv_write(struct rpt_data *d, const char *dir, struct err *err) MUST_CHECK;

#endif
