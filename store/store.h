/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run directory: run.json (written once, atomically) and journal.jsonl (append-only, a
 * checksum in every line, fsync after each point). The writer appends to disk and to the same
 * struct st_run in memory that the reader builds, so that runner, verify and report judge
 * one and the same thing. docs/result-format.md describes the files.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/hist.h"
#include "base/io.h"

#define ST_SCHEMA 1

enum st_kind { ST_START, ST_STAGE, ST_POINT, ST_HEALTH, ST_EVENT, ST_END };

/* What a point was part of. */
enum st_phase { ST_FILL, ST_ROUND, ST_MINUTE, ST_HISTOGRAM };
const char *st_phase_word(enum st_phase p); /* "fill", "round", "minute", "histogram" */

struct st_dir {
	uint64_t bytes;
	struct hist_sparse lat; /* lat.count = completed I/Os */
};

#define ST_ERRORS_KEPT 8
struct st_error {
	uint64_t off_b, t_ns;
	uint32_t len_b;
	enum io_dir dir;
	int64_t res;
};

/* One measured interval. Times are ns since the run's start, on the device's clock. */
struct st_point {
	char test[16]; /* "iops" */
	enum st_phase phase;
	uint32_t
		loop_bs_b; /* throughput: the block size whose cycle this belongs to; else 0 */
	unsigned round; /* 1..; fill: the pass; minute: the minute; histogram: 1 */
	unsigned index; /* position in the round, 0.. */
	enum io_pattern pattern;
	uint32_t bs_b;
	uint8_t read_pct;
	uint32_t tc, qd;
	uint64_t seed;
	uint64_t off_b, len_b;      /* active range */
	uint64_t cursor_b[IO_DIRS]; /* SEQ: start of each direction, relative to off_b */
	uint64_t t0_ns, t1_ns;
	uint64_t gap_ns; /* idle since the stimulus before; 0 inside one stimulus */
	struct st_dir dir[IO_DIRS];
	uint64_t depth_ns; /* integral of outstanding I/Os over time */
	uint64_t errors;
	size_t n_error;
	struct st_error error[ST_ERRORS_KEPT];
	bool host_known; /* the host fields are null in a simulated run */
	uint64_t cpu_ns, usr_ns, sys_ns, worst_busy_ns, submit_ns, turnaround_ns,
		turnarounds;
	bool host_limited;
	bool complete; /* false: cut short by an error, a cancel or a stop */
};

struct st_record {
	enum st_kind kind;
	uint64_t seq;           /* 0.. without holes */
	int64_t wall_ns;        /* when it was written, since 1970 (simulated: virtual) */
	struct st_point *point; /* ST_POINT only, else NULL */
	json_t *body;           /* other kinds: the line's own members; NULL for points */
	/* A point, stage or end that an interruption undid: it was measured, and counts for nothing. */
	bool is_void;
};

/* A run as it stands: run.json, and every record so far. */
struct st_run {
	char dir[4096];
	json_t *run; /* run.json */
	struct st_record *rec;
	size_t n, cap;
	uint64_t dropped_b; /* bytes of a torn last line that the reader left out */
};

/* Reader. Damage in the middle, an unknown schema, no run directory: EXIT_CODE_HOST with the line. */
int st_run_read(const char *dir, struct st_run *ret, struct err *err) MUST_CHECK;
void st_run_release(struct st_run *run);

/* The i-th record of a kind that is not void, in order; NULL past the last. */
const struct st_record *st_run_nth(const struct st_run *run, enum st_kind kind, size_t i);
/* An event of this name: "deviation", "resumed" ... */
bool st_is_event(const struct st_record *rec, const char *name);
/* A record's point, where it is one that counts; else NULL. */
static inline const struct st_point *st_counted(const struct st_record *rec)
{
	return rec->is_void ? NULL : rec->point;
}
/* Points of one test and phase (and throughput cycle) that are not void, in order; returns how many, up to
 * max. */
size_t st_run_points(const struct st_run *run, const char *test, enum st_phase phase,
		     uint32_t loop_bs_b, const struct st_point **ret, size_t max);
/* A text member of run.json or of a record; "" where it is missing or no text. */
const char *st_text(const json_t *o, const char *name);
/* No drive was measured: run.json says so. */
bool st_run_simulated(const struct st_run *run);
/* The end record's body, or NULL for a run that has none (running, killed, or gone on with since). */
const json_t *st_run_end(const struct st_run *run);

/* Derived figures, one place for each. 0 where the interval is empty. */
double st_point_iops(const struct st_point *p); /* reads + writes over time */
double st_point_bytes_per_s(const struct st_point *p);
double
st_point_lat_mean_ns(const struct st_point *p); /* merged histogram, count-weighted */
uint64_t st_point_lat_max_ns(const struct st_point *p);
double st_point_depth(const struct st_point *p); /* time-weighted outstanding I/Os */
/* Both directions in one histogram; false where the stored cells are damaged. */
bool st_point_merge_lat(const struct st_point *p, struct hist *into) MUST_CHECK;

/* Writer. */
struct st_writer;

/* Make the directory (or take an empty one) and write run.json. Not empty: EXIT_CODE_USAGE. `run` is
 * borrowed. The directory is flock()ed while the writer lives. */
int st_create(const char *dir, json_t *run, struct st_writer **ret,
	      struct err *err) MUST_CHECK;
/*
 * Open an existing run to go on with it: locked (taken by another: EXIT_CODE_USAGE), a torn last line cut off.
 *
 * replay false: what is there is read, and records follow it.
 * replay true: nothing is read. Each record appended is compared with the one that stands in its
 * place, until the last complete one is passed; a difference is EXIT_CODE_HOST. The end of an interrupted run, and the
 * point that was cut short, are cut off beforehand.
 */
int st_reopen(const char *dir, bool replay, struct st_writer **ret,
	      struct err *err) MUST_CHECK;
/* The run as written so far; owned by the writer. */
const struct st_run *st_writer_run(const struct st_writer *w);
/*
 * Append; `body` is borrowed. fsync()ed before it returns. Where the file cannot be written (disk full, I/O error,
 * remounted read-only) the record waits in memory and is tried again with each that follows, so that the drive
 * does not idle meanwhile; beyond ST_WAITING_MAX_B, or at the end record, EXIT_CODE_HOST. The journal stays whole: a half
 * line is cut off again.
 */
#define ST_WAITING_MAX_B (1u << 20)
int st_append(struct st_writer *w, enum st_kind kind, int64_t wall_ns, const json_t *body,
	      struct err *err) MUST_CHECK;
/* Takes the point's histograms over, also on failure. */
int st_append_point(struct st_writer *w, int64_t wall_ns, struct st_point *p,
		    struct err *err) MUST_CHECK;
/* Bytes of records that wait for the file to take them; 0: all is on disk. */
size_t st_waiting_b(const struct st_writer *w);
void st_writer_close(struct st_writer *w);

/* True while some process holds the directory's writer lock. */
bool st_is_locked(const char *dir);

#endif
