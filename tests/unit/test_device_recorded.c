/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every recorded drive of fixtures/smart is listed as jq reads it (expected.tsv). */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "device/smartctl.h"
#include "tests/lib/suite.h"

enum { FILE_NAME, MODEL, SERIAL, FIRMWARE, BYTES, LBS, PBS, FORM, NOW, BEST, COLUMNS };

static void fixture(struct str *ret, const char *name)
{
	const char *top = getenv("PLATEAU_TOP");
	char path[1024];
	struct err err;

	snprintf(path, sizeof(path), "%s/fixtures/smart/%s", top ? top : ".", name);
	if (str_read_file(ret, path, 1 << 20, &err))
		ck_abort_msg("%s", err.text);
}

/* Keeps empty fields, as strtok would not. */
static int split(char *line, char *ret[COLUMNS])
{
	int n = 0;

	for (char *field; n < COLUMNS && (field = strsep(&line, "\t"));)
		ret[n++] = field;
	return n;
}

static void same_text(const char *file, const char *got, const char *want)
{
	ck_assert_msg(!strcmp(*got ? got : "-", want), "%s: \"%s\" instead of \"%s\"",
		      file, got, want);
}

static void same_number(const char *file, uint64_t got, const char *want)
{
	ck_assert_msg(got == strtoull(want, NULL, 10), "%s: %" PRIu64 " instead of %s",
		      file, got, want);
}

static void check_drive(char *const want[COLUMNS])
{
	const char *file = want[FILE_NAME];
	struct str text = { 0 };
	struct smartctl_id id;
	struct err err;
	json_t *o;

	fixture(&text, file);
	if (smartctl_parse(text.text, text.len, &o, &err))
		ck_abort_msg("%s: %s", file, err.text);
	smartctl_identify(o, &id);
	same_text(file, id.model, want[MODEL]);
	same_text(file, id.serial, want[SERIAL]);
	same_text(file, id.firmware, want[FIRMWARE]);
	same_number(file, id.size_b, want[BYTES]);
	same_number(file, id.lbs_b, want[LBS]);
	same_number(file, id.pbs_b, want[PBS]);
	same_text(file, id.form_factor, want[FORM]);
	same_text(file, id.link.now, want[NOW]);
	same_text(file, id.link.best, want[BEST]);
	json_decref(o);
	str_release(&text);
}

START_TEST(every_recorded_drive_is_told_as_it_told_itself)
{
	struct str table = { 0 };
	size_t drives = 0;

	fixture(&table, "expected.tsv");
	for (char *rest = table.text, *line; (line = strsep(&rest, "\n")) && *line;) {
		char *want[COLUMNS];

		ck_assert_int_eq(split(line, want), COLUMNS);
		check_drive(want);
		drives++;
	}
	ck_assert_uint_ge(drives, 80);
	str_release(&table);
}
END_TEST

START_TEST(a_link_that_came_up_slower_is_seen)
{
	struct str text = { 0 };
	struct smartctl_id id;
	json_t *o;

	fixture(&text, "telegraf-testcases_device-usb.json");
	ck_assert_int_eq(smartctl_parse(text.text, text.len, &o, NULL), 0);
	smartctl_identify(o, &id);
	ck_assert(id.link.below); /* 3.0 of 6.0 Gb/s */
	json_decref(o);
	str_release(&text);
}
END_TEST

static const struct {
	const char *json, *model, *serial;
	uint64_t size_b;
} odd[] = {
	{ "{\"device\":{},\"model_name\":\"  MZ/7L3 \\u00e9\\n\",\"serial_number\":\"a\\nb \"}",
	  "MZ/7L3 \\xc3\\xa9", "a\\x0ab", 0 },
	{ "{\"device\":{},\"user_capacity\":{\"blocks\":60012345678,\"bytes\":30726320987136}}",
	  "", "", 30726320987136 },
	{ "{\"device\":{},\"user_capacity\":{\"bytes\":1.5},\"model_name\":7,"
	  "\"serial_number\":null}",
	  "", "", 0 },
	{ "{\"device\":{},\"user_capacity\":{\"bytes_s\":\"18446744073709551615\"}}", "",
	  "", UINT64_MAX },
	{ "{\"device\":{},\"user_capacity\":[],\"interface_speed\":\"x\"}", "", "", 0 },
};

START_TEST(odd_fields_are_shown_safely_or_missing)
{
	struct smartctl_id id;
	json_t *o;

	ck_assert_int_eq(smartctl_parse(odd[_i].json, strlen(odd[_i].json), &o, NULL), 0);
	smartctl_identify(o, &id);
	ck_assert_str_eq(id.model, odd[_i].model);
	ck_assert_str_eq(id.serial, odd[_i].serial);
	ck_assert_uint_eq(id.size_b, odd[_i].size_b);
	json_decref(o);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("recorded");
	Suite *suite = suite_create("device/recorded");

	tcase_add_test(tc, every_recorded_drive_is_told_as_it_told_itself);
	tcase_add_test(tc, a_link_that_came_up_slower_is_seen);
	tcase_add_loop_test(tc, odd_fields_are_shown_safely_or_missing, 0,
			    (int)(sizeof(odd) / sizeof(odd[0])));
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
