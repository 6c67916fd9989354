/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "engine/cpus.h"
#include "engine/result.h"
#include "tests/lib/suite.h"

static struct eng_result a, b;

/* One second at depth 32 with 10000 I/Os of 100 us mean. */
static void fill(struct eng_result *r, struct eng_asked *asked, uint32_t qd)
{
	eng_result_clear(r);
	r->t0_ns = 5 * NSEC_PER_SEC;
	r->t1_ns = 6 * NSEC_PER_SEC;
	for (int i = 0; i < 10000; i++)
		hist_add(&r->dir[i % 2].lat, 100 * NSEC_PER_USEC);
	r->host.known = true;
	r->host.turnarounds = 10000;
	*asked = (struct eng_asked){ .qd = qd, .depth_ns = 1000000, .got_ns = 1000000 };
}

START_TEST(a_host_with_room_to_spare_is_not_blamed)
{
	struct eng_asked asked;

	fill(&a, &asked, 1);
	ck_assert(!eng_host_limited(&a, &asked));
}
END_TEST

START_TEST(a_worker_busy_for_90_percent_limits)
{
	struct eng_asked asked;

	fill(&a, &asked, 32);
	a.host.worst_busy_ns = 900 * NSEC_PER_MSEC - 1;
	ck_assert(!eng_host_limited(&a, &asked));
	a.host.worst_busy_ns = 900 * NSEC_PER_MSEC;
	ck_assert(eng_host_limited(&a, &asked));
}
END_TEST

START_TEST(a_depth_below_95_percent_of_the_asked_limits)
{
	struct eng_asked asked;

	fill(&a, &asked, 32);
	asked.got_ns = 950000;
	ck_assert(!eng_host_limited(&a, &asked));
	asked.got_ns = 949999;
	ck_assert(eng_host_limited(&a, &asked));
}
END_TEST

/* 10000 turnarounds of 5 us in the mean are 50 ms. */
START_TEST(turnaround_beyond_5_percent_of_the_latency_limits_at_depth_1_only)
{
	struct eng_asked asked;

	fill(&a, &asked, 1);
	a.host.turnaround_ns = 50 * NSEC_PER_MSEC;
	ck_assert(!eng_host_limited(&a, &asked));
	a.host.turnaround_ns++;
	ck_assert(eng_host_limited(&a, &asked));
	asked.qd = 2;
	ck_assert(!eng_host_limited(&a, &asked));
}
END_TEST

START_TEST(a_simulated_drive_has_no_host)
{
	struct eng_asked asked;

	fill(&a, &asked, 1);
	a.host.worst_busy_ns = NSEC_PER_SEC;
	a.host.known = false;
	ck_assert(!eng_host_limited(&a, &asked));
}
END_TEST

START_TEST(two_intervals_merge_into_one)
{
	struct eng_asked asked;

	fill(&a, &asked, 1);
	fill(&b, &asked, 1);
	b.t0_ns = 6 * NSEC_PER_SEC;
	b.t1_ns = 8 * NSEC_PER_SEC;
	b.dir[IO_READ].bytes = 40;
	b.depth_ns = 9 * NSEC_PER_SEC;
	b.host.cpu_ns = 7;
	b.cursor_b[IO_WRITE] = 4096;
	b.done = b.device_lost = b.host_limited = true;
	eng_result_merge(&a, &b);
	ck_assert_uint_eq(a.t0_ns, 5 * NSEC_PER_SEC);
	ck_assert_uint_eq(a.t1_ns, 8 * NSEC_PER_SEC);
	ck_assert_uint_eq(a.dir[IO_READ].lat.count, 10000);
	ck_assert_uint_eq(a.dir[IO_READ].bytes, 40);
	ck_assert_uint_eq(a.host.cpu_ns, 7);
	ck_assert_uint_eq(a.cursor_b[IO_WRITE], 4096);
	ck_assert(a.done && a.device_lost && a.host_limited && a.host.known);
	/* 9 s of depth in 3 s */
	ck_assert_uint_eq(eng_depth_milli(&a), 3000);
}
END_TEST

START_TEST(merging_into_a_cleared_result_copies_it)
{
	struct eng_asked asked;

	fill(&b, &asked, 1);
	eng_result_clear(&a);
	ck_assert_uint_eq(eng_depth_milli(&a), 0);
	eng_result_merge(&a, &b);
	ck_assert_mem_eq(&a, &b, sizeof(a));
}
END_TEST

START_TEST(the_earliest_errors_are_kept_in_order)
{
	static const uint64_t t[] = { 50, 20, 90, 10, 70, 30, 60, 40, 80, 5, 95 };
	static const uint64_t want[] = { 5, 10, 20, 30, 40, 50, 60, 70 };

	_Static_assert(ARRAY_LEN(want) == ENG_ERRORS_KEPT, "as many as are kept");
	eng_result_clear(&a);
	eng_result_clear(&b);
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		eng_result_add_error(i % 2 ? &a : &b,
				     &(struct eng_error){ .t_ns = t[i], .res = -EIO });
	eng_result_merge(&a, &b);
	ck_assert_uint_eq(a.errors, ARRAY_LEN(t));
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		ck_assert_uint_eq(a.error[i].t_ns, want[i]);
}
END_TEST

START_TEST(a_list_of_cpus_is_read_as_the_kernel_writes_it)
{
	static const struct {
		const char *list;
		int count;
		size_t in, out;
	} row[] = {
		{ "0-3,8,10-11\n", 7, 10, 9 },
		{ "5\n", 1, 5, 0 },
		{ "\n", 0, 1, 0 },
		{ "0-1,4096-5000\n", 2, 1, 2 },
	};
	cpu_set_t set;

	for (size_t i = 0; i < ARRAY_LEN(row); i++) {
		eng_cpus_parse(row[i].list, &set);
		ck_assert_int_eq(CPU_COUNT(&set), row[i].count);
		ck_assert(!row[i].count || CPU_ISSET(row[i].in, &set));
		ck_assert(!CPU_ISSET(row[i].out, &set));
	}
}
END_TEST

START_TEST(cpus_that_this_process_may_not_use_are_never_chosen)
{
	cpu_set_t all, one, near;
	size_t last = CPU_SETSIZE - 1;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(last, &all))
		last--;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	/* no node, a real one, one that does not exist */
	for (int node = -1; node < 1000; node += node < 0 ? 1 : 999) {
		eng_cpus_near(node, &near);
		ck_assert(CPU_EQUAL(&near, &one));
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_result");
	TCase *t = tcase_create("result");

	tcase_add_test(t, a_host_with_room_to_spare_is_not_blamed);
	tcase_add_test(t, a_worker_busy_for_90_percent_limits);
	tcase_add_test(t, a_depth_below_95_percent_of_the_asked_limits);
	tcase_add_test(t,
		       turnaround_beyond_5_percent_of_the_latency_limits_at_depth_1_only);
	tcase_add_test(t, a_simulated_drive_has_no_host);
	tcase_add_test(t, two_intervals_merge_into_one);
	tcase_add_test(t, merging_into_a_cleared_result_copies_it);
	tcase_add_test(t, the_earliest_errors_are_kept_in_order);
	tcase_add_test(t, a_list_of_cpus_is_read_as_the_kernel_writes_it);
	tcase_add_test(t, cpus_that_this_process_may_not_use_are_never_chosen);
	suite_add_tcase(s, t);
	return suite_run(s);
}
