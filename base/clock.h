/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time as the program sees it. Everything that waits or stamps outside the hot loop takes a
 * struct clock, so that a simulated run can put virtual time in its place.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/compiler.h"

struct clock {
	uint64_t (*now_ns)(struct clock *clk); /* monotonic */
	int64_t (*wall_ns)(struct clock *clk); /* since 1970, UTC */
	void (*sleep_until_ns)(struct clock *clk,
			       uint64_t t_ns); /* monotonic; may wake early */
	bool simulated;
};

/* The machine's own clocks (CLOCK_MONOTONIC, CLOCK_REALTIME). Never freed. */
struct clock *clock_system(void);

/* CLOCK_MONOTONIC without indirection, for the hot loop. */
static inline uint64_t clock_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

#endif
