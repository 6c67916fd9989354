/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/ftl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Erased blocks that are kept while a victim is collected into the open one. */
#define RESERVE 2

/* Up to this size large pages are worth their memory: the map is read at random. */
#define LARGE_PAGES_UP_TO MIB(256)

/* Zeroed, and taken from the machine only where it is written: a large drive costs what is used. */
static void *big_alloc(uint64_t n, size_t size)
{
	void *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (n * size <= LARGE_PAGES_UP_TO)
		(void)madvise(p, n * size, MADV_HUGEPAGE);
	return p;
}

static void big_zero(void *p, uint64_t n, size_t size)
{
	if (madvise(p, n * size, MADV_DONTNEED))
		memset(p, 0, n * size);
}

static void big_free(void *p, uint64_t n, size_t size)
{
	if (p)
		munmap(p, n * size);
}

static uint64_t physical_pages(const struct ftl *f)
{
	return (uint64_t)f->geo.blocks * f->geo.block_pages;
}

static uint64_t valid_words(const struct ftl *f)
{
	return (uint64_t)f->geo.blocks * f->words_per_block;
}

/* Heads of lists, behind the blocks. */
static uint32_t erased_list(const struct ftl *f)
{
	return f->geo.blocks;
}

static uint32_t closed_list(const struct ftl *f, uint32_t valid)
{
	return f->geo.blocks + 1 + (f->geo.policy == FTL_FIFO ? 0 : valid);
}

static uint32_t list_nodes(const struct ftl *f)
{
	return f->geo.blocks + 1 + f->geo.block_pages + 1;
}

static void list_add(struct ftl *f, uint32_t list, uint32_t b)
{
	struct ftl_block *n = f->block;
	uint32_t last = n[list].prev;

	n[b].prev = last;
	n[b].next = list;
	n[last].next = b;
	n[list].prev = b;
}

static void list_remove(struct ftl *f, uint32_t b)
{
	struct ftl_block *n = f->block;

	n[n[b].prev].next = n[b].next;
	n[n[b].next].prev = n[b].prev;
}

static uint32_t list_take(struct ftl *f, uint32_t list)
{
	uint32_t b = f->block[list].next;

	assert(b != list);
	list_remove(f, b);
	return b;
}

static uint32_t block_of(const struct ftl *f, uint32_t ppage)
{
	return (uint32_t)(((u128)ppage * f->block_magic) >> 63);
}

static void close_block(struct ftl *f, uint32_t b)
{
	uint32_t valid = f->block[b].valid;

	list_add(f, closed_list(f, valid), b);
	if (f->geo.policy == FTL_GREEDY && valid < f->least)
		f->least = valid;
}

static void choose_victim(struct ftl *f)
{
	while (f->block[closed_list(f, f->least)].next == closed_list(f, f->least))
		f->least++;
	f->victim = list_take(f, closed_list(f, f->least));
	f->victim_valid = f->block[f->victim].valid;
	f->victim_word = 0;
	f->due = f->victim_valid;
}

static void open_block(struct ftl *f)
{
	assert(f->victim == FTL_NONE);
	f->open = list_take(f, erased_list(f));
	f->erased--;
	f->fill = 0;
	f->due = 0;
	f->victim_valid = 0;
	if (f->erased < RESERVE)
		choose_victim(f);
}

static void erase_victim(struct ftl *f)
{
	list_add(f, erased_list(f), f->victim);
	f->erased++;
	f->erases++;
	f->victim = FTL_NONE;
	f->victim_valid = 0;
	f->due = 0;
}

/* The victim's next valid page; there is one. */
static uint32_t next_valid(struct ftl *f)
{
	const uint64_t *words = f->valid + (uint64_t)f->victim * f->words_per_block;

	while (!words[f->victim_word])
		f->victim_word++;
	return f->victim * f->geo.block_pages + f->victim_word * 64 +
	       (uint32_t)__builtin_ctzll(words[f->victim_word]);
}

static void set_valid(struct ftl *f, uint32_t b, uint32_t index)
{
	f->valid[(uint64_t)b * f->words_per_block + index / 64] |= 1ULL << index % 64;
	f->block[b].valid++;
}

