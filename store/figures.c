/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from a point's counts; each figure has one formula, here. */
#include "store/store.h"

static uint64_t ios(const struct st_point *p)
{
	return p->dir[IO_READ].lat.count + p->dir[IO_WRITE].lat.count;
}

/* `amount` a second of the interval. */
static double per_s(const struct st_point *p, uint64_t amount)
{
	uint64_t dur_ns = p->t1_ns - p->t0_ns;

	return dur_ns ? (double)amount * (double)NSEC_PER_SEC / (double)dur_ns : 0;
}

double st_point_iops(const struct st_point *p)
{
	return per_s(p, ios(p));
}

double st_point_bytes_per_s(const struct st_point *p)
{
	return per_s(p, p->dir[IO_READ].bytes + p->dir[IO_WRITE].bytes);
}

double st_point_lat_mean_ns(const struct st_point *p)
{
	uint64_t n = ios(p);

	return n ? (double)(p->dir[IO_READ].lat.sum_ns + p->dir[IO_WRITE].lat.sum_ns) /
			       (double)n
		 : 0;
}

uint64_t st_point_lat_max_ns(const struct st_point *p)
{
	uint64_t read_ns = p->dir[IO_READ].lat.max_ns,
		 write_ns = p->dir[IO_WRITE].lat.max_ns;

	return read_ns > write_ns ? read_ns : write_ns;
}

double st_point_depth(const struct st_point *p)
{
	uint64_t dur_ns = p->t1_ns - p->t0_ns;

	return dur_ns ? (double)p->depth_ns / (double)dur_ns : 0;
}

bool st_point_merge_lat(const struct st_point *p, struct hist *into)
{
	for (int dir = 0; dir < IO_DIRS; dir++)
		if (!hist_merge_sparse(into, &p->dir[dir].lat))
			return false;
	return true;
}
