/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which I/O comes next: the one place that decides offset, length and direction, for every
 * backend. Inline, free of division, and without state beyond what is declared here.
 *
 *	struct eng_cursor   one a workload, shared by its threads: sequential positions, byte limit
 *	struct eng_stream   one a thread: its generator
 *
 * IO_RAND: offsets are multiples of bs_b, uniform over every such block that lies wholly inside
 * the range. @pts 6
 * IO_SEQ: all threads draw from the direction's shared position, so that each LBA comes once a
 * pass and the sequence of (offset, length) is the same whatever the number of threads; the
 * last I/O of a pass is short where the range is no multiple of bs_b.
 */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include <stdatomic.h>

#include "base/rng.h"
#include "engine/engine.h"

#define ENG_CACHE_LINE 64

struct eng_io {
	uint64_t off_b;
	uint32_t len_b;
	enum io_dir dir;
};

/* Bytes given out so far; never wraps. IO_SEQ: each direction's, from its cursor_b on. */
struct eng_position {
	_Alignas(ENG_CACHE_LINE) _Atomic uint64_t at_b;
	uint64_t end_b; /* nothing is given out beyond: the limit */
};

/* IO_RAND with a limit counts both directions in at[0]. */
struct eng_cursor {
	struct eng_position at[IO_DIRS];
};

struct eng_stream {
	struct rng rng;
	enum io_pattern pattern;
	uint32_t bs_b, read_pct;
	bool limited;
	uint64_t first_b;        /* IO_RAND: the first aligned block */
	uint64_t blocks, biased; /* IO_RAND: their number; low products to reject */
	uint64_t off_b, len_b;   /* the range */
	uint64_t pass_b
		[IO_DIRS]; /* IO_SEQ: where the pass began that this thread saw last */
	struct eng_cursor *cursor;
};

/* Aligned blocks of the workload that lie wholly inside its range. */
static inline uint64_t eng_stream_blocks(const struct eng_workload *w,
					 uint64_t *ret_first_b)
{
	uint64_t first = (w->off_b + w->bs_b - 1) / w->bs_b,
		 end = (w->off_b + w->len_b) / w->bs_b;

	*ret_first_b = first * w->bs_b;
	return end > first ? end - first : 0;
}

static inline void eng_cursor_init(struct eng_cursor *c, const struct eng_workload *w)
{
	for (int d = 0; d < IO_DIRS; d++) {
		uint64_t from = w->pattern == IO_SEQ ? w->cursor_b[d] : 0;

		atomic_init(&c->at[d].at_b, from);
		c->at[d].end_b = w->limit_b ? from + w->limit_b : UINT64_MAX;
	}
}

/* Where the next sequential I/O of `dir` would start, relative to the range's start. */
static inline uint64_t eng_cursor_at_b(const struct eng_cursor *c,
				       const struct eng_workload *w, enum io_dir dir)
{
	return w->pattern == IO_SEQ ? atomic_load(&c->at[dir].at_b) % w->len_b : 0;
}

static inline void eng_stream_init(struct eng_stream *s, struct eng_cursor *cursor,
				   const struct eng_workload *w, uint32_t thread)
{
	*s = (struct eng_stream){
		.pattern = w->pattern,
		.bs_b = w->bs_b,
		.read_pct = w->read_pct,
		.limited = w->limit_b > 0,
		.off_b = w->off_b,
		.len_b = w->len_b,
		.cursor = cursor,
	};
	rng_seed(&s->rng, rng_derive(w->seed, thread));
	s->blocks = eng_stream_blocks(w, &s->first_b);
	s->biased = s->blocks ? (0 - s->blocks) % s->blocks : 0;
}

/* Each I/O's direction is drawn by itself; a pure workload draws nothing. */
static inline enum io_dir eng_stream_dir(struct eng_stream *s)
{
	if (s->read_pct == 100)
		return IO_READ;
	if (s->read_pct == 0)
		return IO_WRITE;
	return ((rng_next(&s->rng) >> 32) * 100) >> 32 < s->read_pct ? IO_READ : IO_WRITE;
}

/* rng_below() with its only division made beforehand. */
static inline uint64_t eng_stream_block(struct eng_stream *s)
{
	u128 m;

	do
		m = (u128)rng_next(&s->rng) * s->blocks;
	while ((uint64_t)m < s->biased);
	return (uint64_t)(m >> 64);
}

/* Take up to len_b bytes of what is left below the limit; 0: nothing is. */
static inline uint32_t eng_position_take(struct eng_position *p, uint32_t len_b)
{
	uint64_t at = atomic_load_explicit(&p->at_b, memory_order_relaxed);
	uint32_t len;

	do {
		uint64_t left = p->end_b - at;

		len = left < len_b ? (uint32_t)left : len_b;
	} while (len && !atomic_compare_exchange_weak_explicit(&p->at_b, &at, at + len,
							       memory_order_relaxed,
							       memory_order_relaxed));
	return len;
}

static inline bool eng_stream_next_rand(struct eng_stream *s, struct eng_io *ret)
{
	ret->len_b = s->bs_b;
	if (s->limited) {
		ret->len_b = eng_position_take(&s->cursor->at[0], s->bs_b);
		if (!ret->len_b)
			return false;
	}
	ret->off_b = s->first_b + eng_stream_block(s) * s->bs_b;
	return true;
}

static inline bool eng_stream_next_seq(struct eng_stream *s, struct eng_io *ret)
{
	struct eng_position *p = &s->cursor->at[ret->dir];
	uint64_t *pass = &s->pass_b[ret->dir];
	uint64_t at = atomic_load_explicit(&p->at_b, memory_order_relaxed), len;

	do {
		while (at - *pass >= s->len_b)
			*pass += s->len_b;
		uint64_t tail = *pass + s->len_b - at, left = p->end_b - at;

		len = tail < s->bs_b ? tail : s->bs_b;
		if (left < len)
			len = left;
		if (!len)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&p->at_b, &at, at + len, memory_order_relaxed, memory_order_relaxed));
	ret->off_b = s->off_b + (at - *pass);
	ret->len_b = (uint32_t)len;
	return true;
}

/* The next I/O of this thread; false when the limit has been given out. */
static inline bool eng_stream_next(struct eng_stream *s, struct eng_io *ret)
{
	ret->dir = eng_stream_dir(s);
	return s->pattern == IO_RAND ? eng_stream_next_rand(s, ret)
				     : eng_stream_next_seq(s, ret);
}

#endif
