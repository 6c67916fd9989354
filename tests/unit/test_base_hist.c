/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>

#include "base/hist.h"
#include "base/rng.h"
#include "tests/lib/suite.h"

#define N 20000

static struct hist a, b, pooled;
static uint64_t sample[N];

static int by_value(const void *x, const void *y)
{
	uint64_t l = *(const uint64_t *)x, r = *(const uint64_t *)y;

	return (l > r) - (l < r);
}

/* Spread over all octaves of the range. */
static uint64_t draw(struct rng *r)
{
	return (rng_next(r) >> (64 - HIST_TOP_BITS)) >> rng_below(r, HIST_TOP_BITS);
}

/* Bounds worked by hand: 128 buckets an octave, exact below 256. */
START_TEST(buckets_have_the_bounds_of_the_format)
{
	static const struct {
		uint64_t v;
		uint32_t index;
		uint64_t low, high;
	} row[] = {
		{ 0, 0, 0, 0 },
		{ 1, 1, 1, 1 },
		{ 127, 127, 127, 127 },
		{ 128, 128, 128, 128 },
		{ 255, 255, 255, 255 },
		{ 256, 256, 256, 257 },
		{ 257, 256, 256, 257 },
		{ 258, 257, 258, 259 },
		{ 511, 383, 510, 511 },
		{ 512, 384, 512, 515 },
		{ 1000000, 1780, 999424, 1003519 }, /* 2^19 + 116 * 4096 */
		{ HIST_TOP_NS, HIST_BUCKETS - 1, 255ULL << 33, UINT64_MAX },
		{ HIST_TOP_NS + 1, HIST_BUCKETS - 1, 255ULL << 33, UINT64_MAX },
	};

	for (size_t i = 0; i < ARRAY_LEN(row); i++) {
		ck_assert_uint_eq(hist_index(row[i].v), row[i].index);
		ck_assert_uint_eq(hist_bucket_low_ns(row[i].index), row[i].low);
		ck_assert_uint_eq(hist_bucket_high_ns(row[i].index), row[i].high);
	}
	ck_assert_uint_gt(HIST_TOP_NS, 1000 * NSEC_PER_SEC);
}
END_TEST

START_TEST(buckets_join_without_gap_and_are_at_most_0_8_percent_wide)
{
	int bad = 0;

	for (uint32_t i = 0; i + 1 < HIST_BUCKETS; i++) {
		uint64_t low = hist_bucket_low_ns(i), high = hist_bucket_high_ns(i);

		bad += hist_index(low) != i || hist_index(high) != i ||
		       hist_bucket_low_ns(i + 1) != high + 1 ||
		       (high - low) * 1000 > low * 8;
	}
	ck_assert_int_eq(bad, 0);
}
END_TEST

/* Nearest rank on the sorted list is the oracle. */
START_TEST(quantiles_are_those_of_the_sorted_list_within_0_8_percent)
{
	static const uint32_t q_ppb[] = { 1,         500000000, 900000000, 990000000,
					  999000000, 999900000, 999990000, 1000000000 };
	struct rng r;

	rng_seed(&r, 1);
	hist_clear(&a);
	for (size_t i = 0; i < N; i++)
		hist_add(&a, sample[i] = draw(&r));
	qsort(sample, N, sizeof(sample[0]), by_value);
	for (size_t i = 0; i < ARRAY_LEN(q_ppb); i++) {
		uint64_t rank = ((uint64_t)q_ppb[i] * N + 999999999) / 1000000000;
		uint64_t want = sample[rank - 1], got = hist_quantile_ns(&a, q_ppb[i]);
		uint64_t off = got > want ? got - want : want - got;

		ck_assert_uint_le(off * 1000, want * 8);
		ck_assert_uint_eq(hist_beyond(&a, q_ppb[i]), N - rank);
	}
	ck_assert_uint_eq(a.min_ns, sample[0]);
	ck_assert_uint_eq(a.max_ns, sample[N - 1]);
	ck_assert_uint_eq(hist_quantile_ns(&a, 1000000000), sample[N - 1]);
}
END_TEST

START_TEST(no_quantile_leaves_the_range_from_minimum_to_maximum)
{
	struct rng r;
	int bad = 0;

	rng_seed(&r, 2);
	for (int round = 0; round < 200; round++) {
		uint64_t last = 0;

		hist_clear(&a);
		for (uint64_t n = 1 + rng_below(&r, 40); n; n--)
			hist_add(&a, draw(&r) << rng_below(&r, 20));
		for (uint32_t q = 0; q <= 1000; q++) {
			uint64_t v = hist_quantile_ns(&a, q * 1000000);

			bad += v < a.min_ns || v > a.max_ns || v < last;
			last = v;
		}
	}
	ck_assert_int_eq(bad, 0);
}
END_TEST

