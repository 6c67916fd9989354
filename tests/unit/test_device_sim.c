/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated drive against the published formulas of garbage collection and worked-out times. */
#include <check.h>
#include <errno.h>
#include <gsl/gsl_sf_lambert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/sim.h"
#include "tests/lib/suite.h"

#define USEC   NSEC_PER_USEC
#define MINUTE (60 * NSEC_PER_SEC)
#define UNIT   4096u

static struct sim_drive *drive(const char *target)
{
	struct sim_drive *d = NULL;
	struct err err = { .text = "" };

	ck_assert_msg(sim_new(target, &d, &err) == 0, "%s: %s", target, err.text);
	return d;
}

static uint64_t io(struct sim_drive *d, enum io_dir dir, uint64_t off_b, uint32_t len_b,
		   uint64_t t_ns)
{
	int res;
	uint64_t done_ns = sim_io(d, dir, off_b, len_b, t_ns, &res);

	/* Every ck_assert() is a system call; this is the hot path. */
	if (res)
		ck_abort_msg("I/O at %" PRIu64 " failed: %d", off_b, res);
	return done_ns;
}

/* Physics. */

/* Desnoyers 2012, Eq. 4. */
static double f(double alpha)
{
	return alpha / (alpha + gsl_sf_lambert_W0(-alpha * exp(-alpha)));
}

/* Eq. 12, for blocks of `pages` pages. */
static double f_greedy(double alpha, double pages)
{
	double k = 1 + 1 / (2 * pages);

	return f(k * alpha) / k;
}

struct steady {
	double amplification, alpha, iops;
};

/* Random writes of whole units below `end`, one after the other; what the last half did. */
static struct steady write_randomly(struct sim_drive *d, uint64_t end, uint64_t writes)
{
	struct sim_stats from, to;
	struct rng rng;
	uint64_t t_ns = 0, from_ns = 0;
	double closed = 0;

	rng_seed(&rng, 3);
	for (uint64_t i = 0; i < writes; i++) {
		if (i == writes / 2) {
			sim_stats(d, &from);
			from_ns = t_ns;
		}
		t_ns = io(d, IO_WRITE, rng_below(&rng, end) * UNIT, UNIT, t_ns);
		if (i >= writes / 2 && i % 64 == 0) {
			sim_stats(d, &to);
			closed += (double)to.closed_units;
		}
	}
	sim_stats(d, &to);
	double host = (double)(to.host_units - from.host_units);

	return (struct steady){
		.amplification = 1 + (double)(to.moved_units - from.moved_units) / host,
		.alpha = closed / (host / 64) / (double)end,
		.iops = host / (double)(t_ns - from_ns) * 1e9,
	};
}

static void fill(struct sim_drive *d)
{
	struct sim_stats s;

	sim_stats(d, &s);
	for (uint64_t i = 0; i < s.logical_units; i++)
		io(d, IO_WRITE, i * UNIT, UNIT, 0);
}

static const char *const ops[] = { "0.07", "0.14", "0.28", "0.5" };

/* Sanitizers make a small drive as slow as a large one, and their work is done by it. */
static uint64_t capacity_b(void)
{
	const char *sanitized = getenv("PLATEAU_SANITIZED");

	return sanitized && *sanitized ? MIB(512) : GIB(8);
}

static struct steady run_policy(const char *op, const char *gc)
{
	char target[128];
	struct sim_drive *d;
	struct sim_stats s;
	struct steady ret;

	/* Four dies of 64 pages a block: superblocks of 256 pages. */
	snprintf(target, sizeof(target),
		 "sim:enterprise,capacity=%" PRIu64 ",pages=64,op=%s,gc=%s", capacity_b(),
		 op, gc);
	d = drive(target);
	fill(d);
	sim_stats(d, &s);
	ck_assert_uint_eq(s.block_units, 256);
	ck_assert_double_le((double)s.memory_b / (double)s.logical_units, 16);
	ret = write_randomly(d, s.logical_units, 4 * s.logical_units);
	sim_free(d);
	return ret;
}

static void assert_within(double value, double expected, double pct, const char *what)
{
	ck_assert_msg(fabs(value / expected - 1) * 100 <= pct,
		      "%s: %.5f, expected %.5f within %g %%", what, value, expected, pct);
}

