/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions on simulated drives, through the gate and the public engine. */
/* wrap: clock_gettime */
/* wrap: clock_nanosleep */
/* wrap: nanosleep */
/* wrap: usleep */
/* wrap: poll */
/* wrap: sem_clockwait */
#include <check.h>
#include <errno.h>
#include <gsl/gsl_sf_lambert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim.h"
#include "engine/engine.h"
#include "tests/lib/clocks.h"
#include "tests/lib/suite.h"

#define MSEC   NSEC_PER_MSEC
#define SEC    NSEC_PER_SEC
#define MINUTE (60 * SEC)

struct rig {
	struct dev_claim *claim;
	const struct dev_handle *dev;
	struct clock *clk;
	struct eng *eng;
};

static void rig_open(struct rig *r, const char *target)
{
	struct dev_info info;
	struct dev_gate_opts opts = { .roots = &dev_roots_host };
	struct eng_limits limits = { .max_tc = 4, .max_qd = 32, .max_bs_b = 1 << 20 };
	struct err err = { .text = "" };

	ck_assert_msg(!dev_identify(&dev_roots_host, target, &info, &err), "%s",
		      err.text);
	opts.erase_id = info.name;
	ck_assert_msg(!dev_gate(&info, &opts, &r->claim, &err), "%s", err.text);
	r->dev = dev_claim_handle(r->claim);
	r->clk = dev_handle_clock(r->dev);
	ck_assert_msg(!eng_open(r->dev, &limits, &r->eng, &err), "%s", err.text);
}

static void rig_close(struct rig *r)
{
	eng_close(r->eng);
	dev_claim_free(r->claim);
}

static void start(struct rig *r, const struct eng_workload *w)
{
	struct err err = { .text = "" };

	ck_assert_msg(!eng_start_write(r->eng, r->claim, w, &err), "%s", err.text);
}

static void stop(struct rig *r)
{
	ck_assert_int_eq(eng_stop(r->eng, NULL), 0);
}

static struct eng_result *next(struct rig *r, uint64_t dur_ns)
{
	static struct eng_result res;
	struct err err = { .text = "" };

	ck_assert_msg(!eng_next(r->eng, dur_ns, NULL, &res, &err), "%s", err.text);
	return &res;
}

static struct eng_workload workload(const struct rig *r, uint32_t tc, uint32_t qd)
{
	return (struct eng_workload){ .pattern = IO_RAND,
				      .bs_b = 4096,
				      .tc = tc,
				      .qd = qd,
				      .len_b = r->dev->info.size_b,
				      .seed = 5 };
}

static uint64_t ios(const struct eng_result *res)
{
	return res->dir[IO_READ].lat.count + res->dir[IO_WRITE].lat.count;
}

/* Write the whole drive once, in sequence. */
static void fill(struct rig *r)
{
	struct eng_workload w = workload(r, 4, 32);

	w.pattern = IO_SEQ;
	w.bs_b = 128 << 10;
	w.limit_b = w.len_b;
	start(r, &w);
	while (!next(r, MINUTE)->done)
		;
	stop(r);
}

#define SMALL "sim:enterprise,capacity=256M,pages=64"

START_TEST(intervals_sum_to_the_total_and_follow_each_other)
{
	struct rig a, b;
	struct eng_workload w;
	struct eng_result *res, sum;
	uint64_t end_ns = 0;

	rig_open(&a, SMALL);
	rig_open(&b, SMALL);
	w = workload(&a, 2, 8);
	w.read_pct = 30;
	start(&a, &w);
	start(&b, &w);
	eng_result_clear(&sum);
	for (int i = 0; i < 100; i++) {
		res = next(&a, 37 * MSEC);
		ck_assert_uint_eq(res->t0_ns, end_ns);
		ck_assert_uint_eq(res->t1_ns, end_ns += 37 * MSEC);
		ck_assert_uint_eq(a.clk->now_ns(a.clk), end_ns);
		ck_assert_uint_eq(res->depth_ns, 16 * 37 * MSEC);
		ck_assert(!res->host.known && !res->host_limited && !res->done);
		eng_result_merge(&sum, res);
	}
	res = next(&b, 3700 * MSEC);
	for (int d = 0; d < IO_DIRS; d++) {
		ck_assert_uint_gt(sum.dir[d].lat.count, 1000);
		ck_assert_uint_eq(sum.dir[d].bytes, 4096 * sum.dir[d].lat.count);
		ck_assert_mem_eq(&sum.dir[d], &res->dir[d], sizeof(sum.dir[d]));
	}
	ck_assert_uint_eq(sum.depth_ns, res->depth_ns);
	rig_close(&a);
	rig_close(&b);
}
END_TEST

