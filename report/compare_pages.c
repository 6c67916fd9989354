/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison as a document: what is compared and how it differs first, then figures, then charts over all runs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "report/compare.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/pages.h"
#include "report/pdf.h"
#include "report/plot.h"

#define H_ONE          430
#define H_TWO          330
#define AGEING_LINES   8 /* more cannot be told apart */
#define RUNS_A_TABLE   5 /* more columns cannot be read on paper */
#define RATIOS_A_TABLE 10
#define NAMED_RUNS                                                                       \
	4 /* more are called by their letters in a chart; the page's header names them */
#define KEY_ROW_PX 20 /* of a long title under a chart */
#define LANES      0.7 /* of the room between two figures, for the runs' points side by side */

struct pages {
	struct rpt_model *m;
	struct cmp *c;
	struct rpt_head *head;
};

static const char *const kind_words[] = {
	[CMP_DRIVES] = "different drives",
	[CMP_ONE_MODEL] = "several drives of one model",
	[CMP_ONE_DRIVE] = "one drive at several times",
};

static const struct {
	const char *id, *title;
} tests[] = {
	{ "iops", "IOPS" },
	{ "tp", "Throughput" },
	{ "lat", "Latency" },
	{ "wsat", "Write Saturation" },
};

static const char *test_title(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(tests); i++)
		if (!strcmp(tests[i].id, id))
			return tests[i].title;
	return id;
}

/* --- page one --- */

static void runs_table(const struct pages *s, struct rpt_page *p)
{
	struct rpt_table *t = rpt_table_add(s->m, p, "What is compared");

	rpt_col_add(s->m, t, "Run", false, 0.4);
	rpt_col_add(s->m, t, "Drive", false, 1.7);
	rpt_col_add(s->m, t, "Serial number", false, 1.4);
	rpt_col_add(s->m, t, "Firmware", false, 0.8);
	rpt_col_add(s->m, t, "Date", false, 0.9);
	rpt_col_add(s->m, t, "Status", false, 2);
	for (size_t i = 0; i < s->c->n; i++) {
		const struct cmp_run *r = &s->c->run[i];
		const char *fw =
			st_text(json_object_get(r->run->run, "device"), "firmware");

		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", r->letter);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     *r->model ? r->model : "not stated");
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     *r->serial ? r->serial : "not stated");
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     *fw ? rpt_clean(&s->m->arena, fw) : "not stated");
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", *r->date ? r->date : "not stated");
		if (r->imported)
			rpt_cell_add(s->m, t, RPT_WARN, "IMPORTED");
		else
			rpt_cell_add(s->m, t, *r->data.status ? RPT_WARN : RPT_PLAIN,
				     "%s", *r->data.status ? r->data.status : "complete");
	}
}

static void guard_rows(const struct pages *s, struct rpt_table *t, size_t from, size_t to,
		       bool differing)
{
	for (size_t k = 0; k < s->c->n_guard; k++) {
		const struct cmp_guard *g = &s->c->guard[k];

		if (g->differs != differing)
			continue;
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", g->what);
		for (size_t i = from; i < to; i++)
			rpt_cell_add(s->m, t, RPT_PLAIN, "%s", g->value[i]);
		rpt_cell_add(s->m, t, g->differs ? RPT_WARN : RPT_GOOD, "%s",
			     g->differs ? "differs" : "same");
	}
}

/* Properties down, what differs first, runs across; as many tables as the paper needs. */
static void guard_tables(const struct pages *s, struct rpt_page *p)
{
	const struct cmp *c = s->c;

	for (size_t from = 0; from < c->n; from += RUNS_A_TABLE) {
		size_t to = from + RUNS_A_TABLE < c->n ? from + RUNS_A_TABLE : c->n;
		struct rpt_table *t = rpt_table_add(
			s->m, p, from ? "Comparability, more runs" : "Comparability");

		rpt_col_add(s->m, t, "Property", false, 1);
		for (size_t i = from; i < to; i++)
			rpt_col_add(s->m, t, c->run[i].letter, false, 1.3);
		rpt_col_add(s->m, t, "", false, 0.6);
		guard_rows(s, t, from, to, true);
		guard_rows(s, t, from, to, false);
	}
}