/* Times of sim:enterprise: program 800 us, read 400 us, erase 10 ms. */
static double floor_iops(double a, double dies, double pages)
{
	return dies / (a * 800e-6 + (a - 1) * 400e-6 + a * 10e-3 / pages);
}

START_TEST(write_amplification_and_floor_are_those_of_the_formulas)
{
	struct steady fifo = run_policy(ops[_i], "fifo"),
		      greedy = run_policy(ops[_i], "greedy");

	assert_within(fifo.amplification, f(fifo.alpha), 1, "FIFO");
	assert_within(greedy.amplification, f_greedy(greedy.alpha, 256), 1, "greedy");
	ck_assert_double_le(greedy.amplification, 1.002 * fifo.amplification);
	assert_within(fifo.iops, floor_iops(fifo.amplification, 4, 64), 2,
		      "floor of FIFO");
	assert_within(greedy.iops, floor_iops(greedy.amplification, 4, 64), 2,
		      "floor of greedy");
}
END_TEST

START_TEST(the_floor_scales_with_the_dies)
{
	struct sim_drive *d =
		drive("sim:enterprise,capacity=1G,pages=16,dies=16,channels=8");
	struct steady s;

	fill(d);
	s = write_randomly(d, GIB(1) / UNIT, 4 * GIB(1) / UNIT);
	assert_within(s.iops, floor_iops(s.amplification, 16, 16), 2, "floor of 16 dies");
	sim_free(d);
}
END_TEST

START_TEST(trimming_half_the_drive_halves_its_utilisation)
{
	char target[128];
	struct sim_drive *d;
	struct steady s;
	uint64_t half_b = capacity_b() / 2;

	snprintf(target, sizeof(target),
		 "sim:enterprise,capacity=%" PRIu64 ",pages=64,op=0.07,gc=fifo",
		 capacity_b());
	d = drive(target);
	fill(d);
	sim_trim(d, half_b, half_b);
	s = write_randomly(d, half_b / UNIT, 8 * half_b / UNIT);
	ck_assert_double_gt(s.alpha, 2.1);
	assert_within(s.amplification, f(s.alpha), 1, "half a drive");
	sim_free(d);
}
END_TEST

START_TEST(overwriting_in_sequence_moves_nothing)
{
	struct sim_drive *d = drive("sim:enterprise,capacity=256M,op=0.1");
	struct sim_stats s;

	for (int pass = 0; pass < 4; pass++)
		fill(d);
	sim_stats(d, &s);
	ck_assert_uint_eq(s.host_units, 4 * MIB(256) / UNIT);
	ck_assert_uint_eq(s.moved_units, 0);
	sim_free(d);
}
END_TEST

START_TEST(a_full_cold_drive_rotates_when_fifo_has_nothing_better)
{
	struct sim_drive *d =
		drive("sim:enterprise,capacity=64M,pages=16,op=0.1,gc=fifo");
	struct sim_stats s;

	fill(d);
	for (uint64_t i = 0; i < 100000; i++)
		io(d, IO_WRITE, i % 7 * UNIT, UNIT, 0);
	sim_stats(d, &s);
	ck_assert_uint_gt(s.moved_units, s.logical_units);
	for (uint64_t i = 0; i < s.logical_units; i++)
		ck_assert_uint_gt(io(d, IO_READ, i * UNIT, UNIT, 0), 400 * USEC);
	sim_free(d);
}
END_TEST

/*
 * Times. One die, one channel, no jitter: command 20 us; 4 KiB take 6510 ns over a link of
 * 600 MiB/s (4096 / 629145600 s) and 19531 ns over a channel of 200 MiB/s (4096 / 209715200 s).
 */
#define PLAIN      "sim:enterprise,capacity=64M,dies=1,channels=1,jitter=0"
#define LINK_NS    6510
#define CHANNEL_NS 19531

START_TEST(a_write_is_acknowledged_when_it_is_buffered_or_safe)
{
	struct sim_drive *buffered = drive(PLAIN), *safe = drive(PLAIN ",cache=off");

	ck_assert_uint_eq(io(buffered, IO_WRITE, 0, UNIT, 1000),
			  1000 + 20 * USEC + LINK_NS);
	ck_assert_uint_eq(io(safe, IO_WRITE, 0, UNIT, 1000),
			  1000 + 20 * USEC + LINK_NS + CHANNEL_NS + 800 * USEC);
	sim_free(buffered);
	sim_free(safe);
}
END_TEST

