/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/lib/suite.h"

/* Reference outputs, as published with the algorithms. */
START_TEST(the_generator_is_xoshiro256_plus_plus)
{
	static const uint64_t want[] = {
		41943041,
		58720359,
		3588806011781223,
		3591011842654386,
		9228616714210784205u,
		9973669472204895162u,
		14011001112246962877u,
		12406186145184390807u,
		15849039046786891736u,
		10450023813501588000u,
	};
	struct rng r = { { 1, 2, 3, 4 } };

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		ck_assert_uint_eq(rng_next(&r), want[i]);
}
END_TEST

START_TEST(it_is_seeded_through_splitmix64)
{
	static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u,
					 9817491932198370423u, 4593380528125082431u };
	struct rng r;

	rng_seed(&r, 1234567);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		ck_assert_uint_eq(r.s[i], want[i]);
}
END_TEST

static const uint64_t limits[] = { 2, 3, 7, 10, 100, 255, 256, 257 };

START_TEST(numbers_below_a_limit_are_uniform)
{
	uint64_t n = limits[_i], draws = 2000 * n, seen[257] = { 0 };
	double chi2 = 0, p;
	struct rng r;

	rng_seed(&r, 99);
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t v = rng_below(&r, n);

		if (v >= n)
			abort();
		seen[v]++;
	}
	for (uint64_t i = 0; i < n; i++) {
		double off = (double)seen[i] - 2000.0;

		chi2 += off * off / 2000.0;
	}
	p = gsl_cdf_chisq_Q(chi2, (double)(n - 1));
	ck_assert_double_gt(p, 1e-4);
	ck_assert_double_lt(p, 1 - 1e-4);
}
END_TEST

/* With 3 * 2^62 as limit, taking the product without rejecting would double every third value. */
START_TEST(a_limit_near_2_to_the_64_is_not_biased)
{
	const uint64_t n = 3ULL << 62;
	uint64_t third[3] = { 0 }, mod3[3] = { 0 };
	struct rng r;

	rng_seed(&r, 5);
	for (int i = 0; i < 300000; i++) {
		uint64_t v = rng_below(&r, n);

		third[v >> 62]++;
		mod3[v % 3]++;
	}
	/* 5 standard deviations: 5 * sqrt(300000 * 1/3 * 2/3) = 1291 */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_le(labs((long)third[i] - 100000), 1291);
		ck_assert_int_le(labs((long)mod3[i] - 100000), 1291);
	}
}
END_TEST

START_TEST(derived_seeds_differ_for_every_stream_and_every_seed)
{
	enum { SEEDS = 40, STREAMS = 40 };
	static uint64_t seen[SEEDS * STREAMS];
	size_t n = 0;
	int same = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (uint64_t stream = 0; stream < STREAMS; stream++) {
			uint64_t d = rng_derive(seed, stream);

			for (size_t i = 0; i < n; i++)
				same += seen[i] == d;
			seen[n++] = d;
			same += rng_derive(seed, stream) != d;
		}
	ck_assert_int_eq(same, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base_rng");
	TCase *t = tcase_create("rng");

	tcase_add_test(t, the_generator_is_xoshiro256_plus_plus);
	tcase_add_test(t, it_is_seeded_through_splitmix64);
	tcase_add_loop_test(t, numbers_below_a_limit_are_uniform, 0,
			    (int)ARRAY_LEN(limits));
	tcase_add_test(t, a_limit_near_2_to_the_64_is_not_biased);
	tcase_add_test(t, derived_seeds_differ_for_every_stream_and_every_seed);
	suite_add_tcase(s, t);
	return suite_run(s);
}
