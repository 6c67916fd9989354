/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits: what a run must have measured to pass. A limit is a figure, a comparison and a value:
 *
 *   TEST.BLOCK.MIX[.STAT]   a cell of a test's rounds, over the steady window: "iops.4KiB.0/100"
 *   wsat.STAT               write saturation
 *   health.NAME[.change]    a number of the drive's health records: the last, or last less first
 *   health.NAME.max, .min   the highest and lowest of them
 *   run.io_errors, run.deviations
 *
 * STAT of a cell: iops, mb_per_s, art, mrt, p50 ... p99.999; left out: what the test is about.
 * STAT of wsat: first, last, average, fresh, lowest, floor_iops (IOPS); floor (share of fresh); swing
 * (of the floor, a share); fills; art, mrt, p50 ... p99.999 of its histogram.
 */
#ifndef REPORT_LIMITS_H
#define REPORT_LIMITS_H

#include "base/str.h"
#include "store/store.h"

enum rpt_limit_unit {
	RPT_UNIT_IOPS,  /* 180k */
	RPT_UNIT_MBPS,  /* 2000, 2.1GB/s */
	RPT_UNIT_MS,    /* 800us */
	RPT_UNIT_SHARE, /* 0.9, 90% */
	RPT_UNIT_PLAIN,
};

struct rpt_limit {
	char text[128]; /* as written, blanks evened out */
	char test[16];  /* "iops", "wsat", "health", "run" */
	char stat[64];  /* or the name of what health says */
	uint32_t bs_b;  /* 0: no cell */
	uint8_t read_pct;
	uint32_t ppb; /* percentile; 0: none */
	enum rpt_limit_unit unit;
	char op; /* '<', '>' (or equal), '=' */
	double bound;
};

struct rpt_limits {
	struct rpt_limit *limit;
	size_t n;
};

/* What is no limit: EXIT_CODE_USAGE, with file and line. Release also after a failure. */
int rpt_limits_read(const char *path, struct rpt_limits *ret, struct err *err) MUST_CHECK;
void rpt_limits_release(struct rpt_limits *l);

/* As run.json keeps them: an array of texts. */
json_t *rpt_limits_json(const struct rpt_limits *l);
/* Those that the run was begun with; none is fine. Damaged: EXIT_CODE_HOST. */
int rpt_limits_of_run(const struct st_run *run, struct rpt_limits *ret,
		      struct err *err) MUST_CHECK;

/* A finding for each limit, in their order. */
struct rpt_finding {
	bool measured, pass; /* what was not measured does not pass */
	char value[48];      /* with its unit; "not measured" */
};
struct rpt_data;
void rpt_limits_find(struct rpt_data *d, const struct rpt_limits *l,
		     struct rpt_finding *ret);
int rpt_limits_judge(const struct st_run *run, const struct rpt_limits *l,
		     struct rpt_finding *ret, struct err *err) MUST_CHECK;

/* "2 of 5 limits failed: iops.4KiB.0/100 >= 180k (171000 IOPS), ..."; how many. */
unsigned rpt_limits_sum_up(const struct rpt_limits *l, const struct rpt_finding *f,
			   struct str *ret);
/* DIR/junit.xml: a test case for each limit. */
int rpt_limits_junit(const struct st_run *run, const struct rpt_limits *l,
		     const struct rpt_finding *f, const char *dir,
		     struct err *err) MUST_CHECK;

#endif
