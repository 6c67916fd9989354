/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests that virtual time does not leak: every look at a clock of the machine is counted, and
 * every call that waits is counted and does not wait. A test names what it stands in the way of:
 * "wrap: clock_gettime" and so on, in lines of its own.
 */
#ifndef TESTS_CLOCKS_H
#define TESTS_CLOCKS_H

#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"

static unsigned clock_looks, sleeps;
/* The machine's clock jumps to and fro. */
static bool clock_wild;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
			   struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_usleep(useconds_t us);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_sem_clockwait(sem_t *sem, clockid_t id, const struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	static struct rng r;

	clock_looks++;
	if (!clock_wild)
		return __real_clock_gettime(id, ts);
	if (!r.s[0])
		rng_seed(&r, 1);
	*ts = (struct timespec){ (time_t)rng_below(&r, 1U << 31),
				 (long)rng_below(&r, 1000000000) };
	return 0;
}

int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
			   struct timespec *left)
{
	(void)id;
	(void)flags;
	(void)t;
	(void)left;
	sleeps++;
	return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	sleeps++;
	return 0;
}

int __wrap_usleep(useconds_t us)
{
	(void)us;
	sleeps++;
	return 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	(void)n;
	(void)ms;
	sleeps++;
	return 0;
}

int __wrap_sem_clockwait(sem_t *sem, clockid_t id, const struct timespec *t)
{
	(void)sem;
	(void)id;
	(void)t;
	sleeps++;
	return 0;
}

#endif
