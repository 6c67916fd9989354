/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of runs whose figures are known, read back by independent programs. */
#include "report/report.h"

#include <sys/stat.h>

#include "tests/integration/report_fixture.h"
#include "tests/lib/suite.h"

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

static void report_dir(const char *dir, const char *out, struct rpt_result *ret)
{
	struct st_run run;
	struct err err = { 0 };

	ck_assert_msg(!st_run_read(dir, &run, &err), "%s", err.text);
	ck_assert_msg(!rpt_make(&run,
				&(struct rpt_opts){ .out_dir = out,
						    .report_wall_ns = REPORT_NS },
				ret, &err),
		      "%s", err.text);
	st_run_release(&run);
}

static void report(const struct fx *fx, const char *out, struct rpt_result *ret)
{
	char dir[1024];

	path_of(dir, fx, "");
	report_dir(dir, out, ret);
}

#define DRIVE                                                                            \
	.kind = DEV_BLOCK, .vendor = "SAMSUNG", .model = "SAMSUNG MZQL21T9HCJR-00A07",   \
	.serial = "S64GNE0R500123", .firmware = "GDC5602Q",                              \
	.size_b = UINT64_C(1920383410176)

static const struct fx steady = {
	.name = "steady",
	.opts = { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.rounds = 7,
	.minutes = 186,
};
static const struct fx not_steady = {
	.name = "not-steady",
	.opts = { .tests = "iops,lat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.rounds = 25,
	.swing = 0.16,
	.exit = EXIT_CODE_NOT_STEADY,
};
static const struct fx long_wsat = {
	.name = "long-wsat",
	.opts = { .tests = "wsat",
		  .mode = SS_MODE_BOTH,
		  .purge = "discard",
		  .duration_ns = UINT64_C(86400) * NSEC_PER_SEC,
		  .no_steady_stop = true },
	DRIVE,
	.minutes = 1440,
};
static const struct fx zeros = {
	.name = "zeros",
	.opts = { .tests = "wsat",
		  .mode = SS_MODE_BOTH,
		  .purge = "discard",
		  .duration_ns = UINT64_C(3600) * NSEC_PER_SEC },
	DRIVE,
	.minutes = 60,
	.with_zeros = true,
};
static const struct fx short_wsat = {
	.name = "short-wsat",
	.opts = { .tests = "wsat",
		  .mode = SS_MODE_BOTH,
		  .purge = "discard",
		  .duration_ns = UINT64_C(180) * NSEC_PER_SEC },
	DRIVE,
	.minutes = 3,
};
static const struct fx deviating = {
	.name = "deviating",
	.opts = { .tests = "lat,wsat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.rounds = 6,
	.minutes = 40,
	.deviations = 15, /* and the purge that is none */
};
static const struct fx incomplete = {
	.name = "incomplete",
	.opts = { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.rounds = 25,
	.stop_after = 2 + 2 * 56 + 11,
};
static const struct fx begun = {
	.name = "begun",
	.opts = { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.rounds = 25,
	.stop_after = 1,
};
static const struct fx sim_4kn = {
	.name = "sim-4kn",
	.opts = { .tests = "iops,lat", .mode = SS_MODE_PTS, .round_ns = NSEC_PER_SEC },
	.kind = DEV_SIM,
	.vendor = "plateau",
	.model = "simulated drive",
	.serial = "sim",
	.size_b = GIB(8),
	.lbs_b = 4096,
	.rounds = 7,
};
static const struct fx evil = {
	.name = "evil",
	.opts = { .tests = "tp,lat",
		  .mode = SS_MODE_BOTH,
		  .purge = "none",
		  .max_rounds = 5,
		  .round_ns = NSEC_PER_SEC },
	.kind = DEV_BLOCK,
	.vendor = "<b>&\"'%s%n",
	.model = "MZ_7L3^{x}@y{}_~ <b>&\"' %s \\n `id` $HOME 固态硬盘 Ελληνικά محرك",
	.serial = "]]></text><script>alert(1)</script>0123456789ABCDEFGHIJ",
	.firmware = "#!\"",
	.size_b = GIB(64),
	.rounds = 5,
	.exit = EXIT_CODE_NOT_STEADY,
};
static const struct fx nothing = {
	.name = "nothing",
	.opts = { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH, .purge = "discard" },
	DRIVE,
	.nothing = true,
};
static const struct fx client = {
	.name = "client",
	.opts = { .edition = "pts-c-2.0",
		  .tests = "lat,wsat",
		  .mode = SS_MODE_BAND,
		  .purge = "discard" },
	DRIVE,
	.rounds = 6,
	.minutes = 40,
	.exit = EXIT_CODE_INVALID,
};

static const struct fx *const all[] = { &short_wsat, &deviating, &steady,     &not_steady,
					&long_wsat,  &zeros,     &incomplete, &begun,
					&sim_4kn,    &evil,      &nothing,    &client };

static void PRINTF_LIKE(1, 2) shell(const char *fmt, ...)
{
	char command[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	ck_assert_msg(system(command) == 0, "failed: %s", command);
}

static const char *source_top(void)
{
	const char *top = getenv("PLATEAU_TOP");

	return top ? top : ".";
}

START_TEST(every_figure_of_a_report_follows_from_the_raw_data)
{
	const struct fx *fx = all[_i];
	struct rpt_result res;
	char dir[1024];

	path_of(dir, fx, "");
	fx_make(fx, dir);
	report(fx, NULL, &res);
	shell("pdfinfo '%s' | grep -qx 'Pages: *%u'", res.pdf, res.pages);
	shell("python3 %s/tests/lib/report_check.py '%s' >&2", source_top(), dir);
}
END_TEST

START_TEST(the_same_run_gives_the_same_bytes)
{
	struct rpt_result res;
	char dir[1024], a[1024], b[1024];

	path_of(dir, &sim_4kn, "-twice");
	path_of(a, &sim_4kn, "-a");
	path_of(b, &sim_4kn, "-b");
	fx_make(&sim_4kn, dir);
	report_dir(dir, a, &res);
	report_dir(dir, b, &res);
	shell("diff -r '%s' '%s' >&2", a, b);
	shell("test ! -e '%s/report.pdf'", dir);
}
END_TEST

START_TEST(without_gnuplot_nothing_is_written)
{
	struct st_run run;
	struct rpt_result res;
	struct err err = { 0 };
	char dir[1024], out[1024];

	path_of(dir, &begun, "-no-gnuplot");
	path_of(out, &begun, "-no-gnuplot-out");
	fx_make(&begun, dir);
	ck_assert_int_eq(st_run_read(dir, &run, &err), 0);
	ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
	ck_assert_int_lt(rpt_make(&run, &(struct rpt_opts){ .out_dir = out }, &res, &err),
			 0);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_ptr_nonnull(strstr(err.text, "gnuplot-nox"));
	ck_assert_int_ne(access(out, F_OK), 0);
	ck_assert_str_eq(res.pdf, "");
	st_run_release(&run);
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_named)
{
	struct st_run run;
	struct rpt_result res;
	struct err err = { 0 };
	char dir[1024], out[1100];

	path_of(dir, &begun, "-no-place");
	fx_make(&begun, dir);
	ck_assert_int_eq(st_run_read(dir, &run, &err), 0);
	snprintf(out, sizeof(out), "%s/run.json/out", dir);
	ck_assert_int_lt(rpt_make(&run, &(struct rpt_opts){ .out_dir = out }, &res, &err),
			 0);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_ptr_nonnull(strstr(err.text, out));
	st_run_release(&run);
}
END_TEST

START_TEST(the_summary_has_a_verdict_for_each_test_and_the_status)
{
	struct st_run run;
	struct str text = { 0 };
	struct err err = { 0 };
	char dir[1024];

	path_of(dir, &incomplete, "-summary");
	fx_make(&incomplete, dir);
	ck_assert_int_eq(st_run_read(dir, &run, &err), 0);
	ck_assert_msg(!rpt_summary(&run, &text, &err), "%s", err.text);
	ck_assert_ptr_nonnull(strstr(str_text(&text),
				     "SAMSUNG MZQL21T9HCJR-00A07, S/N S64GNE0R500123"));
	ck_assert_ptr_nonnull(strstr(str_text(&text), "INCOMPLETE"));
	ck_assert_ptr_nonnull(
		strstr(str_text(&text), "steady state not attained (2 of 5 rounds)"));
	ck_assert_ptr_nonnull(strstr(str_text(&text), "Write Saturation     not run"));
	ck_assert_ptr_nonnull(strstr(str_text(&text), "1 deviation recorded"));
	str_release(&text);
	st_run_release(&run);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report_make");
	TCase *tc = tcase_create("make");

	tcase_set_timeout(tc, 240);
	tcase_add_loop_test(tc, every_figure_of_a_report_follows_from_the_raw_data, 0,
			    ARRAY_LEN(all));
	tcase_add_test(tc, the_same_run_gives_the_same_bytes);
	tcase_add_test(tc, without_gnuplot_nothing_is_written);
	tcase_add_test(tc, a_place_that_cannot_be_written_is_named);
	tcase_add_test(tc, the_summary_has_a_verdict_for_each_test_and_the_status);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