static void first_page(const struct pages *s)
{
	struct rpt_page *p =
		rpt_page_add(s->m, s->head, "comparison", "What Is Compared");

	runs_table(s, p);
	if (s->c->n_differs)
		rpt_text_add(
			s->m, p, RPT_WARN,
			"Not taken alike: %s. A difference of figures may be one of these.",
			s->c->differs);
	else
		rpt_text_add(s->m, p, RPT_GOOD,
			     "Taken alike in everything that was recorded.");
	guard_tables(s, p);
}

/* --- figures --- */

static const char *noise_words(const struct pages *s, const struct cmp_stat *st)
{
	if (s->c->kind == CMP_ONE_MODEL && st->outlier >= 0)
		return rpt_fmt(&s->m->arena, "outlier: %s",
			       s->c->run[st->outlier].letter);
	if (s->c->kind != CMP_ONE_DRIVE)
		return "";
	return !st->noise_known   ? "not known"
	       : st->within_noise ? "within noise"
				  : "beyond noise";
}

static const char *last_column(const struct cmp *c)
{
	return c->kind == CMP_ONE_DRIVE   ? "Noise"
	       : c->kind == CMP_ONE_MODEL ? "Outlier"
					  : NULL;
}

static void value_cell(const struct pages *s, struct rpt_table *t,
		       const struct cmp_row *r, size_t run, bool is_best)
{
	const struct cmp_value *v = &r->value[run];
	const char *text;

	if (!v->known) {
		rpt_cell_add(s->m, t, RPT_DIM, "n/a");
		return;
	}
	text = cmp_text(&s->m->arena, r, v->v);
	/* An import beside a PTS figure was taken at a depth of its own. */
	if (s->c->run[run].imported && !r->tc)
		text = rpt_fmt(&s->m->arena, "%s (%u/%u)", text, v->tc, v->qd);
	rpt_cell_add(s->m, t, is_best ? RPT_GOOD : RPT_PLAIN, "%s%s", text,
		     is_best ? " *" : "");
}

static void figures_table(const struct pages *s, struct rpt_page *p, size_t from,
			  bool keys_only, const char *test)
{
	const struct cmp *c = s->c;
	size_t to = from + RUNS_A_TABLE < c->n ? from + RUNS_A_TABLE : c->n;
	struct rpt_table *t = rpt_table_add(s->m, p, "");

	if (!test)
		rpt_col_add(s->m, t, "Test", false, 1.2);
	rpt_col_add(s->m, t, "Figure", false, 2.1);
	for (size_t i = from; i < to; i++)
		rpt_col_add(s->m, t, c->run[i].letter, true, 1);
	rpt_col_add(s->m, t, "Unit", false, 0.5);
	rpt_col_add(s->m, t, "Median", true, 0.9);
	rpt_col_add(s->m, t, "Spread (%)", true, 0.8);
	if (last_column(c))
		rpt_col_add(s->m, t, last_column(c), false, 1);
	for (size_t k = 0; k < c->n_row; k++) {
		const struct cmp_row *r = &c->row[k];
		struct cmp_stat st = cmp_stat(c, r);

		if ((keys_only && !r->key) || (test && strcmp(test, r->test)))
			continue;
		if (!test)
			rpt_cell_add(s->m, t, RPT_PLAIN, "%s", test_title(r->test));
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", r->what);
		for (size_t i = from; i < to; i++)
			value_cell(s, t, r, i, st.n > 1 && i == st.best);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s", r->unit);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     cmp_text(&s->m->arena, r, st.median));
		rpt_cell_add(s->m, t, st.n > 1 ? RPT_PLAIN : RPT_DIM, "%s",
			     st.n > 1 ? rpt_fmt(&s->m->arena, "%.1f", st.spread_pct)
				      : "n/a");
		if (last_column(c))
			rpt_cell_add(s->m, t,
				     st.outlier >= 0 && c->kind == CMP_ONE_MODEL
					     ? RPT_WARN
					     : RPT_PLAIN,
				     "%s", st.n > 1 ? noise_words(s, &st) : "n/a");
	}
}

