/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"
#include "tests/lib/suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#define NO UINT64_MAX /* refused */

static const struct {
	const char *text;
	uint64_t b;
} sizes[] = {
	{ "0", 0 },
	{ "512", 512 },
	{ "512B", 512 },
	{ "4k", 4096 },
	{ "4K", 4096 },
	{ "4KB", 4096 },
	{ "4KiB", 4096 },
	{ "0.5k", 512 },
	{ "1.5M", 1572864 },
	{ "0.0009765625k", 1 },
	{ "1G", 1073741824 },
	{ "2TiB", 2199023255552 },
	{ "1P", 1125899906842624 },
	{ "15E", 17293822569102704640u },
	{ "18446744073709551614", 18446744073709551614u },
	{ "", NO },
	{ "k", NO },
	{ "B", NO },
	{ "-1", NO },
	{ "+1", NO },
	{ " 4k", NO },
	{ "4k ", NO },
	{ "4 k", NO },
	{ "4ki", NO },
	{ "4iB", NO },
	{ "4kk", NO },
	{ "4x", NO },
	{ "0x10", NO },
	{ "1e3", NO },
	{ "4,5k", NO },
	{ ".5k", NO },
	{ "5.k", NO },
	{ "1.2.3k", NO },
	{ "0.5", NO },
	{ "0.3k", NO },
	{ "16E", NO },
	{ "18446744073709551616", NO },
	/* 2^128 and 2^130 bytes: must not come round to 0 */
	{ "295147905179352825856E", NO },
	{ "1180591620717411303424E", NO },
	{ "340282366920938463463374607431768211456", NO },
	{ "1.00000000000000k", NO },
};

START_TEST(sizes_are_binary_and_exact_or_refused)
{
	struct err err;
	uint64_t b = 77;
	int rc = units_parse_size("--size", sizes[_i].text, &b, &err);

	if (sizes[_i].b == NO) {
		ck_assert_int_eq(rc, -EINVAL);
		ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
		ck_assert_msg(strstr(err.text, "--size") &&
				      strstr(err.text, sizes[_i].text),
			      "%s", err.text);
		ck_assert_uint_eq(b, 77);
	} else {
		ck_assert_msg(!rc, "%s", sizes[_i].text);
		ck_assert_uint_eq(b, sizes[_i].b);
	}
}
END_TEST

static const struct {
	const char *text;
	uint64_t ns;
} durs[] = {
	{ "1us", 1000 },
	{ "250ms", 250000000 },
	{ "90s", 90000000000 },
	{ "90", 90000000000 },
	{ "0.5", 500000000 },
	{ "60m", 3600000000000 },
	{ "24h", 86400000000000 },
	{ "1.5h", 5400000000000 },
	{ "2d", 172800000000000 },
	{ "0", NO },
	{ "0s", NO },
	{ "-1s", NO },
	{ "", NO },
	{ "s", NO },
	{ "1w", NO },
	{ "1S", NO },
	{ "1 s", NO },
	{ "1m30s", NO },
	{ "300000d", NO },
	{ "18446744073709551615d", NO },
};

START_TEST(durations_have_one_unit_and_are_never_0)
{
	struct err err;
	uint64_t ns = 77;
	int rc = units_parse_dur("--runtime", durs[_i].text, &ns, &err);

	if (durs[_i].ns == NO) {
		ck_assert_int_eq(rc, -EINVAL);
		ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
		ck_assert_uint_eq(ns, 77);
	} else {
		ck_assert_msg(!rc, "%s", durs[_i].text);
		ck_assert_uint_eq(ns, durs[_i].ns);
	}
}
END_TEST

START_TEST(ratios_are_millionths)
{
	struct err err;
	uint64_t ppm;

	ck_assert_int_eq(units_parse_ratio("op", "0.28", &ppm, &err), 0);
	ck_assert_uint_eq(ppm, 280000);
	ck_assert_int_eq(units_parse_ratio("op", "1", &ppm, &err), 0);
	ck_assert_uint_eq(ppm, 1000000);
	ck_assert_int_eq(units_parse_ratio("op", "0.000001", &ppm, &err), 0);
	ck_assert_uint_eq(ppm, 1);
	ck_assert_int_eq(units_parse_ratio("op", "0.0000001", &ppm, &err), -EINVAL);
	ck_assert_int_eq(units_parse_ratio("op", "28%", &ppm, &err), -EINVAL);
}
END_TEST

