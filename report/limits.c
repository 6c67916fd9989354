/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run measured of a limit's figure: NaN where nothing, infinite where too few samples. */
#include "report/limits.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "report/data.h"

static double percentile_ms(const struct hist *h, uint32_t ppb)
{
	double ms = h ? rpt_percentile_ms(h, ppb) : (double)NAN;

	return ms < 0 ? (double)INFINITY : ms;
}

static double cell_value(struct rpt_data *d, const struct rpt_unit *u,
			 const struct rpt_limit *l)
{
	struct rpt_cell_stat c = rpt_cell_stat(d, u, l->read_pct, l->bs_b);

	if (!c.rounds)
		return (double)NAN;
	if (l->ppb)
		return percentile_ms(c.lat, l->ppb);
	switch (l->unit) {
	case RPT_UNIT_IOPS:
		return c.iops;
	case RPT_UNIT_MBPS:
		return c.mb_per_s;
	case RPT_UNIT_MS:
		return strcmp(l->stat, "mrt") != 0 ? c.art_ms : c.mrt_ms;
	case RPT_UNIT_SHARE:
	case RPT_UNIT_PLAIN:
		break;
	}
	return (double)NAN;
}

static double histogram_value(struct rpt_data *d, const struct rpt_unit *u,
			      const struct rpt_limit *l)
{
	const struct hist *h = rpt_merge(d->arena, &u->hist);

	if (!h || !h->count)
		return (double)NAN;
	if (l->ppb)
		return percentile_ms(h, l->ppb);
	return (strcmp(l->stat, "mrt") != 0 ? (double)h->sum_ns / (double)h->count
					    : (double)h->max_ns) /
	       1e6;
}

static double saturation_value(struct rpt_data *d, const struct rpt_unit *u,
			       const struct rpt_limit *l)
{
	const struct rpt_points *minute = &u->minute;
	const struct ss_verdict *w = rpt_window(u->decision, 0);
	const struct ss_shape *s = &u->shape;
	const struct {
		const char *stat;
		bool known;
		double value;
	} figures[] = {
		{ "first", minute->n, minute->n ? st_point_iops(minute->p[0]) : 0 },
		{ "last", minute->n,
		  minute->n ? st_point_iops(minute->p[minute->n - 1]) : 0 },
		{ "average", w->judged, w->average },
		{ "fresh", s->judged, s->fresh },
		{ "lowest", s->judged, s->lowest },
		{ "floor_iops", s->settled, s->floor },
		{ "floor", s->settled && s->fresh > 0, s->floor / s->fresh },
		{ "swing", s->settled, s->swing_pct / 100 },
		{ "fills", minute->n,
		  (double)u->sat.written_b / (double)d->opts.capacity_b },
	};

	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (!strcmp(figures[i].stat, l->stat))
			return figures[i].known ? figures[i].value : (double)NAN;
	return histogram_value(d, u, l);
}

static double health_value(struct rpt_data *d, const char *stat)
{
	double first = (double)NAN, last = (double)NAN, low = (double)NAN,
	       high = (double)NAN;
	const char *dot = strchr(stat, '.'), *of = dot ? dot + 1 : "";
	const struct st_record *rec;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(stat, "."), stat);
	for (size_t i = 0; (rec = st_run_nth(d->run, ST_HEALTH, i)); i++) {
		const json_t *v = json_object_get(rec->body, name);

		if (!json_is_number(v))
			continue;
		last = json_number_value(v);
		first = isnan(first) ? last : first;
		low = fmin(low, last);
		high = fmax(high, last);
	}
	return !strcmp(of, "change") ? last - first
	       : !strcmp(of, "max")  ? high
	       : !strcmp(of, "min")  ? low
	       : *of                 ? (double)NAN
				     : last;
}

static double run_value(struct rpt_data *d, const char *stat)
{
	uint64_t errors = 0;

	if (!strcmp(stat, "deviations"))
		return (double)d->n_deviation;
	for (size_t i = 0; i < d->run->n; i++)
		if (d->run->rec[i].kind == ST_POINT)
			errors += d->run->rec[i].point->errors;
	return (double)errors;
}

static double value_of(struct rpt_data *d, const struct rpt_limit *l)
{
	if (!strcmp(l->test, "health"))
		return health_value(d, l->stat);
	if (!strcmp(l->test, "run"))
		return run_value(d, l->stat);
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];

		if (strcmp(u->test->id, l->test) != 0 ||
		    (u->loop_bs_b && u->loop_bs_b != l->bs_b))
			continue;
		return l->bs_b ? cell_value(d, u, l) : saturation_value(d, u, l);
	}
	return (double)NAN;
}

static void tell(struct rpt_finding *f, enum rpt_limit_unit unit, double value)
{
	static const char *const units[] = { " IOPS", " MB/s", " ms", "", "" };

	if (f->measured)
		snprintf(f->value, sizeof(f->value), "%.*g%s",
			 unit == RPT_UNIT_IOPS ? 9 : 6, value, units[unit]);
	else
		snprintf(f->value, sizeof(f->value), "not measured%s",
			 isinf(value) ? ": too few samples" : "");
}

void rpt_limits_find(struct rpt_data *d, const struct rpt_limits *l,
		     struct rpt_finding *ret)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct rpt_limit *limit = &l->limit[i];
		double value = value_of(d, limit);
		struct rpt_finding *f = &ret[i];

		f->measured = isfinite(value);
		f->pass = f->measured &&
			  (limit->op == '<' ? value <= limit->bound
			   : limit->op == '>'
				   ? value >= limit->bound
				   : value <= limit->bound && value >= limit->bound);
		tell(f, limit->unit, value);
	}
}

static int read_and_judge(const struct st_run *run, struct rpt_arena *arena,
			  struct rpt_data *d, const struct rpt_limits *l,
			  struct rpt_finding *ret, struct err *err)
{
	int r;

	if (setjmp(arena->oom))
		return err_set(err, EXIT_CODE_HOST, ENOMEM,
			       "out of memory judging the limits");
	r = rpt_data_read(run, arena, d, err);
	if (!r)
		rpt_limits_find(d, l, ret);
	return r;
}

int rpt_limits_judge(const struct st_run *run, const struct rpt_limits *l,
		     struct rpt_finding *ret, struct err *err)
{
	struct rpt_arena arena = { 0 };
	struct rpt_data data = { 0 };
	int r = read_and_judge(run, &arena, &data, l, ret, err);

	rpt_data_release(&data);
	rpt_arena_release(&arena);
	return r;
}
