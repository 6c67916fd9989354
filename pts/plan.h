/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables + device + options -> a flat plan that can be printed, and that the runner walks.
 */
#ifndef PTS_PLAN_H
#define PTS_PLAN_H

#include <jansson.h>

#include "base/str.h"
#include "device/dev.h"
#include "pts/pts_test.h"
#include "steady_state/ss.h"

/* Where the rate comes from that an estimate goes by. */
enum pts_rate { PTS_RATE_ASSUMED, PTS_RATE_MEASURED, PTS_RATE_SIMULATED };

/* What the report's header says and no machine knows; NULL: not stated. @pts 5 */
struct pts_lab {
	const char *sponsor, *tested_by, *auditor;
	const char *platform, *hba, *pcie;
	const char *form_factor, *nand;
};

/* What the operator asked for; 0 or NULL: the edition's value. */
struct pts_opts {
	const char *edition; /* id */
	const char *tests;   /* "iops,tp,lat,wsat" */
	uint32_t tc, qd;
	unsigned active_range_pct;
	uint64_t round_ns; /* --round-time: length of a point */
	unsigned max_rounds;
	unsigned wipc_passes; /* N x UC */
	bool wipc_passes_set;
	const char *purge;       /* method name; "none" skips */
	const char *write_cache; /* "on", "off", "keep" */
	uint64_t seed;
	bool seed_set;
	uint64_t duration_ns; /* wsat */
	bool no_steady_stop;
	enum ss_mode mode;
	uint64_t capacity_b;
	uint64_t io_timeout_ns;
	bool keep_cpu_latency;   /* leave /dev/cpu_dma_latency alone */
	bool discard_signatures; /* recorded */
	bool shared_ok;          /* recorded */
	struct pts_lab lab;
	/* For the estimate alone. */
	uint64_t fill_bytes_per_s; /* sequential writes, where `rate` is not assumed */
	enum pts_rate rate;
	uint64_t
		endurance_b; /* rated bytes written over the drive's life; 0 = not known */
};

struct pts_plan_step {
	const struct pts_test *test;
	const struct pts_step *step;
	enum pts_verb verb;
	uint32_t loop_bs_b; /* throughput cycle; 0 else */
	uint32_t bs_b;      /* fill, saturation, histogram */
	uint32_t tc, qd;
	uint64_t fill_b; /* WIPC: bytes to write */
	struct pts_cell cell[PTS_MAX_CELLS];
	unsigned n_cells;
	uint64_t point_ns;
	unsigned max_rounds;
	uint64_t dur_ns; /* histogram: its length; saturation: the time cap */
	uint64_t stop_b; /* saturation: 4x UC, 0 = no such stop */
	uint64_t
		ss_stop_b; /* saturation: steady state ends it only after so many bytes */
};

struct pts_plan {
	const struct pts_edition *edition;
	struct pts_opts opts;  /* as asked, strings borrowed */
	uint64_t capacity_b;   /* user capacity in use */
	uint64_t off_b, len_b; /* active range */
	enum dev_purge_method purge;
	struct pts_plan_step *step;
	size_t n;
	struct pts_plan_note { /* deviations known before the first I/O */
		const char *code, *clause, *test;
		char text[240];
	} * note;
	size_t n_notes;
	char warning[4][240]; /* "the time cap allows fewer than two fills" */
	unsigned n_warnings;
};

/* Nothing is touched. What cannot be done at all: EXIT_CODE_USAGE. */
int pts_plan_make(const struct pts_opts *opts, const struct dev_info *info,
		  struct pts_plan *ret, struct err *err) MUST_CHECK;
void pts_plan_release(struct pts_plan *p);

struct pts_estimate {
	uint64_t best_ns, expected_ns, worst_ns; /* steady at round 5 / 8 / never */
	uint64_t best_b, worst_b;                /* bytes written */
};
/* What is assumed where nothing was measured yet. */
#define PTS_ASSUMED_FILL_BYTES_PER_S UINT64_C(500000000)
/* The rate that the plan's own estimate goes by. */
uint64_t pts_plan_fill_rate(const struct pts_plan *p);
/* fill_bytes_per_s: measured or assumed sequential write rate. Bytes: as if every write went at it. */
void pts_plan_estimate(const struct pts_plan *p, uint64_t fill_bytes_per_s,
		       struct pts_estimate *ret);
/* The same for the steps [from, n) alone. */
void pts_plan_estimate_from(const struct pts_plan *p, size_t from,
			    uint64_t fill_bytes_per_s, struct pts_estimate *ret);

/* The whole plan as text (golden-tested) and as JSON (also stored in run.json). */
void pts_plan_text(const struct pts_plan *p, const struct dev_info *info,
		   struct str *out);
json_t *pts_plan_json(const struct pts_plan *p, const struct dev_info *info);

#endif