START_TEST(littles_law_holds)
{
	struct rig r;
	struct eng_workload w;
	const struct eng_result *res;

	rig_open(&r, SMALL);
	fill(&r);
	w = workload(&r, 4, 32);
	w.read_pct = 65;
	start(&r, &w);
	(void)next(&r, MINUTE);
	res = next(&r, MINUTE);
	double lat_s = (double)(res->dir[0].lat.sum_ns + res->dir[1].lat.sum_ns) / 1e9;

	/* IOPS x mean latency = sum of latencies over time = what is outstanding. */
	ck_assert_double_eq_tol(lat_s / 60, 128, 0.5);
	rig_close(&r);
}
END_TEST

START_TEST(a_fill_writes_every_byte_once_and_stops)
{
	struct rig r;
	struct eng_workload w;
	struct eng_result *res, sum;
	struct sim_stats s;

	/* 256 MiB and 88.5 KiB: the last I/O of a pass is short. */
	rig_open(&r, "sim:enterprise,capacity=268526080,pages=64");
	w = workload(&r, 4, 32);
	w.pattern = IO_SEQ;
	w.bs_b = 128 << 10;
	w.limit_b = 2 * w.len_b;
	start(&r, &w);
	eng_result_clear(&sum);
	do {
		res = next(&r, SEC);
		eng_result_merge(&sum, res);
	} while (!res->done);
	ck_assert_uint_eq(sum.dir[IO_WRITE].bytes, 2 * 268526080);
	ck_assert_uint_eq(sum.dir[IO_WRITE].lat.count, 2 * (268526080 / (128 << 10) + 1));
	ck_assert_uint_lt(res->t1_ns - res->t0_ns, SEC);
	ck_assert_uint_eq(res->cursor_b[IO_WRITE], 0);
	sim_stats(r.dev->sim, &s);
	/* The unit at the very end is partly there; every unit was written twice. */
	ck_assert_uint_eq(s.host_units, 2 * s.logical_units);
	stop(&r);
	rig_close(&r);
}
END_TEST

static double floor_iops(double a, double dies, double pages)
{
	return dies / (a * 800e-6 + (a - 1) * 400e-6 + a * 10e-3 / pages);
}

START_TEST(a_saturated_drive_shows_plateau_cliff_and_floor)
{
	struct rig r;
	struct eng_workload w;
	struct sim_stats from, to;
	double fresh, floor_seen, a, alpha;

	rig_open(&r, "sim:enterprise,capacity=1G,pages=64");
	w = workload(&r, 4, 32);
	start(&r, &w);
	fresh = (double)ios(next(&r, 30 * SEC)) / 30;
	/* Nothing to collect yet: dies / t_prog. */
	ck_assert_double_eq_tol(fresh, 5000, 60);
	for (int i = 0; i < 20; i++)
		(void)next(&r, MINUTE);
	sim_stats(r.dev->sim, &from);
	floor_seen = (double)ios(next(&r, 10 * MINUTE)) / 600;
	sim_stats(r.dev->sim, &to);
	a = 1 + (double)(to.moved_units - from.moved_units) /
			(double)(to.host_units - from.host_units);
	ck_assert_double_eq_tol(floor_seen / floor_iops(a, 4, 64), 1, 0.02);
	/* Desnoyers 2012, Eq. 12, at the closed blocks as they are. */
	alpha = (1 + 1.0 / 512) * (double)to.closed_units / (double)to.logical_units;
	ck_assert_double_eq_tol(
		a * (1 + 1.0 / 512) *
			(1 + gsl_sf_lambert_W0(-alpha * exp(-alpha)) / alpha),
		1, 0.02);
	rig_close(&r);
}
END_TEST

