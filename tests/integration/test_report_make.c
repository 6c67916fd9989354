/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of runs whose figures are known, read back by independent programs. */
#include "report/report.h"

#include <sys/stat.h>

#include "tests/integration/report_fixture.h"

#define REPORT_NS INT64_C(1796160903000000000)

static const char *top_dir(void)
{
	static char top[512];
	const char *given = getenv("T_DIR");

	if (!top[0]) {
		snprintf(top, sizeof(top), "%s",
			 given ? given : "/var/tmp/plateau-report.XXXXXX");
		if (!given)
			ck_assert_ptr_nonnull(mkdtemp(top));
	}
	return top;
}

static void path_of(char ret[1024], const struct fx *fx, const char *end)
{
	snprintf(ret, 1024, "%s/%s%s", top_dir(), fx->name, end);
}

static void report(const struct fx *fx, const char *out, struct rpt_result *ret)
{
	struct st_run run;
	struct err err = { 0 };
	char dir[1024];

	path_of(dir, fx, "");
	ck_assert_msg(!st_run_read(dir, &run, &err), "%s", err.text);
	ck_assert_msg(!rpt_make(&run,
				&(struct rpt_opts){ .out_dir = out,
						    .report_wall_ns = REPORT_NS },
				ret, &err),
		      "%s", err.text);
	st_run_release(&run);
}

#define TB(n) ((uint64_t)(n * 1e12))

static const struct fx steady = {
	.name = "steady",
	.opts = { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH, .purge = "none" },
	.kind = DEV_BLOCK,
	.vendor = "SAMSUNG",
	.model = "SAMSUNG MZQL21T9HCJR-00A07",
	.serial = "S64GNE0R500123",
	.firmware = "GDC5602Q",
	.size_b = UINT64_C(1920383410176),
	.rounds = 7,
	.minutes = 360,
};

START_TEST(a_steady_run_reports_every_page)
{
	struct rpt_result res;
	char dir[1024];

	path_of(dir, &steady, "");
	fx_make(&steady, dir);
	report(&steady, NULL, &res);
	ck_assert_uint_gt(res.pages, 40);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report_make");
	TCase *tc = tcase_create("make");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_steady_run_reports_every_page);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