/* A tool once printed p99.9999 = 54788096 for a maximum of 54776876. */
START_TEST(ten_equal_values_have_that_value_as_every_percentile)
{
	hist_clear(&a);
	for (int i = 0; i < 10; i++)
		hist_add(&a, 54776876);
	for (uint32_t q = 0; q <= 100; q++)
		ck_assert_uint_eq(hist_quantile_ns(&a, q * 10000000), 54776876);
}
END_TEST

START_TEST(a_stall_longer_than_the_range_is_counted_and_keeps_its_length)
{
	const uint64_t stall = 3000 * NSEC_PER_SEC;

	hist_clear(&a);
	hist_add(&a, 100);
	hist_add(&a, stall);
	ck_assert_uint_eq(a.count, 2);
	ck_assert_uint_eq(a.max_ns, stall);
	ck_assert_uint_eq(a.sum_ns, stall + 100);
	ck_assert_uint_eq(hist_quantile_ns(&a, 999999999), stall);
}
END_TEST

START_TEST(merging_equals_pooling_the_samples)
{
	struct rng r;

	rng_seed(&r, 3);
	hist_clear(&a);
	hist_clear(&b);
	hist_clear(&pooled);
	for (int i = 0; i < N; i++) {
		uint64_t v = draw(&r);

		hist_add(i % 3 ? &a : &b, v);
		hist_add(&pooled, v);
	}
	hist_merge(&a, &b);
	ck_assert_mem_eq(&a, &pooled, sizeof(a));
	hist_clear(&b);
	hist_merge(&a, &b);
	ck_assert_mem_eq(&a, &pooled, sizeof(a));
	hist_merge(&b, &a);
	ck_assert_mem_eq(&b, &pooled, sizeof(b));
}
END_TEST

START_TEST(packing_and_unpacking_loses_nothing)
{
	struct hist_sparse sp;
	struct rng r;

	rng_seed(&r, 4);
	hist_clear(&a);
	hist_clear(&b);
	for (int i = 0; i < 1000; i++)
		hist_add(&a, draw(&r));
	ck_assert_int_eq(hist_pack(&a, &sp), 0);
	for (size_t i = 1; i < sp.n; i++)
		ck_assert_uint_lt(sp.cell[i - 1].index, sp.cell[i].index);
	ck_assert(hist_merge_sparse(&b, &sp));
	ck_assert_mem_eq(&a, &b, sizeof(a));
	sp.cell[0].index = HIST_BUCKETS;
	ck_assert(!hist_merge_sparse(&b, &sp));
	ck_assert_mem_eq(&a, &b, sizeof(a));
	hist_sparse_release(&sp);
}
END_TEST

START_TEST(an_empty_histogram_packs_into_nothing)
{
	struct hist_sparse sp;

	hist_clear(&a);
	ck_assert_uint_eq(hist_quantile_ns(&a, 500000000), 0);
	ck_assert_uint_eq(hist_beyond(&a, 500000000), 0);
	ck_assert_int_eq(hist_pack(&a, &sp), 0);
	ck_assert_uint_eq(sp.n, 0);
	ck_assert_uint_eq(sp.min_ns, 0);
	hist_clear(&b);
	ck_assert(hist_merge_sparse(&b, &sp));
	ck_assert_mem_eq(&a, &b, sizeof(a));
	hist_sparse_release(&sp);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base_hist");
	TCase *t = tcase_create("hist");

	tcase_add_test(t, buckets_have_the_bounds_of_the_format);
	tcase_add_test(t, buckets_join_without_gap_and_are_at_most_0_8_percent_wide);
	tcase_add_test(t, quantiles_are_those_of_the_sorted_list_within_0_8_percent);
	tcase_add_test(t, no_quantile_leaves_the_range_from_minimum_to_maximum);
	tcase_add_test(t, ten_equal_values_have_that_value_as_every_percentile);
	tcase_add_test(t, a_stall_longer_than_the_range_is_counted_and_keeps_its_length);
	tcase_add_test(t, merging_equals_pooling_the_samples);
	tcase_add_test(t, packing_and_unpacking_loses_nothing);
	tcase_add_test(t, an_empty_histogram_packs_into_nothing);
	suite_add_tcase(s, t);
	return suite_run(s);
}
