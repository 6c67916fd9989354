/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One event loop over TC x QD slots on the simulated drive's clock. The drive says at once when
 * an I/O will complete; the slots wait in a heap until the clock is there. A slot sends its next
 * I/O in the instant in which the one before completed: the host costs nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "device/sim.h"
#include "engine/backend.h"
#include "engine/stream.h"

/* Completions between two looks at *cancel. */
#define CANCEL_EVERY 4096

struct slot {
	struct eng_io io, ahead;
	struct eng_stream *stream;
	uint64_t sent_ns;
	int res;
};

struct wait {
	uint64_t done_ns;
	struct slot *slot;
};

struct state {
	struct sim_drive *drive;
	struct clock *clock;
	uint64_t io_timeout_ns;
	struct eng_workload w;
	struct eng_cursor cursor;
	bool draws_ahead;
	struct eng_stream *stream; /* max_tc of them */
	struct slot *slot;         /* max_tc x max_qd */
	struct wait *wait; /* as many: a heap of the slots with an I/O in flight */
	size_t n;
	uint64_t last_ns; /* of the last completion, or the start */
};

static void heap_down(struct state *st, struct wait w)
{
	struct wait *h = st->wait;
	size_t i = 0, child;

	while ((child = 2 * i + 1) < st->n) {
		if (child + 1 < st->n && h[child + 1].done_ns < h[child].done_ns)
			child++;
		if (w.done_ns <= h[child].done_ns)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = w;
}

static void heap_up(struct state *st, struct wait w)
{
	struct wait *h = st->wait;
	size_t i = st->n++;

	for (; i && w.done_ns < h[(i - 1) / 2].done_ns; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = w;
}

/*
 * A slot whose I/O depends on no other slot's draws it one ahead, so that the drive's map is in
 * the cache when it is sent: a simulation waits for memory most of the time.
 */
static bool draw(struct state *st, struct slot *s)
{
	if (!st->draws_ahead)
		return eng_stream_next(s->stream, &s->io);
	s->io = s->ahead;
	(void)eng_stream_next(s->stream, &s->ahead);
	sim_expect(st->drive, s->ahead.off_b);
	return true;
}

/* The slot's next I/O, sent at t_ns; false when the workload's limit has been given out. */
static bool send(struct state *st, struct slot *s, uint64_t t_ns, struct wait *ret)
{
	if (!draw(st, s))
		return false;
	s->sent_ns = t_ns;
	ret->slot = s;
	ret->done_ns =
		sim_io(st->drive, s->io.dir, s->io.off_b, s->io.len_b, t_ns, &s->res);
	return true;
}

static void count_error(struct eng_result *r, const struct slot *s, uint64_t t_ns)
{
	r->error[r->errors++] = (struct eng_error){
		.off_b = s->io.off_b,
		.len_b = s->io.len_b,
		.dir = s->io.dir,
		.res = s->res,
		.t_ns = t_ns,
	};
	r->device_lost = s->res == -ENODEV;
	r->done = true;
}

static int too_slow(struct state *st, struct err *err)
{
	sim_clock_set(st->drive, st->last_ns + st->io_timeout_ns);
	return err_set(err, EXIT_CODE_DEVICE, ETIMEDOUT,
		       "no I/O completed for %" PRIu64 " s: the device is stalled",
		       st->io_timeout_ns / NSEC_PER_SEC);
}

/* Complete what completes up to end_ns; returns when the interval ends. */
static uint64_t run(struct state *st, uint64_t end_ns,
		    const volatile sig_atomic_t *cancel, struct eng_result *r)
{
	uint64_t mark_ns = r->t0_ns;
	unsigned until_look = 1;

	while (st->n && st->wait[0].done_ns <= end_ns) {
		struct wait next = st->wait[0];
		struct slot *s = next.slot;
		uint64_t now_ns = next.done_ns;

		if (now_ns - st->last_ns > st->io_timeout_ns)
			break;
		if (!--until_look) {
			until_look = CANCEL_EVERY;
			if (cancel && *cancel)
				end_ns = now_ns;
		}
		st->last_ns = now_ns;
		if (s->res) {
			count_error(r, s, now_ns);
			end_ns = now_ns;
			break;
		}
		r->dir[s->io.dir].bytes += s->io.len_b;
		hist_add(&r->dir[s->io.dir].lat, now_ns - s->sent_ns);
		if (send(st, s, now_ns, &next)) {
			heap_down(st, next);
			continue;
		}
		r->depth_ns += st->n * (now_ns - mark_ns);
		mark_ns = now_ns;
		if (--st->n) {
			heap_down(st, st->wait[st->n]);
		} else {
			end_ns = now_ns;
			r->done = true;
		}
	}
	r->depth_ns += st->n * (end_ns - mark_ns);
	return end_ns;
}

static int sim_next(void *state, uint64_t dur_ns, const volatile sig_atomic_t *cancel,
		    struct eng_result *ret, struct err *err)
{
	struct state *st = state;
	uint64_t end_ns;

	eng_result_clear(ret);
	ret->t0_ns = st->clock->now_ns(st->clock);
	end_ns = run(st, ret->t0_ns + dur_ns, cancel, ret);
	if (end_ns - st->last_ns > st->io_timeout_ns)
		return too_slow(st, err);
	sim_clock_set(st->drive, end_ns);
	ret->t1_ns = end_ns;
	for (int d = 0; d < IO_DIRS; d++)
		ret->cursor_b[d] = eng_cursor_at_b(&st->cursor, &st->w, (enum io_dir)d);
	return 0;
}

static int sim_start(void *state, int fd, const struct eng_workload *w, struct err *err)
{
	struct state *st = state;
	uint64_t now_ns = st->clock->now_ns(st->clock);

	(void)fd;
	(void)err;
	st->w = *w;
	st->n = 0;
	st->last_ns = now_ns;
	st->draws_ahead = w->pattern == IO_RAND && !w->limit_b;
	/* A stimulus that ends by itself is a fill. */
	if (!w->limit_b)
		sim_measure(st->drive);
	eng_cursor_init(&st->cursor, w);
	for (uint32_t t = 0; t < w->tc; t++)
		eng_stream_init(&st->stream[t], &st->cursor, w, t);
	for (uint32_t i = 0; i < w->tc * w->qd; i++) {
		struct slot *s = &st->slot[i];
		struct wait first;

		s->stream = &st->stream[i % w->tc];
		if (st->draws_ahead)
			(void)eng_stream_next(s->stream, &s->ahead);
		if (send(st, s, now_ns, &first))
			heap_up(st, first);
	}
	return 0;
}

/* Drained when the last I/O in flight would have completed. */
static int sim_stop(void *state, struct err *err)
{
	struct state *st = state;

	(void)err;
	for (size_t i = 0; i < st->n; i++)
		sim_clock_set(st->drive, st->wait[i].done_ns);
	st->n = 0;
	return 0;
}

static void sim_close(void *state)
{
	struct state *st = state;

	free(st->stream);
	free(st->slot);
	free(st->wait);
	free(st);
}

static int sim_open(const struct dev_handle *h, const struct eng_limits *limits,
		    void **ret, struct err *err)
{
	size_t slots = (size_t)limits->max_tc * limits->max_qd;
	struct state *st = aligned_alloc(_Alignof(struct state), sizeof(*st));

	if (!st)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	*st = (struct state){
		.drive = h->sim,
		.clock = sim_clock(h->sim),
		.io_timeout_ns = limits->io_timeout_ns,
		.stream = calloc(limits->max_tc, sizeof(*st->stream)),
		.slot = calloc(slots, sizeof(*st->slot)),
		.wait = calloc(slots, sizeof(*st->wait)),
	};
	if (!st->stream || !st->slot || !st->wait) {
		sim_close(st);
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	}
	*ret = st;
	return 0;
}

const struct eng_backend eng_backend_sim = {
	.name = "sim",
	.open = sim_open,
	.start = sim_start,
	.next = sim_next,
	.stop = sim_stop,
	.close = sim_close,
};
