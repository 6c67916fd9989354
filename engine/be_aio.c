/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libaio threads: starting them, cutting their time into intervals, ending them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/units.h"
#include "engine/aio_worker.h"
#include "engine/backend.h"
#include "engine/cpus.h"

#define ALIGN_B    4096u
#define POLL_NS    (50 * NSEC_PER_MSEC) /* how soon *cancel and a stall are seen */
#define STOPPED_NS NSEC_PER_SEC         /* so late nobody comes who could have run */
/* A boundary is published so long before it is due that every worker knows it in time. */
#define NOTICE_NS      NSEC_PER_MSEC
#define STUCK_GRACE_NS NSEC_PER_SEC

struct aio {
	struct aio_shared shared;
	char name[DEV_WORD];
	enum dev_kind kind;
	uint64_t io_timeout_ns;
	struct aio_worker *worker;
	uint32_t n_workers, n_threads; /* with a context; with a thread */
	struct eng_workload w;
	struct eng_cursor cursor;
	uint64_t t0_ns;    /* of the interval that runs */
	unsigned counting; /* the block that the workers fill in it */
	bool stuck;        /* the device keeps I/Os: some worker cannot be had back */
	uint64_t woke_ns;  /* when the process last went on after it had been stopped */
};

/*
 * Wait for a word from a worker, no longer than POLL_NS; a signal ends it too. Who comes back
 * much later was stopped (SIGSTOP, a debugger, a paused virtual machine), and so were the workers.
 */
static void doze(struct aio *a)
{
	uint64_t until_ns = clock_mono_ns() + POLL_NS, now_ns;
	struct timespec ts = { .tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
			       .tv_nsec = (long)(until_ns % NSEC_PER_SEC) };

	(void)sem_clockwait(&a->shared.event, CLOCK_MONOTONIC, &ts);
	now_ns = clock_mono_ns();
	if (now_ns > until_ns + STOPPED_NS)
		a->woke_ns = now_ns;
}

static bool is_idle(const struct aio_worker *w)
{
	return atomic_load_explicit(&w->idle, memory_order_acquire);
}

static bool all_idle(const struct aio *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_idle(&a->worker[i]))
			return false;
	return true;
}

static uint64_t switched_ns(const struct aio_worker *w)
{
	return atomic_load_explicit(&w->switched_ns, memory_order_acquire);
}

static bool all_past(const struct aio *a, uint64_t boundary_ns)
{
	for (uint32_t i = 0; i < a->w.tc; i++)
		if (switched_ns(&a->worker[i]) < boundary_ns && !is_idle(&a->worker[i]))
			return false;
	return true;
}

/* Has some worker waited for a completion longer than allowed? */
static int check_stall(struct aio *a, struct err *err)
{
	uint64_t now_ns = clock_mono_ns();
	char dur[UNITS_TEXT];

	for (uint32_t i = 0; i < a->w.tc; i++) {
		struct aio_worker *w = &a->worker[i];
		uint64_t last_ns =
			atomic_load_explicit(&w->reaped_ns, memory_order_relaxed);

		if (last_ns < a->woke_ns)
			last_ns = a->woke_ns;
		if (is_idle(w) || now_ns < last_ns ||
		    now_ns - last_ns <= a->io_timeout_ns)
			continue;
		a->stuck = true;
		return err_set(err, EXIT_CODE_DEVICE, ETIMEDOUT,
			       "%s: the device has completed no I/O of thread %u for %s, "
			       "with up to %u outstanding",
			       a->name, i, units_dur(now_ns - last_ns, dur), a->w.qd);
	}
	return 0;
}

static int await_idle(struct aio *a, struct err *err)
{
	int rc = 0;

	while (!rc && !all_idle(a, a->w.tc)) {
		doze(a);
		rc = check_stall(a, err);
	}
	return rc;
}

static void publish(struct aio *a, uint64_t boundary_ns)
{
	atomic_store_explicit(&a->shared.boundary_ns, boundary_ns, memory_order_release);
}

/* -- opening and closing -- */

static uint64_t read_number(const char *path)
{
	struct str text = { 0 };
	uint64_t v = 0;

	if (!str_read_file(&text, path, 64, NULL))
		v = strtoull(str_text(&text), NULL, 10);
	str_release(&text);
	return v;
}

