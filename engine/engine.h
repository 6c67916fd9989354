/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives one workload after another at a device, and counts. Knows nothing of the PTS.
 *
 *	eng_open(handle, limits)   threads, contexts and buffers, all made and touched
 *	eng_start_*(workload)      the stimulus begins
 *	eng_next(interval)  ...    a result an interval, back to back, no gap between them
 *	eng_stop()                 the stimulus ends, I/Os in flight are drained
 *	eng_start_*(next workload) ...
 *	eng_close()
 *
 * An I/O belongs to the interval in which it was reaped; intervals sum to the total, and all
 * threads share the same t0..t1. I/Os that the drain reaps belong to no interval. The clock is
 * stamped just before io_submit and once after each reap: latency is submission to reaping.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/io.h"
#include "device/dev.h"

struct eng_workload {
	enum io_pattern pattern;
	uint8_t read_pct; /* 0..100; a mix is drawn I/O by I/O from the seed */
	uint32_t bs_b;    /* a multiple of the logical block */
	uint32_t tc,
		qd; /* threads, outstanding I/Os a thread; within the limits of eng_open */
	uint64_t off_b, len_b; /* active range; I/O never leaves [off_b, off_b + len_b) */
	uint64_t seed;         /* of this point: thread streams derive from it */
	/*
	 * IO_SEQ: where the shared cursor of each direction starts, within the range (relative to
	 * off_b). Each LBA once a pass; the last I/O of a pass is short where len_b is no multiple of
	 * bs_b, then it wraps. limit_b > 0 ends the stimulus when so many bytes have been done: a
	 * fill of N bytes writes exactly N. (IO_RAND counts both directions; no limit for an IO_SEQ mix.)
	 */
	uint64_t cursor_b[IO_DIRS];
	uint64_t limit_b;
};

#define ENG_ERRORS_KEPT 8

struct eng_error {
	uint64_t off_b;
	uint32_t len_b;
	enum io_dir dir;
	int64_t res; /* -errno, or the bytes of a short transfer (0 included) */
	uint64_t t_ns;
};

struct eng_dir {
	uint64_t bytes; /* of completed I/Os; their number is lat.count */
	struct hist lat;
};

/* What shows whether the host was in the way; all zero and known = false for a simulated drive. */
struct eng_host {
	uint64_t submit_ns;     /* inside io_submit, all workers */
	uint64_t turnaround_ns; /* reap to next submit, summed; judged at QD 1 */
	uint64_t turnarounds;
	uint64_t cpu_ns; /* user + system, all workers */
	uint64_t usr_ns, sys_ns;
	uint64_t worst_busy_ns; /* CPU + run-queue wait of the busiest worker */
	bool known;
};

/* What every I/O touches comes first and together. */
struct eng_result {
	uint64_t t0_ns,
		t1_ns; /* the device's clock; the interval's ends, shared by all threads */
	uint64_t
		depth_ns; /* integral of outstanding I/Os over the interval, all threads */
	struct eng_host host;
	struct eng_dir dir[IO_DIRS];
	uint64_t errors;
	struct eng_error error[ENG_ERRORS_KEPT]; /* the first ones of the interval */
	bool host_limited;                       /* design.md section 7 */
	bool done;        /* limit_b reached, or an error ended the stimulus */
	bool device_lost; /* the errors are those of a device that is gone */
	uint64_t cursor_b
		[IO_DIRS]; /* IO_SEQ: where each direction's cursor stands at t1 */
};

/* Buffers take max_tc x max_qd x max_bs_b for each direction that the session may go. */
struct eng_limits {
	uint32_t max_tc, max_qd, max_bs_b;
	bool no_reads, no_writes; /* of any workload of the session */
	uint64_t io_timeout_ns; /* no completion for so long: eng_next fails (0: 60 s) */
};

struct eng;

/* `handle` must outlive the session. Not enough aio slots, memory, threads: EXIT_CODE_HOST. */
int eng_open(const struct dev_handle *handle, const struct eng_limits *limits,
	     struct eng **ret, struct err *err) MUST_CHECK;
/* Reading needs no claim; read_pct must be 100. A workload that does not fit: EXIT_CODE_INTERNAL. */
int eng_start_read(struct eng *e, const struct eng_workload *w,
		   struct err *err) MUST_CHECK;
/* `claim` must hold the handle that eng_open was given. */
int eng_start_write(struct eng *e, struct dev_claim *claim, const struct eng_workload *w,
		    struct err *err) MUST_CHECK;
/*
 * The next interval of dur_ns, which begins where the last one ended (the first: at the start).
 * Ends early with done = true. *cancel set ends it at once (the interval is shorter, t1 says so).
 * A failed I/O ends the stimulus; the interval closes when the drain is over: done = true and
 * errors > 0, return 0 (a file without room on its file system: EXIT_CODE_HOST).
 * A stall beyond io_timeout: EXIT_CODE_DEVICE. `ret` is large: keep it off small stacks.
 */
int eng_next(struct eng *e, uint64_t dur_ns, const volatile sig_atomic_t *cancel,
	     struct eng_result *ret, struct err *err) MUST_CHECK;
/*
 * End the stimulus and drain. Also right after a failure; nothing where nothing runs. A device
 * that gives its I/Os back no more: EXIT_CODE_DEVICE; eng_close() then leaves threads and buffers
 * behind rather than hang.
 */
int eng_stop(struct eng *e, struct err *err) MUST_CHECK;
void eng_close(struct eng *e);

/* Mean outstanding I/Os over the interval, in thousandths. */
uint64_t eng_depth_milli(const struct eng_result *r);
/* Add `from` to `into`: the result of the two intervals as one (t0 of the first, t1 of the last). */
void eng_result_merge(struct eng_result *into, const struct eng_result *from);
void eng_result_clear(struct eng_result *r);

#endif
