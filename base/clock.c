/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

static uint64_t system_now(struct clock *clk)
{
	(void)clk;
	return clock_mono_ns();
}

static int64_t system_wall(struct clock *clk)
{
	struct timespec ts;

	(void)clk;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

static void system_sleep_until(struct clock *clk, uint64_t t_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(t_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(t_ns % NSEC_PER_SEC),
	};

	(void)clk;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

struct clock *clock_system(void)
{
	static struct clock clk = {
		.now_ns = system_now,
		.wall_ns = system_wall,
		.sleep_until_ns = system_sleep_until,
	};

	return &clk;
}
