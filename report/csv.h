/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every figure as CSV (RFC 4180), unrounded, with the unit in the header of its column. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "report/data.h"

/* Into `dir`, which exists. */
int rpt_csv_write(struct rpt_data *d, const char *dir, struct err *err) MUST_CHECK;

#endif
