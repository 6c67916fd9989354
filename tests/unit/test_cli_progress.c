/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "tests/lib/suite.h"

static char line[256];

static const char *line_of(struct pts_progress p)
{
	cli_progress_line(&p, line, sizeof(line));
	return line;
}

START_TEST(a_round_names_test_point_and_figures)
{
	ck_assert_str_eq(
		line_of((struct pts_progress){ .test = "iops",
					       .verb = PTS_ROUNDS,
					       .round = 3,
					       .max_rounds = 25,
					       .point = 12,
					       .n_points = 56,
					       .read_pct = 65,
					       .bs_b = 4096,
					       .iops = 12345.4,
					       .mb_per_s = 50.57,
					       .lat_mean_ms = 0.1234,
					       .lat_p9999_ms = 1.5,
					       .lat_p9999_known = true,
					       .eta_best_ns = 89900 * NSEC_PER_MSEC,
					       .eta_worst_ns = 3600 * NSEC_PER_SEC }),
		"iops round 3/25 point 12/56: 4 KiB 65/35, 12345 IOPS, 50.6 MB/s, "
		"mean 0.123 ms, p99.99 1.50 ms, 1 min 30 s to 1 h 0 min left");
}
END_TEST

START_TEST(nothing_is_said_that_is_not_known)
{
	ck_assert_str_eq(line_of((struct pts_progress){ .test = "wsat",
							.verb = PTS_SATURATE,
							.round = 1,
							.max_rounds = 600,
							.bs_b = 4096 }),
			 "wsat minute 1/600: 4 KiB 0/100");
	ck_assert_str_eq(line_of((struct pts_progress){ .test = "lat",
							.verb = PTS_HISTOGRAM,
							.bs_b = 4096,
							.iops = 10,
							.mb_per_s = 1,
							.lat_mean_ms = 2 }),
			 "lat histogram: 4 KiB 0/100, 10 IOPS, 1.0 MB/s, mean 2.000 ms");
}
END_TEST

START_TEST(purge_and_fill_show_their_share)
{
	ck_assert_str_eq(line_of((struct pts_progress){ .test = "tp",
							.verb = PTS_WIPC,
							.loop_bs_b = 1048576,
							.bs_b = 1048576,
							.done_b = 1,
							.total_b = 4,
							.eta_best_ns = NSEC_PER_SEC,
							.eta_worst_ns = NSEC_PER_SEC }),
			 "tp 1 MiB fill 25 %, 1 s left");
	ck_assert_str_eq(
		line_of((struct pts_progress){ .test = "lat", .verb = PTS_PURGE }),
		"lat purge");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli_progress");
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_round_names_test_point_and_figures);
	tcase_add_test(t, nothing_is_said_that_is_not_known);
	tcase_add_test(t, purge_and_fill_show_their_share);
	suite_add_tcase(s, t);
	return suite_run(s);
}
