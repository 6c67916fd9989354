/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of pages: the run, then each test as its table lists its reports, then the evidence. */
#include "report/pages.h"

#include <string.h>

struct rpt_page *rpt_test_page(const struct rpt_scope *s, const char *slug,
			       const char *title)
{
	struct rpt_arena *a = &s->m->arena;
	struct rpt_page *p =
		rpt_page_add(s->m, s->head, rpt_fmt(a, "%s-%s", s->u->key, slug), title);

	p->plot = rpt_fmt(a, "Plot A.%u", ++s->m->n_plot);
	p->verdict = rpt_verdict(s->d, s->u);
	return p;
}

struct rpt_chart *rpt_test_chart(const struct rpt_scope *s, struct rpt_page *p,
				 const char *slug, const char *title, unsigned h_px)
{
	struct rpt_arena *a = &s->m->arena;
	const char *status = s->d->chart_status;
	struct rpt_chart *c;

	c = rpt_chart_add(s->m, p, rpt_fmt(a, "%s-%s", s->u->key, slug), title, h_px);
	c->subtitle = rpt_fmt(a, "%s · %s%s%s", s->d->drive, p->verdict.text,
			      *status ? " · " : "", status);
	return c;
}

struct rpt_chart *rpt_run_chart(struct rpt_model *m, struct rpt_data *d,
				struct rpt_page *p, const char *name, const char *title,
				unsigned h_px)
{
	bool bad = d->n_mark && d->mark[0].tone == RPT_BAD; /* the status says it all */
	struct rpt_chart *c = rpt_chart_add(m, p, name, title, h_px);

	c->subtitle = rpt_fmt(&m->arena, "%s · %s%s%s", d->drive,
			      bad ? "" : exit_code_word(d->exit),
			      !bad && *d->status ? " · " : "", d->status);
	return c;
}

/* A report over all cycles of a test; the others belong to one. */
static bool over_cycles(enum pts_output what)
{
	return what == PTS_OUT_MATRIX || what == PTS_OUT_PLOT_2D;
}

static void make_output(const struct rpt_scope *s, enum pts_output what)
{
	switch (what) {
	case PTS_OUT_CONVERGENCE:
	case PTS_OUT_CONVERGENCE_READ:
	case PTS_OUT_CONVERGENCE_MAX:
		rpt_page_convergence(s, what);
		break;
	case PTS_OUT_WINDOW:
		if (pts_test_step(s->u->test, PTS_SATURATE))
			rpt_page_sat_window(s);
		else
			rpt_page_windows(s);
		break;
	case PTS_OUT_MATRIX:
		rpt_page_matrix(s);
		break;
	case PTS_OUT_PLOT_2D:
		rpt_page_plot_2d(s);
		break;
	case PTS_OUT_PLOT_3D:
		rpt_page_plot_3d(s, false);
		break;
	case PTS_OUT_PLOT_3D_MAX:
		rpt_page_plot_3d(s, true);
		break;
	case PTS_OUT_SAT_TIME:
		rpt_page_sat_time(s);
		break;
	case PTS_OUT_SAT_TGBW:
		rpt_page_sat_tgbw(s);
		break;
	case PTS_OUT_SAT_FILLS:
		rpt_page_sat_fills(s);
		break;
	case PTS_OUT_SAT_LATENCY:
		rpt_page_sat_latency(s);
		break;
	case PTS_OUT_HISTOGRAM:
		rpt_page_histogram(s);
		break;
	case PTS_OUT_END:
		break;
	}
}

/* No later cycle has run. */
static bool is_last(const struct rpt_unit *u, size_t cycle, size_t n)
{
	for (size_t i = cycle + 1; i < n; i++)
		if (u[i].ran)
			return false;
	return true;
}

/* The pages of one test, whose n cycles begin at `u`. One that did not run has a page that says so. */
static void make_test(struct rpt_model *m, struct rpt_data *d, const struct rpt_unit *u,
		      size_t n)
{
	struct rpt_scope all = { m, d, u, n, rpt_head_make(m, d, u, n) };

	for (size_t cycle = 0; cycle < n; cycle++) {
		struct rpt_scope one = { m, d, &u[cycle], 1,
					 rpt_head_make(m, d, &u[cycle], 1) };

		rpt_page_preparation(&one);
		if (!u[cycle].ran)
			continue;
		for (size_t i = 0; i < PTS_MAX_OUT && u->test->out[i].what; i++) {
			enum pts_output what = u->test->out[i].what;

			if (!over_cycles(what))
				make_output(&one, what);
			else if (is_last(u, cycle, n))
				make_output(&all, what);
		}
	}
}

static void fill_front(struct rpt_model *m, struct rpt_data *d, int64_t report_wall_ns)
{
	m->status = (struct rpt_mark){ .text = d->status,
				       .tone = d->n_mark ? d->mark[0].tone : RPT_PLAIN };
	m->drive = d->drive;
	m->title = rpt_fmt(&m->arena, "SSD performance test report - %s", d->drive);
	m->author = rpt_word_or_null(d, "lab.tested_by");
	m->keywords = rpt_fmt(&m->arena, "SNIA PTS, %s, %s, firmware %s", d->drive,
			      d->opts.edition->label, rpt_word(d, "device.firmware"));
	m->edition = d->opts.edition->label;
	m->watermark = d->short_rounds ? "short rounds - not PTS conformant" : "";
	m->report_wall_ns = report_wall_ns;
	m->report_date = rpt_date(&m->arena, report_wall_ns);
	m->run_date = rpt_run_date(d);
	rpt_fact_add(m, &m->people, "Vendor", "%s", rpt_word(d, "device.vendor"));
	rpt_fact_add(m, &m->people, "SSD model", "%s", rpt_model(d));
	rpt_fact_add(m, &m->people, "Test sponsor", "%s", rpt_word(d, "lab.sponsor"));
	rpt_fact_add(m, &m->people, "Tested by", "%s", rpt_word(d, "lab.tested_by"));
	rpt_fact_add(m, &m->people, "Auditor", "%s", rpt_word(d, "lab.auditor"));
}

void rpt_pages_make(struct rpt_model *m, struct rpt_data *d, int64_t report_wall_ns)
{
	struct rpt_head *head = rpt_head_make(m, d, NULL, 0);

	fill_front(m, d, report_wall_ns);
	rpt_page_summary(m, d, head);
	rpt_page_limits(m, d, head);
	for (size_t i = 0; i < d->n_unit;) {
		size_t n = 1;

		while (i + n < d->n_unit && d->unit[i + n].test == d->unit[i].test)
			n++;
		make_test(m, d, &d->unit[i], n);
		i += n;
	}
	rpt_page_host(m, d, head);
	rpt_page_health(m, d, head);
	rpt_page_ledger(m, d, head);
	rpt_page_arithmetic(m, d, head);
	rpt_page_commands(m, d, head);
}