static void key_page(const struct pages *s)
{
	struct rpt_page *p =
		rpt_page_add(s->m, s->head, "key-figures", "Key Figures Side by Side");

	rpt_text_add(
		s->m, p, RPT_DIM,
		"* the best. Spread: largest less smallest, of the median.%s%s",
		s->c->kind == CMP_ONE_DRIVE
			? " Within noise: no two values lie further apart than the wider of their own "
			  "measurement windows' ranges."
			: "",
		s->c->kind == CMP_ONE_MODEL
			? " Outlier: of four or more, the furthest from the median, by more than three median "
			  "distances and 5 %."
			: "");
	for (size_t from = 0; from < s->c->n; from += RUNS_A_TABLE)
		figures_table(s, p, from, true, NULL);
}

/* --- charts --- */

static struct rpt_chart *chart(const struct pages *s, struct rpt_page *p,
			       const char *name, const char *title, unsigned h_px)
{
	struct rpt_chart *c = rpt_chart_add(s->m, p, name, title, h_px);

	c->subtitle = *s->c->differs ? rpt_fmt(&s->m->arena, "not taken alike: %s",
					       s->c->differs)
				     : kind_words[s->c->kind];
	c->alt = rpt_fmt(&s->m->arena, "%s of %zu runs; the values are in the tables.",
			 title, s->c->n);
	return c;
}

/* What a chart calls a run. */
static const char *chart_name(const struct pages *s, size_t run)
{
	return s->c->n > NAMED_RUNS ? s->c->run[run].letter : s->c->run[run].name;
}

static struct rpt_series *line(const struct pages *s, struct rpt_chart *c, size_t run,
			       enum rpt_style style)
{
	return rpt_series_add(s->m, c, chart_name(s, run), style, (unsigned)run);
}

static bool has_ratio(const struct pages *s, const struct cmp_row *r)
{
	return r->key && r->value[0].known && r->value[0].v > 0 &&
	       cmp_stat(s->c, r).n > 1;
}

static void ratio_cell(const struct pages *s, struct rpt_table *t,
		       const struct cmp_row *r, size_t run)
{
	if (r->value[run].known)
		rpt_cell_add(s->m, t, RPT_PLAIN, "%.3f", r->value[run].v / r->value[0].v);
	else
		rpt_cell_add(s->m, t, RPT_DIM, "n/a");
}

/* The runs from `from` on, to the first. */
static void ratio_table(const struct pages *s, struct rpt_page *p, size_t from)
{
	const struct cmp *c = s->c;
	size_t to = from + RATIOS_A_TABLE < c->n ? from + RATIOS_A_TABLE : c->n, n = 0;
	struct rpt_table *t = rpt_table_add(s->m, p, "");

	rpt_col_add(s->m, t, "No.", true, 0.4);
	rpt_col_add(s->m, t, "Figure", false, 2.8);
	rpt_col_add(s->m, t, "Better", false, 0.7);
	for (size_t i = from; i < to; i++)
		rpt_col_add(s->m, t, rpt_fmt(&s->m->arena, "%s/A", c->run[i].letter),
			    true, 0.6);
	for (size_t k = 0; k < c->n_row; k++) {
		const struct cmp_row *r = &c->row[k];

		if (!has_ratio(s, r))
			continue;
		rpt_cell_add(s->m, t, RPT_PLAIN, "%zu", ++n);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s: %s", test_title(r->test), r->what);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     cmp_lower_is_better(r->quantity) ? "lower" : "higher");
		for (size_t i = from; i < to; i++)
			ratio_cell(s, t, r, i);
	}
}

/* Where a run's point stands beside the place of its figure. */
static double lane(const struct pages *s, size_t run)
{
	return LANES * (((double)run + 0.5) / (double)s->c->n - 0.5);
}

/* Every key figure as a share of the first run's. */
static void ratio_page(const struct pages *s)
{
	struct rpt_page *p =
		rpt_page_add(s->m, s->head, "ratios", "Ratios to the First Run");
	struct rpt_chart *c =
		chart(s, p, "ratios", "Key Figures, Each to That of Run A", H_ONE);
	size_t n = 0;

	c->x = (struct rpt_axis){ .label = "Figure (number in the table below)" };
	c->y = (struct rpt_axis){ .label = "Ratio to run A", .log = true };
	for (size_t i = 0; i < s->c->n; i++)
		(void)line(s, c, i, RPT_POINTS);
	for (size_t k = 0; k < s->c->n_row; k++) {
		const struct cmp_row *r = &s->c->row[k];

		if (!has_ratio(s, r))
			continue;
		n++;
		rpt_tick_add(s->m, &c->x, (double)n, rpt_fmt(&s->m->arena, "%zu", n));
		for (size_t i = 0; i < s->c->n; i++)
			if (r->value[i].known)
				rpt_point_add(s->m, c, c->series[i],
					      (double)n + lane(s, i),
					      r->value[i].v / r->value[0].v);
	}
	c->x.lo = 0.5;
	c->x.hi = (double)n + 0.5;
	for (size_t from = 1; from < s->c->n; from += RATIOS_A_TABLE)
		ratio_table(s, p, from);
}

