/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/sim.h"

#include <errno.h>
#include <stdlib.h>

#include "base/rng.h"
#include "device/ftl.h"

/* The first of January 2024, so that a simulated run always says the same date. */
#define EPOCH_S 1704067200

/* Page times depend on the place in the block, as in flash: a fixed pattern from the seed. */
#define PATTERN 256

/* How long a die has nothing to do before it folds the SLC cache. */
#define IDLE_NS (5 * NSEC_PER_MSEC)

/* An I/O that fails takes as long as the drive tries. */
#define FAIL_NS (10 * NSEC_PER_MSEC)

#define DRIFT_STEPS 64 /* a period of drift */

#define COOL_C 35
#define HOT_C  75
#define WARM_C 50 /* where a drive that never throttles ends */

struct die {
	uint64_t free_ns; /* when all work booked on it is done */
	uint64_t read_ns; /* when the reads are, which go before programs */
};

struct sim_drive {
	struct clock clock; /* first: the clock's functions come back here */
	uint64_t now_ns;
	struct sim_conf conf;
	struct ftl ftl;
	unsigned iu_shift;
	uint64_t die_magic; /* 2^63 / dies, rounded up */
	struct die *die;
	uint64_t *channel_ns; /* when each is free */
	uint64_t cmd_free_ns, link_ns[IO_DIRS];
	uint64_t link_q16, channel_page_ns; /* ns a byte times 2^16; ns a page */

	/* The write buffer: when the write that took a place has been programmed. */
	uint64_t *place_ns;
	uint64_t places, place;
	uint64_t buffer_ns; /* when the latest write got in */

	/* SLC: pages in it, and die time that folding them will take. */
	uint64_t slc_units, slc_used, fold_ns;

	/* Page times as they are now. */
	uint32_t pattern_ppm[PATTERN];
	uint64_t read_ns[PATTERN], prog_ns[PATTERN];
	uint64_t erase_ns, slc_prog_ns;

