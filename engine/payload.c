/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/payload.h"

#include <string.h>

#include "base/rng.h"

#define BODY_SEED   UINT64_C(0x706c617465617521)
#define STAMP_WORDS (sizeof(struct payload_stamp) / sizeof(uint64_t))

static void fill_sector(void *sector, uint32_t body)
{
	uint64_t word[PAYLOAD_SECTOR / sizeof(uint64_t)];
	struct rng rng;

	rng_seed(&rng, rng_derive(BODY_SEED, body));
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		word[i] = rng_next(&rng);
	/* ext's magic number would stand here, and the gate would see a file system. */
	if ((word[7] & 0xffff) == 0xef53)
		word[7] ^= 1;
	body = (uint32_t)payload_masked(body, word[STAMP_WORDS + PAYLOAD_MASK_BODY]);
	memcpy(sector, word, sizeof(word));
	memcpy((char *)sector + offsetof(struct payload_stamp, body), &body,
	       sizeof(body));
}

void payload_fill(void *buf, size_t len_b, uint32_t first_body)
{
	for (size_t at = 0; at < len_b; at += PAYLOAD_SECTOR)
		fill_sector((char *)buf + at, first_body++);
}

bool payload_check(const void *sector, uint64_t off_b, struct payload_stamp *ret)
{
	unsigned char want[PAYLOAD_SECTOR];
	uint64_t mask[4];
	struct payload_stamp s;
	uint32_t sum;

	memcpy(&s, sector, sizeof(s));
	memcpy(mask, (const char *)sector + sizeof(s), sizeof(mask));
	s.off_b = payload_masked(s.off_b, mask[PAYLOAD_MASK_OFF]);
	s.seed = payload_masked(s.seed, mask[PAYLOAD_MASK_SEED]);
	s.count = payload_masked(s.count, mask[PAYLOAD_MASK_COUNT]);
	sum = payload_sum(s.off_b, s.seed, s.count, s.body);
	s.body = (uint32_t)payload_masked(s.body, mask[PAYLOAD_MASK_BODY]);
	if (ret)
		*ret = s;
	if (s.off_b != off_b || s.check != sum)
		return false;
	fill_sector(want, s.body);
	return !memcmp(want + sizeof(s), (const char *)sector + sizeof(s),
		       sizeof(want) - sizeof(s));
}
