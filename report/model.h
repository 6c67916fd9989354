/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as a document: pages of blocks, charts as data. Made from a run once, then drawn
 * by each exporter (plot, html, pdf) without looking at the run again. All of it lives in one
 * arena; running out of memory leaves the building of the whole model, not each of its steps.
 */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct rpt_arena {
	struct rpt_chunk *chunk;
	jmp_buf oom; /* set by who owns the arena, before the first allocation */
};
void *rpt_alloc(struct rpt_arena *a,
		size_t n); /* zeroed; out of memory: longjmp(a->oom, 1) */
const char *rpt_fmt(struct rpt_arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Room for element n of an array of n elements that only grows through here. */
void *rpt_grow(struct rpt_arena *a, void *array, size_t n, size_t elem_b);
void rpt_arena_release(struct rpt_arena *a);

/* What a cell or a status says beyond its words; never by colour alone. */
enum rpt_tone { RPT_PLAIN, RPT_GOOD, RPT_WARN, RPT_BAD, RPT_DIM };

struct rpt_fact {
	const char *key, *value;
};

struct rpt_facts {
	const char *title; /* "" = none */
	struct rpt_fact *fact;
	size_t n;
};

struct rpt_col {
	const char *title;
	bool number;   /* right-aligned */
	double weight; /* share of the width */
};

struct rpt_cell {
	const char *text;
	enum rpt_tone tone;
};

struct rpt_table {
	const char *caption;
	const char *span_title; /* over the columns from span_from on; NULL = none */
	size_t span_from;
	struct rpt_col *col;
	size_t n_col;
	struct rpt_cell *cell; /* row by row */
	size_t n_cell;
	bool narrow; /* no wider than its content needs */
};

enum rpt_style {
	RPT_LINE,
	RPT_POINTS_LINE,
	RPT_POINTS,
	RPT_DASHED,
	RPT_DOTTED,
	RPT_BARS
};

struct rpt_point {
	double x, y;
};

struct rpt_series {
	const char *title;
	enum rpt_style style;
	unsigned colour; /* index into the palette; the point shape follows it */
	bool right;      /* on the right axis */
	struct rpt_point *point;
	size_t n;
};

struct rpt_tick {
	double at;
	const char *label;
};

struct rpt_axis {
	const char *label; /* quantity and unit; NULL: the axis is not used */
	bool log;
	bool from_zero; /* linear: starts at 0 */
	double lo, hi;  /* lo < hi: fixed range */
	struct rpt_tick *tick;
	size_t n_tick;
};

struct rpt_vmark {
	double x;
	const char *label;
};

/* Values over two lists of names, as bars standing on a plane. */
struct rpt_bars {
	const char **row, **col;
	size_t n_row, n_col;
	double *value; /* [row * n_col + col]; negative = absent */
};

struct rpt_chart {
	const char *name; /* file name without its end */
	const char *title;
	const char *subtitle; /* drive, verdict, marks */
	unsigned w_px, h_px;
	struct rpt_axis x, y, y2;
	struct rpt_series **series;
	size_t n_series;
	struct rpt_vmark *mark;
	size_t n_mark;
	double bar_w;   /* of RPT_BARS, in units of x; 0: as wide as there is room */
	double log_bin; /* of RPT_BARS on a log x axis: upper by lower edge of a bar */
	struct rpt_bars *bars; /* non-NULL: 3-D; series are not used */
	size_t dropped;        /* values that a log axis cannot show */
	const char *alt;       /* for who cannot see it */
};

enum rpt_kind { RPT_FACTS, RPT_TABLE, RPT_CHART, RPT_TEXT };

struct rpt_block {
	enum rpt_kind kind;
	union {
		struct rpt_facts *facts;
		struct rpt_table *table;
		struct rpt_chart *chart;
		struct {
			const char *text;
			enum rpt_tone tone;
			bool heading;
		} text;
	} u;
};

/* The four columns of the page header. */
#define RPT_GROUPS 4
struct rpt_head {
	const char *band;     /* "IOPS Test - Report Page" */
	const char *subtitle; /* "IOPS - Block Size x RW Mix Matrix" */
	struct rpt_facts group[RPT_GROUPS];
};

struct rpt_mark {
	const char *text;
	enum rpt_tone tone;
	bool of_tests; /* sums up verdicts that the tests' own pages show */
};

struct rpt_page {
	const char *id; /* unique, for links */
	const char *title;
	const char *plot; /* "Plot A.1", "" where the page has none */
	struct rpt_head *head;
	struct rpt_mark verdict; /* of the page's test; "" = none */
	struct rpt_block *block;
	size_t n_block;
};

/* A file that lies beside the report: its path from there. */
struct rpt_link {
	const char *file, *what;
};

enum rpt_paper { RPT_A4, RPT_LETTER };

struct rpt_model {
	struct rpt_arena arena;
	enum rpt_paper paper;
	const char *title;             /* of the document */
	const char *author, *keywords; /* for its metadata; NULL: none */
	const char *drive;             /* model and serial, as every chart names it */
	const char *run_date, *report_date;
	int64_t report_wall_ns;
	const char *edition;     /* "PTS-E 2.0.2" */
	struct rpt_facts people; /* vendor, model, sponsor, tested by, auditor */
	struct rpt_mark
		status; /* what holds for the whole run and stands on every page; "" = nothing */
	const char *watermark; /* "" = none */
	struct rpt_page **page;
	size_t n_page;
	struct rpt_chart **chart; /* those of all pages, in order */
	size_t n_chart;
	unsigned n_plot;
	struct rpt_link *link;
	size_t n_link;
};

struct rpt_page *rpt_page_add(struct rpt_model *m, struct rpt_head *head, const char *id,
			      const char *title);

void rpt_link_add(struct rpt_model *m, const char *file, const char *what);

struct rpt_facts *rpt_facts_add(struct rpt_model *m, struct rpt_page *p,
				const char *title);
void rpt_fact_add(struct rpt_model *m, struct rpt_facts *f, const char *key,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);
struct rpt_table *rpt_table_add(struct rpt_model *m, struct rpt_page *p,
				const char *caption);
void rpt_col_add(struct rpt_model *m, struct rpt_table *t, const char *title, bool number,
		 double weight);
void rpt_cell_add(struct rpt_model *m, struct rpt_table *t, enum rpt_tone tone,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);
void rpt_text_add(struct rpt_model *m, struct rpt_page *p, enum rpt_tone tone,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);
void rpt_heading_add(struct rpt_model *m, struct rpt_page *p, const char *text);

/* A chart of w x h pixels; its page gets the next plot number. */
struct rpt_chart *rpt_chart_add(struct rpt_model *m, struct rpt_page *p, const char *name,
				const char *title, unsigned h_px);
struct rpt_series *rpt_series_add(struct rpt_model *m, struct rpt_chart *c,
				  const char *title, enum rpt_style style,
				  unsigned colour);
/* A value that is not finite, or that the chart's log axis cannot show, is left out (the latter counted). */
void rpt_point_add(struct rpt_model *m, struct rpt_chart *c, struct rpt_series *s,
		   double x, double y);
void rpt_tick_add(struct rpt_model *m, struct rpt_axis *axis, double at,
		  const char *label);
void rpt_vmark_add(struct rpt_model *m, struct rpt_chart *c, double x, const char *label);
bool rpt_chart_empty(const struct rpt_chart *c);

#define RPT_CHART_W 840 /* pixels of every chart's width */

#endif
