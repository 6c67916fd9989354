/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the drive said of itself while it was measured. */
#include <math.h>

#include "report/pages.h"

#define H_CHART 430

struct health {
	double hours, celsius, events, throttled_s; /* NaN: not said */
};

static double member(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static struct health health_of(const struct st_record *rec)
{
	return (struct health){
		.hours = member(rec->body, "t_ns") / (3600.0 * (double)NSEC_PER_SEC),
		.celsius = member(rec->body, "temperature_c"),
		.events = member(rec->body, "throttle_events"),
		.throttled_s = member(rec->body, "throttled_ns") / (double)NSEC_PER_SEC,
	};
}

/* Every measured interval at its end: what the drive did while it was so warm. */
static void iops_series(struct rpt_model *m, struct rpt_data *d, struct rpt_chart *c)
{
	struct rpt_series *iops = rpt_series_add(m, c, "IOPS (right)", RPT_POINTS, 0);

	iops->right = true;
	for (size_t i = 0; i < d->run->n; i++) {
		const struct st_point *p = d->run->rec[i].point;

		if (p && p->phase != ST_FILL)
			rpt_point_add(m, c, iops,
				      (double)p->t1_ns / (3600.0 * (double)NSEC_PER_SEC),
				      st_point_iops(p));
	}
}

static void health_chart(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_chart *c =
		rpt_run_chart(m, d, p, "health-temperature",
			      "Temperature, Throttling and IOPS over the Run", H_CHART);
	struct rpt_series *line, *hot;
	const struct st_record *rec;
	double throttled_s = (double)NAN;

	c->x.label = "Time since the start of the run (hours)";
	c->y.label = "Temperature (°C)";
	c->y2 = (struct rpt_axis){ .label = "IOPS", .from_zero = true };
	iops_series(m, d, c);
	line = rpt_series_add(m, c, "Temperature (left)", RPT_LINE, 1);
	hot = rpt_series_add(m, c, "Throttled", RPT_POINTS, 6);
	for (size_t i = 0; (rec = st_run_nth(d->run, ST_HEALTH, i)); i++) {
		struct health h = health_of(rec);

		rpt_point_add(m, c, line, h.hours, h.celsius);
		if (h.throttled_s > throttled_s)
			rpt_point_add(m, c, hot, h.hours, h.celsius);
		throttled_s = h.throttled_s;
	}
	for (size_t i = 0; i < c->n_series; i++)
		for (size_t k = 0; k < c->series[i]->n; k++)
			c->x.hi = fmax(c->x.hi, c->series[i]->point[k].x);
}

static void health_row(struct rpt_model *m, struct rpt_table *t, const char *what,
		       double first, double last, double least, double most)
{
	const double value[] = { first, last, last - first, least, most };

	rpt_cell_add(m, t, RPT_PLAIN, "%s", what);
	for (size_t i = 0; i < ARRAY_LEN(value); i++)
		rpt_cell_add(m, t, isfinite(value[i]) ? RPT_PLAIN : RPT_DIM, "%s",
			     isfinite(value[i]) ? rpt_fmt(&m->arena, "%.6g", value[i])
						: "n/a");
}

void rpt_page_health(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	const struct st_record *rec = st_run_nth(d->run, ST_HEALTH, 0);
	static const char *const cols[] = { "First", "Last", "Change", "Lowest",
					    "Highest" };
	struct health first, last, low, high;
	struct rpt_page *p;
	struct rpt_table *t;

	if (!rec)
		return;
	first = last = low = high = health_of(rec);
	for (size_t i = 1; (rec = st_run_nth(d->run, ST_HEALTH, i)); i++) {
		last = health_of(rec);
		low.celsius = fmin(low.celsius, last.celsius);
		high.celsius = fmax(high.celsius, last.celsius);
	}
	p = rpt_page_add(m, head, "health", "Health");
	health_chart(m, d, p);
	t = rpt_table_add(m, p, "From the first record to the last");
	rpt_col_add(m, t, "Figure", false, 2);
	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		rpt_col_add(m, t, cols[i], true, 1);
	health_row(m, t, "Temperature (°C)", first.celsius, last.celsius, low.celsius,
		   high.celsius);
	health_row(m, t, "Throttle events since power-on", first.events, last.events,
		   first.events, last.events);
	health_row(m, t, "Throttled (s) since power-on", first.throttled_s,
		   last.throttled_s, first.throttled_s, last.throttled_s);
}
