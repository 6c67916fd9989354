/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated drive: a flash translation layer whose work is booked on dies, channels, a write
 * buffer and a link, on a virtual clock of its own. Nothing is stored and nothing sleeps; the
 * same seed and the same I/Os give the same times, whatever the compiler.
 *
 *	device/ftl.c        which page lies where, what garbage collection moves
 *	device/sim.c        what an I/O costs, and the drive's troubles
 *	device/sim_conf.c   the catalogue, "sim:NAME[,key=value...]", identity
 *
 * Under steady random writes of whole mapping units the drive's floor is
 * dies / (A t_prog + (A - 1) t_read + A t_erase / pages), A being the write amplification.
 */
#ifndef DEVICE_SIM_H
#define DEVICE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "device/dev.h"

#define SIM_PREFIX "sim:"

/* Every parameter; all are uint64_t so that one table of keys describes them. */
struct sim_conf {
	uint64_t capacity_b; /* what the host can address */
	uint64_t op_ppm;     /* (physical - logical) / logical */
	uint64_t iu_b;       /* mapping unit and flash page */
	uint64_t lbs_b;      /* logical block */
	uint64_t
		pages; /* a block; a superblock, the unit of erasing, has that many on each die */
	uint64_t dies, channels;
	uint64_t read_ns, prog_ns, erase_ns; /* of a page, a block; 0 = takes no time */
	uint64_t jitter_ppm; /* page times spread by at most so much, their mean stays */
	uint64_t cmd_ns;     /* the controller, a command; one after the other */
	uint64_t buffer_b;   /* write buffer: acknowledges once the data is in it */
	uint64_t link_bps, channel_bps; /* bytes a second; 0 = no limit */
	uint64_t gc;                    /* enum ftl_policy */
	uint64_t cache;                 /* enum sim_cache */
	uint64_t slc_b; /* fast first home of writes, folded later; 0 = none */
	uint64_t slc_prog_ns;
	uint64_t seed;
	/* Troubles. "after" counts from the start of the first measured stimulus. 0 = never. */
	uint64_t drift_ppm, drift_every_ns; /* page times grow by drift each period */
	uint64_t throttle_after_ns, throttle_ppm; /* then it does so much less */
	uint64_t stall_every_ns, stall_ns;        /* from power-on */
	uint64_t fail_after_ns, fail_from_ppm, fail_len_ppm; /* of the capacity */
	uint64_t vanish_after_ns;
};

/* A buffer that outlives power loss is no volatile cache: there is nothing to switch. */
enum sim_cache { SIM_CACHE_NONE, SIM_CACHE_OFF, SIM_CACHE_ON };

/* The catalogue; NULL past the last. */
struct sim_model {
	const char *name, *about;
	const char
		*settings; /* "key=value,..."; the first one's are everybody's defaults */
};
const struct sim_model *sim_nth(size_t i);
/* What may follow the name; NULL past the last. */
struct sim_param {
	const char *name;
	const char *form; /* "SIZE", "RATIO", "DUR", "N", or the words: "greedy|fifo" */
	const char *about;
};
const struct sim_param *sim_param_nth(size_t i);

/* Is the target a simulated drive? */
bool sim_is(const char *target);
/* "sim:NAME[,key=value...]"; an unknown name or key, a bad value: EXIT_CODE_USAGE. */
int sim_parse(const char *target, struct sim_conf *ret,
	      const struct sim_model **ret_model, struct err *err) MUST_CHECK;
/* The drive as dev_identify() shows it. */
int sim_identify(const char *target, struct dev_info *ret, struct err *err) MUST_CHECK;

struct sim_drive;

/* As purged, at virtual time 0. The caller frees it. */
int sim_new(const char *target, struct sim_drive **ret, struct err *err) MUST_CHECK;
void sim_free(struct sim_drive *d);

/* The drive's clock. Sleeping moves it; wall-clock time is 2024-01-01T00:00:00Z + virtual time. */
struct clock *sim_clock(struct sim_drive *d);
void sim_clock_set(struct sim_drive *d, uint64_t t_ns);

/*
 * An I/O that reaches the drive at t_ns, not before the one in the call before. Returns when it
 * completes; *ret_res gets 0 or -errno (-ENODEV: the drive is gone).
 */
uint64_t sim_io(struct sim_drive *d, enum io_dir dir, uint64_t off_b, uint32_t len_b,
		uint64_t t_ns, int *ret_res);
/* An I/O that will come at off_b: only makes sim_io() faster. */
void sim_expect(const struct sim_drive *d, uint64_t off_b);
/* A measured stimulus begins (a fill is none): troubles count from the first one. */
void sim_measure(struct sim_drive *d);
/* Has the drive vanished by now? */
bool sim_lost(const struct sim_drive *d);

/* Unmap whole mapping units in the range. Takes no time. */
void sim_trim(struct sim_drive *d, uint64_t off_b, uint64_t len_b);
/* Erase every block; moves the clock by what that takes. */
void sim_purge(struct sim_drive *d);

struct sim_stats {
	uint64_t host_units, moved_units,
		erases; /* since purge; write amplification is 1 + moved / host */
	uint64_t logical_units, physical_units, block_units;
	uint64_t closed_units; /* in blocks neither erased nor open */
	uint64_t memory_b;     /* of the translation layer */
};
void sim_stats(const struct sim_drive *d, struct sim_stats *ret);

void sim_health(const struct sim_drive *d, struct dev_health *ret);

#endif
