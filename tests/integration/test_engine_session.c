/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of calls, intervals and what they report, on a real file. */
#include <dirent.h>
#include <errno.h>
#include <libaio.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#include "tests/lib/target.h"

/* wrap: malloc */
/* wrap: calloc */
/* wrap: realloc */
/* wrap: aligned_alloc */
/* wrap: posix_memalign */
/* wrap: io_submit */
/* wrap: io_getevents */
/* wrap: io_setup */
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
int __real_posix_memalign(void **ret, size_t align, size_t n);
int __wrap_posix_memalign(void **ret, size_t align, size_t n);
int __real_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __real_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __real_io_setup(int n, io_context_t *ctx);
int __wrap_io_setup(int n, io_context_t *ctx);

static atomic_uint_fast64_t allocations;
static uint64_t burn_ns; /* CPU time that each submit takes, as on a host too slow */
static long delay_ns;    /* what a slow device adds to each completion */

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	allocations++;
	return __real_aligned_alloc(align, n);
}

int __wrap_posix_memalign(void **ret, size_t align, size_t n)
{
	allocations++;
	return __real_posix_memalign(ret, align, n);
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[])
{
	if (burn_ns)
		for (uint64_t end = cpu_ns() + burn_ns; cpu_ns() < end;)
			;
	return __real_io_submit(ctx, n, ios);
}

int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout)
{
	if (delay_ns)
		nanosleep(&(struct timespec){ .tv_nsec = delay_ns }, NULL);
	return __real_io_getevents(ctx, min_nr, nr, events, timeout);
}

/* With a delay every completion goes through io_getevents: the ring is disguised. */
static unsigned rings;
static int ring_depth;

int __wrap_io_setup(int n, io_context_t *ctx)
{
	rings++;
	ring_depth = n;
	int rc = __real_io_setup(n, ctx);

	if (!rc && delay_ns)
		((unsigned *)(void *)*ctx)[4] = 0;
	return rc;
}

#define SIZE (MIB(32) + KIB(88))

static struct target target;
static struct eng *eng;
static struct eng_result result;
static const struct eng_limits limits = { .max_tc = 4,
					  .max_qd = 32,
					  .max_bs_b = KIB(128) };
static struct eng_workload reads = {
	.read_pct = 100, .bs_b = 4096, .tc = 1, .qd = 32, .len_b = SIZE, .seed = 1
};