START_TEST(a_full_buffer_lets_one_write_in_a_program)
{
	struct sim_drive *d = drive(PLAIN ",buffer=32k");
	uint64_t in_ns = 20 * USEC + LINK_NS + CHANNEL_NS;

	for (uint64_t i = 0; i < 8; i++)
		ck_assert_uint_lt(io(d, IO_WRITE, i * UNIT, UNIT, 0), 300 * USEC);
	for (uint64_t i = 8; i < 16; i++)
		ck_assert_uint_eq(io(d, IO_WRITE, i * UNIT, UNIT, 0),
				  in_ns + (i - 7) * 800 * USEC);
	sim_free(d);
}
END_TEST

START_TEST(a_read_costs_the_page_only_where_something_is_mapped)
{
	struct sim_drive *d = drive(PLAIN ",cache=off");
	uint64_t t_ns = io(d, IO_WRITE, 0, UNIT, 0);

	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, t_ns),
			  t_ns + 20 * USEC + 400 * USEC + CHANNEL_NS + LINK_NS);
	t_ns += MINUTE;
	ck_assert_uint_eq(io(d, IO_READ, UNIT, UNIT, t_ns), t_ns + 20 * USEC + LINK_NS);
	sim_trim(d, 0, UNIT - 512);
	ck_assert_uint_gt(io(d, IO_READ, 0, UNIT, t_ns), t_ns + 400 * USEC);
	sim_trim(d, 0, UNIT);
	t_ns += MINUTE;
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, t_ns), t_ns + 20 * USEC + LINK_NS);
	sim_free(d);
}
END_TEST

START_TEST(a_read_waits_for_one_program_not_for_the_buffer)
{
	struct sim_drive *d = drive(PLAIN);
	uint64_t t_ns = 0;

	for (uint64_t i = 0; i < 100; i++)
		t_ns = io(d, IO_WRITE, i * UNIT, UNIT, t_ns);
	ck_assert_uint_le(io(d, IO_READ, 0, UNIT, t_ns),
			  t_ns + (20 + 800 + 400) * USEC + (200 * CHANNEL_NS) + LINK_NS);
	sim_free(d);
}
END_TEST

START_TEST(part_of_a_coarse_unit_is_read_before_it_is_written)
{
	struct sim_drive *d =
		drive("sim:coarse-iu,capacity=64M,pages=64,dies=1,channels=1,jitter=0,"
		      "cache=off,channel=0,link=0");
	uint64_t t_ns = MINUTE;

	ck_assert_uint_eq(io(d, IO_WRITE, 0, UNIT, t_ns), t_ns + 820 * USEC);
	t_ns += MINUTE;
	ck_assert_uint_eq(io(d, IO_WRITE, 0, UNIT, t_ns), t_ns + 1220 * USEC);
	t_ns += MINUTE;
	ck_assert_uint_eq(io(d, IO_WRITE, 0, 4 * UNIT, t_ns), t_ns + 820 * USEC);
	t_ns += MINUTE;
	/* Crosses into a unit that holds nothing: two programs, one read. */
	ck_assert_uint_eq(io(d, IO_WRITE, 3 * UNIT, 2 * UNIT, t_ns),
			  t_ns + (20 + 400 + 1600) * USEC);
	sim_free(d);
}
END_TEST

START_TEST(the_link_bounds_what_the_dies_could_do)
{
	struct sim_drive *d = drive(
		"sim:enterprise,capacity=64M,pages=64,link=1M,prog=0,read=0,erase=0");
	uint64_t t_ns = 0;

	for (uint64_t i = 0; i < 64; i++)
		t_ns = io(d, IO_WRITE, i * MIB(1), (uint32_t)MIB(1), t_ns);
	assert_within((double)t_ns, 64e9, 0.1, "64 MiB over 1 MiB/s");
	sim_free(d);
}
END_TEST

