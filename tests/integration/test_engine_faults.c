/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls as they may behave: partial and refused submits, interrupted reaps, completions that
 * are short, empty or failed, and none at all. The wrapped calls do real I/O and then lie.
 */
#include <errno.h>
#include <libaio.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/rng.h"
#include "tests/lib/target.h"

/* wrap: io_setup */
/* wrap: io_submit */
/* wrap: io_getevents */
/* wrap: sem_clockwait */
int __real_io_setup(int n, io_context_t *ctx);
int __wrap_io_setup(int n, io_context_t *ctx);
int __real_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __real_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);
int __real_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);

#define SIZE    (MIB(32) + KIB(88))
#define SECTORS (SIZE / PAYLOAD_SECTOR)

/* Where they stand in what io_setup() maps. */
enum { RING_NR = 1, RING_TAIL = 3, RING_MAGIC = 4 };

static bool hide_ring, awkward;
static bool prompt;      /* io_submit returns when all is complete, as for a RAM disk */
static atomic_bool mute; /* completions stay in the kernel */
static atomic_long liar_at; /* this completion, counted down, is the one that lies */
static long lie;
static atomic_uint_fast64_t accepted, completed, refusals;
static atomic_long most_at_once; /* I/Os in a call of io_submit */
static atomic_long most_reaped;  /* completions that a call of io_getevents could bring */
static atomic_uchar times[SECTORS];
static struct eng_error told;

static uint64_t dice(void)
{
	static _Thread_local struct rng rng;
	static atomic_uint_fast64_t threads;

	if (!rng.s[0])
		rng_seed(&rng, ++threads);
	return rng_below(&rng, 100);
}

/* The magic number is for user space alone: without it the ring is not what it is taken for. */
int __wrap_io_setup(int n, io_context_t *ctx)
{
	int rc = __real_io_setup(n, ctx);

	if (!rc && hide_ring)
		((unsigned *)(void *)*ctx)[RING_MAGIC] = 0;
	return rc;
}

int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[])
{
	uint64_t roll = awkward ? dice() : 99;

	if (n > most_at_once)
		most_at_once = n;
	if (roll < 20) {
		refusals++;
		return roll < 10 ? -EAGAIN : -EINTR;
	}
	if (roll < 60)
		n = 1;
	for (long i = 0; i < n; i++)
		for (uint64_t k = 0; k < ios[i]->u.c.nbytes; k += PAYLOAD_SECTOR)
			times[((uint64_t)ios[i]->u.c.offset + k) / PAYLOAD_SECTOR]++;
	accepted += (uint64_t)n;
	const volatile unsigned *ring = (const volatile unsigned *)(void *)ctx;
	unsigned tail = (ring[RING_TAIL] + (unsigned)n) % ring[RING_NR];
	int rc = __real_io_submit(ctx, n, ios);

	if (rc != n)
		abort();
	while (prompt && ring[RING_TAIL] != tail)
		sched_yield();
	return rc;
}

int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout)
{
	if (mute) {
		nanosleep(timeout, NULL);
		return 0;
	}
	if (awkward && dice() < 10)
		return -EINTR;
	if (nr > most_reaped)
		most_reaped = nr;
	int n = __real_io_getevents(ctx, min_nr, nr, events, timeout);

	for (int i = 0; i < n; i++) {
		completed++;
		if (--liar_at)
			continue;
		told = (struct eng_error){
			.off_b = (uint64_t)events[i].obj->u.c.offset,
			.len_b = (uint32_t)events[i].obj->u.c.nbytes,
			.dir = events[i].obj->aio_lio_opcode == IO_CMD_PWRITE ? IO_WRITE
									      : IO_READ,
			.res = lie,
		};
		events[i].res = (unsigned long)lie;
	}
	return n;
}

static enum { RUNNING, STOP_NOW, STOPPED } stopped;

/* As if the process had been stopped for 3 s; the workers go on a little after the monitor. */
int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	if (stopped == STOPPED)
		mute = false;
	if (stopped != STOP_NOW)
		return __real_sem_clockwait(sem, clock, until);
	nanosleep(&(struct timespec){ .tv_sec = 3 }, NULL);
	stopped = STOPPED;
	return 0;
}

static struct target target;
static struct eng *eng;
static struct eng_result result, sum;

