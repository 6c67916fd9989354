/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From raw points to verdicts: pure functions of a struct st_run and the tables. The runner
 * calls them after every round, plateau verify and the report afterwards: one place decides.
 */
#ifndef PTS_JUDGE_H
#define PTS_JUDGE_H

#include "pts/pts_test.h"
#include "steady_state/ss.h"
#include "store/store.h"

/* The options of run.json that bear on judging and reporting. */
struct pts_run_opts {
	const struct pts_edition *edition;
	enum ss_mode mode;
	unsigned max_rounds; /* 0: the edition's */
	uint64_t point_ns;   /* 0: the edition's */
	uint64_t wsat_ns;    /* --duration; 0: the edition's cap */
	bool no_steady_stop;
	uint64_t capacity_b;   /* user capacity in use: --capacity or all of the target */
	uint64_t off_b, len_b; /* active range */
};
/* Read them back from run.json. Damaged: EXIT_CODE_HOST. */
int pts_run_opts_read(const json_t *run, struct pts_run_opts *ret,
		      struct err *err) MUST_CHECK;

/* A metric at one point, and a tracking variable's. IOPS; MB/s (10^6 B/s); ms. */
double pts_metric_value(enum pts_metric m, const struct st_point *p);
double pts_track_value(const struct pts_track *t, const struct st_point *p);

/* The rounds of one test (and cycle) that are complete, as a matrix of points. */
struct pts_rounds {
	const struct pts_test *test;
	uint32_t loop_bs_b;
	unsigned n_points; /* points a round: all cells that the device can do */
	unsigned n_rounds; /* complete rounds */
	unsigned
		begin; /* windows lie wholly in rounds from here on: 1, or the first after the
			    * last interruption */
	const struct st_point *
		*point; /* [round * n_points + index]; owned array, borrowed points */
};
int pts_rounds_collect(const struct st_run *run, const struct pts_test *test,
		       uint32_t loop_bs_b, struct pts_rounds *ret,
		       struct err *err) MUST_CHECK;
void pts_rounds_release(struct pts_rounds *r);
/* Point of a round (1..) by its cell; NULL where the cell was not run. */
const struct st_point *pts_rounds_at(const struct pts_rounds *r, unsigned round,
				     uint8_t read_pct, uint32_t bs_b);

/* Verdict of a rounds test: all deciding variables, plus each non-deciding one by itself. */
struct pts_verdict {
	struct ss_decision decision;
	unsigned track_of
		[SS_MAX_SERIES]; /* deciding series i is test->track[track_of[i]] */
	unsigned n_extra;
	unsigned extra_of[SS_MAX_SERIES];
	struct ss_decision extra[SS_MAX_SERIES]; /* one series each */
	unsigned first, last; /* the reported window's rounds; 0 where there is none */
};
void pts_judge_rounds(const struct pts_rounds *r, enum ss_mode mode,
		      struct pts_verdict *ret);

/* Write saturation: why it ended (or may end now) and what steady state says. */
enum pts_sat_stop {
	PTS_SAT_RUNNING,
	PTS_SAT_X_UC,
	PTS_SAT_TIME,
	PTS_SAT_STEADY,
	PTS_SAT_CUT
};
const char *pts_sat_stop_word(enum pts_sat_stop s);
/* "112 minutes"; under --round-time "31 minutes of 300 ms", because such a minute is none. */
const char *pts_minutes_text(const struct pts_run_opts *opts, unsigned minutes,
			     char buf[64]);
struct pts_sat_verdict {
	enum pts_sat_stop stop;
	unsigned minutes;
	uint64_t written_b;
	unsigned samples; /* see pts_sat_evaluated */
	unsigned
		held_minute; /* the minute at which the edition's rule first held; 0 = never */
	struct ss_decision decision; /* over the samples; x is the sample's number */
	double sample[64];           /* the last ones, at most */
	unsigned sample_minute[64];
};
/* Are there as many samples as the deciding rule's window has? *ret_needed may be NULL. */
bool pts_sat_evaluated(const struct pts_sat_verdict *v, unsigned *ret_needed);
int pts_judge_saturation(const struct st_run *run, const struct pts_test *test,
			 const struct pts_run_opts *opts, struct pts_sat_verdict *ret,
			 struct err *err) MUST_CHECK;

/* As JSON, the form that the journal stores and verify compares. The caller owns the result. */
json_t *pts_verdict_json(const struct pts_rounds *r, const struct pts_verdict *v);
json_t *pts_sat_verdict_json(const struct pts_sat_verdict *v);

/*
 * Recompute every verdict of a run and compare with the stored one (relative 1e-9).
 * *ret_differs gets a line a difference; its length is 0 where none. Returns 0 unless unreadable.
 */
struct str;
int pts_verify(const struct st_run *run, struct str *ret_text, unsigned *ret_differs,
	       struct err *err) MUST_CHECK;

#endif
