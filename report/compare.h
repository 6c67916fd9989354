/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several runs side by side: the figures that they have in common, what differs in how they were
 * taken, and charts over all. Rows are found by what was measured - test, quantity, pattern, block size, mix - never by
 * their place in a table; what a run has not is absent.
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/data.h"

#define CMP_MIN_RUNS 2
#define CMP_MAX_RUNS 20

/* What a figure is of; the order is that of the tables. */
enum cmp_quantity {
	CMP_IOPS,
	CMP_MBPS,
	CMP_ART,
	CMP_NINES,
	CMP_MRT,
	CMP_FRESH,
	CMP_FLOOR,
	CMP_CLIFF_GB,
	CMP_QUANTITIES
};

struct cmp_value {
	bool known;
	double v;
	double range; /* largest less smallest round of the measurement window; negative: not known */
	uint32_t tc, qd;
};

struct cmp_row {
	const char *test; /* "iops", "tp", "lat", "wsat" */
	enum cmp_quantity quantity;
	enum io_pattern pattern;
	uint32_t bs_b;
	uint8_t read_pct;
	uint32_t tc,
		qd; /* of an imported figure that no PTS run has; 0: each run's own */
	const char *what; /* "RND 4 KiB, RW 100/0" */
	const char *unit;
	bool key;                /* among the figures of the first page */
	struct cmp_value *value; /* one a run */
};

struct cmp_run {
	const struct st_run *run;
	struct rpt_data data; /* of an imported run only arena and run */
	bool imported;
	const char *letter, *name;         /* "A", "A model, date" */
	const char *model, *serial, *date; /* "" where not known */
};

/* How the runs are related: that decides which statistic means anything. */
enum cmp_kind { CMP_DRIVES, CMP_ONE_MODEL, CMP_ONE_DRIVE };

struct cmp_guard {
	const char *what;
	const char **value; /* one a run */
	bool differs;
};

struct cmp {
	struct rpt_arena *arena;
	struct cmp_run *run;
	size_t n;
	enum cmp_kind kind;
	struct cmp_row *row;
	size_t n_row;
	struct cmp_guard *guard;
	size_t n_guard, n_differs;
	const char *differs; /* the names of what differs, in one line; "" = nothing */
};

/* From n read runs, in the arena. Released by cmp_release(), also after a failure. */
int cmp_make(const struct st_run *const run[], size_t n, struct rpt_arena *arena,
	     struct cmp *ret, struct err *err) MUST_CHECK;
void cmp_release(struct cmp *c);

bool cmp_lower_is_better(enum cmp_quantity q);
const char *cmp_text(struct rpt_arena *a, const struct cmp_row *r, double v);

struct cmp_stat {
	size_t n;                  /* runs that have it */
	size_t best;               /* index of the run */
	double median, spread_pct; /* largest less smallest, of the median */
	int outlier;               /* index of the run; -1: none */
	bool noise_known, within_noise;
};
/*
 * outlier: of four runs or more, the one furthest from the median, if by more than three times the median distance from it
 * and by more than 5 % of it.
 * within_noise: no two values lie further apart than the wider of the measurement windows' own ranges.
 */
struct cmp_stat cmp_stat(const struct cmp *c, const struct cmp_row *r);

/* The whole document; see rpt_pages_make(). */
void cmp_pages_make(struct rpt_model *m, struct cmp *c, int64_t report_wall_ns);

struct cmp_opts {
	const char *out_dir;
	enum rpt_paper paper;
	int64_t report_wall_ns;
};
struct cmp_result {
	char pdf[4096], html[4096];
	size_t differs; /* properties that differ */
};
/* Charts, comparison.html, comparison.pdf, figures.csv and comparison.json into out_dir, which is made. */
int cmp_write(const struct st_run *const run[], size_t n, const struct cmp_opts *opts,
	      struct cmp_result *ret, struct err *err) MUST_CHECK;

#endif
