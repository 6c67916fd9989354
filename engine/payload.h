/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written. Every sector of a buffer is random and incompressible from the start; each
 * write stamps each of its sectors anew, so that no two sectors on the device are equal and
 * whatever is read back can be checked to the last byte, with nothing remembered.
 */
#ifndef ENGINE_PAYLOAD_H
#define ENGINE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_SECTOR 512u

/*
 * The head of every sector; the rest follows from `body`. On the device the fields but `check` are
 * masked with the random words that follow them, so that a drive which compresses, and one
 * that looks for likenesses, finds none.
 */
struct payload_stamp {
	uint64_t off_b; /* of this sector on the device */
	uint64_t seed;  /* of the workload that wrote it */
	uint64_t count; /* differs for every write of that workload */
	uint32_t body;  /* which random body this is */
	uint32_t check; /* over the fields above */
};
_Static_assert(sizeof(struct payload_stamp) == 32, "a stamp has no padding");

enum { PAYLOAD_MASK_OFF, PAYLOAD_MASK_SEED, PAYLOAD_MASK_COUNT, PAYLOAD_MASK_BODY };

/* Turned by no whole bytes: else the bytes of a small number would be those of its mask. */
static inline uint64_t payload_masked(uint64_t v, uint64_t mask)
{
	return v ^ (mask << 29 | mask >> 35);
}

/* `body` as it stands in the sector. */
static inline uint32_t payload_sum(uint64_t off_b, uint64_t seed, uint64_t count,
				   uint32_t body)
{
	uint64_t z = (off_b ^ seed) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 32) ^ count ^ body) * 0xd1342543de82ef95ULL;
	return (uint32_t)(z >> 32);
}

/* Stamp a buffer that payload_fill() made, for a write of len_b bytes to off_b. */
static inline void payload_stamp(void *buf, uint32_t len_b, uint64_t off_b, uint64_t seed,
				 uint64_t count)
{
	for (uint32_t at = 0; at < len_b; at += PAYLOAD_SECTOR) {
		struct payload_stamp *s =
			__builtin_assume_aligned((char *)buf + at, PAYLOAD_SECTOR);

		const uint64_t *mask = (const void *)(s + 1);

		s->off_b = payload_masked(off_b + at, mask[PAYLOAD_MASK_OFF]);
		s->seed = payload_masked(seed, mask[PAYLOAD_MASK_SEED]);
		s->count = payload_masked(count, mask[PAYLOAD_MASK_COUNT]);
		s->check = payload_sum(off_b + at, seed, count, s->body);
	}
}

/* Fill buf, aligned to a sector, with the random bodies first_body, first_body + 1, ... */
void payload_fill(void *buf, size_t len_b, uint32_t first_body);
/* Is this one sector what was written to off_b? *ret (may be NULL) gets its stamp. */
bool payload_check(const void *sector, uint64_t off_b, struct payload_stamp *ret);

#endif
