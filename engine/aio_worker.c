/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop: submit what is queued, reap what is there, queue the next. No allocation, lock,
 * print or system call but io_submit and io_getevents; one clock read before each submit and
 * one after each reap. At an interval's end, once, the thread's CPU time is read.
 */
#include "engine/aio_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "engine/payload.h"

#define LONGEST_WAIT_NS                                                                  \
	(100 * NSEC_PER_MSEC) /* so that a new boundary or an end is seen */
#define REFUSED_NAP_NS (50 * NSEC_PER_USEC)
/*
 * I/Os reaped, and submitted, at a time. The kernel plugs the queue until a call's last I/O is
 * made: with the whole depth in one call a drive runs dry meanwhile, and completions come in ever
 * larger bunches. What was reaped and waits to go out again is missing from the depth.
 */
#define AIO_BATCH 4u
/* Blocks from here on go one by one: the call is nothing beside them, and the wait for it is not. */
#define LARGE_B (64u << 10)
/*
 * After so many turns in a row that found every I/O complete the device is memory: it does its work
 * inside io_submit and cannot run dry, and the whole depth goes into a call.
 */
#define PROMPT_TURNS 64u

#define RING_MAGIC 0xa10a10a1u
#define HUGE_B     (2u << 20)

/* What io_setup() maps; the kernel's fs/aio.c. It writes tail, whoever reaps writes head. */
struct aio_ring {
	unsigned id, nr;
	_Atomic unsigned head, tail;
	unsigned magic, compat_features, incompat_features, header_length;
	struct io_event event[];
};

_Static_assert((int)IO_CMD_PREAD == (int)IO_READ && (int)IO_CMD_PWRITE == (int)IO_WRITE,
	       "an opcode is a direction");
_Static_assert(sizeof(void *) >= sizeof(uint64_t), "a stamp fits into iocb.data");

struct aio_ring *aio_ring_of(io_context_t ctx)
{
	struct aio_ring *ring = (void *)ctx;

	return ring->magic == RING_MAGIC && !ring->incompat_features ? ring : NULL;
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC +
	       (uint64_t)tv->tv_usec * NSEC_PER_USEC;
}

static struct aio_usage usage_now(const struct aio_worker *w)
{
	struct aio_usage u = { 0 };
	struct timespec ts;
	struct rusage ru;
	char text[96];
	ssize_t n;

	if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts))
		u.cpu_ns = (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
	if (!getrusage(RUSAGE_THREAD, &ru)) {
		u.usr_ns = timeval_ns(&ru.ru_utime);
		u.sys_ns = timeval_ns(&ru.ru_stime);
	}
	/* "cpu wait slices": the time on a run queue without running */
	n = pread(w->schedstat_fd, text, sizeof(text) - 1, 0);
	if (n > 0) {
		char *end;

		text[n] = 0;
		(void)strtoull(text, &end, 10);
		u.wait_ns = strtoull(end, NULL, 10);
	}
	return u;
}

/* Integrate the outstanding I/Os up to t_ns. */
static inline void settle(struct aio_worker *w, uint64_t t_ns)
{
	w->block->r.depth_ns += (t_ns - w->settled_ns) * w->outstanding;
	w->settled_ns = t_ns;
}

/* The asked depth counts up to here and no further; the rest of the block is drain. */
static void freeze_asked(struct aio_worker *w)
{
	struct eng_result *r = &w->block->r;

	w->block->asked.depth_ns = (w->settled_ns - r->t0_ns) * w->qd;
	w->block->asked.got_ns = r->depth_ns;
}

static void end_stimulus(struct aio_worker *w)
{
	if (!w->stimulus)
		return;
	freeze_asked(w);
	w->stimulus = false;
}

static void close_block(struct aio_worker *w)
{
	struct eng_host *host = &w->block->r.host;
	struct aio_usage now = usage_now(w), then = w->usage;

	if (w->stimulus)
		freeze_asked(w);
	host->known = true;
	host->cpu_ns = now.cpu_ns - then.cpu_ns;
	host->usr_ns = now.usr_ns - then.usr_ns;
	host->sys_ns = now.sys_ns - then.sys_ns;
	host->worst_busy_ns = host->cpu_ns + now.wait_ns - then.wait_ns;
	w->usage = now;
}

