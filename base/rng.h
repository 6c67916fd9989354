/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xoshiro256++ (Blackman, Vigna): 64-bit output, period 2^256 - 1, seeded through splitmix64.
 * @pts 6: the generator of random LBAs must be seedable and give at least 48 bits.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

#include "base/compiler.h"

struct rng {
	uint64_t s[4];
};

static inline uint64_t rng_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline void rng_seed(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = rng_splitmix(&seed);
}

/* A seed for stream `stream` of `seed`: for points of a run, threads of a point. */
static inline uint64_t rng_derive(uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ (stream * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL);

	(void)rng_splitmix(&state);
	return rng_splitmix(&state);
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t *s = r->s, sum = s[0] + s[3];
	uint64_t out = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return out;
}

/*
 * Uniform in [0, n), n > 0, without modulo bias: the upper half of a 128-bit product, draws
 * that would favour some values rejected (Lemire 2019). The division is all but never taken.
 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	u128 m = (u128)rng_next(r) * n;

	if ((uint64_t)m < n) {
		uint64_t floor = (0 - n) % n;

		while ((uint64_t)m < floor)
			m = (u128)rng_next(r) * n;
	}
	return (uint64_t)(m >> 64);
}

#endif