START_TEST(the_slc_cache_fills_folds_and_recovers_when_idle)
{
	struct sim_drive *d =
		drive("sim:client,capacity=64M,slc=4M,op=1,buffer=4k,dies=1,channels=1,"
		      "pages=64,jitter=0,erase=0,cmd=0,link=0,channel=0");
	uint64_t t_ns = 0, from_ns;

	for (uint64_t i = 0; i < 1024; i++)
		t_ns = io(d, IO_WRITE, i * UNIT, UNIT, t_ns);
	assert_within((double)t_ns, 1023 * 400e3, 0.001, "into SLC");
	from_ns = t_ns;
	for (uint64_t i = 1024; i < 2048; i++)
		t_ns = io(d, IO_WRITE, i * UNIT, UNIT, t_ns);
	/* Each waits for read 300 + program 1200 of a folded page, and its own 400. */
	assert_within((double)(t_ns - from_ns), 1023 * 1900e3 + 400e3, 0.001, "folding");
	from_ns = t_ns += 10 * NSEC_PER_SEC;
	for (uint64_t i = 0; i < 1024; i++)
		t_ns = io(d, IO_WRITE, i * UNIT, UNIT, t_ns);
	assert_within((double)(t_ns - from_ns), 1023 * 400e3, 0.001, "after a rest");
	sim_free(d);
}
END_TEST

START_TEST(purge_unmaps_everything_and_takes_its_time)
{
	struct sim_drive *d = drive(PLAIN);
	struct clock *clk = sim_clock(d);
	struct sim_stats s;
	uint64_t t_ns;

	fill(d);
	sim_purge(d);
	sim_stats(d, &s);
	ck_assert_uint_eq(s.host_units, 0);
	ck_assert_uint_eq(s.closed_units, 0);
	ck_assert_uint_eq(clk->now_ns(clk),
			  s.physical_units / s.block_units * 10 * NSEC_PER_MSEC);
	t_ns = clk->now_ns(clk);
	for (uint64_t i = 0; i < s.logical_units; i++)
		ck_assert_uint_eq(
			io(d, IO_READ, i * UNIT, UNIT, t_ns + i * NSEC_PER_MSEC),
			t_ns + i * NSEC_PER_MSEC + 20 * USEC + LINK_NS);
	sim_free(d);
}
END_TEST

/* Troubles. */

START_TEST(a_stall_holds_what_arrives_in_it_and_nothing_else)
{
	struct sim_drive *d = drive("sim:stutter,capacity=64M,pages=64");
	uint64_t s_ns = NSEC_PER_SEC, ms_ns = NSEC_PER_MSEC;

	ck_assert_uint_lt(io(d, IO_READ, 0, UNIT, 9 * s_ns), 9 * s_ns + ms_ns);
	ck_assert_uint_ge(io(d, IO_READ, 0, UNIT, 10 * s_ns + ms_ns),
			  10 * s_ns + 50 * ms_ns);
	ck_assert_uint_ge(io(d, IO_WRITE, 0, UNIT, 10 * s_ns + 2 * ms_ns),
			  10 * s_ns + 50 * ms_ns);
	ck_assert_uint_lt(io(d, IO_READ, 0, UNIT, 10 * s_ns + 60 * ms_ns),
			  10 * s_ns + 61 * ms_ns);
	/* Slept through some. */
	ck_assert_uint_lt(io(d, IO_READ, 0, UNIT, 55 * s_ns), 55 * s_ns + ms_ns);
	ck_assert_uint_ge(io(d, IO_READ, 0, UNIT, 60 * s_ns), 60 * s_ns + 50 * ms_ns);
	sim_free(d);
}
END_TEST

START_TEST(a_range_fails_from_minute_20_of_measurement)
{
	struct sim_drive *d = drive("sim:failing,capacity=100M");
	uint64_t from_b = MIB(50), end_b = MIB(52), t_ns = 60 * MINUTE;
	int res;

	/* An hour's fill is no measurement. */
	sim_clock_set(d, t_ns);
	io(d, IO_WRITE, from_b, UNIT, t_ns);
	sim_measure(d);
	sim_measure(d);
	io(d, IO_WRITE, from_b, UNIT, t_ns + 20 * MINUTE - 1);
	t_ns += 20 * MINUTE;
	(void)sim_io(d, IO_WRITE, from_b, UNIT, t_ns, &res);
	ck_assert_int_eq(res, -EIO);
	(void)sim_io(d, IO_READ, end_b - 512, 512, t_ns, &res);
	ck_assert_int_eq(res, -EIO);
	(void)sim_io(d, IO_READ, from_b - 512, 1024, t_ns, &res);
	ck_assert_int_eq(res, -EIO);
	io(d, IO_READ, from_b - 512, 512, t_ns);
	io(d, IO_READ, end_b, 512, t_ns);
	ck_assert(!sim_lost(d));
	sim_free(d);
}
END_TEST

