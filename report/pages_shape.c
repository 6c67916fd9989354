/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of a write saturation in words: fresh plateau, cliff, transition, floor, oscillation. */
#include "report/pages.h"

/* "minute 18, at 22.1 GB = 1.287 drive fills", of the end of the n-th minute. */
static const char *where(const struct rpt_scope *s, size_t n)
{
	double bytes = (double)rpt_written_b(&s->u->minute, n);

	return rpt_fmt(&s->m->arena, "minute %u, at %.2f GB = %.3f drive fills",
		       s->u->minute.p[n - 1]->round, bytes / 1e9,
		       bytes / (double)s->d->opts.capacity_b);
}

static void floor_facts(const struct rpt_scope *s, struct rpt_facts *f)
{
	const struct ss_shape *shape = &s->u->shape;
	struct rpt_model *m = s->m;
	struct rpt_arena *a = &m->arena;
	size_t from = shape->floor_from;

	if (!shape->settled) {
		rpt_fact_add(m, f, "Floor",
			     "none: over the last %zu minutes the IOPS still move",
			     shape->tail_n);
		return;
	}
	if (shape->cliff) {
		rpt_fact_add(
			m, f, "Transition",
			"%zu minutes; lowest of all after the cliff %s IOPS, in minute %u",
			from - shape->fresh_n, rpt_number(a, PTS_IOPS, shape->lowest),
			s->u->minute.p[shape->lowest_at]->round);
		rpt_fact_add(m, f, "Floor",
			     "%s IOPS, from minute %u on: %.1f %% of the fresh plateau",
			     rpt_number(a, PTS_IOPS, shape->floor),
			     s->u->minute.p[from]->round,
			     100 * shape->floor / shape->fresh);
	}
	rpt_fact_add(m, f, "Oscillation", "highest less lowest is %.1f %% of the level%s",
		     shape->swing_pct,
		     shape->period > 0 ? rpt_fmt(a, ", a period of about %.0f minutes",
						 shape->period)
				       : "");
}

void rpt_shape_facts(const struct rpt_scope *s, struct rpt_page *p)
{
	const struct ss_shape *shape = &s->u->shape;
	struct rpt_model *m = s->m;
	struct rpt_facts *f;

	if (!shape->judged) {
		rpt_text_add(m, p, RPT_DIM,
			     "%zu minutes have no shape: it takes %d to tell a cliff.",
			     s->u->minute.n, SS_SHAPE_MIN);
		return;
	}
	f = rpt_facts_add(m, p, "");
	if (!shape->cliff) {
		rpt_fact_add(m, f, "Cliff", "none: the IOPS never fell and stayed low");
		rpt_fact_add(m, f, "Level", "%s IOPS over all minutes",
			     rpt_number(&m->arena, PTS_IOPS, shape->fresh));
	} else {
		rpt_fact_add(m, f, "Fresh plateau", "%s IOPS over %zu minutes",
			     rpt_number(&m->arena, PTS_IOPS, shape->fresh),
			     shape->fresh_n);
		rpt_fact_add(m, f, "Cliff", "after %s", where(s, shape->fresh_n));
	}
	floor_facts(s, f);
}
