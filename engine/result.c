/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/result.h"

#include <string.h>

void eng_result_clear(struct eng_result *r)
{
	memset(r, 0, sizeof(*r));
	for (int d = 0; d < IO_DIRS; d++)
		hist_clear(&r->dir[d].lat);
}

void eng_result_add_error(struct eng_result *r, const struct eng_error *e)
{
	uint64_t at = r->errors++;

	if (at >= ENG_ERRORS_KEPT) {
		at = ENG_ERRORS_KEPT - 1;
		if (r->error[at].t_ns <= e->t_ns)
			return;
	}
	for (; at && r->error[at - 1].t_ns > e->t_ns; at--)
		r->error[at] = r->error[at - 1];
	r->error[at] = *e;
}

void eng_host_merge(struct eng_host *into, const struct eng_host *from)
{
	into->known |= from->known;
	into->cpu_ns += from->cpu_ns;
	into->usr_ns += from->usr_ns;
	into->sys_ns += from->sys_ns;
	into->submit_ns += from->submit_ns;
	into->turnaround_ns += from->turnaround_ns;
	into->turnarounds += from->turnarounds;
}

static void merge_errors(struct eng_result *into, const struct eng_result *from)
{
	uint64_t kept = from->errors < ENG_ERRORS_KEPT ? from->errors : ENG_ERRORS_KEPT;

	for (uint64_t i = 0; i < kept; i++)
		eng_result_add_error(into, &from->error[i]);
	into->errors += from->errors - kept;
}

void eng_result_merge(struct eng_result *into, const struct eng_result *from)
{
	if (into->t1_ns == 0)
		into->t0_ns = from->t0_ns;
	into->t1_ns = from->t1_ns;
	for (int d = 0; d < IO_DIRS; d++) {
		into->dir[d].bytes += from->dir[d].bytes;
		hist_merge(&into->dir[d].lat, &from->dir[d].lat);
		into->cursor_b[d] = from->cursor_b[d];
	}
	into->depth_ns += from->depth_ns;
	merge_errors(into, from);
	eng_host_merge(&into->host, &from->host);
	/* The busiest worker of each part: an upper bound for the busiest of the whole. */
	into->host.worst_busy_ns += from->host.worst_busy_ns;
	into->host_limited |= from->host_limited;
	into->done |= from->done;
	into->device_lost |= from->device_lost;
}

uint64_t eng_depth_milli(const struct eng_result *r)
{
	uint64_t dur_ns = r->t1_ns - r->t0_ns;

	return dur_ns ? (uint64_t)((u128)r->depth_ns * 1000 / dur_ns) : 0;
}

bool eng_host_limited(const struct eng_result *r, const struct eng_asked *asked)
{
	const struct eng_host *h = &r->host;
	uint64_t dur_ns = r->t1_ns - r->t0_ns, ios = 0, lat_ns = 0;

	if (!h->known || !dur_ns)
		return false;
	if ((u128)h->worst_busy_ns * 100 >= (u128)dur_ns * 90)
		return true;
	if ((u128)asked->got_ns * 100 < (u128)asked->depth_ns * 95)
		return true;
	for (int d = 0; d < IO_DIRS; d++) {
		ios += r->dir[d].lat.count;
		lat_ns += r->dir[d].lat.sum_ns;
	}
	/* mean turnaround > 5 % of the mean latency, without dividing */
	return asked->qd == 1 &&
	       (u128)h->turnaround_ns * ios * 100 > (u128)lat_ns * h->turnarounds * 5;
}