static void open_engine(void)
{
	struct eng_workload w = { .pattern = IO_SEQ,
				  .bs_b = KIB(128),
				  .tc = 2,
				  .qd = 8,
				  .len_b = SIZE,
				  .limit_b = SIZE };

	target_make(&target, SIZE);
	OK(eng_open(target.handle, &limits, &eng, &ok_err));
	/* holes are not read from the device */
	OK(eng_start_write(eng, target.claim, &w, &ok_err));
	OK(eng_next(eng, 3600 * NSEC_PER_SEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
}

static void close_engine(void)
{
	eng_close(eng);
	target_remove(&target);
}

START_TEST(intervals_are_exactly_as_long_as_asked_and_leave_no_gap)
{
	uint64_t last = 0;

	open_engine();
	reads.tc = 3;
	reads.qd = 4;
	OK(eng_start_read(eng, &reads, &ok_err));
	for (int i = 0; i < 20; i++) {
		OK(eng_next(eng, 20 * NSEC_PER_MSEC, NULL, &result, &ok_err));
		ck_assert_uint_ge(result.t1_ns - result.t0_ns, 20 * NSEC_PER_MSEC);
		/* never more than asked, to the nanosecond */
		ck_assert_uint_le(result.depth_ns, 12 * (result.t1_ns - result.t0_ns));
		ck_assert(!last || result.t0_ns == last);
		ck_assert(!result.done);
		last = result.t1_ns;
	}
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

START_TEST(a_caller_that_comes_late_gets_a_longer_interval_and_nothing_is_lost)
{
	uint64_t last;

	open_engine();
	OK(eng_start_read(eng, &reads, &ok_err));
	OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	last = result.t1_ns;
	usleep(50000);
	OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	ck_assert_uint_eq(result.t0_ns, last);
	ck_assert_uint_ge(result.t1_ns - result.t0_ns, 50 * NSEC_PER_MSEC);
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

/*
 * Outstanding I/Os over time and latencies are accounted apart; from nothing outstanding to
 * nothing outstanding Little's law makes their sums equal, to the nanosecond.
 */
START_TEST(the_result_obeys_little_s_law)
{
	static struct eng_result sum;

	open_engine();
	reads.tc = 2;
	reads.limit_b = 20000 * 4096;
	eng_result_clear(&sum);
	OK(eng_start_read(eng, &reads, &ok_err));
	do {
		OK(eng_next(eng, 20 * NSEC_PER_MSEC, NULL, &result, &ok_err));
		eng_result_merge(&sum, &result);
	} while (!result.done);
	OK(eng_stop(eng, &ok_err));
	ck_assert_uint_eq(sum.dir[IO_READ].lat.count, 20000);
	ck_assert_uint_eq(sum.dir[IO_READ].lat.sum_ns, sum.depth_ns);
	ck_assert_uint_eq(eng_depth_milli(&sum),
			  sum.depth_ns * 1000 / (sum.t1_ns - sum.t0_ns));
	close_engine();
}
END_TEST

START_TEST(nothing_is_allocated_between_start_and_stop)
{
	struct eng_workload w = reads;
	uint64_t before;

	w.read_pct = 50;
	w.tc = 4;
	open_engine();
	ck_assert_uint_gt(allocations, 0);
	before = allocations;
	OK(eng_start_write(eng, target.claim, &w, &ok_err));
	for (int i = 0; i < 5; i++)
		next_ios(eng, &result);
	OK(eng_stop(eng, &ok_err));
	ck_assert_uint_eq(allocations, before);
	close_engine();
}
END_TEST

static volatile sig_atomic_t cancelled;

static void on_alarm(int sig)
{
	(void)sig;
	cancelled = 1;
}

START_TEST(a_cancelled_interval_ends_with_what_was_counted)
{
	const struct itimerval soon = { .it_value.tv_usec = 100000 };

	open_engine();
	signal(SIGALRM, on_alarm);
	OK(eng_start_read(eng, &reads, &ok_err));
	setitimer(ITIMER_REAL, &soon, NULL);
	OK(eng_next(eng, 3600 * NSEC_PER_SEC, &cancelled, &result, &ok_err));
	ck_assert(!result.done);
	ck_assert_uint_lt(result.t1_ns - result.t0_ns, 3600 * NSEC_PER_SEC);
	/* set already */
	OK(eng_next(eng, 3600 * NSEC_PER_SEC, &cancelled, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

/* Every task of this process but its first. */
static int each_worker(int (*see)(int tid))
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((d = readdir(dir)))
		if (atoi(d->d_name) && atoi(d->d_name) != getpid())
			n += see(atoi(d->d_name));
	closedir(dir);
	return n;
}

static int signals_blocked(int tid)
{
	unsigned long long mask = 0;
	char path[64], line[128];

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	FILE *f = fopen(path, "re");

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "SigBlk: %llx", &mask) == 1)
			break;
	fclose(f);
	return (mask >> (SIGINT - 1) & 1) && (mask >> (SIGTERM - 1) & 1) &&
	       (mask >> (SIGALRM - 1) & 1);
}

static int on_one_cpu(int tid)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(tid, sizeof(set), &set), 0);
	return CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set);
}

static int is_there(int tid)
{
	(void)tid;
	return 1;
}

/* Threads and depth are no factors of one product: 3 x 5 is not 5 x 3. */
START_TEST(every_thread_has_a_ring_of_the_depth_asked)
{
	const struct eng_limits three_by_five = { .max_tc = 3,
						  .max_qd = 5,
						  .max_bs_b = 4096 };

	target_make(&target, SIZE);
	rings = 0;
	OK(eng_open(target.handle, &three_by_five, &eng, &ok_err));
	ck_assert_uint_eq(rings, 3);
	ck_assert_int_eq(ring_depth, 5);
	close_engine();
}
END_TEST

START_TEST(threads_live_through_the_session_take_no_signals_and_keep_to_allowed_cpus)
{
	struct eng_workload w = reads;
	cpu_set_t one;
	int threads;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return; /* CPU 0 is not ours */
	open_engine();
	threads = each_worker(is_there); /* a sanitizer may have some of its own */
	ck_assert_int_ge(threads, 4);
	for (w.tc = 1; w.tc <= 4; w.tc++) {
		OK(eng_start_read(eng, &w, &ok_err));
		OK(eng_next(eng, 5 * NSEC_PER_MSEC, NULL, &result, &ok_err));
		ck_assert_int_eq(each_worker(is_there), threads);
		ck_assert_int_ge(each_worker(signals_blocked), 4);
		ck_assert_int_ge(each_worker(on_one_cpu), 4);
		OK(eng_stop(eng, &ok_err));
	}
	close_engine();
}
END_TEST

static atomic_bool spin;

static void *spinner(void *arg)
{
	while (spin)
		;
	return arg;
}

/*
 * Worker and two spinning threads on one CPU: it gets a third of it and waits for the rest,
 * which only the run queue's account shows.
 */
START_TEST(a_worker_that_waits_for_its_cpu_is_host_limited)
{
	pthread_t thread[2];
	cpu_set_t one;
	uint64_t dur_ns = 0;

	open_engine();
	eng_close(eng);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		target_remove(&target);
		return;
	}
	burn_ns = 20 * NSEC_PER_MSEC;
	OK(eng_open(target.handle, &limits, &eng, &ok_err));
	spin = true;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, spinner, NULL), 0);
	reads.qd = 1;
	/* On a machine whose disk is busy too, a worker may wait for that instead: ask again. */
	for (int tries = 0; tries < 8; tries++) {
		OK(eng_start_read(eng, &reads, &ok_err));
		OK(eng_next(eng, NSEC_PER_SEC, NULL, &result, &ok_err));
		OK(eng_stop(eng, &ok_err));
		dur_ns = result.t1_ns - result.t0_ns;
		if (result.host.worst_busy_ns > dur_ns / 10 * 9)
			break;
	}
	spin = false;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	ck_assert(result.host.known);
	ck_assert(result.host_limited);
	ck_assert_uint_gt(result.host.worst_busy_ns, dur_ns / 10 * 9);
	ck_assert_uint_lt(result.host.cpu_ns, dur_ns / 10 * 8);
	ck_assert_uint_gt(result.host.submit_ns, dur_ns / 2);
	close_engine();
}
END_TEST

