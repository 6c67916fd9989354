/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement window of a tracking variable: its chart and the verification table. @pts 2.1.24 */
#include <math.h>

#include "report/pages.h"
#include "steady_state/fit.h"

#define H_CHART 430

const char *const rpt_metric_axis[] = { [PTS_IOPS] = "IOPS",
					[PTS_MBPS] = "Throughput (MB/s)",
					[PTS_ART] = "Average response time (ms)" };

void rpt_round_axis(const struct rpt_scope *s, struct rpt_chart *c, unsigned first,
		    unsigned last, const char *label)
{
	c->x.label = label;
	c->x.lo = first - 0.25;
	c->x.hi = last + 0.25;
	for (unsigned i = first; i <= last; i++)
		rpt_tick_add(s->m, &c->x, i, rpt_fmt(&s->m->arena, "%u", i));
}

static const char *window_number(const struct rpt_scope *s,
				 const struct rpt_window_view *v, double value)
{
	double size = fabs(value);
	int decimals = v->metric == PTS_ART ? 5 : size >= 10000 ? 1 : size >= 100 ? 2 : 3;

	return rpt_fmt(&s->m->arena, "%.*f", decimals, value);
}

static void window_chart(const struct rpt_scope *s, struct rpt_page *p,
			 const struct rpt_window_view *v, const struct ss_verdict *w)
{
	struct rpt_chart *c = rpt_test_chart(s, p, v->slug, v->title, v->h_px);
	struct rpt_series *values =
				  rpt_series_add(s->m, c, "Measured", RPT_POINTS_LINE, 0),
			  *average = rpt_series_add(s->m, c, "Average", RPT_LINE, 6),
			  *high = rpt_series_add(s->m, c, "110 % of average", RPT_DASHED,
						 1),
			  *low = rpt_series_add(s->m, c, "90 % of average", RPT_DASHED,
						7),
			  *fit = rpt_series_add(s->m, c, "Least-squares line", RPT_DOTTED,
						2);
	double top = w->average * 1.1, bottom = w->average * 0.9;

	rpt_round_axis(s, c, w->first, w->round, v->x_label);
	c->y.label = rpt_metric_axis[v->metric];
	for (size_t i = 0; i < w->n; i++) {
		double x = w->first + (double)i;

		rpt_point_add(s->m, c, values, x, w->window[i]);
		rpt_point_add(s->m, c, average, x, w->average);
		rpt_point_add(s->m, c, high, x, w->average * 1.1);
		rpt_point_add(s->m, c, low, x, w->average * 0.9);
		rpt_point_add(s->m, c, fit, x, w->slope * x + w->intercept);
		top = fmax(top, w->window[i]);
		bottom = fmin(bottom, w->window[i]);
	}
	c->y.lo = fmax(0, bottom - (top - bottom) * 0.25);
	c->y.hi = top + (top - bottom) * 0.25;
}

struct check {
	const char *item, *allowed, *measured;
	bool judged, pass;
};

static void check_row(const struct rpt_scope *s, struct rpt_table *t,
		      const struct check *c)
{
	rpt_cell_add(s->m, t, RPT_PLAIN, "%s", c->item);
	rpt_cell_add(s->m, t, RPT_PLAIN, "%s", c->allowed);
	rpt_cell_add(s->m, t, RPT_PLAIN, "%s", c->measured);
	rpt_cell_add(s->m, t,
		     !c->judged ? RPT_PLAIN
		     : c->pass  ? RPT_GOOD
				: RPT_BAD,
		     "%s",
		     !c->judged ? ""
		     : c->pass  ? "PASS"
				: "FAIL");
}

/* Limits that the rule does not apply leave no row. @pts 2.1.24 */
static void rule_rows(const struct rpt_scope *s, struct rpt_table *t,
		      const struct rpt_window_view *v, const struct ss_verdict *w)
{
	struct rpt_arena *a = &s->m->arena;
	const char *unit = pts_metric_word(v->metric);

	if (w->rule->max_range_pct > 0)
		check_row(s, t,
			  &(struct check){
				  "Data excursion (max - min)",
				  rpt_fmt(a, "<= %g %% of average = %s %s",
					  w->rule->max_range_pct,
					  window_number(s, v,
							w->average *
								w->rule->max_range_pct /
								100),
					  unit),
				  rpt_fmt(a, "%s %s = %.2f %%",
					  window_number(s, v, w->range), unit,
					  w->range_pct),
				  true,
				  ss_within(w->range, w->rule->max_range_pct,
					    w->average) });
	if (w->rule->max_excursion_pct > 0)
		check_row(
			s, t,
			&(struct check){
				"Slope excursion (line, max - min)",
				rpt_fmt(a, "<= %g %% of average = %s %s",
					w->rule->max_excursion_pct,
					window_number(s, v,
						      w->average *
							      w->rule->max_excursion_pct /
							      100),
					unit),
				rpt_fmt(a, "%s %s = %.2f %%",
					window_number(s, v, w->excursion), unit,
					w->excursion_pct),
				true,
				ss_within(w->excursion, w->rule->max_excursion_pct,
					  w->average) });
	if (w->rule->line_hi_pct > 0)
		check_row(s, t,
			  &(struct check){
				  rpt_fmt(a, "Line over %ss %u-%u (rule \"%s\")",
					  v->x_word, w->first, w->round, w->rule->name),
				  rpt_fmt(a, "%g ... %g %% of average",
					  w->rule->line_lo_pct, w->rule->line_hi_pct),
				  rpt_fmt(a, "%.2f ... %.2f %%", w->line_low_pct,
					  w->line_high_pct),
				  true, w->steady });
}

