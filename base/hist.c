/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void hist_clear(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = UINT64_MAX;
}

static void merge_ends(struct hist *into, uint64_t count, uint64_t sum_ns,
		       uint64_t min_ns, uint64_t max_ns)
{
	into->count += count;
	into->sum_ns += sum_ns;
	if (min_ns < into->min_ns)
		into->min_ns = min_ns;
	if (max_ns > into->max_ns)
		into->max_ns = max_ns;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	merge_ends(into, from->count, from->sum_ns, from->min_ns, from->max_ns);
	for (uint32_t i = hist_index(from->min_ns); i <= hist_index(from->max_ns); i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t hist_bucket_low_ns(uint32_t index)
{
	if (index < (2u << HIST_SUB_BITS))
		return index;
	unsigned shift = (index >> HIST_SUB_BITS) - 1;

	return (uint64_t)(index - (shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_bucket_high_ns(uint32_t index)
{
	return index + 1 < HIST_BUCKETS ? hist_bucket_low_ns(index + 1) - 1 : UINT64_MAX;
}

/* ceil(count * q); exact in 128 bits. */
static uint64_t rank_of(uint64_t count, uint32_t q_ppb)
{
	u128 scaled = (u128)count * q_ppb;
	uint64_t rank = (uint64_t)((scaled + 999999999u) / 1000000000u);

	return rank ? rank : 1;
}

uint64_t hist_quantile_ns(const struct hist *h, uint32_t q_ppb)
{
	if (!h->count)
		return 0;
	uint64_t rank = rank_of(h->count, q_ppb), seen = 0;

	if (rank >= h->count)
		return h->max_ns;
	for (uint32_t i = hist_index(h->min_ns); i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen < rank)
			continue;
		uint64_t low = hist_bucket_low_ns(i), high = hist_bucket_high_ns(i);
		uint64_t mid = i + 1 < HIST_BUCKETS ? low + (high - low) / 2 : h->max_ns;

		if (mid > h->max_ns)
			return h->max_ns;
		return mid < h->min_ns ? h->min_ns : mid;
	}
	return h->max_ns;
}

uint64_t hist_beyond(const struct hist *h, uint32_t q_ppb)
{
	return h->count ? h->count - rank_of(h->count, q_ppb) : 0;
}

int hist_pack(const struct hist *h, struct hist_sparse *sp)
{
	size_t n = 0;

	*sp = (struct hist_sparse){ 0 };
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		n += h->bucket[i] != 0;
	if (n) {
		sp->cell = calloc(n, sizeof(*sp->cell));
		if (!sp->cell)
			return -ENOMEM;
	}
	sp->count = h->count;
	sp->sum_ns = h->sum_ns;
	sp->min_ns = h->count ? h->min_ns : 0;
	sp->max_ns = h->max_ns;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		if (h->bucket[i])
			sp->cell[sp->n++] = (struct hist_cell){ i, h->bucket[i] };
	return 0;
}

bool hist_merge_sparse(struct hist *into, const struct hist_sparse *sp)
{
	for (size_t i = 0; i < sp->n; i++)
		if (sp->cell[i].index >= HIST_BUCKETS)
			return false;
	if (!sp->count)
		return true;
	merge_ends(into, sp->count, sp->sum_ns, sp->min_ns, sp->max_ns);
	for (size_t i = 0; i < sp->n; i++)
		into->bucket[sp->cell[i].index] += sp->cell[i].count;
	return true;
}

void hist_sparse_release(struct hist_sparse *sp)
{
	free(sp->cell);
	*sp = (struct hist_sparse){ 0 };
}
