/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run directory -> charts, report.html, report.pdf, CSV, summary table. Needs no device and no root.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/str.h"
#include "report/limits.h"
#include "report/model.h"
#include "store/store.h"

struct rpt_opts {
	const char *out_dir; /* NULL: the run directory */
	enum rpt_paper paper;
	const struct rpt_limits *limits; /* a page of them, and junit.xml beside it */
	int64_t report_wall_ns; /* the report date; SOURCE_DATE_EPOCH is the caller's to read */
};

struct rpt_result {
	char pdf[4096]; /* path; "" when it could not be made */
	char html[4096];
	unsigned pages;
};

/*
 * Everything that the run allows; a run without an end record is marked incomplete. gnuplot
 * missing: EXIT_CODE_HOST before anything is written.
 */
int rpt_make(const struct st_run *run, const struct rpt_opts *opts,
	     struct rpt_result *ret, struct err *err) MUST_CHECK;

/* The figures that a reader asks for first: [{test, what, value (as printed), unit}]. The caller owns it. */
int rpt_figures(const struct st_run *run, json_t **ret, struct err *err) MUST_CHECK;

/* The summary table for the terminal. */
int rpt_summary(const struct st_run *run, struct str *out, struct err *err) MUST_CHECK;

#endif