static void verification_table(const struct rpt_scope *s, struct rpt_page *p,
			       const struct rpt_window_view *v,
			       const struct ss_verdict *w)
{
	struct rpt_arena *a = &s->m->arena;
	const struct ss_verdict *band = &v->decision->band[v->series];
	const char *unit = pts_metric_word(v->metric);
	struct rpt_table *t = rpt_table_add(s->m, p, "Steady state verification");
	double lo = HUGE_VAL, hi = -HUGE_VAL;

	for (size_t i = 0; i < w->n; i++) {
		lo = fmin(lo, w->window[i]);
		hi = fmax(hi, w->window[i]);
	}
	rpt_col_add(s->m, t, "Item", false, 1.5);
	rpt_col_add(s->m, t, "Allowed", false, 1.5);
	rpt_col_add(s->m, t, "Measured", false, 1.5);
	rpt_col_add(s->m, t, "Result", false, 0.5);
	check_row(
		s, t,
		&(struct check){ "Measurement window", "",
				 rpt_fmt(a, "%ss %u-%u", v->x_label, w->first, w->round),
				 false, false });
	check_row(s, t,
		  &(struct check){
			  "Average in window", "",
			  rpt_fmt(a, "%s %s", window_number(s, v, w->average), unit),
			  false, false });
	check_row(s, t,
		  &(struct check){ "Range of values (shown, not judged)",
				   rpt_fmt(a, "%s ... %s %s (+-10 %%)",
					   window_number(s, v, w->average * 0.9),
					   window_number(s, v, w->average * 1.1), unit),
				   rpt_fmt(a, "%s ... %s %s", window_number(s, v, lo),
					   window_number(s, v, hi), unit),
				   false, false });
	rule_rows(s, t, v, w);
	check_row(s, t,
		  &(struct check){ "Least-squares line (k * R + d)", "",
				   rpt_fmt(a, "%.6g * R %c %.8g", w->slope,
					   w->intercept < 0 ? '-' : '+',
					   fabs(w->intercept)),
				   false, false });
	check_row(s, t,
		  &(struct check){ "Correlation coefficient", "",
				   rpt_fmt(a, "%.4f", w->r), false, false });
	if (w->rule != band->rule && band->judged)
		rule_rows(s, t, v, band);
}

void rpt_window_page(const struct rpt_scope *s, const struct rpt_window_view *v)
{
	struct rpt_page *p = rpt_test_page(s, v->slug, v->title);
	const struct ss_verdict *w = rpt_window(v->decision, v->series);

	if (!w->judged) {
		rpt_text_add(s->m, p, RPT_DIM, "no data: %s",
			     w->rule ? w->reason : "no round is complete");
		return;
	}
	window_chart(s, p, v, w);
	verification_table(s, p, v, w);
	rpt_text_add(s->m, p, RPT_PLAIN, "%s", v->decision->reason);
	rpt_text_add(
		s->m, p, RPT_DIM,
		"Rule \"pts\": five values; range and line excursion within their shares of the "
		"average. Rule \"band\": the line over the last four values stays in its corridor; a "
		"lab practice, no PTS rule.%s",
		v->decides
			? ""
			: " This variable is shown beside the deciding ones and does not "
			  "decide.");
}

static void no_window(const struct rpt_scope *s)
{
	struct rpt_page *p =
		rpt_test_page(s, "window", "Steady State Measurement Window");

	rpt_text_add(s->m, p, RPT_DIM, "no data: %u complete rounds make no window",
		     s->u->rounds.n_rounds);
	for (unsigned i = 0; i < s->u->test->n_track; i++)
		rpt_text_add(s->m, p, RPT_PLAIN, "Tracking variable: %s",
			     rpt_track(s->d, s->u, i));
}

void rpt_page_windows(const struct rpt_scope *s)
{
	struct rpt_arena *a = &s->m->arena;
	const struct pts_verdict *verdict = &s->u->verdict;

	if (!verdict->first) {
		no_window(s);
		return;
	}
	for (unsigned i = 0; i < s->u->test->n_track; i++) {
		struct rpt_window_view v = {
			.slug = rpt_fmt(a, "window-%u", i + 1),
			.title = rpt_fmt(a, "Steady State Measurement Window - %s",
					 rpt_track(s->d, s->u, i)),
			.metric = s->u->test->track[i].metric,
			.x_label = "Round",
			.x_word = "round",
			.h_px = H_CHART,
			.decides = s->u->test->track[i].decides,
			.decision = &verdict->decision,
		};

		for (size_t k = 0; k < verdict->decision.n_series; k++)
			if (v.decides && verdict->track_of[k] == i)
				v.series = k;
		for (unsigned k = 0; k < verdict->n_extra; k++)
			if (!v.decides && verdict->extra_of[k] == i)
				v.decision = &verdict->extra[k];
		rpt_window_page(s, &v);
	}
}