static int context_failed(int rc, const struct eng_limits *l, struct err *err)
{
	uint64_t need = (uint64_t)l->max_tc * l->max_qd;
	uint64_t max = read_number("/proc/sys/fs/aio-max-nr");
	uint64_t used = read_number("/proc/sys/fs/aio-nr");

	if (rc != -EAGAIN)
		return err_set(err, EXIT_CODE_HOST, -rc,
			       "io_setup for %u outstanding I/Os a thread: %s", l->max_qd,
			       strerror(-rc));
	return err_set(
		err, EXIT_CODE_HOST, EAGAIN,
		"fs.aio-max-nr is %llu and %llu of it in use by others, but %u threads "
		"with %u outstanding I/Os each need %llu: "
		"sysctl -w fs.aio-max-nr=%llu or more",
		(unsigned long long)max, (unsigned long long)used, l->max_tc, l->max_qd,
		(unsigned long long)need, (unsigned long long)(used + need));
}

static int make_contexts(struct aio *a, const struct eng_limits *l, struct err *err)
{
	for (; a->n_workers < l->max_tc; a->n_workers++) {
		struct aio_worker *w = &a->worker[a->n_workers];
		int rc = io_setup((int)l->max_qd, &w->ctx);

		if (rc) {
			/* Our own contexts are no others' use. */
			for (; a->n_workers; a->n_workers--)
				io_destroy(a->worker[a->n_workers - 1].ctx);
			return context_failed(rc, l, err);
		}
		w->ring = aio_ring_of(w->ctx);
	}
	return 0;
}