START_TEST(a_vanished_drive_answers_nothing_for_good)
{
	struct sim_drive *d =
		drive("sim:vanishing,capacity=64M,pages=64,vanish_after=1m");
	int res;

	sim_measure(d);
	io(d, IO_READ, 0, UNIT, MINUTE - NSEC_PER_MSEC);
	/* Still in flight when it goes. */
	ck_assert_uint_ge(sim_io(d, IO_READ, 0, UNIT, MINUTE - 1, &res), MINUTE);
	ck_assert_int_eq(res, -ENODEV);
	ck_assert_uint_gt(sim_io(d, IO_WRITE, 0, UNIT, 5 * MINUTE, &res), 5 * MINUTE);
	ck_assert_int_eq(res, -ENODEV);
	ck_assert(!sim_lost(d));
	sim_clock_set(d, MINUTE);
	ck_assert(sim_lost(d));
	sim_free(d);
}
END_TEST

START_TEST(a_hot_drive_steps_down_and_its_health_says_so)
{
	struct sim_drive *d =
		drive("sim:throttling,capacity=64M,dies=1,channels=1,jitter=0,cmd=0,"
		      "link=0,channel=0,cache=off");
	struct dev_health h;

	io(d, IO_WRITE, 0, UNIT, 0);
	sim_measure(d);
	sim_health(d, &h);
	ck_assert_int_eq(h.temperature_c, 35);
	ck_assert_uint_eq(h.throttle_events, 0);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 9 * MINUTE), 9 * MINUTE + 400 * USEC);
	sim_clock_set(d, 5 * MINUTE);
	sim_health(d, &h);
	ck_assert_int_eq(h.temperature_c, 55);
	/* 40 % less in the same time. */
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 10 * MINUTE), 10 * MINUTE + 666666);
	sim_clock_set(d, 12 * MINUTE);
	sim_health(d, &h);
	ck_assert_int_eq(h.temperature_c, 75);
	ck_assert_uint_eq(h.throttle_events, 1);
	ck_assert_uint_eq(h.throttled_ns, 2 * MINUTE);
	sim_free(d);
}
END_TEST

START_TEST(drift_compounds_every_period)
{
	struct sim_drive *d =
		drive("sim:never-steady,capacity=64M,drift=0.1,drift_every=64m,dies=1,"
		      "channels=1,jitter=0,cmd=0,link=0,channel=0,cache=off");

	io(d, IO_WRITE, 0, UNIT, 0);
	sim_measure(d);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 30 * NSEC_PER_SEC),
			  30 * NSEC_PER_SEC + 400000);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 32 * MINUTE), 32 * MINUTE + 420000);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 64 * MINUTE), 64 * MINUTE + 440000);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 128 * MINUTE), 128 * MINUTE + 484000);
	ck_assert_uint_eq(io(d, IO_READ, 0, UNIT, 160 * MINUTE), 160 * MINUTE + 508200);
	sim_free(d);
}
END_TEST

/* A millionth a microsecond doubles in 0.7 s: what has been worked out is not worked out again. */
START_TEST(drift_of_any_period_comes_to_its_bound)
{
	struct sim_drive *d = drive(
		"sim:never-steady,capacity=64M,drift=0.000001,drift_every=1us,dies=1,"
		"channels=1,jitter=0,cmd=0,link=0,channel=0,cache=off");
	uint64_t bound_ns = 400000ULL * UINT32_MAX / 1000000, t_ns = 0, took_ns = 0;

	io(d, IO_WRITE, 0, UNIT, 0);
	sim_measure(d);
	for (int i = 0; i < 20000; i++) {
		t_ns += 60 * NSEC_PER_SEC;
		took_ns = io(d, IO_READ, 0, UNIT, t_ns) - t_ns;
	}
	ck_assert_uint_ge(took_ns, bound_ns);
	ck_assert_uint_le(took_ns, bound_ns + bound_ns / 100000);
	sim_free(d);
}
END_TEST

/* The clock. */