static void assert_same(struct eng_result *a, const struct eng_result *b, bool same)
{
	bool equal = memcmp(a, b, sizeof(*a)) == 0;

	ck_assert_msg(equal == same, same ? "they differ" : "they are the same");
}

static struct eng_result *run_mix(const char *target, uint64_t seed)
{
	static struct eng_result res;
	struct rig r;
	struct eng_workload w;

	rig_open(&r, target);
	fill(&r);
	w = workload(&r, 4, 16);
	w.read_pct = 50;
	w.seed = seed;
	start(&r, &w);
	(void)next(&r, MINUTE);
	res = *next(&r, MINUTE);
	rig_close(&r);
	return &res;
}

START_TEST(the_same_seed_gives_the_same_interval_and_another_another)
{
	struct eng_result first = *run_mix(SMALL, 1);

	assert_same(&first, run_mix(SMALL, 1), true);
	assert_same(&first, run_mix(SMALL, 2), false);
	assert_same(&first, run_mix(SMALL ",seed=2", 1), false);
}
END_TEST

START_TEST(no_wall_clock_time_enters_and_nothing_sleeps)
{
	struct rig r;
	struct eng_workload w;
	unsigned looks;

	rig_open(&r, SMALL);
	fill(&r);
	w = workload(&r, 4, 32);
	start(&r, &w);
	looks = clock_looks;
	(void)next(&r, 3600 * SEC);
	r.clk->sleep_until_ns(r.clk, r.clk->now_ns(r.clk) + 3600 * SEC);
	stop(&r);
	ck_assert_uint_eq(clock_looks, looks);
	ck_assert_uint_eq(sleeps, 0);
	/* The counters do count. */
	(void)clock_mono_ns();
	ck_assert_uint_eq(clock_looks, looks + 1);
	rig_close(&r);
}
END_TEST

START_TEST(a_failed_io_closes_the_point)
{
	struct rig r;
	struct eng_workload w;
	struct eng_result *res;

	/* The fill takes 13 s and does not count; then the upper half fails after 5 s. */
	rig_open(&r, "sim:failing,capacity=256M,pages=64,fail_after=5s,fail_len=0.5");
	fill(&r);
	w = workload(&r, 1, 4);
	w.read_pct = 50;
	uint64_t from_ns = r.clk->now_ns(r.clk);

	start(&r, &w);
	res = next(&r, 4 * SEC);
	ck_assert_uint_eq(res->errors, 0);
	res = next(&r, MINUTE);
	ck_assert_uint_eq(res->errors, 1);
	ck_assert(res->done && !res->device_lost);
	ck_assert_int_eq(res->error[0].res, -EIO);
	ck_assert_uint_ge(res->error[0].off_b, MIB(128));
	ck_assert_uint_eq(res->error[0].len_b, 4096);
	ck_assert_uint_eq(res->error[0].t_ns, res->t1_ns);
	ck_assert_uint_ge(res->t1_ns - from_ns, 5 * SEC);
	ck_assert_uint_lt(res->t1_ns - from_ns, 6 * SEC);
	/* The lower half goes on. */
	stop(&r);
	w.len_b = MIB(128);
	start(&r, &w);
	ck_assert_uint_eq(next(&r, MINUTE)->errors, 0);
	stop(&r);
	rig_close(&r);
}
END_TEST

START_TEST(a_vanished_drive_is_lost_and_cannot_be_purged)
{
	struct rig r;
	struct eng_workload w;
	struct eng_result *res;
	struct err err;

	rig_open(&r, "sim:vanishing,capacity=256M,pages=64,vanish_after=10s");
	ck_assert_int_eq(dev_claim_recheck(r.claim, &err), 0);
	w = workload(&r, 4, 32);
	start(&r, &w);
	res = next(&r, MINUTE);
	ck_assert_uint_eq(res->errors, 1);
	ck_assert(res->done && res->device_lost);
	ck_assert_int_eq(res->error[0].res, -ENODEV);
	ck_assert_uint_lt(res->t1_ns, 11 * SEC);
	stop(&r);
	ck_assert_int_eq(dev_claim_recheck(r.claim, &err), -ENODEV);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	rig_close(&r);
}
END_TEST

