/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_REPORTING_H
#define CLI_REPORTING_H

#include "base/err.h"
#include "report/limits.h"
#include "store/store.h"

/*
 * Print the summary, draw the report (out_dir NULL: in the run directory; paper "a4", "letter" or
 * NULL) and print, last, the path of report.pdf. The summary is printed also where drawing fails.
 */
int cli_report(const struct st_run *run, const char *out_dir, const char *paper,
	       struct err *err) MUST_CHECK;
/* The same, held to other limits than those of run.json; *ret_failed: how many fail. */
int cli_report_limits(const struct st_run *run, const char *out_dir, const char *paper,
		      const struct rpt_limits *limits, unsigned *ret_failed,
		      struct err *err) MUST_CHECK;

/* A runner's on_judge: the limits of run.json. EXIT_CODE_LIMITS where one fails. */
int cli_judge_limits(void *arg, const struct st_run *run, struct err *err);

#endif
