/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the runner: where it stands, and the parts that measure, record and watch. */
#ifndef PTS_WALK_H
#define PTS_WALK_H

#include "pts/runner.h"

/* What the host may do behind our back. */
struct host_watch {
	bool simulated;
	int latency_fd;    /* holds /dev/cpu_dma_latency; -1 */
	int64_t asleep_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC when last looked at */
	char clock_source[32];
};
void host_watch_begin(struct host_watch *h, bool simulated);
/* Ns that the machine was suspended since the last look. */
uint64_t host_watch_suspended_ns(struct host_watch *h);
/* True where the clock source is another one than before; its name in clock_source. */
bool host_watch_clock_changed(struct host_watch *h);
void host_watch_end(struct host_watch *h);

/* What the drive said of itself when last asked. */
struct health_watch {
	struct dev_health last;
	uint64_t next_ns; /* not asked again before */
	bool throttled;   /* in this test, and recorded */
};

/* Counted over a test, told once at its end. */
struct tally {
	unsigned points, limited, gaps;
	uint64_t longest_gap_ns;
};

/* Where an interrupted run goes on. */
struct restart {
	size_t at;      /* the step */
	unsigned round; /* the first round, pass or minute that is to be done; from 1 */
	bool is_over; /* rounds, saturation: all is measured, only the verdict is missing */
	uint64_t void_from; /* records from here on count no more */
};

struct walk {
	struct pts_runner *r;
	const struct pts_plan *plan;
	const struct dev_handle *dev;
	struct clock *clk;
	struct pts_run_opts opts;
	uint64_t base_ns, seed;
	struct host_watch host;

	struct restart
		restart; /* of a run that is gone on with; round 0: nothing to go on with */
	size_t at;       /* the step, and its plan entry */
	const struct pts_plan_step *step;
	uint64_t step_t0_ns;    /* on the device's clock */
	unsigned first_round;   /* of this step; 1, or where it goes on */
	struct eng *eng;        /* one test's (and cycle's) session; NULL between them */
	uint64_t idle_since_ns; /* end of the stimulus before; 0 = none in this session */
	uint64_t cursor_b[IO_DIRS]; /* throughput: go on across rounds */
	uint64_t fill_bytes_per_s;  /* as measured; assumed before */
	struct tally tally;
	struct health_watch health;
	char invalid[240]; /* the first reason why the run is invalid; "" = it is valid */
	struct pts_progress progress;

	struct eng_result *slice, *sum; /* large */
	struct hist *scratch;

	bool store_failed;     /* nothing can be recorded any more */
	enum exit_code earned; /* what the finished steps are worth */
	json_t *tests;         /* the end record's summary */
};

/* measure.c: one stimulus, from start to stored point. */
struct stimulus {
	enum st_phase phase;
	unsigned round, index;
	uint8_t read_pct;
	uint32_t bs_b;
	uint64_t limit_b;  /* end after so many bytes; 0: */
	uint64_t total_ns; /* after this time */
};
/* Start, run to its end, stop and store. Errors of the device: the point is stored, then -EIO. */
int measure(struct walk *w, const struct stimulus *s, struct err *err) MUST_CHECK;
/* The pieces, for a stimulus with many points: begin, points back to back, end. */
int stimulus_begin(struct walk *w, const struct stimulus *s, struct eng_workload *ret,
		   uint64_t *ret_gap_ns, struct err *err) MUST_CHECK;
int stimulus_point(struct walk *w, const struct stimulus *s,
		   const struct eng_workload *load, uint64_t gap_ns,
		   struct err *err) MUST_CHECK;
int stimulus_end(struct walk *w, struct err *err) MUST_CHECK;

/* record.c: what goes to the journal. */
int record(struct walk *w, enum st_kind kind, json_t *body, struct err *err) MUST_CHECK;
int record_stage(struct walk *w, const char *stage, json_t *more,
		 struct err *err) MUST_CHECK;
int record_deviation(struct walk *w, const char *code, const char *clause,
		     const char *test, struct err *err, const char *fmt, ...)
	PRINTF_LIKE(6, 7) MUST_CHECK;

/* Text as JSON: errors quote paths, which need not be UTF-8, and may be cut within a character. */
json_t *record_words(const char *text);
/* A deviation that makes the run invalid. */
int record_invalid(struct walk *w, const char *code, const char *clause, const char *test,
		   struct err *err, const char *fmt, ...) PRINTF_LIKE(6, 7) MUST_CHECK;

/* health.c: ask the drive how it is; at the end of a point, not more than once in 10 s. */
int health_begin(struct walk *w, struct err *err) MUST_CHECK;
int health_look(struct walk *w, struct err *err) MUST_CHECK;

/*
 * resume.c: what a run that was interrupted has, where it goes on (w->restart), and the record that says so.
 * Its clock goes on at the wall clock's time since the start. @pts 4
 */
int resume_begin(struct walk *w, struct err *err) MUST_CHECK;

/* runner.c: what is known before the first step: the plan's deviations, waived signatures. */
int record_notes(struct walk *w, struct err *err) MUST_CHECK;
/* runner.c: the summary's line, and what it is worth, of rounds and of a saturation. */
int tell_rounds(struct walk *w, const struct pts_verdict *v, struct err *err) MUST_CHECK;
int tell_saturation(struct walk *w, const struct pts_sat_verdict *v,
		    struct err *err) MUST_CHECK;

static inline uint64_t walk_now_ns(const struct walk *w)
{
	return w->clk->now_ns(w->clk);
}

static inline bool walk_cancelled(const struct walk *w)
{
	return w->r->cancel && *w->r->cancel;
}

/* Fill in what is the same for every report of progress, and hand it on. */
void walk_show(struct walk *w, const struct eng_result *last, bool point_done);

#endif
