/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stimulus: from the engine's intervals to the stored point. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "pts/walk.h"

#define FILL_SLICE_NS    NSEC_PER_SEC /* how often a fill shows where it stands */
#define HISTOGRAM_SLICES 20
#define LARGE_GAP_NS     NSEC_PER_SEC

/*
 * Each point has a seed of its own, from the run's seed and the point's place in the plan: two
 * points never draw the same LBAs, and a point done again draws the same.
 */
static uint64_t point_seed(const struct walk *w, const struct stimulus *s)
{
	uint64_t place = (uint64_t)w->at << 48 | (uint64_t)s->round << 16 | s->index;

	return rng_derive(w->seed, place);
}

static struct eng_workload workload(const struct walk *w, const struct stimulus *s)
{
	struct eng_workload load = {
		.pattern = w->step->step->pattern,
		.read_pct = s->read_pct,
		.bs_b = s->bs_b,
		.tc = w->step->tc,
		.qd = w->step->qd,
		.off_b = w->plan->off_b,
		.len_b = w->plan->len_b,
		.seed = point_seed(w, s),
		.limit_b = s->limit_b,
	};

	if (load.pattern == IO_SEQ && s->phase == ST_ROUND)
		memcpy(load.cursor_b, w->cursor_b, sizeof(load.cursor_b));
	return load;
}

static int pack_dirs(struct st_point *p, const struct eng_result *from, struct err *err)
{
	for (int d = 0; d < IO_DIRS; d++) {
		p->dir[d].bytes = from->dir[d].bytes;
		if (!hist_pack(&from->dir[d].lat, &p->dir[d].lat))
			continue;
		for (int done = 0; done < d; done++)
			hist_sparse_release(&p->dir[done].lat);
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	}
	return 0;
}

static void pack_errors(struct st_point *p, const struct eng_result *from,
			uint64_t base_ns)
{
	p->errors = from->errors;
	p->n_error = from->errors < ENG_ERRORS_KEPT ? from->errors : ENG_ERRORS_KEPT;
	for (size_t i = 0; i < p->n_error; i++)
		p->error[i] = (struct st_error){ .off_b = from->error[i].off_b,
						 .t_ns = from->error[i].t_ns - base_ns,
						 .len_b = from->error[i].len_b,
						 .dir = from->error[i].dir,
						 .res = from->error[i].res };
}

static void pack_host(struct st_point *p, const struct eng_result *from)
{
	const struct eng_host *h = &from->host;

	p->host_known = h->known;
	p->cpu_ns = h->cpu_ns;
	p->usr_ns = h->usr_ns;
	p->sys_ns = h->sys_ns;
	p->worst_busy_ns = h->worst_busy_ns;
	p->submit_ns = h->submit_ns;
	p->turnaround_ns = h->turnaround_ns;
	p->turnarounds = h->turnarounds;
	p->host_limited = from->host_limited;
}

static bool is_complete(const struct stimulus *s, const struct eng_result *e)
{
	if (e->errors)
		return false;
	return s->limit_b ? e->done : e->t1_ns - e->t0_ns >= s->total_ns;
}

static void count(struct walk *w, const struct st_point *p)
{
	bool measured = p->complete && p->phase != ST_FILL;

	w->tally.points += measured;
	w->tally.limited += measured && p->host_limited;
	w->tally.gaps += p->gap_ns > LARGE_GAP_NS;
	if (p->gap_ns > w->tally.longest_gap_ns)
		w->tally.longest_gap_ns = p->gap_ns;
}

static int store_point(struct walk *w, const struct stimulus *s,
		       const struct eng_workload *load, uint64_t gap_ns,
		       const struct eng_result *e, struct err *err)
{
	struct st_point p = {
		.phase = s->phase,
		.loop_bs_b = w->step->loop_bs_b,
		.round = s->round,
		.index = s->index,
		.pattern = load->pattern,
		.bs_b = load->bs_b,
		.read_pct = load->read_pct,
		.tc = load->tc,
		.qd = load->qd,
		.seed = load->seed,
		.off_b = load->off_b,
		.len_b = load->len_b,
		.cursor_b = { load->cursor_b[IO_READ], load->cursor_b[IO_WRITE] },
		.t0_ns = e->t0_ns - w->base_ns,
		.t1_ns = e->t1_ns - w->base_ns,
		.gap_ns = gap_ns,
		.depth_ns = e->depth_ns,
		.complete = is_complete(s, e),
	};
	int rc;

	snprintf(p.test, sizeof(p.test), "%s", w->step->test->id);
	rc = pack_dirs(&p, e, err);
	if (rc)
		return rc;
	pack_errors(&p, e, w->base_ns);
	pack_host(&p, e);
	count(w, &p);
	rc = st_append_point(w->r->store, w->clk->wall_ns(w->clk), &p, err);
	w->store_failed = w->store_failed || rc;
	return rc;
}

