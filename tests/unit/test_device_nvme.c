/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/nvme.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/smartctl.h"
#include "tests/lib/nvme_script.h"
#include "tests/lib/suite.h"

static struct nvme_script s;

START_TEST(commands_have_the_dwords_of_the_specification)
{
	void *log;
	uint32_t value;

	nvme_script_init(&s, 1);
	ck_assert_int_eq(nvme_link_log(&s.link, NVME_NSID_ALL, NVME_LOG_LID_SMART, 512,
				       &log, NULL),
			 0);
	free(log);
	ck_assert_int_eq(s.sent[0].opcode, 0x02);
	ck_assert_uint_eq(s.sent[0].nsid, 0xffffffff);
	ck_assert_uint_eq(s.sent[0].cdw10, 0x007f0002); /* 128 dwords, from 0; page 2 */
	ck_assert_uint_eq(s.sent[0].data_len, 512);
	ck_assert_uint_eq(s.sent[0].addr % 4096, 0);
	ck_assert_int_eq(nvme_link_set_feature(&s.link, 0, 6, true, 0, NULL), 0);
	ck_assert_int_eq(s.sent[1].opcode, 0x09);
	ck_assert_uint_eq(s.sent[1].cdw10, 0x80000006);
	ck_assert_int_eq(nvme_link_get_feature(&s.link, 0, 6, NVME_GET_FEATURES_SEL_SAVED,
					       &value, NULL),
			 0);
	ck_assert_int_eq(s.sent[2].opcode, 0x0a);
	ck_assert_uint_eq(s.sent[2].cdw10, 0x0206);
	ck_assert_uint_eq(value, 0);
}
END_TEST

START_TEST(lists_tell_allocated_from_active_namespaces)
{
	uint32_t *nsid;
	size_t n;

	nvme_script_init(&s, 3);
	s.ns[1].active = false;
	ck_assert_int_eq(nvme_link_ns_list(&s.link, true, &nsid, &n, NULL), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(nsid[1], 2);
	free(nsid);
	ck_assert_int_eq(nvme_link_ns_list(&s.link, false, &nsid, &n, NULL), 0);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(nsid[1], 3);
	free(nsid);
	ck_assert_uint_eq(s.sent[0].cdw10, 0x10);
	ck_assert_uint_eq(s.sent[1].cdw10, 0x02);
}
END_TEST

START_TEST(a_refusal_is_told_in_words_and_kept_apart_from_the_unknown)
{
	struct nvme_id_ctrl *ctrl = NULL;
	struct err err;
	void *log;

	nvme_script_init(&s, 1);
	s.fail_opcode = nvme_admin_identify;
	s.fail_with = NVME_SC_INTERNAL;
	ck_assert_int_eq(nvme_link_id_ctrl(&s.link, &ctrl, &err), -EIO);
	ck_assert_int_eq(s.link.status, 6);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	ck_assert_ptr_nonnull(strstr(err.text, "identify the controller"));
	ck_assert_ptr_nonnull(strstr(err.text, "0x6"));
	ck_assert_int_eq(nvme_link_log(&s.link, 0, 0xc0, 512, &log, &err), -ENOTSUP);
	s.fail_opcode = nvme_admin_identify;
	s.fail_with = -ENODEV;
	ck_assert_int_eq(nvme_link_id_ctrl(&s.link, &ctrl, &err), -ENODEV);
	ck_assert_ptr_null(ctrl);
}
END_TEST

START_TEST(only_an_nvme_namespace_has_a_link)
{
	struct nvme_link link;
	struct err err;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(nvme_link_open(&link, fds[0], &err), -ENOTTY);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

static int parse(const char *text, json_t **ret, struct err *err)
{
	return smartctl_parse(text, strlen(text), ret, err);
}

START_TEST(smartctl_is_judged_by_its_json)
{
	json_t *o = NULL;
	struct err err;
	uint64_t v;

	/* status 4 and 64: something failed, and the log has errors; the data is there */
	ck_assert_int_eq(
		parse("warning\n{\"device\":{},\"smartctl\":{\"exit_status\":68},\"a\":{\"b\":7,"
		      "\"s\":\"18446744073709551615\",\"over\":\"18446744073709551616\"}}",
		      &o, &err),
		0);
	ck_assert(smartctl_u64(o, "a.b", &v) && v == 7);
	ck_assert(smartctl_u64(o, "a.s", &v) && v == UINT64_MAX);
	ck_assert(!smartctl_u64(o, "a.over", &v));
	ck_assert(!smartctl_u64(o, "a.c", &v));
	ck_assert_str_eq(smartctl_text(o, "a.b"), "");
	json_decref(o);
	ck_assert_int_eq(
		parse("{\"smartctl\":{\"exit_status\":4,\"messages\":[{"
		      "\"string\":\"Unknown USB bridge\",\"severity\":\"error\"}]}}",
		      &o, &err),
		-ENODATA);
	ck_assert_ptr_nonnull(strstr(err.text, "Unknown USB bridge"));
	ck_assert_int_eq(parse("{}", &o, &err), -ENODATA);
	ck_assert_int_eq(parse("{\"smartctl\":", &o, &err), -ENODATA);
	ck_assert_int_eq(parse("smartctl: not found", &o, &err), -ENODATA);
}
END_TEST

/* A program of that name on PATH: prints `json` and ends with `status`. */
static void fake_smartctl(const char *dir, const char *json, int status)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/smartctl", dir);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"#!/bin/sh\nprintf '%%s' '%s'\n"
		"[ \"$*\" = '--json --info /dev/sdz' ] || exit 99\nexit %d\n",
		json, status);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

START_TEST(the_exit_status_of_smartctl_decides_nothing)
{
	static const char *const args[] = { "--info", NULL };
	const char *t_dir = getenv("T_DIR");
	char dir[1024], path[PATH_MAX];
	struct smartctl_id id;
	struct err err;
	json_t *o;

	snprintf(dir, sizeof(dir), "%s/fake.XXXXXX", t_dir ? t_dir : "/var/tmp");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(setenv("PATH", dir, 1), 0);
	ck_assert_int_eq(smartctl_run(args, "/dev/sdz", &o, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "smartmontools"));
	fake_smartctl(dir, "{\"device\":{},\"model_name\":\"M\"}", 216);
	ck_assert_int_eq(smartctl_run(args, "/dev/sdz", &o, &err), 0);
	smartctl_identify(o, &id);
	ck_assert_str_eq(id.model, "M");
	json_decref(o);
	fake_smartctl(dir, "", 0);
	ck_assert_int_eq(smartctl_run(args, "/dev/sdz", &o, &err), -ENODATA);
	snprintf(path, sizeof(path), "%s/smartctl", dir);
	unlink(path);
	rmdir(dir);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("nvme");
	Suite *suite = suite_create("device/nvme");

	tcase_add_test(tc, commands_have_the_dwords_of_the_specification);
	tcase_add_test(tc, lists_tell_allocated_from_active_namespaces);
	tcase_add_test(tc, a_refusal_is_told_in_words_and_kept_apart_from_the_unknown);
	tcase_add_test(tc, only_an_nvme_namespace_has_a_link);
	tcase_add_test(tc, smartctl_is_judged_by_its_json);
	tcase_add_test(tc, the_exit_status_of_smartctl_decides_nothing);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
