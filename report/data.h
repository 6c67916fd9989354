/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as the report sees it: its tests with their points, rounds and verdicts, and what
 * run.json says about drive and host. Everything that is drawn, written or summed up comes from
 * here; every figure is computed once, in data.c.
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include "pts/ledger.h"
#include "report/model.h"
#include "steady_state/shape.h"

/* The percentiles that are shown: one table feeds label and value. */
struct rpt_percentile {
	uint32_t ppb;
	const char *label; /* "99.999 %" */
	const char *nines; /* "5 9s" */
};
#define RPT_PERCENTILES 3
extern const struct rpt_percentile rpt_percentiles[RPT_PERCENTILES];
#define RPT_FIVE_NINES 2 /* the index that the PTS asks for in tables */

struct rpt_points {
	const struct st_point **p;
	size_t n;
};

/* One test; of a test that is repeated for several block sizes, one of its cycles. */
struct rpt_unit {
	const struct pts_test *test;
	uint32_t loop_bs_b;
	const char *key;   /* "iops", "tp-1024k": names of files and links */
	const char *title; /* "IOPS", "Throughput 1024 KiB" */
	struct rpt_points fill, minute, hist;
	struct pts_rounds rounds;
	struct pts_verdict verdict;         /* of a test with rounds */
	struct pts_sat_verdict sat;         /* of a saturation */
	struct ss_shape shape;              /* of its IOPS by the minute */
	const struct ss_decision *decision; /* the one of the two that counts */
	unsigned first, last; /* rounds that tables average; 0: none are complete */
	bool in_window;       /* they are the measurement window */
	const json_t *purge;  /* the purge's stage record; NULL where none is */
	bool ran;             /* has any point */
};

#define RPT_MAX_MARKS 4

struct rpt_data {
	struct rpt_arena *arena;
	const struct st_run *run;
	struct pts_run_opts opts;
	struct rpt_unit *unit;
	size_t n_unit;
	struct pts_deviation *deviation; /* freed by rpt_data_release */
	size_t n_deviation;
	struct pts_ledger ledger;
	const char *drive; /* "model, S/N serial" */
	struct rpt_mark
		mark[RPT_MAX_MARKS]; /* what holds for the whole run, the gravest first */
	size_t n_mark;
	const char *status;              /* the same in one line; "" = none */
	const char *chart_status;        /* without what sums up verdicts */
	struct hist *scratch;            /* see rpt_point_hist */
	const struct rpt_limits *limits; /* that it is held to; NULL or empty: none */
	bool simulated, incomplete, short_rounds;
	enum exit_code exit; /* of the end record; INTERNAL while there is none */
};

/* `ret` is released by the caller, also after a failure. */
int rpt_data_read(const struct st_run *run, struct rpt_arena *arena, struct rpt_data *ret,
		  struct err *err) MUST_CHECK;
void rpt_data_release(struct rpt_data *d);

/* A member of run.json by its path "device.model", as words fit to print; "not stated" where it is not. */
const char *rpt_word(struct rpt_data *d, const char *path);
/* NULL where the member is missing, null or empty. */
const char *rpt_word_or_null(struct rpt_data *d, const char *path);
/* The drive's model; of a file or loop device its name. */
const char *rpt_model(struct rpt_data *d);
/* Printable copy: no control characters. */
const char *rpt_clean(struct rpt_arena *a, const char *text);

/* What a cell of a round measured over the rounds of the unit's tables. */
struct rpt_cell_stat {
	unsigned rounds; /* 0: the cell was not run */
	double iops, mb_per_s, art_ms,
		mrt_ms;   /* means over the rounds; mrt of the maxima */
	double max_ms;    /* the greatest of all */
	struct hist *lat; /* all rounds' samples in one; in the arena */
};
struct rpt_cell_stat rpt_cell_stat(struct rpt_data *d, const struct rpt_unit *u,
				   uint8_t read_pct, uint32_t bs_b);
/* The metric that the test is about, of one point or of a cell. */
double rpt_metric(enum pts_metric m, const struct rpt_cell_stat *s);

/* The figures that a reader asks for first. */
struct rpt_key {
	const char *test, *what, *value, *unit;
};
#define RPT_MAX_KEYS 40
size_t rpt_keys(struct rpt_data *d, struct rpt_key *ret, size_t max);

/* What has been written by the end of the first n minutes of a saturation. */
uint64_t rpt_written_b(const struct rpt_points *minute, size_t n);

/* A histogram of some points; NULL where they have no samples. */
struct hist *rpt_merge(struct rpt_arena *a, const struct rpt_points *points);
/* Both directions of one point; valid until the next call. */
const struct hist *rpt_point_hist(struct rpt_data *d, const struct st_point *p);
/* In ms; negative where fewer than HIST_MIN_BEYOND samples lie beyond it. */
double rpt_percentile_ms(const struct hist *h, uint32_t ppb);
/* "0.0123", or "n/a (3)" with the number of samples beyond it. */
const char *rpt_percentile_text(struct rpt_arena *a, const struct hist *h, uint32_t ppb);

/* Figures as they are printed: IOPS, MB/s and ms each to a fixed number of decimals by size. */
const char *rpt_number(struct rpt_arena *a, enum pts_metric m, double v);
const char *rpt_kib(struct rpt_arena *a, uint32_t bs_b);    /* "0.5" */
const char *rpt_mix(struct rpt_arena *a, uint8_t read_pct); /* "65/35" */
const char *rpt_track(struct rpt_data *d, const struct rpt_unit *u, unsigned track);

/* The window of a decision's series by the rule that decides. */
const struct ss_verdict *rpt_window(const struct ss_decision *d, size_t series);
/* "steady state attained, rounds 5 - 9" and its tone. */
struct rpt_mark rpt_verdict(struct rpt_data *d, const struct rpt_unit *u);
/* "5 - 9", or "minutes 31 - 155". "" where there is no window. */
const char *rpt_window_words(struct rpt_data *d, const struct rpt_unit *u);
const char *rpt_date(struct rpt_arena *a,
		     int64_t wall_ns); /* "2026-11-30 21:35:03 UTC" */
/* First and last moment of the run. */
const char *rpt_run_date(struct rpt_data *d);

#endif
