/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bare DEVICE RW BS QD TC SECONDS SEED: what libaio can do when nothing is measured. The same
 * offsets, depths and incompressible buffers as the engine, and reaping from the ring in user
 * space, but no clock, no histogram, no stamp and no check beyond the result. Prints JSON.
 *
 * It writes: only tests/bench/run calls it, with a device that it has made. Anything but zram and a
 * loop device over a file in a directory plateau-bench.* is refused.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <linux/fs.h>

#include "base/rng.h"

#define LINE 64u

/* What io_setup() maps; see the kernel's fs/aio.c. */
struct ring {
	unsigned id, nr;
	_Atomic unsigned head, tail;
	unsigned magic, compat, incompat, header_len;
	struct io_event event[];
};

static int fd;
static uint64_t blocks;
static uint32_t bs_b, qd, read_pct;
static bool random_offsets;
static atomic_bool stop;
static pthread_barrier_t ready;

/* One position a direction, shared by all threads, as in the engine. */
static struct {
	_Alignas(LINE) _Atomic uint64_t block;
} position[2];

struct worker {
	_Alignas(LINE) pthread_t thread;
	struct rng rng;
	io_context_t ctx;
	struct ring *ring;
	struct iocb *cb, **queue;
	struct io_event *event;
	uint64_t ios;
};

static inline void prepare(struct worker *w, struct iocb *cb)
{
	bool read = read_pct == 100;
	uint64_t block;

	if (read_pct % 100)
		read = ((rng_next(&w->rng) >> 32) * 100) >> 32 < read_pct;
	if (random_offsets)
		block = (uint64_t)(((u128)rng_next(&w->rng) * blocks) >> 64);
	else
		block = atomic_fetch_add_explicit(&position[read].block, 1,
						  memory_order_relaxed) %
			blocks;
	cb->aio_lio_opcode = read ? IO_CMD_PREAD : IO_CMD_PWRITE;
	cb->u.c.offset = (long long)(block * bs_b);
}

static uint32_t take(struct worker *w)
{
	struct ring *ring = w->ring;
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	uint32_t n = 0;

	if (head == tail) {
		int got = io_getevents(w->ctx, 1, (long)qd, w->event, NULL);

		if (got < 0 && got != -EINTR)
			errx(1, "io_getevents: %s", strerror(-got));
		return got > 0 ? (uint32_t)got : 0;
	}
	while (head != tail && n < qd) {
		w->event[n++] = ring->event[head];
		if (++head == ring->nr)
			head = 0;
	}
	atomic_store_explicit(&ring->head, head, memory_order_release);
	return n;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint32_t queued = qd, flying = 0;

	for (uint32_t i = 0; i < qd; i++) {
		prepare(w, &w->cb[i]);
		w->queue[i] = &w->cb[i];
	}
	pthread_barrier_wait(&ready);
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		int n = io_submit(w->ctx, queued, w->queue);

		if (n < 0 && n != -EAGAIN)
			errx(1, "io_submit: %s", strerror(-n));
		if (n > 0) {
			flying += (uint32_t)n;
			queued -= (uint32_t)n;
			memmove(w->queue, w->queue + n, queued * sizeof(w->queue[0]));
		}
		uint32_t reaped = flying ? take(w) : 0;

		for (uint32_t i = 0; i < reaped; i++) {
			if (w->event[i].res != bs_b)
				errx(1, "an I/O failed: %ld", (long)w->event[i].res);
			prepare(w, w->event[i].obj);
			w->queue[queued++] = w->event[i].obj;
		}
		w->ios += reaped;
		flying -= reaped;
	}
	return NULL;
}

static void *cleared(size_t align_b, size_t len_b)
{
	void *p = aligned_alloc(align_b, (len_b + align_b - 1) / align_b * align_b);

	if (!p)
		errx(1, "not enough memory");
	return memset(p, 0, len_b);
}