START_TEST(a_stall_shows_in_its_second_alone)
{
	struct rig r;
	struct eng_workload w;
	uint64_t max_ns[30], count[30];

	rig_open(&r, "sim:stutter,capacity=256M,pages=64,cmd=50us,stall=800ms");
	w = workload(&r, 1, 4);
	w.read_pct = 50;
	start(&r, &w);
	for (int i = 0; i < 30; i++) {
		const struct eng_result *res = next(&r, SEC);

		max_ns[i] = res->dir[IO_READ].lat.max_ns > res->dir[IO_WRITE].lat.max_ns
				    ? res->dir[IO_READ].lat.max_ns
				    : res->dir[IO_WRITE].lat.max_ns;
		count[i] = ios(res);
	}
	for (int i = 0; i < 30; i++) {
		if (i == 10 || i == 20) {
			ck_assert_uint_ge(max_ns[i], 790 * MSEC);
			ck_assert_uint_lt(count[i], count[i - 1] / 3);
		} else {
			ck_assert_uint_lt(max_ns[i], 100 * MSEC);
		}
	}
	stop(&r);
	rig_close(&r);
}
END_TEST

START_TEST(a_throttled_drive_does_so_much_less)
{
	struct rig r;
	struct eng_workload w;
	uint64_t cool, hot;

	rig_open(&r,
		 "sim:throttling,capacity=256M,pages=64,throttle_after=5m,throttle=0.4");
	fill(&r);
	w = workload(&r, 4, 32);
	w.read_pct = 100;
	start(&r, &w);
	cool = ios(next(&r, 5 * MINUTE));
	(void)next(&r, MINUTE);
	hot = ios(next(&r, 5 * MINUTE));
	ck_assert_double_eq_tol((double)hot / (double)cool, 0.6, 0.01);
	rig_close(&r);
}
END_TEST

/* An I/O beyond the time limit, and one that is as long but allowed. */
START_TEST(a_stalled_drive_ends_the_point_at_the_time_limit)
{
	struct rig r;
	struct eng_workload w;
	static struct eng_result res;
	struct err err;

	rig_open(&r, "sim:stutter,capacity=256M,pages=64,stall_every=1h,stall=30m");
	w = workload(&r, 1, 1);
	start(&r, &w);
	(void)next(&r, 3590 * SEC);
	ck_assert_int_eq(eng_next(r.eng, 2 * 3600 * SEC, NULL, &res, &err), -ETIMEDOUT);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	ck_assert_uint_eq(r.clk->now_ns(r.clk) / SEC, 3660);
	stop(&r);
	rig_close(&r);
}
END_TEST

START_TEST(a_long_stall_below_the_limit_is_measured_exactly)
{
	struct rig r;
	struct eng_limits limits = {
		.max_tc = 1, .max_qd = 1, .max_bs_b = 4096, .io_timeout_ns = 3600 * SEC
	};
	struct eng_workload w;
	const struct eng_result *res;
	struct err err;

	rig_open(&r, "sim:stutter,capacity=256M,pages=64,stall_every=1h,stall=2000s");
	eng_close(r.eng);
	ck_assert_int_eq(eng_open(r.dev, &limits, &r.eng, &err), 0);
	w = workload(&r, 1, 1);
	start(&r, &w);
	res = next(&r, 2 * 3600 * SEC);
	ck_assert_uint_ge(res->dir[IO_WRITE].lat.max_ns, 1999 * SEC);
	ck_assert_uint_lt(res->dir[IO_WRITE].lat.max_ns, 2001 * SEC);
	ck_assert_uint_le(hist_quantile_ns(&res->dir[IO_WRITE].lat, 1000000000),
			  res->dir[IO_WRITE].lat.max_ns);
	stop(&r);
	rig_close(&r);
}
END_TEST