START_TEST(the_clock_goes_on_with_a_drive_that_takes_no_time)
{
	struct sim_drive *d = drive("sim:enterprise,capacity=64M,pages=64,read=0,prog=0,"
				    "erase=0,cmd=0,link=0,channel=0");

	ck_assert_uint_gt(io(d, IO_READ, 0, UNIT, 5), 5);
	ck_assert_uint_gt(io(d, IO_WRITE, 0, UNIT, 7), 7);
	sim_free(d);
}
END_TEST

START_TEST(the_clock_is_virtual_and_sleeping_moves_it)
{
	struct sim_drive *d = drive("sim:enterprise");
	struct clock *clk = sim_clock(d);

	ck_assert(clk->simulated);
	ck_assert_uint_eq(clk->now_ns(clk), 0);
	/* date -u -d 2024-01-01 +%s */
	ck_assert_int_eq(clk->wall_ns(clk), INT64_C(1704067200000000000));
	/* A century: were it slept, the test would time out. */
	clk->sleep_until_ns(clk, 36525ULL * 86400 * NSEC_PER_SEC);
	ck_assert_uint_eq(clk->now_ns(clk), 36525ULL * 86400 * NSEC_PER_SEC);
	clk->sleep_until_ns(clk, 5);
	ck_assert_uint_eq(clk->now_ns(clk), 36525ULL * 86400 * NSEC_PER_SEC);
	ck_assert_int_eq(clk->wall_ns(clk), INT64_C(1704067200000000000) +
						    INT64_C(36525) * 86400 * 1000000000);
	sim_free(d);
}
END_TEST

/* FNV-1a over completion times and results. */
static uint64_t fingerprint(const char *target)
{
	struct sim_drive *d = drive(target);
	uint64_t hash = 0xcbf29ce484222325ULL, t_ns = 0;
	struct rng rng;
	int res;

	rng_seed(&rng, 11);
	sim_measure(d);
	for (int i = 0; i < 200000; i++) {
		uint64_t r = rng_next(&rng);
		uint32_t len_b = 512u << (r >> 8) % 8;

		t_ns += (r >> 16) % 300000;
		hash ^= sim_io(d, r & 1 ? IO_READ : IO_WRITE,
			       rng_below(&rng, MIB(64) / len_b) * len_b, len_b, t_ns,
			       &res);
		hash = (hash + (res < 0)) * 0x100000001b3ULL;
	}
	sim_free(d);
	return hash;
}

#define EVERYTHING                                                                       \
	"sim:client,capacity=64M,pages=64,op=0.3,slc=2M,drift=0.5,drift_every=10s,stall_every=1s,stall=50ms"

START_TEST(the_same_seed_gives_the_same_times_with_every_compiler)
{
	uint64_t seen = fingerprint(EVERYTHING);

	ck_assert_uint_eq(fingerprint(EVERYTHING), seen);
	ck_assert_uint_ne(fingerprint(EVERYTHING ",seed=2"), seen);
	/* Pinned, so that a build by another compiler is compared with this one. */
	ck_assert_uint_eq(seen, UINT64_C(1938439079480224262));
}
END_TEST

/* Names and parameters. */

