/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Deviations and the compliance ledger: pure functions of a stored run and the tables.
 */
#ifndef PTS_LEDGER_H
#define PTS_LEDGER_H

#include "pts/judge.h"

/* Whatever departs from the edition; stored as event records {"event":"deviation",...}. */
struct pts_deviation {
	const char *code; /* "short-rounds": stable, for scripts */
	const char *clause;
	const char *test; /* "" = the whole run */
	const char *text; /* one sentence with the values */
};
/* Those of a run, in order, each code and test once. Strings borrowed from the run. Caller frees *ret. */
int pts_deviations(const struct st_run *run, struct pts_deviation **ret, size_t *ret_n,
		   struct err *err) MUST_CHECK;

enum pts_state {
	PTS_MET,         /* required as confirmed text says, and done */
	PTS_MET_READING, /* met by our reading; the text is unconfirmed (P, M, D) */
	PTS_DEVIATION,
	PTS_UNVERIFIABLE,
	PTS_STATES,
};
const char *pts_state_word(enum pts_state s);

struct pts_ledger_row {
	struct pts_cite cite;
	const char *test;   /* "" = the whole run */
	uint32_t loop_bs_b; /* throughput: its cycle; else 0 */
	char required[160];
	char actual[240];
	enum pts_state state;
	char evidence[160]; /* "journal seq 12", "run.json device.size_b" */
};
struct pts_ledger {
	struct pts_ledger_row *row;
	size_t n;
	unsigned count[PTS_STATES];
};
int pts_ledger_make(const struct st_run *run, struct pts_ledger *ret,
		    struct err *err) MUST_CHECK;
void pts_ledger_release(struct pts_ledger *l);
json_t *pts_ledger_json(const struct pts_ledger *l);

#endif
