/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/stream.h"
#include "tests/lib/suite.h"

#define SECTOR 512

static struct eng_cursor cursor;
static struct eng_stream stream[8];

static void open_streams(const struct eng_workload *w)
{
	eng_cursor_init(&cursor, w);
	for (uint32_t i = 0; i < w->tc; i++)
		eng_stream_init(&stream[i], &cursor, w, i);
}

/* No assertion of check's here: a test draws millions. */
static struct eng_io next(uint32_t thread)
{
	struct eng_io io;

	if (!eng_stream_next(&stream[thread], &io))
		abort();
	return io;
}

static void assert_plausible(double chi2, double freedom)
{
	double p = gsl_cdf_chisq_Q(chi2, freedom);

	ck_assert_double_gt(p, 1e-4);
	ck_assert_double_lt(p, 1 - 1e-4);
}

/* Ranges of few and of more than 2^32 blocks, powers of two and not. */
static const struct eng_workload ranges[] = {
	{ .bs_b = 4096, .len_b = GIB(1) },
	{ .bs_b = 4096, .len_b = 1920383410176 },            /* a 1.92 TB drive */
	{ .bs_b = 512, .len_b = (5ULL << 40) + 512 * 3331 }, /* 10737421571 blocks */
	{ .bs_b = 512, .len_b = 3ULL << 61 },
	{ .bs_b = MIB(1), .off_b = KIB(8), .len_b = GIB(7) + KIB(88) },
	{ .bs_b = 4096, .len_b = 4096 * 100 },
};

START_TEST(random_offsets_are_uniform_aligned_and_inside_the_range)
{
	enum { BINS = 64, DRAWS = 640000 };
	struct eng_workload w = ranges[_i];
	uint64_t bin[BINS] = { 0 }, mod7[7] = { 0 }, first, blocks;
	double chi2 = 0;
	int bad = 0;

	w.tc = 1;
	w.read_pct = 100;
	w.seed = 12345;
	open_streams(&w);
	first = (w.off_b + w.bs_b - 1) / w.bs_b;
	blocks = (w.off_b + w.len_b) / w.bs_b - first;
	for (int i = 0; i < DRAWS; i++) {
		struct eng_io io = next(0);
		uint64_t block = io.off_b / w.bs_b - first;

		bad += io.off_b % w.bs_b || io.off_b < w.off_b || io.len_b != w.bs_b ||
		       io.off_b + io.len_b > w.off_b + w.len_b;
		bin[(u128)block * BINS / blocks]++;
		mod7[block % 7]++;
	}
	ck_assert_int_eq(bad, 0);
	for (unsigned i = 0; i < BINS; i++) {
		/* blocks that map to this bin, exactly */
		uint64_t low = (uint64_t)(((u128)blocks * i + BINS - 1) / BINS);
		uint64_t high = (uint64_t)(((u128)blocks * (i + 1) + BINS - 1) / BINS);
		double want = DRAWS * ((double)(high - low) / (double)blocks);

		chi2 += ((double)bin[i] - want) * ((double)bin[i] - want) / want;
	}
	assert_plausible(chi2, BINS - 1);
	chi2 = 0;
	for (unsigned i = 0; i < 7; i++) {
		double want = DRAWS * ((double)((blocks + 6 - i) / 7) / (double)blocks);

		chi2 += ((double)mod7[i] - want) * ((double)mod7[i] - want) / want;
	}
	assert_plausible(chi2, 6);
}
END_TEST

START_TEST(random_offsets_reach_every_whole_block_and_no_part_of_another)
{
	/* 10 sectors from sector 3 on, blocks of 4: only the one at sector 4, 8 are whole */
	struct eng_workload w = {
		.bs_b = 4 * SECTOR, .tc = 1, .off_b = 3 * SECTOR, .len_b = 10 * SECTOR
	};
	bool seen[4] = { 0 };

	open_streams(&w);
	for (int i = 0; i < 100; i++)
		seen[next(0).off_b / w.bs_b] = true;
	ck_assert(!seen[0] && seen[1] && seen[2] && !seen[3]);
}
END_TEST

START_TEST(random_offsets_repeat_no_more_often_than_chance)
{
	enum { DRAWS = 200000 };
	/* 2^20 blocks: expected distinct = 2^20 (1 - exp(-200000 / 2^20)) = 182084, sigma ~ 120 */
	struct eng_workload w = { .bs_b = 4096, .tc = 1, .len_b = GIB(4), .seed = 7 };
	unsigned char *seen = calloc(1 << 20, 1);
	int distinct = 0;

	ck_assert_ptr_nonnull(seen);
	open_streams(&w);
	for (int i = 0; i < DRAWS; i++) {
		unsigned char *s = &seen[next(0).off_b / 4096];

		distinct += !*s;
		*s = 1;
	}
	free(seen);
	ck_assert_int_gt(distinct, 182084 - 700);
	ck_assert_int_lt(distinct, 182084 + 700);
}
END_TEST