static void tell_monitor(struct aio_worker *w)
{
	(void)sem_post(&w->shared->event);
}

static void switch_block(struct aio_worker *w, uint64_t boundary_ns)
{
	/* A boundary published late may lie before what was counted already. */
	uint64_t at_ns = boundary_ns > w->settled_ns ? boundary_ns : w->settled_ns;

	settle(w, at_ns);
	close_block(w);
	w->block = &w->blocks[w->block == w->blocks];
	w->block->r.t0_ns = at_ns;
	atomic_store_explicit(&w->switched_ns, boundary_ns, memory_order_release);
	tell_monitor(w);
}

/* The time is now_ns: what follows belongs to the interval that now_ns lies in. */
static inline void tick(struct aio_worker *w, uint64_t now_ns)
{
	uint64_t boundary =
		atomic_load_explicit(&w->shared->boundary_ns, memory_order_acquire);

	if (now_ns >= boundary &&
	    boundary > atomic_load_explicit(&w->switched_ns, memory_order_relaxed))
		switch_block(w, boundary);
	settle(w, now_ns);
}

/* Queue the next I/O of the stream on this iocb; there may be none. */
static inline void queue_next(struct aio_worker *w, struct iocb *cb)
{
	struct eng_io io;

	if (!eng_stream_next(&w->stream, &io)) {
		end_stimulus(w);
		return;
	}
	char *buf = w->buf[io.dir] + (size_t)(cb - w->cb) * w->slot_b;

	if (io.dir == IO_WRITE)
		payload_stamp(buf, io.len_b, io.off_b, w->seed,
			      (uint64_t)w->index << 48 | w->writes++);
	cb->aio_lio_opcode = (short)io.dir;
	cb->u.c.buf = buf;
	cb->u.c.nbytes = io.len_b;
	cb->u.c.offset = (long long)io.off_b;
	w->queue[w->n_queued++] = cb;
}

static void note_error(struct aio_worker *w, const struct iocb *cb, int64_t res,
		       uint64_t now_ns)
{
	eng_result_add_error(&w->block->r, &(struct eng_error){
						   .off_b = (uint64_t)cb->u.c.offset,
						   .len_b = (uint32_t)cb->u.c.nbytes,
						   .dir = (enum io_dir)cb->aio_lio_opcode,
						   .res = res,
						   .t_ns = now_ns,
					   });
	atomic_store(&w->shared->ending, true);
}

static inline void unqueue(struct aio_worker *w, uint32_t n)
{
	w->n_queued -= n;
	if (w->n_queued)
		memmove(w->queue, w->queue + n, w->n_queued * sizeof(w->queue[0]));
}

/* io_submit took nothing. */
static void refused(struct aio_worker *w, int rc, uint64_t now_ns)
{
	const struct timespec nap = { .tv_nsec = REFUSED_NAP_NS };

	if (rc == 0 || rc == -EAGAIN) {
		/* Room comes with the next completion, or from elsewhere when there is none. */
		if (!w->outstanding)
			nanosleep(&nap, NULL);
		return;
	}
	note_error(w, w->queue[0], rc, now_ns);
	unqueue(w, 1);
}

static inline uint32_t batch(const struct aio_worker *w)
{
	if (w->prompt_turns >= PROMPT_TURNS)
		return w->qd;
	return w->stream.bs_b < LARGE_B ? AIO_BATCH : 1;
}

static inline void submit(struct aio_worker *w)
{
	uint32_t done = 0, most = batch(w);

	while (done < w->n_queued) {
		uint64_t now_ns = clock_mono_ns();
		uint32_t n = w->n_queued - done < most ? w->n_queued - done : most;

		tick(w, now_ns);
		if (w->turn_ns) {
			w->block->r.host.turnaround_ns += now_ns - w->turn_ns;
			w->block->r.host.turnarounds++;
			w->turn_ns = 0;
		}
		if (!w->submit_ns)
			w->submit_ns = now_ns;
		for (uint32_t i = done; i < done + n; i++)
			w->queue[i]->data = (void *)(uintptr_t)now_ns;
		int rc = io_submit(w->ctx, n, w->queue + done);

		if (rc > 0) {
			w->outstanding += (uint32_t)rc;
			done += (uint32_t)rc;
		} else if (rc != -EINTR) {
			unqueue(w, done);
			refused(w, rc, now_ns);
			return;
		}
	}
	unqueue(w, done);
}