START_TEST(cancelling_ends_the_interval_early)
{
	struct rig r;
	struct eng_workload w;
	static struct eng_result res;
	volatile sig_atomic_t cancel = 1;

	rig_open(&r, SMALL);
	w = workload(&r, 1, 1);
	start(&r, &w);
	ck_assert_int_eq(eng_next(r.eng, 1000 * 3600 * SEC, &cancel, &res, NULL), 0);
	ck_assert_uint_lt(res.t1_ns - res.t0_ns, MINUTE);
	stop(&r);
	rig_close(&r);
}
END_TEST

START_TEST(purge_by_erasing_or_trimming_frees_the_drive)
{
	struct rig r;
	struct dev_purge_result done;
	struct sim_stats s;
	enum dev_purge_method m;
	struct err err;

	rig_open(&r, SMALL);
	fill(&r);
	ck_assert_int_eq(dev_purge_choose(&r.dev->info, "discard", &m, &err), 0);
	ck_assert_int_eq(
		dev_purge(r.claim, m, r.dev->info.size_b, r.clk, NULL, &done, &err), 0);
	ck_assert(!done.is_pts_purge);
	fill(&r);
	sim_stats(r.dev->sim, &s);
	ck_assert_uint_eq(s.moved_units, 0);
	ck_assert_int_eq(dev_purge_choose(&r.dev->info, NULL, &m, &err), 0);
	ck_assert_int_eq(m, DEV_PURGE_SIM);
	ck_assert_int_eq(
		dev_purge(r.claim, m, r.dev->info.size_b, r.clk, NULL, &done, &err), 0);
	ck_assert(done.is_pts_purge);
	ck_assert_uint_eq(done.dur_ns, s.physical_units / s.block_units * 10 * MSEC);
	sim_stats(r.dev->sim, &s);
	ck_assert_uint_eq(s.host_units, 0);
	rig_close(&r);
}
END_TEST

START_TEST(the_gate_wants_the_drives_name)
{
	struct dev_info info;
	struct dev_claim *claim;
	struct dev_gate_opts opts = { .roots = &dev_roots_host };
	struct err err;

	ck_assert_int_eq(dev_identify(&dev_roots_host, "sim:client,seed=3", &info, &err),
			 0);
	ck_assert_int_lt(dev_gate(&info, &opts, &claim, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	opts.erase_id = "enterprise";
	ck_assert_int_lt(dev_gate(&info, &opts, &claim, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	opts.erase_id = "client";
	ck_assert_int_eq(dev_gate(&info, &opts, &claim, &err), 0);
	dev_claim_free(claim);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine/sim");
	TCase *t = tcase_create("sessions");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, intervals_sum_to_the_total_and_follow_each_other);
	tcase_add_test(t, littles_law_holds);
	tcase_add_test(t, a_fill_writes_every_byte_once_and_stops);
	tcase_add_test(t, a_saturated_drive_shows_plateau_cliff_and_floor);
	tcase_add_test(t, the_same_seed_gives_the_same_interval_and_another_another);
	tcase_add_test(t, no_wall_clock_time_enters_and_nothing_sleeps);
	tcase_add_test(t, a_failed_io_closes_the_point);
	tcase_add_test(t, a_vanished_drive_is_lost_and_cannot_be_purged);
	tcase_add_test(t, a_stall_shows_in_its_second_alone);
	tcase_add_test(t, a_throttled_drive_does_so_much_less);
	tcase_add_test(t, a_stalled_drive_ends_the_point_at_the_time_limit);
	tcase_add_test(t, a_long_stall_below_the_limit_is_measured_exactly);
	tcase_add_test(t, cancelling_ends_the_interval_early);
	tcase_add_test(t, purge_by_erasing_or_trimming_frees_the_drive);
	tcase_add_test(t, the_gate_wants_the_drives_name);
	suite_add_tcase(s, t);
	return suite_run(s);
}