/* A file's disk that is full is the host's trouble; a drive has no such error of its own. */
static int device_failed(const struct walk *w, const struct eng_result *e,
			 struct err *err)
{
	const struct eng_error *first = &e->error[0];
	const char *dir = first->dir == IO_READ ? "read" : "write";
	enum dev_kind kind = w->dev->info.kind;
	char why[128];

	if (first->res == -ENOSPC && (kind == DEV_FILE || kind == DEV_LOOP))
		return err_set(err, EXIT_CODE_HOST, ENOSPC,
			       "%s: the disk that holds %s is full", w->step->test->id,
			       w->dev->info.name);
	if (first->res < 0)
		snprintf(why, sizeof(why), "%s", strerror((int)-first->res));
	else
		snprintf(why, sizeof(why), "only %" PRId64 " bytes", first->res);
	return err_set(err, EXIT_CODE_DEVICE, EIO,
		       "%s: %" PRIu64 " failed I/O%s%s; the first: a %s of %" PRIu32
		       " B at %" PRIu64 ": %s",
		       w->step->test->id, e->errors, e->errors == 1 ? "" : "s",
		       e->device_lost ? ", the device is gone" : "", dir, first->len_b,
		       first->off_b, why);
}

int stimulus_begin(struct walk *w, const struct stimulus *s, struct eng_workload *ret,
		   uint64_t *ret_gap_ns, struct err *err)
{
	int rc;

	*ret = workload(w, s);
	*ret_gap_ns = w->idle_since_ns ? walk_now_ns(w) - w->idle_since_ns : 0;
	rc = s->read_pct == 100 ? eng_start_read(w->eng, ret, err)
				: eng_start_write(w->eng, w->r->claim, ret, err);
	return rc;
}

int stimulus_end(struct walk *w, struct err *err)
{
	int rc = eng_stop(w->eng, err);

	w->idle_since_ns = walk_now_ns(w);
	return rc;
}

/* How long the next interval may be; 0: the point is over. */
static uint64_t next_slice_ns(const struct walk *w, const struct stimulus *s)
{
	uint64_t left_ns = s->total_ns - (w->sum->t1_ns - w->sum->t0_ns), slice_ns;

	if (w->sum->done || w->sum->errors || walk_cancelled(w))
		return 0;
	if (s->limit_b)
		return FILL_SLICE_NS;
	if ((int64_t)left_ns <= 0)
		return 0;
	slice_ns = s->phase == ST_HISTOGRAM ? s->total_ns / HISTOGRAM_SLICES + 1
					    : s->total_ns;
	return left_ns < slice_ns ? left_ns : slice_ns;
}

/* Intervals until the point is over, added up in w->sum. */
static int gather(struct walk *w, const struct stimulus *s, struct err *err)
{
	uint64_t slice_ns;
	int rc;

	eng_result_clear(w->sum);
	while ((slice_ns = next_slice_ns(w, s))) {
		rc = eng_next(w->eng, slice_ns, w->r->cancel, w->slice, err);
		if (rc)
			return rc;
		eng_result_merge(w->sum, w->slice);
		walk_show(w, w->slice, false);
	}
	return 0;
}

/* Store what was gathered, whole or not; then say what went wrong, if anything did. */
static int keep(struct walk *w, const struct stimulus *s, const struct eng_workload *load,
		uint64_t gap_ns, struct err *err)
{
	if (w->sum->t1_ns > w->sum->t0_ns) {
		int rc = store_point(w, s, load, gap_ns, w->sum, err);

		if (rc)
			return rc;
		walk_show(w, w->sum, true);
	}
	if (w->sum->errors)
		return device_failed(w, w->sum, err);
	int rc = health_look(w, err);

	if (rc)
		return rc;
	if (walk_cancelled(w) && !is_complete(s, w->sum))
		return err_set(err, EXIT_CODE_INTERRUPTED, EINTR, "%s: interrupted",
			       w->step->test->id);
	return 0;
}

int stimulus_point(struct walk *w, const struct stimulus *s,
		   const struct eng_workload *load, uint64_t gap_ns, struct err *err)
{
	int rc = gather(w, s, err), kept = keep(w, s, load, gap_ns, rc ? NULL : err);

	return rc ? rc : kept;
}

/* Stopped before it is stored: what the drive does while the journal is synced would be unseen. */
int measure(struct walk *w, const struct stimulus *s, struct err *err)
{
	struct eng_workload load;
	uint64_t gap_ns;
	int rc = stimulus_begin(w, s, &load, &gap_ns, err), stopped, kept;

	if (rc)
		return rc;
	rc = gather(w, s, err);
	stopped = stimulus_end(w, rc ? NULL : err);
	rc = rc ? rc : stopped;
	kept = keep(w, s, &load, gap_ns, rc ? NULL : err);
	return rc ? rc : kept;
}