/* Completions in the ring that are the program's by now. */
static inline uint32_t ring_ready(const struct aio_worker *w)
{
	struct aio_ring *ring = w->ring;

	if (!ring)
		return 0;
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

	return tail >= head ? tail - head : tail + ring->nr - head;
}

/* How many of the completions to reap: no more than can go out again at once. */
static inline uint32_t share(struct aio_worker *w, uint32_t ready)
{
	if (ready < w->outstanding)
		w->prompt_turns = 0;
	else if (w->prompt_turns < PROMPT_TURNS)
		w->prompt_turns++;

	uint32_t most = batch(w);

	return ready < most ? ready : most;
}

static uint32_t wait_events(struct aio_worker *w, uint64_t now_ns)
{
	uint64_t boundary =
		atomic_load_explicit(&w->shared->boundary_ns, memory_order_relaxed);
	uint64_t wait_ns = LONGEST_WAIT_NS;

	if (boundary > now_ns && boundary - now_ns < wait_ns)
		wait_ns = boundary - now_ns;
	struct timespec ts = { .tv_nsec = (long)wait_ns };
	int n = io_getevents(w->ctx, 1, AIO_BATCH, w->event, &ts);

	return n > 0 ? (uint32_t)n : 0; /* EINTR: look at the flags and come again */
}

/* The first clock read after io_submit ends the time spent in it. */
static inline void account_submit(struct aio_worker *w, uint64_t now_ns)
{
	if (w->submit_ns)
		w->block->r.host.submit_ns += now_ns - w->submit_ns;
	w->submit_ns = 0;
}

static inline void account(struct aio_worker *w, const struct io_event *ev,
			   uint64_t now_ns)
{
	struct iocb *cb = ev->obj;
	struct eng_dir *dir = &w->block->r.dir[cb->aio_lio_opcode];

	if (ev->res == cb->u.c.nbytes) {
		dir->bytes += ev->res;
		hist_add(&dir->lat, now_ns - (uintptr_t)ev->data);
	} else {
		note_error(w, cb, (int64_t)ev->res, now_ns);
	}
	if (w->stimulus)
		queue_next(w, cb);
}

/* The slots of the ring are the kernel's again once head has passed them. */
static inline void account_ring(struct aio_worker *w, uint32_t n, uint64_t now_ns)
{
	struct aio_ring *ring = w->ring;
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	while (n--) {
		account(w, &ring->event[head], now_ns);
		if (++head == ring->nr)
			head = 0;
	}
	atomic_store_explicit(&ring->head, head, memory_order_release);
}

/* n completions were there at now_ns. */
static inline void reaped(struct aio_worker *w, uint32_t n, uint64_t now_ns)
{
	tick(w, now_ns);
	if (!n)
		return;
	w->outstanding -= n;
	w->turn_ns = now_ns;
	atomic_store_explicit(&w->reaped_ns, now_ns, memory_order_relaxed);
}

/* At least one completion, or none after a while. */
static inline void reap(struct aio_worker *w)
{
	uint32_t n = share(w, ring_ready(w));
	uint64_t now_ns = clock_mono_ns();

	account_submit(w, now_ns);
	if (n) {
		reaped(w, n, now_ns);
		account_ring(w, n, now_ns);
		return;
	}
	n = wait_events(w, now_ns);
	now_ns = clock_mono_ns();
	reaped(w, n, now_ns);
	for (uint32_t i = 0; i < n; i++)
		account(w, &w->event[i], now_ns);
}

