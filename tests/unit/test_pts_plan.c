/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans against golden texts in fixtures/plans/ (GOLDEN_UPDATE=1 rewrites them: tools/golden-update),
 * and figures worked out by hand.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "pts/plan.h"
#include "tests/lib/suite.h"

static struct dev_info nvme(void)
{
	return (struct dev_info){ .kind = DEV_BLOCK,
				  .path = "/dev/nvme0n1",
				  .name = "nvme0n1",
				  .model = "EXAMPLE 9000",
				  .serial = "SN0001",
				  .firmware = "FW1.0",
				  .transport = "NVMe",
				  .erase_id = "SN0001",
				  .size_b = 1920383410176,
				  .lbs_b = 512,
				  .pbs_b = 4096,
				  .numa_node = 0,
				  .wcache = DEV_WCACHE_OFF,
				  .purge_methods = "discard, none" };
}

static struct dev_info native_4k(void)
{
	struct dev_info d = nvme();

	d.lbs_b = 4096;
	d.wcache = DEV_WCACHE_ON;
	d.size_b = 512110190592;
	return d;
}

static struct dev_info loop(void)
{
	struct dev_info d = { .kind = DEV_LOOP,
			      .path = "/dev/loop7",
			      .name = "loop7",
			      .transport = "loop",
			      .erase_id = "loop7",
			      .size_b = 1073831936, /* 1 GiB + 88 KiB */
			      .lbs_b = 512,
			      .pbs_b = 512,
			      .numa_node = -1,
			      .purge_methods = "discard, none" };

	return d;
}

static struct dev_info file(void)
{
	struct dev_info d = loop();

	d.kind = DEV_FILE;
	snprintf(d.path, sizeof(d.path), "/var/tmp/scratch");
	snprintf(d.name, sizeof(d.name), "scratch");
	snprintf(d.fs_type, sizeof(d.fs_type), "ext4");
	return d;
}

static const struct golden {
	const char *name;
	struct dev_info (*device)(void);
	struct pts_opts opts;
} goldens[] = {
	{ "enterprise", nvme, { .tests = "iops,tp,lat,wsat", .mode = SS_MODE_BOTH } },
	{ "client-4kn",
	  native_4k,
	  { .edition = "pts-c-2.0",
	    .tests = "iops,tp,lat,wsat",
	    .mode = SS_MODE_BOTH,
	    .rate = PTS_RATE_MEASURED,
	    .fill_bytes_per_s = 1850000000,
	    .endurance_b = 876 * UINT64_C(1000000000000) } },
	{ "loop-short",
	  loop,
	  { .tests = "iops,tp,lat,wsat",
	    .mode = SS_MODE_BOTH,
	    .round_ns = NSEC_PER_SEC,
	    .max_rounds = 6 } },
	{ "file-everything",
	  file,
	  { .tests = "wsat,lat",
	    .mode = SS_MODE_BAND,
	    .tc = 4,
	    .qd = 8,
	    .active_range_pct = 50,
	    .capacity_b = GIB(1),
	    .wipc_passes = 1,
	    .wipc_passes_set = true,
	    .purge = "none",
	    .write_cache = "keep",
	    .duration_ns = 86400 * NSEC_PER_SEC,
	    .no_steady_stop = true,
	    .keep_cpu_latency = true } },
};

static void plan_text(const struct golden *g, struct str *out)
{
	struct dev_info info = g->device();
	struct pts_plan p;
	struct err err = { 0 };

	ck_assert_msg(!pts_plan_make(&g->opts, &info, &p, &err), "%s", err.text);
	pts_plan_text(&p, &info, out);
	ck_assert(!out->failed);
	pts_plan_release(&p);
}

static const char *golden_path(const char *name)
{
	static char path[4096];
	const char *top = getenv("PLATEAU_TOP");

	snprintf(path, sizeof(path), "%s/fixtures/plans/%s.txt", top ? top : ".", name);
	return path;
}

START_TEST(a_plan_reads_as_its_golden_text)
{
	const struct golden *g = &goldens[_i];
	struct str have = { 0 }, want = { 0 };
	struct err err;

	plan_text(g, &have);
	if (getenv("GOLDEN_UPDATE"))
		ck_assert_int_eq(str_write_file(&have, golden_path(g->name), &err), 0);
	ck_assert_msg(!str_read_file(&want, golden_path(g->name), 1 << 20, &err), "%s",
		      err.text);
	ck_assert_str_eq(str_text(&have), str_text(&want));
	str_release(&have);
	str_release(&want);
}
END_TEST