	/* Troubles, UINT64_MAX where they never come. */
	bool measuring;
	uint64_t measure_ns;
	uint64_t event_ns; /* the earlier of the next two */
	uint64_t stall_at_ns, speed_at_ns;
	uint64_t drift_periods, drift_ppm; /* whole ones compounded, and to what */
	uint64_t throttle_at_ns, fail_at_ns, vanish_at_ns;
	uint64_t fail_off_b, fail_end_b;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t scale(uint64_t value, uint64_t mul, uint64_t div)
{
	return (uint64_t)((u128)value * mul / div);
}

/* Clock. */

static uint64_t clock_now(struct clock *clk)
{
	return ((struct sim_drive *)(void *)clk)->now_ns;
}

static int64_t clock_wall(struct clock *clk)
{
	return EPOCH_S * (int64_t)NSEC_PER_SEC + (int64_t)clock_now(clk);
}

static void clock_sleep_until(struct clock *clk, uint64_t t_ns)
{
	sim_clock_set((struct sim_drive *)(void *)clk, t_ns);
}

struct clock *sim_clock(struct sim_drive *d)
{
	return &d->clock;
}

void sim_clock_set(struct sim_drive *d, uint64_t t_ns)
{
	d->now_ns = max_u64(d->now_ns, t_ns);
}

/* Speed and troubles. */

/* What drift makes of the page times at t_ns, which never goes back; says when it does more. */
static uint64_t drifted_ppm(struct sim_drive *d, uint64_t t_ns, uint64_t *ret_next_ns)
{
	const struct sim_conf *c = &d->conf;
	uint64_t step_ns = max_u64(c->drift_every_ns / DRIFT_STEPS, 1);
	uint64_t steps = (t_ns - d->measure_ns) / step_ns;

	*ret_next_ns = d->measure_ns + (steps + 1) * step_ns;
	for (; d->drift_periods < steps / DRIFT_STEPS && d->drift_ppm < UINT32_MAX;
	     d->drift_periods++)
		d->drift_ppm = scale(d->drift_ppm, 1000000 + c->drift_ppm, 1000000);
	return d->drift_ppm + scale(d->drift_ppm, c->drift_ppm * (steps % DRIFT_STEPS),
				    DRIFT_STEPS * 1000000ULL);
}

/* Page times over nominal ones at t_ns, in parts in a million; says when they change next. */
static uint64_t slowness_ppm(struct sim_drive *d, uint64_t t_ns, uint64_t *ret_next_ns)
{
	uint64_t ppm = 1000000;

	*ret_next_ns = UINT64_MAX;
	if (!d->measuring)
		return ppm;
	if (d->conf.drift_ppm)
		ppm = drifted_ppm(d, t_ns, ret_next_ns);
	if (t_ns >= d->throttle_at_ns)
		ppm = scale(ppm, 1000000, 1000000 - d->conf.throttle_ppm);
	else
		*ret_next_ns = min_u64(*ret_next_ns, d->throttle_at_ns);
	return ppm;
}

static void set_speed(struct sim_drive *d, uint64_t t_ns)
{
	uint64_t ppm = slowness_ppm(d, t_ns, &d->speed_at_ns);
	uint64_t read_ns = scale(d->conf.read_ns, ppm, 1000000);
	uint64_t prog_ns = scale(d->conf.prog_ns, ppm, 1000000);

	for (unsigned i = 0; i < PATTERN; i++) {
		d->read_ns[i] = scale(read_ns, d->pattern_ppm[i], 1000000);
		d->prog_ns[i] = scale(prog_ns, d->pattern_ppm[i], 1000000);
	}
	d->erase_ns = scale(d->conf.erase_ns, ppm, 1000000);
	d->slc_prog_ns = scale(d->conf.slc_prog_ns, ppm, 1000000);
}

/* Everything stands still until end_ns. */
static void stand_still(struct sim_drive *d, uint64_t t_ns, uint64_t end_ns)
{
	for (uint64_t i = 0; i < d->conf.dies; i++) {
		d->die[i].free_ns = max_u64(d->die[i].free_ns, t_ns) + (end_ns - t_ns);
		d->die[i].read_ns = max_u64(d->die[i].read_ns, end_ns);
	}
	d->cmd_free_ns = max_u64(d->cmd_free_ns, end_ns);
}

static void on_event(struct sim_drive *d, uint64_t t_ns)
{
	const struct sim_conf *c = &d->conf;

	if (t_ns >= d->stall_at_ns) {
		uint64_t start = t_ns - (t_ns - d->stall_at_ns) % c->stall_every_ns;

		if (t_ns < start + c->stall_ns)
			stand_still(d, t_ns, start + c->stall_ns);
		d->stall_at_ns = start + c->stall_every_ns;
	}
	if (t_ns >= d->speed_at_ns)
		set_speed(d, t_ns);
	d->event_ns = min_u64(d->stall_at_ns, d->speed_at_ns);
}

static uint64_t after(uint64_t now_ns, uint64_t after_ns)
{
	return after_ns ? now_ns + after_ns : UINT64_MAX;
}

void sim_measure(struct sim_drive *d)
{
	const struct sim_conf *c = &d->conf;

	if (d->measuring)
		return;
	d->measuring = true;
	d->measure_ns = d->now_ns;
	d->throttle_at_ns = after(d->now_ns, c->throttle_after_ns);
	d->fail_at_ns = after(d->now_ns, c->fail_after_ns);
	d->vanish_at_ns = after(d->now_ns, c->vanish_after_ns);
	set_speed(d, d->now_ns);
	d->event_ns = min_u64(d->stall_at_ns, d->speed_at_ns);
}

bool sim_lost(const struct sim_drive *d)
{
	return d->now_ns >= d->vanish_at_ns;
}

void sim_health(const struct sim_drive *d, struct dev_health *ret)
{
	const struct sim_conf *c = &d->conf;
	uint64_t top = c->throttle_after_ns ? HOT_C : WARM_C;
	uint64_t span_ns =
		c->throttle_after_ns ? c->throttle_after_ns : 1200 * NSEC_PER_SEC;
	uint64_t busy_ns = d->measuring ? min_u64(d->now_ns - d->measure_ns, span_ns) : 0;

	*ret = (struct dev_health){
		.known = true,
		.temperature_c = COOL_C + (int)scale(top - COOL_C, busy_ns, span_ns),
	};
	if (d->now_ns < d->throttle_at_ns)
		return;
	ret->throttle_events = 1;
	ret->throttled_ns = d->now_ns - d->throttle_at_ns;
}

/* Work on dies. */

struct place {
	uint64_t die, row; /* which die, and the page's row in it */
};

static struct place place_of(const struct sim_drive *d, uint32_t ppage)
{
	uint64_t row = (uint64_t)(((u128)ppage * d->die_magic) >> 63);

