/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <string.h>

#include "base/rng.h"
#include "device/text.h"
#include "tests/lib/suite.h"

static const struct {
	const char *in;
	size_t n;
	const char *out;
} words[] = {
	{ "S3Z8NB0K", 8, "S3Z8NB0K" },
	{ "  padded serial  ", 17, "padded serial" },
	{ "padded\0\0\0\0", 10, "padded" },
	{ "line\n", 5, "line" },
	{ "in\nside", 7, "in\\x0aside" },
	{ "\x1b[31mred", 8, "\\x1b[31mred" },
	{ "a\0b", 3, "a\\x00b" },
	{ "caf\xc3\xa9", 5, "caf\\xc3\\xa9" },
	{ "\x7f~ \x80", 4, "\\x7f~ \\x80" },
	/* Else the text "\x0a" and a line feed would look the same. */
	{ "\\x0a", 4, "\\x5cx0a" },
	{ " \t\r\n\v\f\0", 7, "" },
	{ "", 0, "" },
};

START_TEST(words_are_trimmed_and_printable)
{
	char out[64];

	text_clean(out, sizeof(out), words[_i].in, words[_i].n);
	ck_assert_str_eq(out, words[_i].out);
}
END_TEST

START_TEST(word_that_does_not_fit_ends_before_a_whole_character)
{
	char out[8];

	memset(out, 'x', sizeof(out));
	text_clean(out, 6, "abc\n\nz", 6);
	ck_assert_str_eq(out, "abc");
	ck_assert_int_eq(out[6], 'x');
	text_clean(out, sizeof(out), "abc\nzz", 6);
	ck_assert_str_eq(out, "abc\\x0a");
	text_clean(out, 1, "abc", 3);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(random_bytes_never_give_an_unprintable_character)
{
	struct rng rng;
	unsigned char in[40];
	char out[100];

	rng_seed(&rng, 7);
	for (int i = 0; i < 20000; i++) {
		size_t n = rng_below(&rng, sizeof(in) + 1);

		for (size_t k = 0; k < n; k++)
			in[k] = (unsigned char)rng_next(&rng);
		text_clean(out, sizeof(out), in, n);
		for (const char *c = out; *c; c++)
			ck_assert(*c >= 0x20 && *c <= 0x7e);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_loop_test(tc, words_are_trimmed_and_printable, 0,
			    (int)(sizeof(words) / sizeof(words[0])));
	tcase_add_test(tc, word_that_does_not_fit_ends_before_a_whole_character);
	tcase_add_test(tc, random_bytes_never_give_an_unprintable_character);
	suite_add_tcase(s, tc);

	return suite_run(s);
}
