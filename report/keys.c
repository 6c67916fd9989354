/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few figures of a run that its summary shows. */
#include <string.h>

#include "base/units.h"
#include "report/data.h"

struct keys {
	struct rpt_data *d;
	const struct rpt_unit *u;
	struct rpt_key *key;
	size_t n, max;
};

static void add(struct keys *k, const char *what, const char *value, const char *unit)
{
	if (!strncmp(value, "n/a", 3))
		unit = "";
	if (k->n < k->max)
		k->key[k->n++] = (struct rpt_key){ k->u->title, what, value, unit };
}

static const char *cell_words(const struct keys *k, enum io_pattern pattern,
			      uint32_t bs_b, uint8_t read_pct, const char *of)
{
	struct rpt_arena *a = k->d->arena;

	return rpt_fmt(a, "%s %s KiB, RW %s%s%s", io_pattern_word(pattern),
		       rpt_kib(a, bs_b), rpt_mix(a, read_pct), *of ? ", " : "", of);
}

static void cell(struct keys *k, enum io_pattern pattern, uint8_t read_pct, uint32_t bs_b)
{
	const struct rpt_percentile *five = &rpt_percentiles[RPT_FIVE_NINES];
	enum pts_metric m = k->u->test->track[0].metric;
	struct rpt_cell_stat c = rpt_cell_stat(k->d, k->u, read_pct, bs_b);
	struct rpt_arena *a = k->d->arena;

	if (!c.rounds)
		return;
	if (m != PTS_ART) {
		add(k, cell_words(k, pattern, bs_b, read_pct, ""),
		    rpt_number(a, m, rpt_metric(m, &c)), pts_metric_word(m));
		return;
	}
	add(k, cell_words(k, pattern, bs_b, read_pct, "ART"), rpt_number(a, m, c.art_ms),
	    "ms");
	add(k, cell_words(k, pattern, bs_b, read_pct, five->label),
	    rpt_percentile_text(a, c.lat, five->ppb), "ms");
	add(k, cell_words(k, pattern, bs_b, read_pct, "MRT"), rpt_number(a, m, c.mrt_ms),
	    "ms");
}

/* @pts 7, 8, 9: pure reads and pure writes, of 4 KiB or of the cycle's block. */
static void rounds_keys(struct keys *k)
{
	const struct pts_step *step = pts_test_step(k->u->test, PTS_ROUNDS);
	uint32_t bs_b = k->u->loop_bs_b ? k->u->loop_bs_b : (uint32_t)KIB(4);

	cell(k, step->pattern, 100, bs_b);
	cell(k, step->pattern, 0, bs_b);
}

static void shape_keys(struct keys *k)
{
	const struct ss_shape *shape = &k->u->shape;
	struct rpt_arena *a = k->d->arena;
	uint64_t cliff_b = rpt_written_b(&k->u->minute, shape->fresh_n);

	if (!shape->cliff)
		return;
	add(k, "Fresh plateau", rpt_number(a, PTS_IOPS, shape->fresh), "IOPS");
	add(k, "Cliff, after minute", rpt_fmt(a, "%zu", shape->fresh_n), "");
	add(k, "Cliff, written before it", rpt_fmt(a, "%.2f", (double)cliff_b / 1e9),
	    "GB");
	if (shape->settled)
		add(k, "Floor", rpt_number(a, PTS_IOPS, shape->floor), "IOPS");
}

static void saturation_keys(struct keys *k)
{
	const struct rpt_points *minute = &k->u->minute;
	const struct ss_verdict *w = rpt_window(k->u->decision, 0);
	const struct hist *h = rpt_merge(k->d->arena, &k->u->hist);
	const struct rpt_percentile *five = &rpt_percentiles[RPT_FIVE_NINES];
	struct rpt_arena *a = k->d->arena;

	if (!minute->n)
		return;
	add(k, "First minute", rpt_number(a, PTS_IOPS, st_point_iops(minute->p[0])),
	    "IOPS");
	add(k, "Last minute",
	    rpt_number(a, PTS_IOPS, st_point_iops(minute->p[minute->n - 1])), "IOPS");
	shape_keys(k);
	if (w->judged)
		add(k,
		    k->u->decision->steady ? "Average of the steady-state samples"
					   : "Average of the last samples, not steady",
		    rpt_number(a, PTS_IOPS, w->average), "IOPS");
	add(k, "Written", rpt_fmt(a, "%.2f", (double)k->u->sat.written_b / 1e9), "GB");
	add(k, "Drive fills",
	    rpt_fmt(a, "%.3f",
		    (double)k->u->sat.written_b / (double)k->d->opts.capacity_b),
	    "");
	if (h)
		add(k, rpt_fmt(a, "Histogram, %s", five->label),
		    rpt_percentile_text(a, h, five->ppb), "ms");
}

size_t rpt_keys(struct rpt_data *d, struct rpt_key *ret, size_t max)
{
	struct keys k = { .d = d, .key = ret, .max = max };

	for (size_t i = 0; i < d->n_unit; i++) {
		k.u = &d->unit[i];
		if (pts_test_step(k.u->test, PTS_SATURATE))
			saturation_keys(&k);
		else
			rounds_keys(&k);
	}
	return k.n;
}