	return (struct place){ .die = ppage - row * d->conf.dies, .row = row % PATTERN };
}

/* A die that has rested folds what is in the SLC cache. */
static void rest(struct sim_drive *d, const struct die *die, uint64_t at_ns)
{
	if (!d->slc_used || at_ns < die->free_ns + IDLE_NS)
		return;
	uint64_t left_ns = d->fold_ns - min_u64(d->fold_ns, at_ns - die->free_ns);

	d->slc_used = left_ns ? scale(d->slc_used, left_ns, d->fold_ns) : 0;
	d->fold_ns = left_ns;
}

static uint64_t book(struct die *die, uint64_t at_ns, uint64_t dur_ns)
{
	die->free_ns = max_u64(die->free_ns, at_ns) + dur_ns;
	return die->free_ns;
}

/* Work that a write makes necessary: at once, or when the SLC cache is folded. */
static uint64_t owe(struct sim_drive *d, uint64_t die, uint64_t at_ns, uint64_t dur_ns)
{
	if (!d->slc_units)
		return book(&d->die[die], at_ns, dur_ns);
	d->fold_ns += dur_ns;
	return at_ns;
}

static uint64_t cross_channel(struct sim_drive *d, uint64_t die, uint64_t at_ns)
{
	uint64_t *free_ns = &d->channel_ns[die % d->conf.channels];

	*free_ns = max_u64(*free_ns, at_ns) + d->channel_page_ns;
	return *free_ns;
}

/* A page into the SLC cache; a full one first folds a page. */
static uint64_t slc_program(struct sim_drive *d, uint64_t die, uint64_t at_ns)
{
	rest(d, &d->die[die], at_ns);
	if (d->slc_used == d->slc_units) {
		uint64_t fold_ns = d->fold_ns / d->slc_used--;

		d->fold_ns -= fold_ns;
		book(&d->die[die], at_ns, fold_ns);
	}
	d->slc_used++;
	return book(&d->die[die], at_ns, d->slc_prog_ns);
}

static void collect(struct sim_drive *d, uint64_t at_ns)
{
	bool erased = ftl_collect(&d->ftl);

	for (uint32_t i = 0; i < d->ftl.n_moves; i++) {
		struct place from = place_of(d, d->ftl.move[i].from),
			     to = place_of(d, d->ftl.move[i].to);

		cross_channel(d, from.die, at_ns);
		owe(d, from.die, at_ns, d->read_ns[from.row]);
		owe(d, to.die, cross_channel(d, to.die, at_ns), d->prog_ns[to.row]);
	}
	for (uint64_t i = 0; erased && i < d->conf.dies; i++)
		owe(d, i, at_ns, d->erase_ns);
}

/* Program a unit and what garbage collection owes for it; returns when it is in flash. */
static uint64_t program(struct sim_drive *d, uint32_t unit, uint64_t at_ns)
{
	while (ftl_must_collect(&d->ftl))
		collect(d, at_ns);
	struct place to = place_of(d, ftl_write(&d->ftl, unit));

	at_ns = cross_channel(d, to.die, at_ns);
	if (!d->slc_units)
		return book(&d->die[to.die], at_ns, d->prog_ns[to.row]);
	at_ns = slc_program(d, to.die, at_ns);
	d->fold_ns += d->read_ns[to.row] + d->prog_ns[to.row];
	return at_ns;
}

/* A read waits for the operation in progress and for other reads, not for programs queued up. */
static uint64_t read_page(struct sim_drive *d, struct place p, uint64_t at_ns)
{
	struct die *die = &d->die[p.die];
	uint64_t start_ns = at_ns;

	rest(d, die, at_ns);
	if (die->free_ns > at_ns && d->conf.prog_ns)
		start_ns += (die->free_ns - at_ns) % d->conf.prog_ns;
	die->read_ns = max_u64(start_ns, die->read_ns) + d->read_ns[p.row];
	book(die, at_ns, d->read_ns[p.row]);
	return max_u64(die->read_ns + d->channel_page_ns, cross_channel(d, p.die, at_ns));
}

static uint64_t cross_link(struct sim_drive *d, enum io_dir dir, uint32_t len_b,
			   uint64_t at_ns)
{
	d->link_ns[dir] = max_u64(d->link_ns[dir], at_ns) + (len_b * d->link_q16 >> 16);
	return d->link_ns[dir];
}

static uint64_t do_write(struct sim_drive *d, uint64_t off_b, uint32_t len_b,
			 uint64_t at_ns)
{
	uint64_t first = off_b >> d->iu_shift, last = (off_b + len_b - 1) >> d->iu_shift;
	uint64_t safe_ns = 0;

	at_ns = max_u64(cross_link(d, IO_WRITE, len_b, at_ns), d->buffer_ns);
	for (uint64_t u = first; u <= last; u++) {
		bool whole = u << d->iu_shift >= off_b &&
			     (u + 1) << d->iu_shift <= off_b + len_b;
		uint32_t old = ftl_find(&d->ftl, (uint32_t)u);

		at_ns = max_u64(at_ns, d->place_ns[d->place]);
		if (!whole && old != FTL_NONE) {
			struct place p = place_of(d, old);

			book(&d->die[p.die], at_ns, d->read_ns[p.row]);
		}
		d->place_ns[d->place] = program(d, (uint32_t)u, at_ns);
		safe_ns = max_u64(safe_ns, d->place_ns[d->place]);
		if (++d->place == d->places)
			d->place = 0;
	}
	d->buffer_ns = at_ns;
	return d->conf.cache == SIM_CACHE_OFF ? safe_ns : at_ns;
}

static uint64_t do_read(struct sim_drive *d, uint64_t off_b, uint32_t len_b,
			uint64_t at_ns)
{
	uint64_t first = off_b >> d->iu_shift, last = (off_b + len_b - 1) >> d->iu_shift;
	uint64_t done_ns = at_ns;

	for (uint64_t u = first; u <= last; u++) {
		uint32_t ppage = ftl_find(&d->ftl, (uint32_t)u);

		if (ppage != FTL_NONE)
			done_ns =
				max_u64(done_ns, read_page(d, place_of(d, ppage), at_ns));
	}
	return max_u64(done_ns + (len_b * d->link_q16 >> 16),
		       cross_link(d, IO_READ, len_b, at_ns));
}

uint64_t sim_io(struct sim_drive *d, enum io_dir dir, uint64_t off_b, uint32_t len_b,
		uint64_t t_ns, int *ret_res)
{
	uint64_t done_ns;

	if (t_ns >= d->event_ns)
		on_event(d, t_ns);
	d->cmd_free_ns = max_u64(d->cmd_free_ns, t_ns) + d->conf.cmd_ns;
	*ret_res = 0;
	if (t_ns >= d->fail_at_ns && off_b < d->fail_end_b &&
	    off_b + len_b > d->fail_off_b) {
		*ret_res = -EIO;
		done_ns = d->cmd_free_ns + FAIL_NS;
	} else if (dir == IO_WRITE) {
		done_ns = do_write(d, off_b, len_b, d->cmd_free_ns);
	} else {
		done_ns = do_read(d, off_b, len_b, d->cmd_free_ns);
	}
	/* Whatever the parameters, the clock goes on with every I/O. */
	done_ns = max_u64(done_ns, t_ns + 1);
	if (done_ns < d->vanish_at_ns)
		return done_ns;
	*ret_res = -ENODEV;
	return max_u64(t_ns, d->vanish_at_ns) + FAIL_NS;
}

void sim_expect(const struct sim_drive *d, uint64_t off_b)
{
	__builtin_prefetch(&d->ftl.map[off_b >> d->iu_shift], 1);
}

void sim_trim(struct sim_drive *d, uint64_t off_b, uint64_t len_b)
{
	uint64_t first = (off_b + d->conf.iu_b - 1) >> d->iu_shift;
	uint64_t end = off_b + len_b == d->conf.capacity_b
			       ? d->ftl.geo.pages
			       : (off_b + len_b) >> d->iu_shift;

	for (uint64_t u = first; u < end; u++)
		ftl_trim(&d->ftl, (uint32_t)u);
}

/* Nothing is booked any more. */
static void settle(struct sim_drive *d)
{
	for (uint64_t i = 0; i < d->conf.dies; i++)
		d->die[i] = (struct die){ .free_ns = d->now_ns, .read_ns = d->now_ns };
	for (uint64_t i = 0; i < d->places; i++)
		d->place_ns[i] = d->now_ns;
	d->slc_used = d->fold_ns = 0;
}

void sim_purge(struct sim_drive *d)
{
	ftl_reset(&d->ftl);
	sim_clock_set(d, d->now_ns + d->ftl.geo.blocks * d->erase_ns);
	settle(d);
}

void sim_stats(const struct sim_drive *d, struct sim_stats *ret)
{
	const struct ftl *f = &d->ftl;

	*ret = (struct sim_stats){
		.host_units = f->host_writes,
		.moved_units = f->moves,
		.erases = f->erases,
		.logical_units = f->geo.pages,
		.physical_units = (uint64_t)f->geo.blocks * f->geo.block_pages,
		.block_units = f->geo.block_pages,
		.closed_units = (uint64_t)ftl_closed(f) * f->geo.block_pages,
		.memory_b = ftl_memory_b(f),
	};
}

/* Pairs about the mean, so that the mean stays exact. */
static void make_pattern(struct sim_drive *d)
{
	struct rng rng;

	rng_seed(&rng, d->conf.seed);
	for (unsigned i = 0; i < PATTERN; i += 2) {
		uint32_t off = (uint32_t)rng_below(&rng, d->conf.jitter_ppm + 1);

		d->pattern_ppm[i] = 1000000 + off;
		d->pattern_ppm[i + 1] = 1000000 - off;
	}
}

static void set_up(struct sim_drive *d)
{
	const struct sim_conf *c = &d->conf;

	d->clock = (struct clock){
		.now_ns = clock_now,
		.wall_ns = clock_wall,
		.sleep_until_ns = clock_sleep_until,
		.simulated = true,
	};
	d->iu_shift = (unsigned)__builtin_ctzll(c->iu_b);
	d->die_magic = ((1ULL << 63) + c->dies - 1) / c->dies;
	d->link_q16 = c->link_bps ? (NSEC_PER_SEC << 16) / c->link_bps : 0;
	d->channel_page_ns = c->channel_bps ? c->iu_b * NSEC_PER_SEC / c->channel_bps : 0;
	d->slc_units = c->slc_b >> d->iu_shift;
	d->stall_at_ns = after(0, c->stall_every_ns);
	d->drift_ppm = 1000000;
	d->throttle_at_ns = d->fail_at_ns = d->vanish_at_ns = UINT64_MAX;
	d->fail_off_b = scale(c->capacity_b, c->fail_from_ppm, 1000000);
	d->fail_end_b = d->fail_off_b + scale(c->capacity_b, c->fail_len_ppm, 1000000);
	make_pattern(d);
	set_speed(d, 0);
	d->event_ns = min_u64(d->stall_at_ns, d->speed_at_ns);
}

int sim_new(const char *target, struct sim_drive **ret, struct err *err)
{
	const struct sim_model *model;
	struct sim_conf conf;
	int rc = sim_parse(target, &conf, &model, err);

	if (rc)
		return rc;
	struct sim_drive *d = calloc(1, sizeof(*d));
	uint64_t units = (conf.capacity_b + conf.iu_b - 1) / conf.iu_b;
	struct ftl_geometry geo = {
		.pages = (uint32_t)units,
		.block_pages = (uint32_t)(conf.pages * conf.dies),
		.policy = (enum ftl_policy)conf.gc,
	};

	geo.blocks = (uint32_t)(scale(units, 1000000 + conf.op_ppm, 1000000) /
				geo.block_pages);
	if (!d || ftl_init(&d->ftl, &geo))
		goto no_memory;
	d->conf = conf;
	d->places = conf.buffer_b / conf.iu_b;
	d->die = calloc(conf.dies, sizeof(*d->die));
	d->channel_ns = calloc(conf.channels, sizeof(*d->channel_ns));
	d->place_ns = calloc(d->places, sizeof(*d->place_ns));
	if (!d->die || !d->channel_ns || !d->place_ns)
		goto no_memory;
	set_up(d);
	*ret = d;
	return 0;
no_memory:
	sim_free(d);
	return err_set(err, EXIT_CODE_HOST, ENOMEM,
		       "not enough memory for the simulated drive %s", target);
}

void sim_free(struct sim_drive *d)
{
	if (!d)
		return;
	ftl_release(&d->ftl);
	free(d->die);
	free(d->channel_ns);
	free(d->place_ns);
	free(d);
}