/* Workers take no signals: those are for the thread that can act on them. */
static int make_threads(struct aio *a, struct err *err)
{
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (; a->n_threads < a->n_workers; a->n_threads++) {
		struct aio_worker *w = &a->worker[a->n_threads];

		rc = pthread_create(&w->thread, NULL, aio_worker_main, w);
		if (rc)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? err_set(err, EXIT_CODE_HOST, rc, "cannot start thread %u of %u: %s",
			    a->n_threads + 1, a->n_workers, strerror(rc))
		  : 0;
}

static uint64_t buffers_b(const struct eng_limits *l)
{
	return (uint64_t)(!l->no_reads + !l->no_writes) * l->max_tc * l->max_qd *
	       l->max_bs_b;
}

static int no_memory(const struct eng_limits *l, struct err *err)
{
	char need[UNITS_TEXT], bs[UNITS_TEXT];

	return err_set(err, EXIT_CODE_HOST, ENOMEM,
		       "not enough memory: buffers for %u threads x %u I/Os x %s%s "
		       "take %s",
		       l->max_tc, l->max_qd, units_size(l->max_bs_b, bs),
		       l->no_reads || l->no_writes
			       ? ""
			       : ", once for reads and once for writes,",
		       units_capacity(buffers_b(l), need));
}

/* Threads that could start set themselves up; all must succeed. */
static int await_setup(struct aio *a, const struct eng_limits *l, struct err *err)
{
	while (!all_idle(a, a->n_threads))
		doze(a);
	for (uint32_t i = 0; i < a->n_threads; i++)
		if (a->worker[i].setup_rc)
			return no_memory(l, err);
	return 0;
}

static void quit_threads(struct aio *a)
{
	pthread_mutex_lock(&a->shared.lock);
	a->shared.quit = true;
	pthread_cond_broadcast(&a->shared.wake);
	pthread_mutex_unlock(&a->shared.lock);
}

static void release(struct aio *a)
{
	quit_threads(a);
	for (uint32_t i = 0; i < a->n_threads; i++) {
		pthread_join(a->worker[i].thread, NULL);
		aio_worker_release(&a->worker[i]);
	}
	for (uint32_t i = a->n_threads; i < a->n_workers; i++)
		io_destroy(a->worker[i].ctx);
	sem_destroy(&a->shared.event);
	pthread_cond_destroy(&a->shared.wake);
	pthread_mutex_destroy(&a->shared.lock);
	free(a->worker);
	free(a);
}

static void *new_cleared(size_t len_b)
{
	void *p = aligned_alloc(ENG_CACHE_LINE, len_b);

	return p ? memset(p, 0, len_b) : NULL;
}

static struct aio *new_aio(const struct dev_handle *h, const struct eng_limits *l)
{
	struct aio *a = new_cleared(sizeof(*a));
	size_t align_b = h->info.lbs_b > ALIGN_B ? h->info.lbs_b : ALIGN_B;
	cpu_set_t cpus;

	if (!a)
		return NULL;
	a->worker = new_cleared(l->max_tc * sizeof(*a->worker));
	if (!a->worker) {
		free(a);
		return NULL;
	}
	memcpy(a->name, h->info.name, sizeof(a->name));
	a->kind = h->info.kind;
	a->io_timeout_ns = l->io_timeout_ns;
	atomic_init(&a->shared.boundary_ns, AIO_NO_BOUNDARY);
	sem_init(&a->shared.event, 0, 0);
	pthread_mutex_init(&a->shared.lock, NULL);
	pthread_cond_init(&a->shared.wake, NULL);
	eng_cpus_near(h->info.numa_node, &cpus);
	for (uint32_t i = 0; i < l->max_tc; i++) {
		struct aio_worker *w = &a->worker[i];

		w->shared = &a->shared;
		w->index = i;
		w->max_qd = l->max_qd;
		w->align_b = align_b;
		w->slot_b = (l->max_bs_b + align_b - 1) / align_b * align_b;
		w->cpus = cpus;
		w->no_buffers[IO_READ] = l->no_reads;
		w->no_buffers[IO_WRITE] = l->no_writes;
		w->schedstat_fd = -1;
	}
	return a;
}

static int aio_open(const struct dev_handle *h, const struct eng_limits *l, void **ret,
		    struct err *err)
{
	uint64_t have_b =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct aio *a;
	int rc, setup_rc;

	/* The kernel promises more than it has, and kills when the promise falls due. */
	if (buffers_b(l) > have_b)
		return no_memory(l, err);
	a = new_aio(h, l);
	if (!a)
		return no_memory(l, err);
	rc = make_contexts(a, l, err);
	if (!rc)
		rc = make_threads(a, err);
	setup_rc = await_setup(a, l, rc ? NULL : err);
	if (rc || setup_rc) {
		release(a);
		return rc ? rc : setup_rc;
	}
	*ret = a;
	return 0;
}

/* -- a stimulus -- */

static void clear_block(struct aio_block *b)
{
	eng_result_clear(&b->r);
	b->asked = (struct eng_asked){ 0 };
}

static int aio_start(void *state, int fd, const struct eng_workload *w, struct err *err)
{
	struct aio *a = state;

	if (a->stuck)
		return err_set(err, EXIT_CODE_DEVICE, ETIMEDOUT,
			       "%s: earlier I/Os never came back", a->name);
	a->w = *w;
	a->counting = 0;
	eng_cursor_init(&a->cursor, w);
	publish(a, AIO_NO_BOUNDARY);
	atomic_store(&a->shared.ending, false);
	a->shared.fd = fd;
	for (uint32_t i = 0; i < w->tc; i++) {
		struct aio_worker *k = &a->worker[i];

		k->qd = w->qd;
		k->seed = w->seed;
		eng_stream_init(&k->stream, &a->cursor, w, i);
		clear_block(&k->blocks[0]);
		clear_block(&k->blocks[1]);
		atomic_store(&k->switched_ns, 0);
		atomic_store(&k->idle, false);
	}
	a->t0_ns = a->shared.t0_ns = clock_mono_ns();
	pthread_mutex_lock(&a->shared.lock);
	for (uint32_t i = 0; i < w->tc; i++) {
		atomic_store(&a->worker[i].reaped_ns, a->t0_ns);
		a->worker[i].go = true;
	}
	pthread_cond_broadcast(&a->shared.wake);
	pthread_mutex_unlock(&a->shared.lock);
	return 0;
}

/* Did a worker meet an error in the interval, which all have left? */
static bool any_errors(const struct aio *a)
{
	for (uint32_t i = 0; i < a->w.tc; i++)
		if (a->worker[i].blocks[a->counting].r.errors)
			return true;
	return false;
}

/* Take over what the workers counted: the interval's block, at the end the next one's too. */
static void collect(struct aio *a, bool both, struct eng_result *ret)
{
	struct eng_asked asked = { .qd = a->w.qd };
	uint64_t worst_ns = 0, t1_ns = a->t0_ns;

	for (uint32_t i = 0; i < a->w.tc; i++) {
		struct aio_worker *w = &a->worker[i];
		uint64_t busy_ns = 0, at_ns = both ? w->settled_ns : switched_ns(w);

		for (unsigned n = 0; n <= (unsigned)both; n++) {
			struct aio_block *b = &w->blocks[a->counting ^ n];

			eng_result_merge(ret, &b->r);
			busy_ns += b->r.host.worst_busy_ns;
			asked.depth_ns += b->asked.depth_ns;
			asked.got_ns += b->asked.got_ns;
			clear_block(b);
		}
		if (busy_ns > worst_ns)
			worst_ns = busy_ns;
		if (at_ns > t1_ns)
			t1_ns = at_ns;
	}
	ret->t0_ns = a->t0_ns;
	ret->t1_ns = a->t0_ns = t1_ns;
	ret->host.worst_busy_ns = worst_ns;
	ret->host_limited = eng_host_limited(ret, &asked) || a->woke_ns > ret->t0_ns;
	for (int d = 0; d < IO_DIRS; d++)
		ret->cursor_b[d] = eng_cursor_at_b(&a->cursor, &a->w, (enum io_dir)d);
	a->counting ^= 1;
}

/* Space that the host owes the file is not the device's fault. */
static bool is_disk_full(const struct aio *a, const struct eng_error *e)
{
	return (a->kind == DEV_FILE || a->kind == DEV_LOOP) && e->dir == IO_WRITE &&
	       (e->res == -ENOSPC || e->res == -EDQUOT);
}

/* A removed device reads 0 bytes and has no space, for ever and at full speed. */
static bool is_lost(const struct aio *a, const struct eng_error *e)
{
	switch (e->res) {
	case -ENODEV:
	case -ENXIO:
	case -EREMOTEIO:
	case -ESHUTDOWN:
		return true;
	case -ENOSPC:
		return e->dir == IO_WRITE;
	case 0:
		return a->kind != DEV_FILE && e->dir == IO_READ;
	default:
		return false;
	}
}

static int judge_errors(const struct aio *a, struct eng_result *r, struct err *err)
{
	for (uint64_t i = 0; i < r->errors && i < ENG_ERRORS_KEPT; i++) {
		if (is_disk_full(a, &r->error[i]))
			return err_set(
				err, EXIT_CODE_HOST, ENOSPC,
				"disk full: no space left for the data of %s, at byte %llu",
				a->name, (unsigned long long)r->error[i].off_b);
		r->device_lost |= is_lost(a, &r->error[i]);
	}
	return 0;
}

static uint64_t soonest_boundary_ns(void)
{
	return clock_mono_ns() + NOTICE_NS;
}

static int aio_next(void *state, uint64_t dur_ns, const volatile sig_atomic_t *cancel,
		    struct eng_result *ret, struct err *err)
{
	struct aio *a = state;
	uint64_t soonest = soonest_boundary_ns();
	uint64_t boundary = dur_ns < AIO_NO_BOUNDARY - 1 - a->t0_ns ? a->t0_ns + dur_ns
								    : AIO_NO_BOUNDARY - 1;
	bool cut = false, over;
	int rc;

	eng_result_clear(ret);
	/* Asked for too late: the interval ends as soon as can be. */
	if (boundary < soonest)
		boundary = soonest;
	publish(a, boundary);
	while (!all_past(a, boundary)) {
		if (cancel && *cancel && !cut) {
			cut = true;
			soonest = soonest_boundary_ns();
			if (soonest < boundary)
				publish(a, boundary = soonest);
		}
		rc = check_stall(a, err);
		if (rc)
			return rc;
		doze(a);
	}
	publish(a, AIO_NO_BOUNDARY);
	over = all_idle(a, a->w.tc) || any_errors(a);
	if (over) {
		rc = await_idle(a, err);
		if (rc)
			return rc;
	}
	collect(a, over, ret);
	ret->done = over;
	return judge_errors(a, ret, err);
}

static int aio_stop(void *state, struct err *err)
{
	struct aio *a = state;
	uint64_t give_up_ns = clock_mono_ns() + STUCK_GRACE_NS;
	int rc = 0;

	atomic_store(&a->shared.ending, true);
	if (!a->stuck)
		return await_idle(a, err);
	while (!all_idle(a, a->w.tc) && clock_mono_ns() < give_up_ns)
		doze(a);
	a->stuck = !all_idle(a, a->w.tc);
	if (a->stuck)
		rc = err_set(err, EXIT_CODE_DEVICE, ETIMEDOUT,
			     "%s: the device does not give back its outstanding I/Os",
			     a->name);
	return rc;
}

static void aio_close(void *state)
{
	struct aio *a = state;

	if (!all_idle(a, a->w.tc))
		(void)aio_stop(a, NULL);
	if (all_idle(a, a->w.tc)) {
		release(a);
		return;
	}
	/*
	 * Left behind on purpose: the device may still write into the buffers, joining the
	 * threads or io_destroy() would wait for it without end. Should it wake up, the
	 * threads find `quit` and go.
	 */
	quit_threads(a);
	for (uint32_t i = 0; i < a->n_threads; i++)
		pthread_detach(a->worker[i].thread);
}

const struct eng_backend eng_backend_aio = {
	.name = "libaio",
	.open = aio_open,
	.start = aio_start,
	.next = aio_next,
	.stop = aio_stop,
	.close = aio_close,
};