START_TEST(threads_and_seeds_have_streams_of_their_own_and_a_seed_repeats)
{
	struct eng_workload w = { .bs_b = 512, .tc = 8, .len_b = 3ULL << 61, .seed = 1 };
	struct eng_io a[8], b;

	open_streams(&w);
	for (uint32_t i = 0; i < 8; i++) {
		a[i] = next(i);
		for (uint32_t k = 0; k < i; k++)
			ck_assert_uint_ne(a[i].off_b, a[k].off_b);
	}
	open_streams(&w);
	ck_assert_uint_eq(next(0).off_b, a[0].off_b);
	w.seed = 2;
	open_streams(&w);
	b = next(0);
	ck_assert_uint_ne(b.off_b, a[0].off_b);
}
END_TEST

static const uint8_t mixes[] = { 0, 5, 35, 50, 65, 95, 100 };

/* Share and number of changes, each within 5 standard deviations of independent draws. */
START_TEST(a_mix_is_drawn_io_by_io)
{
	enum { DRAWS = 1000000 };
	struct eng_workload w = {
		.bs_b = 4096, .tc = 1, .len_b = GIB(1), .seed = 3, .read_pct = mixes[_i]
	};
	double p = mixes[_i] / 100.0, q = 1 - p, reads = 0, changes = 0;
	enum io_dir last = IO_READ;

	open_streams(&w);
	for (int i = 0; i < DRAWS; i++) {
		enum io_dir dir = next(0).dir;

		reads += dir == IO_READ;
		changes += i && dir != last;
		last = dir;
	}
	ck_assert_double_le((reads - DRAWS * p) * (reads - DRAWS * p),
			    25 * DRAWS * p * q);
	/* Var(changes) = n * 2pq(2 - 6pq) asymptotically, at most n * 2pq * 2 */
	ck_assert_double_le((changes - DRAWS * 2 * p * q) * (changes - DRAWS * 2 * p * q),
			    25 * DRAWS * 4 * p * q + 1);
}
END_TEST

/* Everything the streams give out, in the order given; threads take turns at random. */
static size_t take_all(const struct eng_workload *w, struct eng_io *list, size_t max)
{
	bool over[8] = { 0 };
	uint32_t open = w->tc;
	size_t n = 0;
	struct rng r;

	open_streams(w);
	rng_seed(&r, w->tc);
	while (open) {
		uint32_t i = (uint32_t)rng_below(&r, w->tc);

		if (over[i])
			continue;
		ck_assert_uint_lt(n, max);
		if (eng_stream_next(&stream[i], &list[n])) {
			n++;
		} else {
			over[i] = true;
			open--;
		}
	}
	return n;
}

static const struct {
	uint64_t off, len, bs, limit, cursor; /* sectors */
} fills[] = {
	{ 0, 1000, 256, 2000, 0 },       /* tail of 232, two passes */
	{ 0, 1024, 256, 2048, 0 },       /* no tail */
	{ 8, 2048 + 176, 256, 5000, 0 }, /* ends in the middle of the third pass */
	{ 0, 750, 256, 2000, 0 },        /* 75 %: 2.67 passes */
	{ 100, 999, 256, 1998, 512 },    /* starts within the range */
	{ 0, 100, 256, 250, 7 },         /* range shorter than a block */
	{ 0, 1, 256, 2, 0 },
};

