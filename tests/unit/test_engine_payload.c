/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/compiler.h"
#include "engine/payload.h"
#include "tests/lib/suite.h"

#define LEN     ((size_t)KIB(128))
#define SECTORS (LEN / PAYLOAD_SECTOR)

static _Alignas(4096) unsigned char buf[LEN];

START_TEST(a_write_is_recognised_sector_by_sector)
{
	struct payload_stamp s;

	payload_fill(buf, LEN, 1000);
	payload_stamp(buf, LEN, GIB(5), 77, 3);
	for (size_t at = 0; at < LEN; at += PAYLOAD_SECTOR) {
		ck_assert(payload_check(buf + at, GIB(5) + at, &s));
		ck_assert_uint_eq(s.seed, 77);
		ck_assert_uint_eq(s.count, 3);
		ck_assert_uint_eq(s.body, 1000 + at / PAYLOAD_SECTOR);
	}
}
END_TEST

START_TEST(a_sector_at_the_wrong_place_is_not_accepted)
{
	payload_fill(buf, LEN, 0);
	payload_stamp(buf, LEN, 0, 77, 3);
	ck_assert(!payload_check(buf, PAYLOAD_SECTOR, NULL));
	ck_assert(!payload_check(buf + PAYLOAD_SECTOR, 0, NULL));
}
END_TEST

START_TEST(any_changed_bit_is_noticed)
{
	payload_fill(buf, LEN, 5);
	payload_stamp(buf, LEN, 4096, 77, 3);
	for (size_t bit = 0; bit < 8 * PAYLOAD_SECTOR; bit++) {
		buf[bit / 8] ^= (unsigned char)(1u << bit % 8);
		ck_assert(!payload_check(buf, 4096, NULL));
		buf[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	ck_assert(payload_check(buf, 4096, NULL));
}
END_TEST

START_TEST(empty_and_unwritten_sectors_are_not_accepted)
{
	memset(buf, 0, LEN);
	ck_assert(!payload_check(buf, 0, NULL));
	payload_fill(buf, LEN, 0);
	ck_assert(!payload_check(buf, 0, NULL));
}
END_TEST

static int by_content(const void *a, const void *b)
{
	return memcmp(a, b, PAYLOAD_SECTOR);
}

START_TEST(no_two_sectors_of_any_writes_are_equal)
{
	enum { WRITES = 24 };
	unsigned char *all = malloc(WRITES * LEN);
	size_t same = 0;

	ck_assert_ptr_nonnull(all);
	payload_fill(buf, LEN, 0);
	/* the same place again and again, by two workers, under two seeds */
	for (uint64_t i = 0; i < WRITES; i++) {
		payload_stamp(buf, LEN, 0, i % 2, (i / 2 % 2) << 48 | i / 4);
		memcpy(all + i * LEN, buf, LEN);
	}
	qsort(all, WRITES * SECTORS, PAYLOAD_SECTOR, by_content);
	for (size_t i = 1; i < WRITES * SECTORS; i++)
		same += !by_content(all + (i - 1) * PAYLOAD_SECTOR,
				    all + i * PAYLOAD_SECTOR);
	ck_assert_uint_eq(same, 0);
	free(all);
}
END_TEST

/* Bytes 56 and 57 of sector 2 are where ext has its magic number 53 ef. */
START_TEST(no_sector_looks_like_a_file_system)
{
	static _Alignas(512) unsigned char sector[PAYLOAD_SECTOR];

	for (uint32_t body = 0; body < 300000; body++) {
		payload_fill(sector, sizeof(sector), body);
		ck_assert(sector[56] != 0x53 || sector[57] != 0xef);
	}
}
END_TEST

START_TEST(what_is_written_does_not_compress)
{
	uLongf out_len = compressBound(LEN);
	unsigned char *out = malloc(out_len);

	ck_assert_ptr_nonnull(out);
	payload_fill(buf, LEN, 0);
	payload_stamp(buf, LEN, 0, 1, 1);
	ck_assert_int_eq(compress2(out, &out_len, buf, LEN, 9), Z_OK);
	/* not by a byte, stamps included */
	ck_assert_uint_ge(out_len, LEN);
	free(out);
}
END_TEST

START_TEST(stamped_or_not_all_byte_values_are_equally_frequent)
{
	size_t seen[256] = { 0 };
	double chi2 = 0;

	payload_fill(buf, LEN, 0);
	if (_i)
		payload_stamp(buf, LEN, 4096, 77, 3);
	for (size_t i = 0; i < LEN; i++)
		seen[buf[i]]++;
	for (size_t i = 0; i < 256; i++) {
		double want = (double)LEN / 256, off = (double)seen[i] - want;

		chi2 += off * off / want;
	}
	ck_assert_double_gt(gsl_cdf_chisq_Q(chi2, 255), 1e-4);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_payload");
	TCase *t = tcase_create("payload");

	tcase_add_test(t, a_write_is_recognised_sector_by_sector);
	tcase_add_test(t, a_sector_at_the_wrong_place_is_not_accepted);
	tcase_add_test(t, any_changed_bit_is_noticed);
	tcase_add_test(t, empty_and_unwritten_sectors_are_not_accepted);
	tcase_add_test(t, no_two_sectors_of_any_writes_are_equal);
	tcase_add_test(t, no_sector_looks_like_a_file_system);
	tcase_add_test(t, what_is_written_does_not_compress);
	tcase_add_loop_test(t, stamped_or_not_all_byte_values_are_equally_frequent, 0, 2);
	suite_add_tcase(s, t);
	return suite_run(s);
}