/* One drive at several times: each key figure, to that of the first time. */
static void ageing_page(const struct pages *s)
{
	struct rpt_page *p;
	struct rpt_chart *c;
	size_t n = 0;

	if (s->c->kind != CMP_ONE_DRIVE)
		return;
	p = rpt_page_add(s->m, s->head, "ageing", "One Drive over Time");
	c = chart(s, p, "ageing", "Key Figures over Time, Each to That of Run A", H_ONE);
	c->h_px += KEY_ROW_PX * AGEING_LINES;
	c->x = (struct rpt_axis){ .label = "Run",
				  .lo = 0.5,
				  .hi = (double)s->c->n + 0.5 };
	c->y = (struct rpt_axis){ .label = "Ratio to run A" };
	for (size_t i = 0; i < s->c->n; i++)
		rpt_tick_add(s->m, &c->x, (double)i + 1, chart_name(s, i));
	for (size_t k = 0; k < s->c->n_row; k++) {
		const struct cmp_row *r = &s->c->row[k];
		struct rpt_series *l;

		if (!has_ratio(s, r) || n++ >= AGEING_LINES)
			continue;
		l = rpt_series_add(s->m, c,
				   rpt_fmt(&s->m->arena, "%s (%s)", r->what, r->unit),
				   RPT_POINTS_LINE, (unsigned)n - 1);
		for (size_t i = 0; i < s->c->n; i++)
			if (r->value[i].known)
				rpt_point_add(s->m, c, l, (double)i + 1,
					      r->value[i].v / r->value[0].v);
	}
	if (n > AGEING_LINES)
		rpt_text_add(
			s->m, p, RPT_DIM,
			"The first %d of %zu key figures; the table of ratios has all.",
			AGEING_LINES, n);
}

/* One quantity of a test over the block sizes, for one mix. */
static void by_block_chart(const struct pages *s, struct rpt_page *p, const char *test,
			   enum cmp_quantity q, uint8_t read_pct, const char *axis)
{
	const char *title = rpt_fmt(&s->m->arena, "%s by Block Size, RW %s",
				    test_title(test), rpt_mix(&s->m->arena, read_pct));
	struct rpt_chart *c =
		chart(s, p, rpt_fmt(&s->m->arena, "%s-%u", test, read_pct), title, H_TWO);

	c->x = (struct rpt_axis){ .label = "Block size (KiB)", .log = true };
	c->y = (struct rpt_axis){ .label = axis, .log = true };
	for (size_t i = 0; i < s->c->n; i++) {
		struct rpt_series *l = line(s, c, i, RPT_POINTS_LINE);

		for (size_t k = s->c->n_row; k--;) {
			const struct cmp_row *r = &s->c->row[k];

			if (strcmp(r->test, test) || r->quantity != q || r->tc ||
			    r->read_pct != read_pct || !r->value[i].known)
				continue;
			rpt_point_add(s->m, c, l, r->bs_b / 1024.0, r->value[i].v);
		}
	}
}

static bool has(const struct cmp *c, const char *test, enum cmp_quantity q)
{
	for (size_t k = 0; k < c->n_row; k++)
		if (!strcmp(c->row[k].test, test) && c->row[k].quantity == q &&
		    !c->row[k].tc)
			return true;
	return false;
}

