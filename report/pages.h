/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run data -> model: which pages a report has and what stands on them. */
#ifndef REPORT_PAGES_H
#define REPORT_PAGES_H

#include "report/data.h"
#include "report/model.h"

/* The whole document. */
void rpt_pages_make(struct rpt_model *m, struct rpt_data *d, int64_t report_wall_ns);

/* The header block of the pages of a test's n cycles from u on; NULL: of pages about the whole run. */
struct rpt_head *rpt_head_make(struct rpt_model *m, struct rpt_data *d,
			       const struct rpt_unit *u, size_t n);

/* Pages about the run. */
void rpt_page_summary(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
void rpt_page_host(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
/* Nothing where it is held to no limits. */
void rpt_page_limits(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
/* Nothing where the drive said nothing. */
void rpt_page_health(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
void rpt_page_ledger(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
void rpt_page_arithmetic(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);
void rpt_page_commands(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head);

/* Where the pages of one test go, and what they are about: n of its cycles from u on. */
struct rpt_scope {
	struct rpt_model *m;
	struct rpt_data *d;
	const struct rpt_unit *u;
	size_t n;
	struct rpt_head *head;
};
/* A page of a test with its verdict and the next plot number. `slug` makes links and file names. */
struct rpt_page *rpt_test_page(const struct rpt_scope *s, const char *slug,
			       const char *title);
/* A chart on it, with drive, verdict and marks in its subtitle. */
struct rpt_chart *rpt_test_chart(const struct rpt_scope *s, struct rpt_page *p,
				 const char *slug, const char *title, unsigned h_px);

/* A chart about the whole run, with drive and the run's verdict in its subtitle. */
struct rpt_chart *rpt_run_chart(struct rpt_model *m, struct rpt_data *d,
				struct rpt_page *p, const char *name, const char *title,
				unsigned h_px);

void rpt_page_preparation(const struct rpt_scope *s);
/* PTS_OUT_CONVERGENCE, _READ and _MAX. */
void rpt_page_convergence(const struct rpt_scope *s, enum pts_output what);
void rpt_page_windows(const struct rpt_scope *s);
void rpt_page_sat_window(const struct rpt_scope *s);
void rpt_page_matrix(const struct rpt_scope *s);
void rpt_page_plot_2d(const struct rpt_scope *s);
void rpt_page_plot_3d(const struct rpt_scope *s, bool of_max);
void rpt_page_sat_time(const struct rpt_scope *s);
void rpt_shape_facts(const struct rpt_scope *s, struct rpt_page *p);
void rpt_page_sat_tgbw(const struct rpt_scope *s);
void rpt_page_sat_fills(const struct rpt_scope *s);
void rpt_page_sat_latency(const struct rpt_scope *s);
void rpt_page_histogram(const struct rpt_scope *s);

/* Axes that hold the curves of n histograms: response time, and the confidence level by nines. */
void rpt_nines_axes(struct rpt_model *m, struct rpt_chart *c,
		    const struct hist *const h[], size_t n);
/* The share that takes longer than x, to where too few samples are left. */
void rpt_nines_curve(struct rpt_model *m, struct rpt_chart *c, struct rpt_series *line,
		     const struct hist *h);
/* The name of a metric's axis, unit included. */
extern const char *const rpt_metric_axis[];
/* An axis of whole rounds (or samples). */
void rpt_round_axis(const struct rpt_scope *s, struct rpt_chart *c, unsigned first,
		    unsigned last, const char *label);

/* A tracking variable's window: its chart, and the verification table. */
struct rpt_window_view {
	const char *slug, *title;
	enum pts_metric metric;
	const char *x_label, *x_word; /* "Round", "round" */
	unsigned h_px;                /* of the chart */
	bool decides;
	const struct ss_decision *decision;
	size_t series;
};
void rpt_window_page(const struct rpt_scope *s, const struct rpt_window_view *v);

#endif