static struct pts_plan make(const struct dev_info *info, const struct pts_opts *opts)
{
	struct pts_plan p;
	struct err err = { 0 };

	ck_assert_msg(!pts_plan_make(opts, info, &p, &err), "%s", err.text);
	return p;
}

START_TEST(a_fill_writes_twice_the_user_capacity_wherever_the_range_ends)
{
	struct dev_info info = loop();
	const struct pts_opts client = { .edition = "pts-c-2.0", .tests = "iops" };
	struct pts_plan p = make(&info, &client);

	ck_assert_uint_eq(p.step[1].fill_b, 2147663872); /* 2 * 1073831936 */
	ck_assert_uint_eq(p.len_b, 805373952);           /* 3/4 of it, a whole block */
	ck_assert_uint_eq(p.off_b, 0);
	pts_plan_release(&p);
}
END_TEST

START_TEST(short_points_shorten_cap_and_histogram_alike)
{
	struct dev_info info = loop();
	const struct pts_opts opts = { .tests = "wsat", .round_ns = NSEC_PER_SEC };
	struct pts_plan p = make(&info, &opts);

	ck_assert_uint_eq(p.step[1].dur_ns, 360 * NSEC_PER_SEC); /* 21600 s / 60 */
	ck_assert_uint_eq(p.step[2].dur_ns, 20 * NSEC_PER_SEC);  /* 1200 s / 60 */
	ck_assert_uint_eq(p.step[1].stop_b, 4295327744);         /* 4 * 1073831936 */
	pts_plan_release(&p);
}
END_TEST

/* 56 points of 60 s: 5, 8 and 25 rounds; the fill at 500 MB/s takes 2 * 1920383410176 / 5e8 s. */
START_TEST(the_estimate_is_fill_and_rounds)
{
	struct dev_info info = nvme();
	const struct pts_opts opts = { .tests = "iops" };
	struct pts_plan p = make(&info, &opts);
	struct pts_estimate e;

	pts_plan_estimate(&p, 500000000, &e);
	ck_assert_uint_eq(e.best_ns, UINT64_C(7681533640704) + 5 * 3360 * NSEC_PER_SEC);
	ck_assert_uint_eq(e.expected_ns,
			  UINT64_C(7681533640704) + 8 * 3360 * NSEC_PER_SEC);
	ck_assert_uint_eq(e.worst_ns, UINT64_C(7681533640704) + 25 * 3360 * NSEC_PER_SEC);
	/* Shares of writes 0 5 35 50 65 95 100 % sum to 3.5 of 8 points of 60 s at 500 MB/s. */
	ck_assert_uint_eq(e.best_b, UINT64_C(3840766820352) + 5 * UINT64_C(840000000000));
	pts_plan_release(&p);
}
END_TEST

static const struct refusal {
	struct pts_opts opts;
	const char *says;
} refusals[] = {
	{ { .tests = "iops,hir" }, "unknown test 'hir'" },
	{ { .tests = "" }, "no test is named" },
	{ { .tests = "iops,iops" }, "named twice" },
	{ { .tests = "iops", .edition = "pts-x-1.0" }, "unknown edition 'pts-x-1.0'" },
	{ { .tests = "iops", .active_range_pct = 101 }, "101 %" },
	{ { .tests = "iops", .capacity_b = GIB(2) }, "2147483648 B" },
	{ { .tests = "iops", .capacity_b = 1000 }, "1000 B" },
	{ { .tests = "iops", .capacity_b = MIB(1) - 512 }, "largest block of 1048576 B" },
	{ { .tests = "iops", .max_rounds = 1001 }, "1001" },
	{ { .tests = "iops", .purge = "sanitize" }, "sanitize" },
	{ { .tests = "iops", .write_cache = "on" }, "cannot be set" },
	{ { .tests = "iops", .write_cache = "maybe" }, "maybe" },
	{ { .tests = "wsat", .duration_ns = NSEC_PER_SEC }, "--duration" },
};

