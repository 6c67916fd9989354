/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"
#include "tests/lib/suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[256];

static const char *path_of(const char *name)
{
	static char path[2][512];
	static int turn;
	char *p = path[turn++ % 2];

	snprintf(p, sizeof(path[0]), "%s/%s", top, name);
	return p;
}

START_TEST(text_grows_and_is_always_terminated)
{
	struct str s = { 0 };

	ck_assert_str_eq(str_text(&s), "");
	str_add(&s, "a");
	str_addf(&s, "%d-%s", 7, "b");
	str_add_bytes(&s, "c\0d", 3);
	ck_assert_uint_eq(s.len, 8 - 1);
	ck_assert_int_eq(memcmp(s.text, "a7-bc\0d", 8), 0);
	for (int i = 0; i < 20000; i++)
		str_addf(&s, "%06d", i);
	ck_assert_uint_eq(s.len, 7 + 120000);
	ck_assert_str_eq(s.text + s.len - 6, "019999");
	ck_assert(!s.failed);
	str_release(&s);
	ck_assert_str_eq(str_text(&s), "");
}
END_TEST

START_TEST(a_file_is_read_whole_or_not_at_all)
{
	struct str s = { 0 }, out = { 0 };
	struct err err;

	for (int i = 0; i < 10000; i++)
		str_add_bytes(&s, i % 3 ? "x" : "\0", 1);
	ck_assert_msg(!str_write_file(&s, path_of("file"), &err), "%s", err.text);
	ck_assert_int_eq(str_read_file(&out, path_of("file"), 10000, &err), 0);
	ck_assert_uint_eq(out.len, 10000);
	ck_assert_int_eq(memcmp(out.text, s.text, 10000), 0);
	str_release(&out);
	ck_assert_int_eq(str_read_file(&out, path_of("file"), 9999, &err), -EFBIG);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	str_release(&out);
	ck_assert_int_eq(str_read_file(&out, path_of("none"), 10, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, "none"), "%s", err.text);
	ck_assert_int_eq(str_read_file(&out, top, 10, &err), -EISDIR);
	str_release(&out);
	str_release(&s);
}
END_TEST

START_TEST(writing_replaces_a_file_or_leaves_it_alone)
{
	struct str s = { 0 }, out = { 0 };
	struct err err;

	str_add(&s, "one");
	ck_assert_int_eq(str_write_file(&s, path_of("kept"), &err), 0);
	s.len = 0;
	str_add(&s, "other");
	ck_assert_int_eq(str_write_file(&s, path_of("kept"), &err), 0);
	ck_assert_int_eq(str_read_file(&out, path_of("kept"), 10, &err), 0);
	ck_assert_str_eq(out.text, "other");
	ck_assert_int_ne(access(path_of("kept.tmp"), F_OK), 0);

	ck_assert_int_eq(str_write_file(&s, path_of("none/file"), &err), -ENOENT);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_int_eq(mkdir(path_of("dir"), 0755), 0);
	ck_assert_int_eq(str_write_file(&s, path_of("dir"), &err), -EISDIR);
	ck_assert_int_ne(access(path_of("dir.tmp"), F_OK), 0);
	s.failed = true;
	ck_assert_int_eq(str_write_file(&s, path_of("kept"), &err), -ENOMEM);
	str_release(&out);
	str_release(&s);
}
END_TEST

int main(void)
{
	const char *dir = getenv("T_DIR");

	snprintf(top, sizeof(top), "%s", dir ? dir : "/var/tmp/plateau-test-XXXXXX");
	if (!dir && !mkdtemp(top))
		return 1;
	Suite *s = suite_create("base_str");
	TCase *t = tcase_create("str");

	tcase_add_test(t, text_grows_and_is_always_terminated);
	tcase_add_test(t, a_file_is_read_whole_or_not_at_all);
	tcase_add_test(t, writing_replaces_a_file_or_leaves_it_alone);
	suite_add_tcase(s, t);
	return suite_run(s);
}