/* The oracle walks sector by sector. */
START_TEST(a_fill_writes_every_sector_in_order_and_exactly_the_limit)
{
	static struct eng_io list[8][64];
	size_t n[9] = { 0 };

	for (uint32_t tc = 1; tc <= 8; tc++) {
		struct eng_workload w = {
			.pattern = IO_SEQ,
			.tc = tc,
			.bs_b = (uint32_t)fills[_i].bs * SECTOR,
			.off_b = fills[_i].off * SECTOR,
			.len_b = fills[_i].len * SECTOR,
			.limit_b = fills[_i].limit * SECTOR,
			.cursor_b = { 0, fills[_i].cursor * SECTOR },
		};
		uint64_t at = fills[_i].cursor, total = 0;

		n[tc] = take_all(&w, list[tc - 1], 64);
		for (size_t i = 0; i < n[tc]; i++) {
			const struct eng_io *io = &list[tc - 1][i];

			ck_assert_int_eq(io->dir, IO_WRITE);
			ck_assert_uint_eq(io->off_b, (fills[_i].off + at) * SECTOR);
			for (uint32_t k = 0; k < io->len_b; k += SECTOR) {
				ck_assert_uint_lt(at, fills[_i].len);
				at++;
				total++;
			}
			if (at == fills[_i].len)
				at = 0;
			else if (total < fills[_i].limit)
				ck_assert_uint_eq(io->len_b, w.bs_b);
		}
		ck_assert_uint_eq(total, fills[_i].limit);
		ck_assert_uint_eq(eng_cursor_at_b(&cursor, &w, IO_WRITE), at * SECTOR);
		ck_assert_uint_eq(n[tc], n[1]);
		ck_assert_mem_eq(list[tc - 1], list[0], n[1] * sizeof(list[0][0]));
	}
}
END_TEST

START_TEST(sequential_reads_and_writes_keep_their_own_cursors)
{
	struct eng_workload w = { .pattern = IO_SEQ,
				  .tc = 1,
				  .read_pct = 50,
				  .bs_b = 4096,
				  .len_b = 40960,
				  .cursor_b = { 8192, 16384 } };
	uint64_t at[IO_DIRS] = { 8192, 16384 };

	open_streams(&w);
	for (int i = 0; i < 1000; i++) {
		struct eng_io io = next(0);

		ck_assert_uint_eq(io.off_b, at[io.dir]);
		at[io.dir] = (at[io.dir] + 4096) % 40960;
	}
}
END_TEST

START_TEST(a_random_workload_ends_exactly_at_its_limit)
{
	static struct eng_io list[128];
	struct eng_workload w = { .tc = 3,
				  .read_pct = 50,
				  .bs_b = 4096,
				  .len_b = MIB(1),
				  .limit_b = 100 * 4096 + 512 };
	size_t n = take_all(&w, list, ARRAY_LEN(list));
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += list[i].len_b;
	ck_assert_uint_eq(n, 101);
	ck_assert_uint_eq(total, w.limit_b);
}
END_TEST

static unsigned char *times_taken;

static void *take_some(void *arg)
{
	struct eng_io io;

	while (eng_stream_next(arg, &io))
		for (uint64_t b = io.off_b; b < io.off_b + io.len_b; b += SECTOR)
			__atomic_fetch_add(&times_taken[b / SECTOR], 1, __ATOMIC_RELAXED);
	return NULL;
}

START_TEST(real_threads_share_a_cursor_without_loss_or_double)
{
	enum { TC = 4, SECTORS = 100003 };
	struct eng_workload w = { .pattern = IO_SEQ,
				  .tc = TC,
				  .bs_b = 4096,
				  .len_b = SECTORS * SECTOR,
				  .limit_b = 3ULL * SECTORS * SECTOR };
	pthread_t thread[TC];
	int bad = 0;

	times_taken = calloc(SECTORS, 1);
	ck_assert_ptr_nonnull(times_taken);
	open_streams(&w);
	for (int i = 0; i < TC; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, take_some, &stream[i]),
				 0);
	for (int i = 0; i < TC; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SECTORS; i++)
		bad += times_taken[i] != 3;
	ck_assert_int_eq(bad, 0);
	free(times_taken);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_stream");
	TCase *t = tcase_create("stream");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, random_offsets_are_uniform_aligned_and_inside_the_range, 0,
			    (int)ARRAY_LEN(ranges));
	tcase_add_test(t, random_offsets_reach_every_whole_block_and_no_part_of_another);
	tcase_add_test(t, random_offsets_repeat_no_more_often_than_chance);
	tcase_add_test(t, threads_and_seeds_have_streams_of_their_own_and_a_seed_repeats);
	tcase_add_loop_test(t, a_mix_is_drawn_io_by_io, 0, (int)ARRAY_LEN(mixes));
	tcase_add_loop_test(t, a_fill_writes_every_sector_in_order_and_exactly_the_limit,
			    0, (int)ARRAY_LEN(fills));
	tcase_add_test(t, sequential_reads_and_writes_keep_their_own_cursors);
	tcase_add_test(t, a_random_workload_ends_exactly_at_its_limit);
	tcase_add_test(t, real_threads_share_a_cursor_without_loss_or_double);
	suite_add_tcase(s, t);
	return suite_run(s);
}
