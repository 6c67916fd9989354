/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page-mapped flash translation layer: which physical page holds which logical one, and what
 * garbage collection has to move. It knows nothing of time; device/sim.c books the work on dies.
 *
 * One frontier takes host writes and moved pages alike. When a block is opened and the pool of
 * erased blocks is short, one victim is chosen, and its valid pages are moved between the host's
 * writes, so evenly that the last move and the last host write fill the block together. At most
 * 9.4 bytes of memory a logical page at 28 % over-provisioning.
 */
#ifndef DEVICE_FTL_H
#define DEVICE_FTL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

#define FTL_NONE UINT32_MAX

enum ftl_policy { FTL_GREEDY, FTL_FIFO };

struct ftl_geometry {
	uint32_t pages;  /* logical */
	uint32_t blocks; /* physical, at least those of `pages` and FTL_SPARE_BLOCKS */
	uint32_t block_pages;
	enum ftl_policy policy;
};
/* The open block, the reserve, and one to choose a victim from. */
#define FTL_SPARE_BLOCKS 4

struct ftl_move {
	uint32_t from, to; /* physical pages */
};

struct ftl_block {
	uint32_t valid;
	uint32_t prev, next; /* in the list of erased blocks or of closed ones */
};

struct ftl {
	struct ftl_geometry geo;
	uint64_t
		block_magic; /* 2^63 / block_pages, rounded up: page to block by multiplication */
	uint32_t *map;   /* logical page -> physical + 1; 0 = unmapped */
	uint32_t *owner; /* physical page -> logical */
	uint64_t *valid; /* a bit a physical page, words_per_block a block */
	uint32_t words_per_block;
	/* The blocks, then the heads of the lists: erased, closed with 0, 1 .. block_pages valid. */
	struct ftl_block *block;
	uint32_t least;      /* no closed block is in a list before this one */
	uint32_t erased;     /* length of the erased list */
	uint32_t open, fill; /* the frontier: block, next page in it */
	uint32_t victim, victim_valid, victim_word;
	int64_t due;           /* moves are due while it is above 0 */
	struct ftl_move *move; /* what ftl_collect() moved; block_pages long */
	uint32_t n_moves;
	uint64_t host_writes, moves, erases; /* since ftl_reset() */
};

/* -ENOMEM leaves nothing behind. */
int ftl_init(struct ftl *f, const struct ftl_geometry *geo) MUST_CHECK;
void ftl_release(struct ftl *f);
/* As new: nothing mapped, every block erased. */
void ftl_reset(struct ftl *f);

/* Must ftl_collect() be called before the next ftl_write()? */
static inline bool ftl_must_collect(const struct ftl *f)
{
	return f->fill == f->geo.block_pages || f->due > 0;
}
/*
 * Moves what is due, at most one victim's pages: move[0 .. n_moves). Returns true when the victim
 * was erased.
 */
bool ftl_collect(struct ftl *f);
/* Place a host write; returns its physical page. */
uint32_t ftl_write(struct ftl *f, uint32_t page);
void ftl_trim(struct ftl *f, uint32_t page);

/* Physical page, or FTL_NONE. */
static inline uint32_t ftl_find(const struct ftl *f, uint32_t page)
{
	return f->map[page] - 1;
}
/* Blocks that are neither erased nor open. */
static inline uint32_t ftl_closed(const struct ftl *f)
{
	return f->geo.blocks - f->erased - 1;
}

uint64_t ftl_memory_b(const struct ftl *f);

#endif
