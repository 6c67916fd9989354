/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_REPORTING_H
#define CLI_REPORTING_H

#include "base/err.h"
#include "report/limits.h"
#include "report/model.h"
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

/* Now, or what SOURCE_DATE_EPOCH says, so that a report can be made again byte by byte. */
int cli_report_date(int64_t *ret_wall_ns, struct err *err) MUST_CHECK;
/* --paper's word. */
enum rpt_paper cli_paper(const char *word);

/* A runner's on_judge: the limits of run.json. EXIT_CODE_LIMITS where one fails. */
int cli_judge_limits(void *arg, const struct st_run *run, struct err *err);

#endif
