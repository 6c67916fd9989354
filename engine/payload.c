/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/payload.h"

#include <string.h>

#include "base/rng.h"

#define BODY_SEED UINT64_C(0x706c617465617521)

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
	struct payload_stamp s;

	memcpy(&s, sector, sizeof(s));
	if (ret)
		*ret = s;
	if (s.off_b != off_b || s.check != payload_sum(s.off_b, s.seed, s.count, s.body))
		return false;
	fill_sector(want, s.body);
	return !memcmp(want + sizeof(s), (const char *)sector + sizeof(s),
		       sizeof(want) - sizeof(s));
}
