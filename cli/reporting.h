/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_REPORTING_H
#define CLI_REPORTING_H

#include "base/err.h"
#include "store/store.h"

/*
 * Print the summary, draw the report (out_dir NULL: in the run directory; paper "a4", "letter" or
 * NULL) and print, last, the path of report.pdf. The summary is printed also where drawing fails.
 */
int cli_report(const struct st_run *run, const char *out_dir, const char *paper,
	       struct err *err) MUST_CHECK;

#endif
