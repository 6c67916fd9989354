/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks a plan: purge, fill, rounds, saturation, histogram; stores every interval; judges.
 *
 * What the records other than points hold, besides the store's own members:
 *	start  {edition, simulated}
 *	stage  {stage: "begin" or "end", test, verb, loop_bs_b, step (index in the plan), t_ns}, and at
 *	       the end of  purge       {method, words, is_pts_purge, bytes, dur_ns}
 *	                   wipc        {bytes, passes (points stored), range_b}
 *	                   rounds      {rounds, verdict: pts_verdict_json()}
 *	                   saturation  {verdict: pts_sat_verdict_json()}
 *	       a stage that failed or was interrupted has no end.
 *	event  {event: "deviation", code, clause, test, text, invalid (true: the run is)}
 *	       {event: "resumed", test, loop_bs_b, step, verb, t_ns, gap_ns (since the last record), void_from (records
 *	       from this number on count no more), first_round (the first after it; 0: not in rounds)}
 *	       {event: "signatures-discarded", found}; {event: "cpu-latency-held", us}
 *	end    {exit_code, exit (a word), reason, tests: [{test, loop_bs_b, steady (null: not
 *	       evaluated), round (saturation: minute where it held), text}]}
 */
#ifndef PTS_RUNNER_H
#define PTS_RUNNER_H

#include <signal.h>

#include "engine/engine.h"
#include "pts/judge.h"
#include "pts/plan.h"
#include "store/store.h"

/* Where the run stands, for whoever shows it. Called from the runner's thread. */
struct pts_progress {
	const char *test;
	enum pts_verb verb;
	uint32_t loop_bs_b;
	unsigned round, max_rounds; /* minutes for saturation; passes for a fill */
	unsigned point, n_points;
	uint8_t read_pct;
	uint32_t bs_b;
	double iops, mb_per_s, lat_mean_ms,
		lat_p9999_ms; /* of the last interval; 0 = none yet */
	bool lat_p9999_known;
	uint64_t done_b, total_b;           /* fill, purge */
	uint64_t elapsed_ns;                /* since the run's start */
	uint64_t eta_best_ns, eta_worst_ns; /* what is left */
	bool point_done;                    /* an interval was just stored */
};

struct pts_runner {
	const struct pts_plan *plan;
	struct dev_claim *claim;
	struct st_writer *store;
	bool go_on;               /* the store was opened to go on (and is no replay) */
	bool continue_saturation; /* from the next minute, not from the purge */
	const volatile sig_atomic_t *cancel; /* 1: end the point, save, stop */
	void (*on_progress)(void *arg, const struct pts_progress *p); /* may be NULL */
	void (*on_note)(void *arg,
			const char *text); /* one line worth printing; may be NULL */
	/* What was measured, at the run's end, held to what the operator asks for; may be NULL. Not
	 * zero: err is the run's reason, and its code counts. */
	int (*on_judge)(void *arg, const struct st_run *run, struct err *err);
	void *arg;
};

/*
 * Run the whole plan. Returns the exit code that the run earned (COMPLETE, NOT_STEADY, PURGE,
 * DEVICE, HOST, INTERRUPTED, INVALID ...), which the end record holds too; `err` has the sentence
 * where it is not COMPLETE or NOT_STEADY. The end record's body: {"exit_code":5,"exit":"steady state
 * not attained","reason":"..."}; reason is the sentence, "" where there is none.
 */
enum exit_code pts_run(struct pts_runner *r, struct err *err);

/* It has no end, or one that more work could change: stopped, interrupted, the device or the host failed. */
bool pts_is_resumable(const struct st_run *run);

/*
 * The options that a run was started with, from its run.json, whose strings it borrows. Damaged, or an edition that
 * this version does not know: EXIT_CODE_HOST.
 */
int pts_opts_read(const json_t *run, struct pts_opts *ret, struct err *err) MUST_CHECK;
/* Is this the plan of that run: the same steps on the same range? */
bool pts_plan_is_of(const struct pts_plan *plan, const struct dev_info *info,
		    const json_t *run);

/* run.json for a plan: device, host, plan, options, versions. `argv` is stored as given. */
json_t *pts_run_json(const struct pts_plan *plan, const struct dev_handle *dev, int argc,
		     char *const argv[], int64_t wall_ns);

#endif
