/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "pts/walk.h"

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

/* CLOCK_MONOTONIC stands still while the machine is suspended, CLOCK_BOOTTIME does not. */
static int64_t asleep_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
}

static void read_clock_source(char *buf, size_t n)
{
	struct str s = { 0 };

	if (!str_read_file(&s, CLOCK_SOURCE, 4096, NULL))
		snprintf(buf, n, "%.*s", (int)strcspn(str_text(&s), "\n"), str_text(&s));
	str_release(&s);
}

void host_watch_begin(struct host_watch *h, bool simulated)
{
	*h = (struct host_watch){ .simulated = simulated, .latency_fd = -1 };
	if (simulated)
		return;
	h->asleep_ns = asleep_ns();
	read_clock_source(h->clock_source, sizeof(h->clock_source));
}

uint64_t host_watch_suspended_ns(struct host_watch *h)
{
	int64_t now, slept;

	if (h->simulated)
		return 0;
	now = asleep_ns();
	slept = now - h->asleep_ns;
	/* The two clocks are read one after the other: ignore what that makes. */
	if (slept < (int64_t)(100 * NSEC_PER_MSEC))
		return 0;
	h->asleep_ns = now;
	return (uint64_t)slept;
}

bool host_watch_clock_changed(struct host_watch *h)
{
	char now[sizeof(h->clock_source)] = "";

	if (h->simulated)
		return false;
	read_clock_source(now, sizeof(now));
	if (!strcmp(now, h->clock_source))
		return false;
	memcpy(h->clock_source, now, sizeof(now));
	return true;
}

void host_watch_end(struct host_watch *h)
{
	if (h->latency_fd >= 0)
		close(h->latency_fd);
	h->latency_fd = -1;
}