START_TEST(a_slow_device_is_not_the_host_s_fault)
{
	delay_ns = 20 * (long)NSEC_PER_MSEC;
	open_engine();
	reads.qd = 4;
	OK(eng_start_read(eng, &reads, &ok_err));
	OK(eng_next(eng, NSEC_PER_SEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
	ck_assert_uint_ge(result.dir[IO_READ].lat.min_ns, 20 * NSEC_PER_MSEC);
	ck_assert(!result.host_limited);
	close_engine();
}
END_TEST

static const struct {
	const char *what;
	struct eng_workload w;
} misuses[] = {
	{ "no thread", { .qd = 1, .bs_b = 4096, .len_b = SIZE } },
	{ "too many threads", { .tc = 5, .qd = 1, .bs_b = 4096, .len_b = SIZE } },
	{ "no depth", { .tc = 1, .bs_b = 4096, .len_b = SIZE } },
	{ "too deep", { .tc = 1, .qd = 33, .bs_b = 4096, .len_b = SIZE } },
	{ "no block", { .tc = 1, .qd = 1, .len_b = SIZE } },
	{ "block too large", { .tc = 1, .qd = 1, .bs_b = KIB(256), .len_b = SIZE } },
	{ "part of a sector", { .tc = 1, .qd = 1, .bs_b = 1000, .len_b = SIZE } },
	{ "beyond the end", { .tc = 1, .qd = 1, .bs_b = 4096, .len_b = SIZE + 512 } },
	{ "wraps",
	  { .tc = 1, .qd = 1, .bs_b = 4096, .off_b = 512, .len_b = UINT64_MAX - 511 } },
	{ "empty range", { .tc = 1, .qd = 1, .bs_b = 4096 } },
	{ "range below a block",
	  { .tc = 1, .qd = 1, .bs_b = 4096, .off_b = 512, .len_b = 7168 } },
	{ "odd limit",
	  { .tc = 1, .qd = 1, .bs_b = 4096, .len_b = SIZE, .limit_b = 100 } },
	{ "share", { .tc = 1, .qd = 1, .bs_b = 4096, .len_b = SIZE, .read_pct = 101 } },
	{ "cursor",
	  { .pattern = IO_SEQ,
	    .tc = 1,
	    .qd = 1,
	    .bs_b = 4096,
	    .len_b = 8192,
	    .cursor_b = { 8192 } } },
	{ "limited mix",
	  { .pattern = IO_SEQ,
	    .tc = 1,
	    .qd = 1,
	    .bs_b = 4096,
	    .len_b = SIZE,
	    .read_pct = 50,
	    .limit_b = 4096 } },
};

START_TEST(a_workload_that_does_not_fit_is_refused)
{
	struct err err = { 0 };

	target_make(&target, SIZE);
	OK(eng_open(target.handle, &limits, &eng, &ok_err));
	ck_assert_msg(eng_start_write(eng, target.claim, &misuses[_i].w, &err) == -EINVAL,
		      "%s", misuses[_i].what);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	close_engine();
}
END_TEST

START_TEST(a_session_goes_only_the_way_that_it_has_buffers_for)
{
	struct eng_limits l = limits;
	struct eng_workload w = reads;
	struct err err = { 0 };

	l.no_reads = _i == IO_READ;
	l.no_writes = _i == IO_WRITE;
	open_engine();
	eng_close(eng);
	OK(eng_open(target.handle, &l, &eng, &ok_err));
	for (w.read_pct = 0; w.read_pct <= 100; w.read_pct += 50) {
		if (w.read_pct == (l.no_reads ? 0 : 100)) {
			OK(eng_start_write(eng, target.claim, &w, &ok_err));
			next_ios(eng, &result);
			OK(eng_stop(eng, &ok_err));
			continue;
		}
		ck_assert_int_eq(eng_start_write(eng, target.claim, &w, &err), -EINVAL);
		ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	}
	close_engine();
}
END_TEST

START_TEST(calls_out_of_order_are_refused_and_change_nothing)
{
	struct dev_handle other;
	struct eng *foreign;
	struct err err = { 0 };

	open_engine();
	ck_assert_int_ne(eng_next(eng, NSEC_PER_SEC, NULL, &result, &err), 0);
	OK(eng_stop(eng, &ok_err)); /* nothing runs: nothing to do */
	reads.read_pct = 99;
	ck_assert_int_ne(eng_start_read(eng, &reads, &err), 0);
	reads.read_pct = 100;

	OK(dev_open_read(&target.handle->info, &other, &ok_err));
	OK(eng_open(&other, &limits, &foreign, &ok_err));
	ck_assert_int_ne(eng_start_write(foreign, target.claim, &reads, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERNAL);
	OK(eng_start_read(foreign, &reads, &ok_err));
	eng_close(foreign); /* while it runs */
	dev_handle_release(&other);

	OK(eng_start_read(eng, &reads, &ok_err));
	ck_assert_int_ne(eng_start_read(eng, &reads, &err), 0);
	ck_assert_int_ne(eng_next(eng, 0, NULL, &result, &err), 0);
	next_ios(eng, &result);
	close_engine();
}
END_TEST

START_TEST(a_point_can_follow_a_fill_and_another_point_at_once)
{
	struct eng_workload w = reads;

	open_engine();
	for (int i = 0; i < 50; i++) {
		w.seed = (uint64_t)i;
		w.tc = 1 + (uint32_t)i % 4;
		w.read_pct = i % 2 ? 100 : 65;
		OK(eng_start_write(eng, target.claim, &w, &ok_err));
		OK(eng_next(eng, 2 * NSEC_PER_MSEC, NULL, &result, &ok_err));
		OK(eng_stop(eng, &ok_err));
	}
	close_engine();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_session");
	TCase *t = tcase_create("session");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, intervals_are_exactly_as_long_as_asked_and_leave_no_gap);
	tcase_add_test(
		t, a_caller_that_comes_late_gets_a_longer_interval_and_nothing_is_lost);
	tcase_add_test(t, the_result_obeys_little_s_law);
	tcase_add_test(t, nothing_is_allocated_between_start_and_stop);
	tcase_add_test(t, every_thread_has_a_ring_of_the_depth_asked);
	tcase_add_test(t, a_cancelled_interval_ends_with_what_was_counted);
	tcase_add_test(
		t,
		threads_live_through_the_session_take_no_signals_and_keep_to_allowed_cpus);
	tcase_add_test(t, a_worker_that_waits_for_its_cpu_is_host_limited);
	tcase_add_test(t, a_slow_device_is_not_the_host_s_fault);
	tcase_add_loop_test(t, a_workload_that_does_not_fit_is_refused, 0,
			    (int)ARRAY_LEN(misuses));
	tcase_add_loop_test(t, a_session_goes_only_the_way_that_it_has_buffers_for, 0,
			    IO_DIRS);
	tcase_add_test(t, calls_out_of_order_are_refused_and_change_nothing);
	tcase_add_test(t, a_point_can_follow_a_fill_and_another_point_at_once);
	suite_add_tcase(s, t);
	return suite_run(s);
}