static void set_invalid(struct ftl *f, uint32_t ppage)
{
	uint32_t b = block_of(f, ppage), index = ppage - b * f->geo.block_pages;

	f->valid[(uint64_t)b * f->words_per_block + index / 64] &= ~(1ULL << index % 64);
	f->block[b].valid--;
	if (b == f->open || b == f->victim || f->geo.policy == FTL_FIFO)
		return;
	list_remove(f, b);
	close_block(f, b);
}

/* The next page of the frontier. */
static uint32_t append(struct ftl *f, uint32_t page)
{
	uint32_t to = f->open * f->geo.block_pages + f->fill;

	set_valid(f, f->open, f->fill++);
	f->map[page] = to + 1;
	f->owner[to] = page;
	return to;
}

bool ftl_collect(struct ftl *f)
{
	f->n_moves = 0;
	if (f->fill == f->geo.block_pages) {
		close_block(f, f->open);
		open_block(f);
	}
	while (f->due > 0 && f->block[f->victim].valid) {
		uint32_t from = next_valid(f), page = f->owner[from];

		set_invalid(f, from);
		f->move[f->n_moves++] = (struct ftl_move){ from, append(f, page) };
		f->due -= f->geo.block_pages - f->victim_valid;
	}
	f->moves += f->n_moves;
	if (f->victim == FTL_NONE || f->block[f->victim].valid)
		return false;
	erase_victim(f);
	return true;
}

uint32_t ftl_write(struct ftl *f, uint32_t page)
{
	if (f->map[page])
		set_invalid(f, f->map[page] - 1);
	f->host_writes++;
	f->due += f->victim_valid;
	return append(f, page);
}

void ftl_trim(struct ftl *f, uint32_t page)
{
	if (!f->map[page])
		return;
	set_invalid(f, f->map[page] - 1);
	f->map[page] = 0;
}

/* Every list empty, then all blocks erased and the first of them open. */
static void make_lists(struct ftl *f)
{
	for (uint32_t i = 0; i < list_nodes(f); i++)
		f->block[i] = (struct ftl_block){ .prev = i, .next = i };
	for (uint32_t b = 0; b < f->geo.blocks; b++)
		list_add(f, erased_list(f), b);
	f->erased = f->geo.blocks;
	f->least = 0;
	f->victim = FTL_NONE;
	f->host_writes = f->moves = f->erases = 0;
	open_block(f);
}

void ftl_reset(struct ftl *f)
{
	big_zero(f->map, f->geo.pages, sizeof(*f->map));
	big_zero(f->valid, valid_words(f), sizeof(*f->valid));
	make_lists(f);
}

int ftl_init(struct ftl *f, const struct ftl_geometry *geo)
{
	*f = (struct ftl){
		.geo = *geo,
		.block_magic = ((1ULL << 63) + geo->block_pages - 1) / geo->block_pages,
		.words_per_block = (geo->block_pages + 63) / 64,
	};
	f->map = big_alloc(geo->pages, sizeof(*f->map));
	f->owner = big_alloc(physical_pages(f), sizeof(*f->owner));
	f->valid = big_alloc(valid_words(f), sizeof(*f->valid));
	f->block = malloc(list_nodes(f) * sizeof(*f->block));
	f->move = malloc(geo->block_pages * sizeof(*f->move));
	if (!f->map || !f->owner || !f->valid || !f->block || !f->move) {
		ftl_release(f);
		return -ENOMEM;
	}
	make_lists(f);
	return 0;
}

void ftl_release(struct ftl *f)
{
	big_free(f->map, f->geo.pages, sizeof(*f->map));
	big_free(f->owner, physical_pages(f), sizeof(*f->owner));
	big_free(f->valid, valid_words(f), sizeof(*f->valid));
	free(f->block);
	free(f->move);
	*f = (struct ftl){ 0 };
}

uint64_t ftl_memory_b(const struct ftl *f)
{
	return f->geo.pages * sizeof(*f->map) + physical_pages(f) * sizeof(*f->owner) +
	       valid_words(f) * sizeof(*f->valid) + list_nodes(f) * sizeof(*f->block) +
	       f->geo.block_pages * sizeof(*f->move);
}