static void blocks_pages(const struct pages *s)
{
	static const struct {
		const char *test, *axis;
		enum cmp_quantity q;
		uint8_t mix[3];
		size_t n;
	} of[] = {
		{ "iops", "IOPS", CMP_IOPS, { 100, 65, 0 }, 3 },
		{ "tp", "Throughput (MB/s)", CMP_MBPS, { 100, 0 }, 2 },
		{ "lat", "Mean response time (ms)", CMP_ART, { 100, 65, 0 }, 3 },
	};

	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		struct rpt_page *p = NULL;

		if (!has(s->c, of[i].test, of[i].q))
			continue;
		for (size_t k = 0; k < of[i].n; k++) {
			if (k % 2 == 0)
				p = rpt_page_add(s->m, s->head,
						 rpt_fmt(&s->m->arena, "%s-by-block-%zu",
							 of[i].test, k / 2 + 1),
						 rpt_fmt(&s->m->arena, "%s by Block Size",
							 test_title(of[i].test)));
			by_block_chart(s, p, of[i].test, of[i].q, of[i].mix[k],
				       of[i].axis);
		}
		p = rpt_page_add(s->m, s->head,
				 rpt_fmt(&s->m->arena, "%s-figures", of[i].test),
				 rpt_fmt(&s->m->arena, "%s: Every Figure",
					 test_title(of[i].test)));
		for (size_t from = 0; from < s->c->n; from += RUNS_A_TABLE)
			figures_table(s, p, from, false, of[i].test);
	}
}

static const struct rpt_unit *saturation(const struct cmp_run *r)
{
	for (size_t i = 0; !r->imported && i < r->data.n_unit; i++)
		if (r->data.unit[i].minute.n)
			return &r->data.unit[i];
	return NULL;
}

static void saturation_chart(const struct pages *s, struct rpt_page *p, bool over_fills)
{
	struct rpt_chart *c = chart(s, p, over_fills ? "wsat-fills" : "wsat-time",
				    over_fills ? "Write Saturation by Drive Fills"
					       : "Write Saturation over Time",
				    H_TWO);

	c->x = (struct rpt_axis){ .label = over_fills ? "Written (user capacities)"
						      : "Time (hours)" };
	c->y = (struct rpt_axis){ .label = "IOPS", .from_zero = true };
	for (size_t i = 0; i < s->c->n; i++) {
		const struct rpt_unit *u = saturation(&s->c->run[i]);
		struct rpt_series *l = u ? line(s, c, i, RPT_LINE) : NULL;
		double written = 0;

		for (size_t k = 0; u && k < u->minute.n; k++) {
			const struct st_point *pt = u->minute.p[k];

			written += (double)pt->dir[IO_WRITE].bytes;
			rpt_point_add(
				s->m, c, l,
				over_fills ? written / (double)s->c->run[i]
							       .data.opts.capacity_b
					   : (double)(pt->t1_ns - u->minute.p[0]->t0_ns) /
						     3600e9,
				st_point_iops(pt));
		}
	}
}

static void saturation_page(const struct pages *s)
{
	struct rpt_page *p;
	bool any = false;

	for (size_t i = 0; i < s->c->n; i++)
		any = any || saturation(&s->c->run[i]);
	if (!any)
		return;
	p = rpt_page_add(s->m, s->head, "saturation", "Write Saturation");
	saturation_chart(s, p, false);
	saturation_chart(s, p, true);
}

/* The histograms after latency and saturation. */
static void nines_pages(const struct pages *s)
{
	for (size_t k = 0; k < ARRAY_LEN(tests); k++) {
		const struct hist *h[CMP_MAX_RUNS];
		size_t of[CMP_MAX_RUNS], n = 0;

		for (size_t i = 0; i < s->c->n; i++) {
			const struct rpt_data *d = &s->c->run[i].data;

			for (size_t u = 0; !s->c->run[i].imported && u < d->n_unit; u++) {
				if (strcmp(d->unit[u].test->id, tests[k].id))
					continue;
				h[n] = rpt_merge(&s->m->arena, &d->unit[u].hist);
				of[n] = i;
				n += h[n] != NULL;
				break;
			}
		}
		if (n < 2)
			continue;
		struct rpt_page *p = rpt_page_add(
			s->m, s->head, rpt_fmt(&s->m->arena, "%s-nines", tests[k].id),
			rpt_fmt(&s->m->arena, "%s: Response Times", tests[k].title));
		struct rpt_chart *c = chart(
			s, p, rpt_fmt(&s->m->arena, "%s-nines", tests[k].id),
			rpt_fmt(&s->m->arena, "%s: Response Time by Confidence Level",
				tests[k].title),
			H_ONE);

		rpt_nines_axes(s->m, c, h, n);
		for (size_t i = 0; i < n; i++)
			rpt_nines_curve(s->m, c, line(s, c, of[i], RPT_LINE), h[i]);
	}
}