static void begin(struct aio_worker *w)
{
	w->block = &w->blocks[0];
	w->block->r.t0_ns = w->settled_ns = w->shared->t0_ns;
	w->n_queued = w->outstanding = 0;
	w->submit_ns = w->turn_ns = 0;
	w->prompt_turns = 0;
	w->writes = 0;
	w->stimulus = true;
	w->usage = usage_now(w);
	for (uint32_t i = 0; i < w->qd && w->stimulus; i++) {
		w->cb[i] = (struct iocb){ .aio_fildes = w->shared->fd };
		queue_next(w, &w->cb[i]);
	}
}

static void drive(struct aio_worker *w)
{
	begin(w);
	while (w->n_queued || w->outstanding) {
		submit(w);
		if (w->outstanding)
			reap(w);
		if (atomic_load_explicit(&w->shared->ending, memory_order_relaxed)) {
			end_stimulus(w);
			w->n_queued = 0;
		}
	}
	close_block(w);
}

/* Cleared, and by that touched: no page fault is left for later. */
static void *new_cleared(size_t align_b, size_t len_b)
{
	void *p;

	return posix_memalign(&p, align_b, len_b) ? NULL : memset(p, 0, len_b);
}

/* Huge pages where they fit: a large I/O is then one piece of memory, and no TLB miss. */
static void *new_buffer(size_t align_b, size_t len_b)
{
	void *p;

	if (len_b >= HUGE_B && align_b < HUGE_B)
		align_b = HUGE_B;
	if (posix_memalign(&p, align_b, len_b))
		return NULL;
	if (len_b >= HUGE_B)
		(void)madvise(p, len_b, MADV_HUGEPAGE);
	return memset(p, 0, len_b);
}

static int make_buffers(struct aio_worker *w)
{
	size_t len_b = w->max_qd * w->slot_b;

	for (int d = 0; d < IO_DIRS; d++) {
		if (w->no_buffers[d])
			continue;
		w->buf[d] = new_buffer(w->align_b, len_b);
		if (!w->buf[d])
			return -ENOMEM;
	}
	if (w->buf[IO_WRITE])
		payload_fill(w->buf[IO_WRITE], len_b,
			     w->index * (uint32_t)(len_b / PAYLOAD_SECTOR));
	return 0;
}

/* On the worker's own CPUs, so that memory is near them; all of it touched. */
static int setup(struct aio_worker *w)
{
	if (CPU_COUNT(&w->cpus))
		(void)pthread_setaffinity_np(pthread_self(), sizeof(w->cpus), &w->cpus);
	w->schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	w->cb = new_cleared(ENG_CACHE_LINE, w->max_qd * sizeof(*w->cb));
	w->queue = new_cleared(ENG_CACHE_LINE, w->max_qd * sizeof(*w->queue));
	w->event = new_cleared(ENG_CACHE_LINE, w->max_qd * sizeof(*w->event));
	return w->cb && w->queue && w->event ? make_buffers(w) : -ENOMEM;
}

void aio_worker_release(struct aio_worker *w)
{
	if (w->schedstat_fd >= 0)
		close(w->schedstat_fd);
	free(w->cb);
	free(w->queue);
	free(w->event);
	for (int d = 0; d < IO_DIRS; d++)
		free(w->buf[d]);
}

/* False: quit. */
static bool await_start(struct aio_worker *w)
{
	struct aio_shared *shared = w->shared;
	bool go;

	pthread_mutex_lock(&shared->lock);
	while (!w->go && !shared->quit)
		pthread_cond_wait(&shared->wake, &shared->lock);
	w->go = false;
	go = !shared->quit;
	pthread_mutex_unlock(&shared->lock);
	return go;
}

static void be_idle(struct aio_worker *w)
{
	atomic_store_explicit(&w->idle, true, memory_order_release);
	tell_monitor(w);
}

void *aio_worker_main(void *arg)
{
	struct aio_worker *w = arg;

	w->setup_rc = setup(w);
	be_idle(w);
	while (await_start(w)) {
		drive(w);
		be_idle(w);
	}
	/* The kernel takes tens of milliseconds for each: side by side that is no wait. */
	io_destroy(w->ctx);
	return NULL;
}
