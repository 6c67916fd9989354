/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency histogram: log-linear, 128 buckets an octave, so that the value reported for a
 * bucket is at most 1/128 (0.79 %) from any value in it. Values below 128 ns are exact.
 * Range 1 ns .. HIST_TOP_NS (2199 s); anything longer is counted in the top bucket and
 * still exact in max_ns. Count, sum, min and max are exact.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define HIST_SUB_BITS 7
#define HIST_TOP_BITS 41
#define HIST_TOP_NS   ((1ULL << HIST_TOP_BITS) - 1)
#define HIST_BUCKETS  ((HIST_TOP_BITS - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

struct hist {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns; /* UINT64_MAX while empty */
	uint64_t max_ns;
	uint64_t bucket[HIST_BUCKETS];
};

struct hist_cell {
	uint32_t index;
	uint64_t count;
};

/* The same facts without the empty buckets; what the store keeps. Owned; see _release. */
struct hist_sparse {
	uint64_t count, sum_ns, min_ns, max_ns;
	size_t n;
	struct hist_cell *cell; /* ascending index, counts > 0, n of them */
};

static inline uint32_t hist_index(uint64_t v_ns)
{
	if (v_ns < (1ULL << HIST_SUB_BITS))
		return (uint32_t)v_ns;
	if (v_ns > HIST_TOP_NS)
		return HIST_BUCKETS - 1;
	unsigned shift = 63u - (unsigned)__builtin_clzll(v_ns) - HIST_SUB_BITS;

	return (uint32_t)((shift << HIST_SUB_BITS) + (uint32_t)(v_ns >> shift));
}

static inline void hist_add(struct hist *h, uint64_t v_ns)
{
	h->count++;
	h->sum_ns += v_ns;
	if (v_ns < h->min_ns)
		h->min_ns = v_ns;
	if (v_ns > h->max_ns)
		h->max_ns = v_ns;
	h->bucket[hist_index(v_ns)]++;
}

void hist_clear(struct hist *h);
/* Add `from` to `into`: equals the histogram of the pooled samples. */
void hist_merge(struct hist *into, const struct hist *from);

/* Lowest and highest value that falls into bucket `index` (the top bucket is open). */
uint64_t hist_bucket_low_ns(uint32_t index);
uint64_t hist_bucket_high_ns(uint32_t index);

/*
 * Value at quantile q_ppb / 10^9 (p99.999 = 999990000): the middle of the bucket that holds
 * the sample of rank ceil(q * count), clamped into [min, max]. 0 for an empty histogram.
 */
uint64_t hist_quantile_ns(const struct hist *h, uint32_t q_ppb);
/* Samples beyond that rank: below 10 a percentile is not worth printing. */
uint64_t hist_beyond(const struct hist *h, uint32_t q_ppb);
#define HIST_MIN_BEYOND 10

/* -ENOMEM leaves `sp` empty. */
int hist_pack(const struct hist *h, struct hist_sparse *sp) MUST_CHECK;
/* Add a sparse histogram to `into`; false where a cell's index is out of range. */
bool hist_merge_sparse(struct hist *into, const struct hist_sparse *sp) MUST_CHECK;
void hist_sparse_release(struct hist_sparse *sp);

#endif
