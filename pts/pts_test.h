/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The specification as data: the types of the tables in pts/<test>.c. One file is one test,
 * every row names its clause and how sure we are of it. The report reads these tables too, so
 * this header knows nothing of runner, engine or store.
 */
#ifndef PTS_PTS_TEST_H
#define PTS_PTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/io.h"

/* How a statement is known: the tags of docs/spec-coverage.md. */
enum pts_conf {
	PTS_T, /* seen in the specification's own words */
	PTS_Q, /* a third party's note that cites the clause */
	PTS_P, /* inferred from other implementations */
	PTS_M, /* from memory */
	PTS_D, /* our own design */
};

struct pts_cite {
	const char *clause; /* "7.2" */
	enum pts_conf conf;
};

enum pts_cache { PTS_WCD, PTS_WCE };

/* An edition's settings that hold for every test. */
struct pts_edition {
	const char *id;    /* "pts-e-2.0" */
	const char *label; /* "PTS-E 2.0.2" */
	enum pts_cache cache;
	struct pts_cite cache_cite;
	unsigned active_range_pct;
	struct pts_cite active_range_cite;
};

enum pts_metric { PTS_IOPS, PTS_MBPS, PTS_ART };

/* A tracking variable: one metric at one point of the round. */
struct pts_track {
	enum pts_metric metric;
	uint8_t read_pct;
	uint32_t bs_b; /* 0: the throughput cycle's own block size */
	bool decides;  /* false: evaluated and printed only */
	struct pts_cite cite;
};

enum pts_verb {
	PTS_PURGE,
	PTS_WIPC,      /* sequential fill */
	PTS_ROUNDS,    /* the loop: WDPC and test in one */
	PTS_SATURATE,  /* one continuous stimulus, a snapshot every point_s */
	PTS_HISTOGRAM, /* the follow-on with every response time */
};

#define PTS_MAX_LIST 9

struct pts_step {
	enum pts_verb verb;
	struct pts_cite cite;
	enum io_pattern pattern;
	uint8_t read_pct
		[PTS_MAX_LIST]; /* outer loop, n_read_pct of them, in the order of the text */
	unsigned n_read_pct;
	uint32_t bs_b[PTS_MAX_LIST]; /* inner loop */
	unsigned n_bs;
	uint32_t tc, qd;  /* recommended or required values */
	bool tc_qd_fixed; /* the text fixes them: an override is a deviation */
	struct pts_cite tc_qd_cite;
	unsigned point_s;
	unsigned max_rounds;
	unsigned passes; /* WIPC: multiples of the user capacity */
	/* PTS_SATURATE: stop rules, first of */
	unsigned stop_x_uc;
	unsigned stop_s;
	unsigned ss_period,
		ss_offset; /* steady-state samples are minutes offset, offset + period, ... */
	unsigned ss_stop_x_uc; /* steady state may end it only after so many capacities */
	struct pts_cite stop_cite, ss_cite;
};

/* A cell of a round. */
struct pts_cell {
	uint8_t read_pct;
	uint32_t bs_b;
};

#define PTS_MAX_CELLS  (PTS_MAX_LIST * PTS_MAX_LIST)
#define PTS_MAX_ROUNDS 1000 /* --max-rounds at most; write saturation: samples at most */
#define PTS_MAX_STEPS  5

/* What the report owes for a test; the order is the order of pages. */
enum pts_output {
	PTS_OUT_END = 0,
	PTS_OUT_CONVERGENCE, /* tracking metric, RW 0/100, every block size, rounds 1..x */
	PTS_OUT_CONVERGENCE_READ, /* throughput: the same for 100/0 */
	PTS_OUT_CONVERGENCE_MAX,  /* latency: maximum */
	PTS_OUT_WINDOW,           /* one page a tracking variable */
	PTS_OUT_MATRIX,           /* table BS x RW of the window's averages */
	PTS_OUT_PLOT_2D,
	PTS_OUT_PLOT_3D,
	PTS_OUT_PLOT_3D_MAX,
	PTS_OUT_SAT_TIME, /* IOPS v time */
	PTS_OUT_SAT_TGBW,
	PTS_OUT_SAT_FILLS,
	PTS_OUT_SAT_LATENCY, /* ART, 5 9s, MRT v time and v drive fills (optional in 2.0) */
	PTS_OUT_HISTOGRAM,   /* confidence page of the follow-on */
};

struct pts_out {
	enum pts_output what;
	struct pts_cite cite;
	bool optional;
};

#define PTS_MAX_OUT 12

struct pts_test {
	const char *id;       /* "iops" */
	const char *edition;  /* id of its edition */
	const char *title;    /* "IOPS" */
	const char *subtitle; /* "IOPS - Block Size x RW Mix Matrix" */
	const char *clause;   /* "7" */
	struct pts_step step[PTS_MAX_STEPS];
	unsigned n_steps;
	/* The whole cycle (purge .. rounds) is repeated for each of these block sizes, in order;
	 * bs_b = 0 in a step means "this cycle's". None: one cycle. */
	uint32_t cycle_bs_b[PTS_MAX_LIST];
	unsigned n_cycles;
	struct pts_cite cycle_cite;
	struct pts_track track[4];
	unsigned n_track;
	struct pts_out out[PTS_MAX_OUT]; /* ends with PTS_OUT_END or the array */
};

/* The tables. NULL where an edition has no such test (id or edition unknown). */
const struct pts_edition *pts_edition_find(const char *id);
const struct pts_test *pts_test_find(const char *id, const char *edition);
/* Every edition and test, in order; NULL past the last. */
const struct pts_edition *pts_edition_nth(size_t i);
const struct pts_test *pts_test_nth(size_t i);

/* The step of a verb, or NULL. */
const struct pts_step *pts_test_step(const struct pts_test *t, enum pts_verb verb);
/*
 * The cells of a round in the order of the text: mixes outside, block sizes inside. Blocks that are
 * no multiple of the device's logical block (0.5 KiB on a 4Kn drive) are left out. How many.
 */
unsigned pts_step_cells(const struct pts_step *s, uint32_t cycle_bs_b, uint32_t lbs_b,
			struct pts_cell ret[PTS_MAX_CELLS]);
const char *pts_metric_word(enum pts_metric m); /* "IOPS", "MB/s", "ms" */
const char *pts_conf_word(enum pts_conf c);     /* "T", "Q", "P", "M", "D" */
const char *
pts_verb_word(enum pts_verb v); /* "purge", "wipc", "rounds", "saturation", "histogram" */
/* "IOPS, RND 4 KiB, RW 0/100" */
void pts_track_word(const struct pts_track *t, uint32_t cycle_bs_b, char *buf, size_t n);

#endif