static struct rpt_head *make_head(struct rpt_model *m, struct cmp *c)
{
	struct rpt_head *h = rpt_alloc(&m->arena, sizeof(*h));

	h->band = "Comparison - Report Page";
	h->subtitle = kind_words[c->kind];
	for (size_t g = 0; g < RPT_GROUPS; g++) {
		h->group[g].title = g ? "" : "Runs";
		for (size_t i = g; i < c->n; i += RPT_GROUPS)
			rpt_fact_add(m, &h->group[g], c->run[i].letter, "%s",
				     c->run[i].name + 3);
	}
	return h;
}

void cmp_pages_make(struct rpt_model *m, struct cmp *c, int64_t report_wall_ns)
{
	const struct pages s = { m, c, make_head(m, c) };

	m->title = rpt_fmt(&m->arena, "SSD comparison - %s", kind_words[c->kind]);
	m->drive = rpt_fmt(&m->arena, "%zu runs: %s", c->n, kind_words[c->kind]);
	m->keywords = "SNIA PTS, comparison";
	m->edition = c->run[0].imported ? "imported" : c->run[0].data.opts.edition->label;
	m->watermark = "";
	m->report_wall_ns = report_wall_ns;
	m->report_date = rpt_date(&m->arena, report_wall_ns);
	m->run_date = "as listed on page one";
	m->status = (struct rpt_mark){
		.text = *c->differs
				? rpt_fmt(&m->arena, "not taken alike: %s", c->differs)
				: "",
		.tone = RPT_WARN
	};
	rpt_fact_add(m, &m->people, "Comparison", "%s", kind_words[c->kind]);
	rpt_fact_add(m, &m->people, "Runs", "%zu", c->n);
	first_page(&s);
	key_page(&s);
	ratio_page(&s);
	ageing_page(&s);
	blocks_pages(&s);
	saturation_page(&s);
	nines_pages(&s);
}

/* --- files --- */

static void figures_csv(const struct cmp *c, struct str *s)
{
	str_add(s, "test,figure,unit");
	for (size_t i = 0; i < c->n; i++) {
		str_add(s, ",");
		rpt_csv_word(s, c->run[i].name);
	}
	str_add(s, ",median,spread_pct\r\n");
	for (size_t k = 0; k < c->n_row; k++) {
		const struct cmp_row *r = &c->row[k];
		struct cmp_stat st = cmp_stat(c, r);

		str_addf(s, "%s,", r->test);
		rpt_csv_word(s, r->what);
		str_addf(s, ",%s", r->unit);
		for (size_t i = 0; i < c->n; i++)
			if (r->value[i].known)
				str_addf(s, ",%.17g", r->value[i].v);
			else
				str_add(s, ",");
		str_addf(s, ",%.17g,", st.median);
		if (st.n > 1)
			str_addf(s, "%.17g", st.spread_pct);
		str_add(s, "\r\n");
	}
}

static json_t *row_json(const struct cmp *c, const struct cmp_row *r)
{
	struct cmp_stat st = cmp_stat(c, r);
	json_t *values = json_array();

	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(values, r->value[i].known ? json_real(r->value[i].v)
								: json_null());
	return json_pack(
		"{s:s,s:s,s:s,s:b,s:o,s:f,s:o,s:o,s:o,s:o}", "test", r->test, "figure",
		r->what, "unit", r->unit, "key", r->key, "values", values, "median",
		st.median, "spread_pct",
		st.n > 1 ? json_real(st.spread_pct) : json_null(), "best",
		st.n > 1 ? json_string(c->run[st.best].letter) : json_null(), "outlier",
		st.outlier < 0 ? json_null() : json_string(c->run[st.outlier].letter),
		"within_noise",
		st.noise_known ? json_boolean(st.within_noise) : json_null());
}