static void set_up(struct worker *w, uint64_t seed, uint32_t index)
{
	size_t words = (size_t)qd * bs_b / sizeof(uint64_t);
	uint64_t *buf = cleared(4096, words * sizeof(uint64_t));
	int rc = io_setup((int)qd, &w->ctx);

	if (rc)
		errx(1, "io_setup: %s", strerror(-rc));
	w->ring = (void *)w->ctx;
	if (w->ring->magic != 0xa10a10a1u || w->ring->incompat)
		errx(1, "the layout of the completion ring is unknown");
	rng_seed(&w->rng, rng_derive(~seed, index));
	for (size_t i = 0; i < words; i++)
		buf[i] = rng_next(&w->rng);
	rng_seed(&w->rng, rng_derive(seed, index));
	w->cb = cleared(LINE, qd * sizeof(*w->cb));
	w->queue = cleared(LINE, qd * sizeof(struct iocb *));
	w->event = cleared(LINE, qd * sizeof(*w->event));
	for (uint32_t i = 0; i < qd; i++) {
		w->cb[i].aio_fildes = fd;
		w->cb[i].u.c.buf = (char *)buf + (size_t)i * bs_b;
		w->cb[i].u.c.nbytes = bs_b;
	}
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static bool is_scratch(const char *path)
{
	const char *name = strrchr(path, '/');
	char file[256], backing[4096] = "";

	name = name ? name + 1 : path;
	if (!strncmp(name, "zram", 4))
		return true;
	(void)snprintf(file, sizeof(file), "/sys/block/%s/loop/backing_file", name);
	FILE *f = fopen(file, "re");

	if (!f)
		return false;
	(void)!fgets(backing, sizeof(backing), f);
	fclose(f);
	return strstr(backing, "/plateau-bench.");
}

static void open_device(const char *path, const char *rw)
{
	uint64_t size_b;

	if (!is_scratch(path))
		errx(2, "%s: neither zram nor a loop device of the bench", path);

	random_offsets = !strncmp(rw, "rand", 4);
	read_pct = !strcmp(rw, "randrw") ? 65 : strstr(rw, "read") ? 100 : 0;
	fd = open(path, (read_pct == 100 ? O_RDONLY : O_RDWR | O_EXCL) | O_DIRECT);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size_b))
		err(1, "%s", path);
	blocks = size_b / bs_b;
}

static uint64_t run(uint32_t tc, uint64_t seed, uint64_t dur_us, double *ret_elapsed_s)
{
	struct worker *worker = cleared(LINE, tc * sizeof(*worker));
	uint64_t ios = 0;

	pthread_barrier_init(&ready, NULL, tc + 1);
	for (uint32_t i = 0; i < tc; i++) {
		set_up(&worker[i], seed, i);
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
			errx(1, "cannot start a thread");
	}
	pthread_barrier_wait(&ready);
	double from_s = now_s();

	usleep((useconds_t)dur_us);
	atomic_store(&stop, true);
	for (uint32_t i = 0; i < tc; i++) {
		pthread_join(worker[i].thread, NULL);
		ios += worker[i].ios;
	}
	*ret_elapsed_s = now_s() - from_s;
	return ios;
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	double elapsed_s;

	if (argc != 8)
		errx(2, "usage: bare DEVICE RW BS QD TC SECONDS SEED");
	bs_b = number(argv[3]);
	qd = number(argv[4]);
	open_device(argv[1], argv[2]);
	getrusage(RUSAGE_SELF, &before);
	uint64_t ios = run(number(argv[5]), number(argv[7]),
			   (uint64_t)(strtod(argv[6], NULL) * 1e6), &elapsed_s);

	getrusage(RUSAGE_SELF, &after);
	printf("{\"iops\": %.1f, \"ios\": %llu, \"usr_ns_per_io\": %.1f, "
	       "\"sys_ns_per_io\": %.1f}\n",
	       (double)ios / elapsed_s, (unsigned long long)ios,
	       (seconds(after.ru_utime) - seconds(before.ru_utime)) * 1e9 / (double)ios,
	       (seconds(after.ru_stime) - seconds(before.ru_stime)) * 1e9 / (double)ios);
	return 0;
}
