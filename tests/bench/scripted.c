/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scripted RW BS QD IOS: the engine's hot loop over a completion ring that a script fills. No kernel
 * takes part and nothing is left to chance, so that instructions can be counted:
 *
 *	valgrind --tool=callgrind --toggle-collect=__wrap_io_submit scripted randread 4096 32 20000
 *
 * counts all but the script. Each I/O completes at once; after IOS of them submitting fails, which
 * ends the stimulus. Prints the I/Os counted and the CPU time of one.
 */
#include <err.h>
#include <errno.h>
#include <libaio.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/lib/target.h"

#define MUST(call) ((call) ? errx(1, "%s", ok_err.text) : (void)0)

/* wrap: io_setup */
/* wrap: io_submit */
/* wrap: io_getevents */
/* wrap: io_destroy */
int __wrap_io_setup(int n, io_context_t *ctx);
int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_destroy(io_context_t ctx);

#define RING 256u

static struct {
	unsigned id, nr;
	_Atomic unsigned head, tail;
	unsigned magic, compat, incompat, header_len;
	struct io_event event[RING];
} ring = { .nr = RING, .magic = 0xa10a10a1u };

static uint64_t left;

int __wrap_io_setup(int n, io_context_t *ctx)
{
	if ((unsigned)n >= RING)
		return -EINVAL;
	*ctx = (void *)&ring;
	return 0;
}

int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[])
{
	unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);

	(void)ctx;
	if (!left)
		return -EIO;
	if ((uint64_t)n > left)
		n = (long)left;
	for (long i = 0; i < n; i++) {
		ring.event[tail] = (struct io_event){ .data = ios[i]->data,
						      .obj = ios[i],
						      .res = ios[i]->u.c.nbytes };
		tail = (tail + 1) % RING;
	}
	left -= (uint64_t)n;
	atomic_store_explicit(&ring.tail, tail, memory_order_release);
	return (int)n;
}

/* Reached only with an empty ring, which the script never leaves behind. */
int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout)
{
	(void)ctx, (void)min_nr, (void)nr, (void)events, (void)timeout;
	abort();
}

int __wrap_io_destroy(io_context_t ctx)
{
	(void)ctx;
	return 0;
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	static struct eng_result r;
	struct eng_workload w = { .tc = 1, .seed = 7 };
	struct target target;
	struct eng *eng;

	if (argc != 5)
		return 2;
	w.pattern = strncmp(argv[1], "rand", 4) ? IO_SEQ : IO_RAND;
	w.read_pct = !strcmp(argv[1], "randrw") ? 65 : strstr(argv[1], "read") ? 100 : 0;
	w.bs_b = number(argv[2]);
	w.qd = number(argv[3]);
	left = number(argv[4]);
	target_make(&target, MIB(64));
	w.len_b = target.size_b;

	struct eng_limits limits = { .max_tc = 1, .max_qd = w.qd, .max_bs_b = w.bs_b };

	MUST(eng_open(target.handle, &limits, &eng, &ok_err));
	MUST(eng_start_write(eng, target.claim, &w, &ok_err));
	MUST(eng_next(eng, 3600 * NSEC_PER_SEC, NULL, &r, &ok_err));
	MUST(eng_stop(eng, &ok_err));
	eng_close(eng);
	target_remove(&target);
	printf("%llu I/Os, %llu ns of CPU each\n", (unsigned long long)result_ios(&r),
	       (unsigned long long)(r.host.cpu_ns / result_ios(&r)));
	return result_ios(&r) != number(argv[4]) || r.errors != 1;
}