static void assert_usage(const char *target, const char *word)
{
	struct sim_conf conf;
	const struct sim_model *model;
	struct err err = { .text = "" };

	ck_assert_int_lt(sim_parse(target, &conf, &model, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_msg(strstr(err.text, word) != NULL, "%s: '%s' lacks '%s'", target,
		      err.text, word);
	ck_assert_msg(strlen(err.text) < sizeof(err.text) - 1, "%s: cut short", target);
}

START_TEST(wrong_names_and_values_are_refused_in_words)
{
	assert_usage("sim:", "enterprise");
	assert_usage("sim:nosuch", "'nosuch'");
	assert_usage("sim:nosuch", "never-steady");
	assert_usage("sim:enterprise2,op=0.1", "'enterprise2'");
	assert_usage("sim:enterprise,nosuch=1", "'nosuch'");
	assert_usage("sim:enterprise,nosuch=1", "vanish_after");
	assert_usage("sim:enterprise,nosuch=1", "seed");
	assert_usage("sim:enterprise,op", "needs a value");
	assert_usage("sim:enterprise,op=", "op");
	assert_usage("sim:enterprise,op=28%", "ratio");
	assert_usage("sim:enterprise,op=0", "op");
	assert_usage("sim:enterprise,capacity=many", "size");
	assert_usage("sim:enterprise,capacity=2000001", "logical block");
	assert_usage("sim:enterprise,capacity=64M,op=0.01", "superblocks");
	assert_usage("sim:enterprise,capacity=30T", "2^32");
	assert_usage("sim:enterprise,dies=0", "dies");
	assert_usage("sim:enterprise,dies=-1", "dies");
	assert_usage("sim:enterprise,channels=5", "channels");
	assert_usage("sim:enterprise,iu=12k", "power of two");
	assert_usage("sim:enterprise,iu=512", "range");
	assert_usage("sim:enterprise,lbs=1k", "lbs");
	assert_usage("sim:enterprise,read=fast", "duration");
	assert_usage("sim:enterprise,gc=lru", "greedy|fifo");
	assert_usage("sim:enterprise,cache=1", "none|off|on");
	assert_usage("sim:enterprise,buffer=4k,iu=16k", "buffer");
	assert_usage("sim:enterprise,drift=0.1", "drift_every");
	assert_usage("sim:enterprise,stall_every=1s,stall=2s", "stall");
}
END_TEST

START_TEST(every_parameter_can_be_overridden)
{
	struct sim_conf c;
	const struct sim_model *model;
	struct err err;
	const struct sim_param *p;

	ck_assert_int_eq(
		sim_parse("sim:enterprise,op=0.28,capacity=8G,dies=16,seed=7,read=75us,"
			  "gc=fifo,cache=on,op=0.5,erase=0",
			  &c, &model, &err),
		0);
	ck_assert_str_eq(model->name, "enterprise");
	ck_assert_uint_eq(c.capacity_b, GIB(8));
	ck_assert_uint_eq(c.op_ppm, 500000);
	ck_assert_uint_eq(c.dies, 16);
	ck_assert_uint_eq(c.seed, 7);
	ck_assert_uint_eq(c.read_ns, 75000);
	ck_assert_uint_eq(c.erase_ns, 0);
	ck_assert_uint_eq(c.cache, SIM_CACHE_ON);
	/* One key a member of struct sim_conf, each with its help. */
	for (size_t i = 0; i < sizeof(c) / sizeof(uint64_t); i++) {
		p = sim_param_nth(i);
		ck_assert_ptr_nonnull(p);
		ck_assert(*p->name && *p->form && *p->about);
	}
	ck_assert_ptr_null(sim_param_nth(sizeof(c) / sizeof(uint64_t)));
}
END_TEST

START_TEST(every_drive_of_the_catalogue_exists_and_says_who_it_is)
{
	const struct sim_model *m;
	size_t n = 0;

	for (; (m = sim_nth(n)); n++) {
		char target[64];
		struct dev_info info;
		struct err err;

		snprintf(target, sizeof(target), "sim:%s", m->name);
		ck_assert(sim_is(target));
		ck_assert_int_eq(sim_identify(target, &info, &err), 0);
		ck_assert_int_eq(info.kind, DEV_SIM);
		ck_assert_str_eq(info.path, target);
		ck_assert_str_eq(info.name, m->name);
		ck_assert_str_eq(info.erase_id, m->name);
		ck_assert_str_eq(info.transport, "sim");
		ck_assert_ptr_nonnull(strstr(info.model, "simulated"));
		ck_assert_uint_eq(info.lbs_b, strcmp(m->name, "4kn") == 0 ? 4096 : 512);
		ck_assert_uint_eq(info.pbs_b,
				  strcmp(m->name, "coarse-iu") == 0 ? 16384 : 4096);
		sim_free(drive(target));
	}
	ck_assert_uint_eq(n, 9);
	ck_assert(!sim_is("/dev/sim:enterprise"));
}
END_TEST

START_TEST(the_seed_decides_the_serial_number)
{
	struct dev_info a, b, c;
	struct err err;

	ck_assert_int_eq(sim_identify("sim:enterprise,seed=7", &a, &err), 0);
	ck_assert_int_eq(sim_identify("sim:enterprise,seed=8", &b, &err), 0);
	ck_assert_int_eq(sim_identify("sim:enterprise,capacity=8G,seed=7", &c, &err), 0);
	ck_assert_str_ne(a.serial, b.serial);
	ck_assert_str_eq(a.serial, c.serial);
	ck_assert_uint_eq(c.size_b, GIB(8));
}
END_TEST

/* Capacities that are no multiple of anything: every block can be written and read. */
START_TEST(the_last_block_of_an_odd_capacity_is_there)
{
	struct sim_drive *d = drive(
		"sim:enterprise,capacity=67197440,pages=64"); /* 64 MiB + 88.5 KiB - 512 */
	struct sim_stats s;
	uint64_t last_b = 67197440 - 512, t_ns = MINUTE;

	sim_stats(d, &s);
	ck_assert_uint_eq(s.logical_units, (67197440 + 4095) / 4096);
	io(d, IO_WRITE, last_b, 512, 0);
	ck_assert_uint_gt(io(d, IO_READ, last_b, 512, t_ns), t_ns + 360 * USEC);
	sim_trim(d, 0, 67197440);
	t_ns += MINUTE;
	ck_assert_uint_lt(io(d, IO_READ, last_b, 512, t_ns), t_ns + 100 * USEC);
	sim_free(d);
}
END_TEST

START_TEST(a_huge_drive_takes_memory_only_where_it_is_written)
{
	/* 9.3 bytes for each of 2^31 units would be 20 GB. */
	struct sim_drive *d = drive("sim:enterprise,capacity=8T");
	struct rng rng;

	rng_seed(&rng, 1);
	for (int i = 0; i < 10000; i++)
		io(d, IO_WRITE, rng_below(&rng, GIB(8) * 1024 / UNIT) * UNIT, UNIT, 0);
	sim_free(d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device/sim");
	TCase *physics = tcase_create("physics"), *rest = tcase_create("drive");

	tcase_set_timeout(physics, 280);
	tcase_add_loop_test(physics,
			    write_amplification_and_floor_are_those_of_the_formulas, 0,
			    (int)ARRAY_LEN(ops));
	tcase_add_test(physics, the_floor_scales_with_the_dies);
	tcase_add_test(physics, trimming_half_the_drive_halves_its_utilisation);
	tcase_add_test(physics, overwriting_in_sequence_moves_nothing);
	tcase_add_test(physics, a_full_cold_drive_rotates_when_fifo_has_nothing_better);
	suite_add_tcase(s, physics);

	tcase_set_timeout(rest, 60);
	tcase_add_test(rest, a_write_is_acknowledged_when_it_is_buffered_or_safe);
	tcase_add_test(rest, a_full_buffer_lets_one_write_in_a_program);
	tcase_add_test(rest, a_read_costs_the_page_only_where_something_is_mapped);
	tcase_add_test(rest, a_read_waits_for_one_program_not_for_the_buffer);
	tcase_add_test(rest, part_of_a_coarse_unit_is_read_before_it_is_written);
	tcase_add_test(rest, the_link_bounds_what_the_dies_could_do);
	tcase_add_test(rest, the_slc_cache_fills_folds_and_recovers_when_idle);
	tcase_add_test(rest, purge_unmaps_everything_and_takes_its_time);
	tcase_add_test(rest, a_stall_holds_what_arrives_in_it_and_nothing_else);
	tcase_add_test(rest, a_range_fails_from_minute_20_of_measurement);
	tcase_add_test(rest, a_vanished_drive_answers_nothing_for_good);
	tcase_add_test(rest, a_hot_drive_steps_down_and_its_health_says_so);
	tcase_add_test(rest, drift_compounds_every_period);
	tcase_add_test(rest, drift_of_any_period_comes_to_its_bound);
	tcase_add_test(rest, the_clock_goes_on_with_a_drive_that_takes_no_time);
	tcase_add_test(rest, the_clock_is_virtual_and_sleeping_moves_it);
	tcase_add_test(rest, the_same_seed_gives_the_same_times_with_every_compiler);
	tcase_add_test(rest, wrong_names_and_values_are_refused_in_words);
	tcase_add_test(rest, every_parameter_can_be_overridden);
	tcase_add_test(rest, every_drive_of_the_catalogue_exists_and_says_who_it_is);
	tcase_add_test(rest, the_seed_decides_the_serial_number);
	tcase_add_test(rest, the_last_block_of_an_odd_capacity_is_there);
	tcase_add_test(rest, a_huge_drive_takes_memory_only_where_it_is_written);
	suite_add_tcase(s, rest);
	return suite_run(s);
}