START_TEST(what_cannot_be_done_is_refused_as_wrong_use)
{
	const struct refusal *c = &refusals[_i];
	struct dev_info info = loop();
	struct pts_plan p;
	struct err err = { 0 };

	ck_assert_int_lt(pts_plan_make(&c->opts, &info, &p, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_msg(strstr(err.text, c->says) != NULL, "%s", err.text);
}
END_TEST

static bool has_note(const struct pts_plan *p, const char *code, const char *test)
{
	for (size_t i = 0; i < p->n_notes; i++)
		if (!strcmp(p->note[i].code, code) && !strcmp(p->note[i].test, test))
			return true;
	return false;
}

START_TEST(more_rounds_than_25_are_the_operators_right_fewer_are_not)
{
	struct dev_info info = nvme();
	struct pts_opts opts = { .tests = "iops", .max_rounds = 40 };
	struct pts_plan p = make(&info, &opts);

	ck_assert_uint_eq(p.n_notes, 1); /* the purge by discard */
	pts_plan_release(&p);
	opts.max_rounds = 24;
	p = make(&info, &opts);
	ck_assert(has_note(&p, "max-rounds", "iops"));
	pts_plan_release(&p);
}
END_TEST

START_TEST(depth_is_the_operators_choice_for_iops_and_fixed_for_latency)
{
	struct dev_info info = nvme();
	const struct pts_opts opts = { .tests = "iops,lat", .tc = 8, .qd = 16 };
	struct pts_plan p = make(&info, &opts);

	ck_assert(!has_note(&p, "tc-qd", "iops"));
	ck_assert(has_note(&p, "tc-qd", "lat"));
	pts_plan_release(&p);
}
END_TEST

static double estimate_member(const json_t *plan, const char *name)
{
	return json_number_value(
		json_object_get(json_object_get(plan, "estimate"), name));
}

/* Twice as fast is half the fill; 5 rounds of 3.5 of 8 points of 60 s. Shares of 1000 TB. */
START_TEST(a_measured_rate_and_the_rated_endurance_enter_the_estimate)
{
	struct dev_info info = nvme();
	const struct pts_opts opts = { .tests = "iops",
				       .rate = PTS_RATE_MEASURED,
				       .fill_bytes_per_s = 1000000000,
				       .endurance_b = UINT64_C(1000000000000000) };
	struct pts_plan p = make(&info, &opts);
	json_t *o = pts_plan_json(&p, &info);

	ck_assert_double_eq(estimate_member(o, "fill_bytes_per_s"), 1e9);
	ck_assert_double_eq(estimate_member(o, "best_ns"),
			    3840766820352. + 5 * 3360 * 1e9);
	ck_assert_double_eq(estimate_member(o, "best_b"), 3840766820352. + 5 * 1680e9);
	ck_assert_double_eq_tol(estimate_member(o, "best_endurance_pct"), 1.2240766820352,
				1e-12);
	ck_assert_double_eq_tol(estimate_member(o, "worst_endurance_pct"),
				4.5840766820352, 1e-12);
	json_decref(o);
	pts_plan_release(&p);
}
END_TEST

START_TEST(the_plan_as_json_has_every_cell)
{
	struct dev_info info = nvme();
	const struct pts_opts opts = { .tests = "iops" };
	struct pts_plan p = make(&info, &opts);
	json_t *o = pts_plan_json(&p, &info), *steps = json_object_get(o, "steps"),
	       *cells;

	ck_assert_ptr_nonnull(o);
	ck_assert_uint_eq(json_array_size(steps), 3);
	cells = json_object_get(json_array_get(steps, 2), "cells");
	ck_assert_uint_eq(json_array_size(cells), 56);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(cells, 55), 1)),
			 512);
	json_decref(o);
	pts_plan_release(&p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts plan");
	TCase *t = tcase_create("plan");

	tcase_add_loop_test(t, a_plan_reads_as_its_golden_text, 0,
			    (int)ARRAY_LEN(goldens));
	tcase_add_test(t, a_fill_writes_twice_the_user_capacity_wherever_the_range_ends);
	tcase_add_test(t, short_points_shorten_cap_and_histogram_alike);
	tcase_add_test(t, the_estimate_is_fill_and_rounds);
	tcase_add_loop_test(t, what_cannot_be_done_is_refused_as_wrong_use, 0,
			    (int)ARRAY_LEN(refusals));
	tcase_add_test(t, more_rounds_than_25_are_the_operators_right_fewer_are_not);
	tcase_add_test(t, depth_is_the_operators_choice_for_iops_and_fixed_for_latency);
	tcase_add_test(t, a_measured_rate_and_the_rated_endurance_enter_the_estimate);
	tcase_add_test(t, the_plan_as_json_has_every_cell);
	suite_add_tcase(s, t);
	return suite_run(s);
}