static json_t *comparison_json(const struct cmp *c)
{
	json_t *runs = json_array(), *rows = json_array(), *guard = json_array();

	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(runs, json_pack("{s:s,s:s,s:s,s:b,s:b}", "letter",
						      c->run[i].letter, "model",
						      c->run[i].model, "serial",
						      c->run[i].serial, "imported",
						      c->run[i].imported, "simulated",
						      c->run[i].data.simulated));
	for (size_t k = 0; k < c->n_row; k++)
		json_array_append_new(rows, row_json(c, &c->row[k]));
	for (size_t k = 0; k < c->n_guard; k++) {
		json_t *values = json_array();

		for (size_t i = 0; i < c->n; i++)
			json_array_append_new(values, json_string(c->guard[k].value[i]));
		json_array_append_new(guard,
				      json_pack("{s:s,s:b,s:o}", "property",
						c->guard[k].what, "differs",
						c->guard[k].differs, "values", values));
	}
	return json_pack("{s:s,s:I,s:o,s:o,s:o}", "kind", kind_words[c->kind], "differs",
			 (json_int_t)c->n_differs, "runs", runs, "comparability", guard,
			 "figures", rows);
}

static int save(const struct str *s, const char *dir, const char *name, struct err *err)
{
	char path[PATH_MAX];

	if (s->failed)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return err_set(err, EXIT_CODE_USAGE, ENAMETOOLONG,
			       "%s: the path is too long", dir);
	return str_write_file(s, path, err);
}

static int write_data(const struct cmp *c, const char *dir, struct err *err)
{
	struct str csv = { 0 }, text = { 0 };
	json_t *o = comparison_json(c);
	char *dump = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	int rc;

	figures_csv(c, &csv);
	rc = save(&csv, dir, "figures.csv", err);
	if (dump)
		str_addf(&text, "%s\n", dump);
	else
		text.failed = true;
	if (!rc)
		rc = save(&text, dir, "comparison.json", err);
	free(dump);
	json_decref(o);
	str_release(&text);
	str_release(&csv);
	return rc;
}

/* Everything that allocates from the arena happens in here. */
static int build(const struct st_run *const run[], size_t n, struct rpt_model *m,
		 struct cmp *c, int64_t wall_ns, struct err *err)
{
	int rc;

	if (setjmp(m->arena.oom))
		return err_set(err, EXIT_CODE_HOST, ENOMEM,
			       "out of memory making the comparison");
	rc = cmp_make(run, n, &m->arena, c, err);
	if (rc)
		return rc;
	cmp_pages_make(m, c, wall_ns);
	rpt_link_add(m, "figures.csv", "every figure of every run, unrounded");
	rpt_link_add(m, "comparison.json", "the same with statistics and comparability");
	return 0;
}

static int make_dir(const char *path, struct err *err)
{
	return mkdir(path, 0777) && errno != EEXIST
		       ? err_set(err, errno == ENOENT ? EXIT_CODE_USAGE : EXIT_CODE_HOST,
				 errno, "%s cannot be made: %s", path, strerror(errno))
		       : 0;
}

int cmp_write(const struct st_run *const run[], size_t n, const struct cmp_opts *opts,
	      struct cmp_result *ret, struct err *err)
{
	struct rpt_model m = { .paper = opts->paper };
	struct cmp c = { 0 };
	char charts[PATH_MAX];
	unsigned pages;
	int rc = rpt_plot_ready(err);

	*ret = (struct cmp_result){ 0 };
	if (!rc && (snprintf(charts, sizeof(charts), "%s/charts", opts->out_dir) >=
			    (int)sizeof(charts) ||
		    snprintf(ret->html, sizeof(ret->html), "%s/comparison.html",
			     opts->out_dir) >= (int)sizeof(ret->html) ||
		    snprintf(ret->pdf, sizeof(ret->pdf), "%s/comparison.pdf",
			     opts->out_dir) >= (int)sizeof(ret->pdf)))
		rc = err_set(err, EXIT_CODE_USAGE, ENAMETOOLONG,
			     "%s: the path is too long", opts->out_dir);
	if (!rc)
		rc = build(run, n, &m, &c, opts->report_wall_ns, err);
	if (!rc)
		rc = make_dir(opts->out_dir, err);
	if (!rc)
		rc = make_dir(charts, err);
	if (!rc)
		rc = write_data(&c, opts->out_dir, err);
	if (!rc)
		rc = rpt_plot_all(&m, charts, err);
	if (!rc)
		rc = rpt_html_write(&m, charts, ret->html, err);
	if (!rc)
		rc = rpt_pdf_write(&m, charts, ret->pdf, &pages, err);
	ret->differs = c.n_differs;
	cmp_release(&c);
	rpt_arena_release(&m.arena);
	return rc;
}
