/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ini.h"
#include "base/str.h"
#include "tests/lib/suite.h"

static struct str seen;
static struct err err;

/* "[s]" for a section, "s|key|value;" for a line; the key "bad" is refused. */
static int on_line(void *arg, const char *section, const char *key, const char *value,
		   struct err *ret)
{
	(void)arg;
	if (key && !strcmp(key, "bad"))
		return err_set(ret, EXIT_CODE_USAGE, EINVAL, "'%s' is bad", value);
	if (key)
		str_addf(&seen, "%s|%s|%s;", section, key, value);
	else
		str_addf(&seen, "[%s]", section);
	return 0;
}

static int reads(const char *text)
{
	struct str s = { 0 };
	int rc;

	str_release(&seen);
	str_add(&s, text);
	ck_assert_int_eq(str_write_file(&s, "test.ini", &err), 0);
	str_release(&s);
	err = (struct err){ 0 };
	rc = ini_read("test.ini", on_line, NULL, &err);
	return rc;
}

static void gives(const char *text, const char *want)
{
	ck_assert_msg(!reads(text), "%s", err.text);
	ck_assert_str_eq(str_text(&seen), want);
}

static void refuses(const char *text, const char *want)
{
	ck_assert_int_lt(reads(text), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_str_eq(err.text, want);
}

START_TEST(sections_and_lines_come_in_order)
{
	gives("", "");
	gives("a = 1\nb=2\n[x]\nc = d e ; remark\n# no\n; no\n\n[y]\r\n[z z]\r\nq = r\r\n",
	      "|a|1;|b|2;[x]x|c|d e;[y][z z]z z|q|r;");
	gives("\xef\xbb\xbf[x]\n\tk = v\n\tl = w", "[x]x|k|v;x|l|w;");
	gives("lat.p99 >= 5\nerrors == 0\n", "|lat.p99 >|5;|errors|= 0;");
	gives("empty =\n[e]\n[e]\n", "|empty|;[e][e]");
}
END_TEST

START_TEST(what_is_wrong_is_said_with_its_line)
{
	refuses("a = 1\n\nnonsense\nbad = 2\n",
		"test.ini:3: this is neither [section] nor key = value");
	refuses("a = 1\nnonsense",
		"test.ini:2: this is neither [section] nor key = value");
	refuses("[x]\n[y]\nbad = 2\nnonsense\n", "test.ini:3: '2' is bad");
	refuses("[x\n", "test.ini:1: ']' is missing");
	refuses("[x]\n= 3\n", "test.ini:2: a key is missing before '='");
}
END_TEST

/* inih would cut all of these without a word. */
START_TEST(nothing_is_cut)
{
	char text[400];

	snprintf(text, sizeof(text), "k = %0*d\n", 193, 7);
	ck_assert_int_eq(reads(text), 0);
	ck_assert_uint_eq(seen.len, strlen("|k|;") + 193);
	snprintf(text, sizeof(text), "a = b\nk = %0*d\n", 194, 7);
	refuses(text, "test.ini:2: the line is too long");
	snprintf(text, sizeof(text), "[%048d]\n", 7);
	ck_assert_int_eq(reads(text), 0);
	ck_assert_uint_eq(seen.len, strlen("[]") + 48);
	snprintf(text, sizeof(text), "[%049d]\n", 7);
	refuses(text, "test.ini:1: the section's name is too long");
	snprintf(text, sizeof(text), "%048d   = x\n", 7);
	ck_assert_int_eq(reads(text), 0);
	ck_assert_uint_eq(seen.len, strlen("||x;") + 48);
	snprintf(text, sizeof(text), "%049d = x\n", 7);
	refuses(text, "test.ini:1: the key is too long");
}
END_TEST

START_TEST(a_missing_file_is_told_apart_from_a_bad_one)
{
	FILE *f = fopen("bytes.ini", "w");

	ck_assert_int_eq(ini_read("nowhere.ini", on_line, NULL, &err), -ENOENT);
	fwrite("a = 1\n\0b = 2\n", 1, 13, f);
	fclose(f);
	ck_assert_int_eq(ini_read("bytes.ini", on_line, NULL, &err), -EINVAL);
	ck_assert_str_eq(err.text, "bytes.ini is no text");
}
END_TEST

int main(void)
{
	const char *t_dir = getenv("T_DIR");
	Suite *s = suite_create("ini");
	TCase *tc = tcase_create("ini");
	int failed = t_dir && chdir(t_dir);

	tcase_add_test(tc, sections_and_lines_come_in_order);
	tcase_add_test(tc, what_is_wrong_is_said_with_its_line);
	tcase_add_test(tc, nothing_is_cut);
	tcase_add_test(tc, a_missing_file_is_told_apart_from_a_bad_one);
	suite_add_tcase(s, tc);
	failed |= suite_run(s);
	str_release(&seen);
	return failed;
}