START_TEST(whole_numbers_keep_to_their_limits)
{
	struct err err;
	uint64_t n = 77;

	ck_assert_int_eq(units_parse_uint("--tc", "1", 1, 64, &n, &err), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(units_parse_uint("--tc", "64", 1, 64, &n, &err), 0);
	ck_assert_uint_eq(n, 64);
	ck_assert_int_eq(units_parse_uint("--tc", "0064", 1, 64, &n, &err), 0);
	static const char *const bad[] = { "0",
					   "65",
					   "",
					   "-1",
					   "+1",
					   "1.0",
					   "1k",
					   "0x1",
					   "1 ",
					   "1\n",
					   "18446744073709551617" };

	n = 77;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_int_eq(units_parse_uint("--tc", bad[i], 1, 64, &n, &err),
				 -EINVAL);
		ck_assert_msg(strstr(err.text, "from 1 to 64"), "%s", err.text);
	}
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(units_parse_uint("--seed", "18446744073709551615", 0, UINT64_MAX,
					  &n, &err),
			 0);
	ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

START_TEST(quantities_read_as_a_person_would_write_them)
{
	char b[UNITS_TEXT];

	ck_assert_str_eq(units_size(0, b), "0 B");
	ck_assert_str_eq(units_size(511, b), "511 B");
	ck_assert_str_eq(units_size(512, b), "0.5 KiB");
	ck_assert_str_eq(units_size(4096, b), "4 KiB");
	ck_assert_str_eq(units_size(131072, b), "128 KiB");
	ck_assert_str_eq(units_size(1048576, b), "1 MiB");
	ck_assert_str_eq(units_size(1073831936, b), "1048664 KiB");
	ck_assert_str_eq(units_size(1073741825, b), "1073741825 B");
	ck_assert_str_eq(units_size(UINT64_MAX, b), "18446744073709551615 B");

	ck_assert_str_eq(units_capacity(999, b), "999 B");
	ck_assert_str_eq(units_capacity(1920383410176, b), "1.92 TB");
	ck_assert_str_eq(units_capacity(480103981056, b), "480 GB");
	ck_assert_str_eq(units_capacity(15360950534144, b), "15.4 TB");
	ck_assert_str_eq(units_capacity(999600000000, b), "1.00 TB");
	ck_assert_str_eq(units_capacity(UINT64_MAX, b), "18.4 EB");

	ck_assert_str_eq(units_dur(0, b), "0 s");
	ck_assert_str_eq(units_dur(250000000, b), "250 ms");
	ck_assert_str_eq(units_dur(42000000000, b), "42 s");
	ck_assert_str_eq(units_dur(59600000000, b), "1 min");
	ck_assert_str_eq(units_dur(185000000000, b), "3 min 5 s");
	ck_assert_str_eq(units_dur(18720000000000, b), "5 h 12 min");
	ck_assert_str_eq(units_dur(183600000000000, b), "2 d 3 h");
	ck_assert_str_eq(units_dur(UINT64_MAX, b), "213503 d 23 h");

	ck_assert_str_eq(units_utc(0, b), "1970-01-01T00:00:00Z");
	ck_assert_str_eq(units_utc(1796074503999999999, b), "2026-11-30T21:35:03Z");

	ck_assert_str_eq(units_kib(512, b), "0.5");
	ck_assert_str_eq(units_kib(4096, b), "4");
	ck_assert_str_eq(units_kib(1048576, b), "1024");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base_units");
	TCase *t = tcase_create("units");

	tcase_add_loop_test(t, sizes_are_binary_and_exact_or_refused, 0,
			    (int)ARRAY_LEN(sizes));
	tcase_add_loop_test(t, durations_have_one_unit_and_are_never_0, 0,
			    (int)ARRAY_LEN(durs));
	tcase_add_test(t, ratios_are_millionths);
	tcase_add_test(t, whole_numbers_keep_to_their_limits);
	tcase_add_test(t, quantities_read_as_a_person_would_write_them);
	suite_add_tcase(s, t);
	return suite_run(s);
}
