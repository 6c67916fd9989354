/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "tests/lib/suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

START_TEST(the_graver_code_wins_in_the_documented_order)
{
	static const int order[] = { 1, 7, 8, 4, 3, 2, 9, 10, 11, 5, 6, 0 };

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		for (size_t k = i; k < ARRAY_LEN(order); k++) {
			enum exit_code graver = (enum exit_code)order[i],
				       other = (enum exit_code)order[k];

			ck_assert_int_eq(exit_code_graver(graver, other), graver);
			ck_assert_int_eq(exit_code_graver(other, graver), graver);
		}
}
END_TEST

START_TEST(every_code_has_a_word_of_its_own)
{
	for (int a = 0; a <= 11; a++) {
		ck_assert_str_ne(exit_code_word((enum exit_code)a), "unknown");
		for (int b = 0; b < a; b++)
			ck_assert_str_ne(exit_code_word((enum exit_code)a),
					 exit_code_word((enum exit_code)b));
	}
	ck_assert_str_eq(exit_code_word((enum exit_code)12), "unknown");
}
END_TEST

START_TEST(an_error_keeps_code_number_and_sentence)
{
	struct err err;

	ck_assert_int_eq(err_set(&err, EXIT_CODE_HOST, ENOSPC, "%s is full", "/x"),
			 -ENOSPC);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_int_eq(err.errnum, ENOSPC);
	ck_assert_str_eq(err.text, "/x is full");
	ck_assert_int_eq(err_set(&err, EXIT_CODE_USAGE, 0, "no number"), -EIO);
	ck_assert_int_eq(err_set(NULL, EXIT_CODE_USAGE, EINVAL, "nobody asked"), -EINVAL);
}
END_TEST

START_TEST(a_long_sentence_is_cut_and_ends)
{
	struct err err;
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set(&err, EXIT_CODE_HOST, EIO, "%s", text);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base_err");
	TCase *t = tcase_create("err");

	tcase_add_test(t, the_graver_code_wins_in_the_documented_order);
	tcase_add_test(t, every_code_has_a_word_of_its_own);
	tcase_add_test(t, an_error_keeps_code_number_and_sentence);
	tcase_add_test(t, a_long_sentence_is_cut_and_ends);
	suite_add_tcase(s, t);
	return suite_run(s);
}