static void open_engine(uint64_t io_timeout_ns)
{
	struct eng_limits limits = { .max_tc = 4,
				     .max_qd = 32,
				     .max_bs_b = KIB(128),
				     .io_timeout_ns = io_timeout_ns };

	target_make(&target, SIZE);
	OK(eng_open(target.handle, &limits, &eng, &ok_err));
}

static void close_engine(void)
{
	eng_close(eng);
	target_remove(&target);
}

static void fill(void)
{
	struct eng_workload w = { .pattern = IO_SEQ,
				  .bs_b = KIB(128),
				  .tc = 2,
				  .qd = 8,
				  .len_b = SIZE,
				  .limit_b = SIZE };

	OK(eng_start_write(eng, target.claim, &w, &ok_err));
	OK(eng_next(eng, 3600 * NSEC_PER_SEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
}

/* Run to its limit in short intervals; `sum` has it all. */
static unsigned run_intervals(const struct eng_workload *w)
{
	unsigned n = 0;

	eng_result_clear(&sum);
	OK(eng_start_write(eng, target.claim, w, &ok_err));
	do {
		uint64_t last_t1 = result.t1_ns;

		OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
		if (n++)
			ck_assert_uint_eq(result.t0_ns, last_t1);
		ck_assert_uint_gt(result.t1_ns, result.t0_ns);
		eng_result_merge(&sum, &result);
	} while (!result.done);
	OK(eng_stop(eng, &ok_err));
	return n;
}

/* _i: bit 0 hides the ring, bit 1 makes the calls awkward. */
START_TEST(intervals_sum_to_every_io_submitted_whatever_the_calls_do)
{
	struct eng_workload w = { .read_pct = 50,
				  .bs_b = 4096,
				  .tc = 3,
				  .qd = 8,
				  .len_b = SIZE,
				  .seed = 9,
				  .limit_b = 20000 * 4096 };

	hide_ring = _i & 1;
	open_engine(0);
	fill();
	accepted = completed = 0;
	awkward = _i & 2;
	ck_assert_uint_gt(run_intervals(&w), 1);
	ck_assert_uint_eq(result_ios(&sum), 20000);
	ck_assert_uint_eq(accepted, 20000);
	ck_assert_uint_eq(result_bytes(&sum), w.limit_b);
	ck_assert_uint_eq(sum.errors, 0);
	if (hide_ring)
		ck_assert_uint_eq(completed, 20000);
	ck_assert(!awkward || refusals > 100);
	/* both directions drew their share: 50 % of 20000, sigma 71 */
	ck_assert_uint_gt(sum.dir[IO_READ].lat.count, 9600);
	ck_assert_uint_lt(sum.dir[IO_READ].lat.count, 10400);
	close_engine();
}
END_TEST

START_TEST(a_fill_is_complete_whatever_the_calls_do)
{
	struct eng_workload w = { .pattern = IO_SEQ,
				  .bs_b = KIB(128),
				  .tc = 4,
				  .qd = 8,
				  .len_b = SIZE,
				  .seed = 5,
				  .limit_b = 2 * SIZE };
	int bad = 0;

	hide_ring = _i & 1;
	awkward = true;
	open_engine(0);
	run_intervals(&w);
	ck_assert_uint_eq(result_bytes(&sum), 2 * SIZE);
	for (uint64_t s = 0; s < SECTORS; s++)
		bad += times[s] != 2;
	ck_assert_int_eq(bad, 0);
	ck_assert_uint_eq(target_bad_sectors(&target, w.seed), 0);
	close_engine();
}
END_TEST

/* Written bytes are random even where the slot was used for reading in between. */
START_TEST(a_mix_writes_no_byte_that_it_has_read)
{
	struct eng_workload w = { .read_pct = 50,
				  .bs_b = KIB(16),
				  .tc = 2,
				  .qd = 8,
				  .len_b = SIZE,
				  .limit_b = 4 * SIZE };

	open_engine(0);
	fill();
	run_intervals(&w);
	ck_assert_uint_eq(target_bad_sectors(&target, 0), 0);
	close_engine();
}
END_TEST

static const struct {
	enum dev_kind as;
	uint8_t read_pct;
	long res;
	bool lost;
	enum exit_code code; /* of eng_next; 0: success, the result tells */
} lies[] = {
	{ DEV_FILE, 100, -EIO, false, EXIT_CODE_COMPLETE },
	{ DEV_FILE, 100, 0, false, EXIT_CODE_COMPLETE },
	{ DEV_FILE, 100, 512, false, EXIT_CODE_COMPLETE },
	{ DEV_FILE, 0, 0, false, EXIT_CODE_COMPLETE },
	{ DEV_FILE, 0, 4096 - 512, false, EXIT_CODE_COMPLETE },
	{ DEV_FILE, 0, -ENOSPC, false, EXIT_CODE_HOST },
	{ DEV_LOOP, 0, -ENOSPC, false, EXIT_CODE_HOST },
	{ DEV_BLOCK, 0, -ENOSPC, true, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 100, 0, true, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 100, -ENODEV, true, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 0, -ENXIO, true, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 100, -EREMOTEIO, true, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 100, -ENODATA, false, EXIT_CODE_COMPLETE },
	{ DEV_BLOCK, 100, 2048, false, EXIT_CODE_COMPLETE },
};

START_TEST(an_io_that_did_not_do_what_was_asked_is_an_error_and_ends_the_stimulus)
{
	struct eng_workload w = { .read_pct = lies[_i].read_pct,
				  .bs_b = 4096,
				  .tc = 2,
				  .qd = 4,
				  .len_b = SIZE,
				  .seed = 6 };
	struct err err = { 0 };
	int rc;

	hide_ring = true;
	open_engine(0);
	fill();
	eng_close(eng);
	/* the target keeps being the file; only what the engine takes it for differs */
	*(enum dev_kind *)(uintptr_t)&target.handle->info.kind = lies[_i].as;
	OK(eng_open(target.handle,
		    &(struct eng_limits){ .max_tc = 2, .max_qd = 4, .max_bs_b = 4096 },
		    &eng, &ok_err));
	lie = lies[_i].res;
	accepted = 0;
	liar_at = 500;
	OK(eng_start_write(eng, target.claim, &w, &ok_err));
	rc = eng_next(eng, 3600 * NSEC_PER_SEC, NULL, &result, &err);
	ck_assert_int_eq(err.code, lies[_i].code);
	ck_assert_int_eq(rc != 0, lies[_i].code != 0);
	if (rc)
		ck_assert_ptr_nonnull(strstr(err.text, "disk full"));
	else
		ck_assert(result.done);
	ck_assert_int_eq(result.device_lost, lies[_i].lost);
	ck_assert_uint_eq(result.errors, 1);
	ck_assert_int_eq(result.error[0].res, lie);
	ck_assert_uint_eq(result.error[0].off_b, told.off_b);
	ck_assert_uint_eq(result.error[0].len_b, told.len_b);
	ck_assert_int_eq(result.error[0].dir, told.dir);
	ck_assert_uint_gt(result.error[0].t_ns, result.t0_ns);
	ck_assert_uint_le(result.error[0].t_ns, result.t1_ns);
	/* what succeeded is counted, the drain included, and the failed one is not */
	ck_assert_uint_eq(result_ios(&result), accepted - 1);
	ck_assert_uint_eq(result_bytes(&result), (accepted - 1) * 4096);
	ck_assert_int_ne(eng_next(eng, NSEC_PER_SEC, NULL, &result, NULL), 0);
	OK(eng_stop(eng, &ok_err));

	OK(eng_start_write(eng, target.claim, &w, &ok_err));
	next_ios(eng, &result);
	ck_assert(!result.done);
	ck_assert_uint_eq(result.errors, 0);
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

static const struct eng_workload forever = {
	.read_pct = 100, .bs_b = 4096, .tc = 2, .qd = 4, .len_b = SIZE
};

static void stall(void)
{
	struct err err = { 0 };

	hide_ring = true;
	open_engine(2 * NSEC_PER_SEC);
	OK(eng_start_read(eng, &forever, &ok_err));
	OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	mute = true;
	ck_assert_int_eq(eng_next(eng, 3600 * NSEC_PER_SEC, NULL, &result, &err),
			 -ETIMEDOUT);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	ck_assert_ptr_nonnull(strstr(err.text, "completed no I/O"));
}

START_TEST(a_device_that_never_answers_again_hangs_neither_stop_nor_close)
{
	struct err err = { 0 };

	stall();
	ck_assert_int_eq(eng_stop(eng, &err), -ETIMEDOUT);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	ck_assert_int_ne(eng_start_read(eng, &forever, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
	close_engine();
}
END_TEST

START_TEST(a_device_that_answers_late_can_be_used_again)
{
	stall();
	mute = false;
	OK(eng_stop(eng, &ok_err));
	OK(eng_start_read(eng, &forever, &ok_err));
	OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

/* The kernel holds a call's I/Os back until the last is made: in large batches a drive runs dry. */
START_TEST(no_call_submits_or_reaps_more_than_four)
{
	struct eng_workload w = forever;

	w.qd = 32;
	hide_ring = true;
	open_engine(0);
	OK(eng_start_read(eng, &w, &ok_err));
	OK(eng_next(eng, 50 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
	ck_assert_uint_gt(result.dir[IO_READ].lat.count, 64);
	ck_assert_int_eq(most_at_once, 4);
	ck_assert_int_eq(most_reaped, 4);
	close_engine();
}
END_TEST

START_TEST(a_device_that_is_memory_gets_the_whole_depth_in_a_call)
{
	struct eng_workload w = forever;

	w.qd = 32;
	prompt = true;
	open_engine(0);
	OK(eng_start_read(eng, &w, &ok_err));
	while (most_at_once < 32)
		OK(eng_next(eng, 50 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

/* Who was stopped longer than a device may take saw no device that stalled. */
START_TEST(a_process_that_was_stopped_blames_the_host_and_not_the_device)
{
	hide_ring = true;
	open_engine(2 * NSEC_PER_SEC);
	OK(eng_start_read(eng, &forever, &ok_err));
	OK(eng_next(eng, 10 * NSEC_PER_MSEC, NULL, &result, &ok_err));
	mute = true;
	stopped = STOP_NOW;
	OK(eng_next(eng, 4 * NSEC_PER_SEC, NULL, &result, &ok_err));
	ck_assert(result.host_limited);
	ck_assert_int_eq(stopped, STOPPED);
	OK(eng_stop(eng, &ok_err));
	close_engine();
}
END_TEST

static uint64_t number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long v = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%llu", &v), 1);
	fclose(f);
	return v;
}

START_TEST(too_few_aio_slots_are_named_with_what_is_needed)
{
	uint64_t max = number_in("/proc/sys/fs/aio-max-nr");
	struct eng_limits limits = { .max_tc = 2,
				     .max_qd = (uint32_t)(max / 2 + 1),
				     .max_bs_b = 512 };
	struct err err = { 0 };
	char need[32], have[64];

	target_make(&target, SIZE);
	ck_assert_int_eq(eng_open(target.handle, &limits, &eng, &err), -EAGAIN);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	snprintf(have, sizeof(have), "fs.aio-max-nr is %llu", (unsigned long long)max);
	snprintf(need, sizeof(need), "need %llu", 2ULL * limits.max_qd);
	ck_assert_ptr_nonnull(strstr(err.text, have));
	ck_assert_ptr_nonnull(strstr(err.text, need));
	/* all or none: nothing is held any more */
	limits.max_qd = 32;
	OK(eng_open(target.handle, &limits, &eng, &ok_err));
	close_engine();
}
END_TEST

START_TEST(buffers_beyond_the_machine_s_memory_are_refused_before_they_are_touched)
{
	struct eng_limits limits = { .max_tc = 4096,
				     .max_qd = 65536,
				     .max_bs_b = (uint32_t)MIB(1) };
	struct err err = { 0 };

	target_make(&target, SIZE);
	ck_assert_int_eq(eng_open(target.handle, &limits, &eng, &err), -ENOMEM);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	target_remove(&target);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_faults");
	TCase *t = tcase_create("faults");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, intervals_sum_to_every_io_submitted_whatever_the_calls_do,
			    0, 4);
	tcase_add_loop_test(t, a_fill_is_complete_whatever_the_calls_do, 0, 2);
	tcase_add_test(t, a_mix_writes_no_byte_that_it_has_read);
	tcase_add_loop_test(
		t, an_io_that_did_not_do_what_was_asked_is_an_error_and_ends_the_stimulus,
		0, (int)ARRAY_LEN(lies));
	tcase_add_test(t, a_device_that_never_answers_again_hangs_neither_stop_nor_close);
	tcase_add_test(t, a_device_that_answers_late_can_be_used_again);
	tcase_add_test(t, no_call_submits_or_reaps_more_than_four);
	tcase_add_test(t, a_device_that_is_memory_gets_the_whole_depth_in_a_call);
	tcase_add_test(t, a_process_that_was_stopped_blames_the_host_and_not_the_device);
	tcase_add_test(t, too_few_aio_slots_are_named_with_what_is_needed);
	tcase_add_test(
		t,
		buffers_beyond_the_machine_s_memory_are_refused_before_they_are_touched);
	suite_add_tcase(s, t);
	return suite_run(s);
}
