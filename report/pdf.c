/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two passes over the same code: a dry one that only measures, because every page says how
 * many there are, then the one that draws.
 */
#include "report/pdf.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "report/pdf_sheet.h"
#include "report/plot.h"

#define SQUEEZE 0.85 /* a chart may shrink so far rather than begin a page */

static void page_break(struct pdf *d)
{
	pdf_page_end(d);
	pdf_page_begin(d, true);
}

/* Make sure that `h` fits below; a block taller than a page begins on a new one. */
static void need(struct pdf *d, double h)
{
	if (d->y + h > d->body_end && d->y > d->top)
		page_break(d);
}

static void draw_text(struct pdf *d, const char *text, enum rpt_tone tone, bool heading)
{
	enum pdf_font font = heading ? PDF_F_TITLE : PDF_F_TEXT;
	double h = pdf_height(d, d->body_w, font, text);

	need(d, heading ? h + 40 : h);
	pdf_put(d, PDF_MARGIN, d->y, d->body_w, font, PDF_LEFT, pdf_tone_ink(tone), text);
	d->y += h + (heading ? 4 : 6);
}

static void draw_facts(struct pdf *d, const struct rpt_facts *f)
{
	double key_w = d->body_w * 0.3;

	if (*f->title)
		draw_text(d, f->title, RPT_PLAIN, true);
	for (size_t i = 0; i < f->n; i++) {
		double h = fmax(
			pdf_height(d, key_w - 2 * PDF_PAD, PDF_F_CELL, f->fact[i].key),
			pdf_height(d, d->body_w - key_w - 2 * PDF_PAD, PDF_F_CELL,
				   f->fact[i].value));

		need(d, h + 4);
		pdf_put(d, PDF_MARGIN + PDF_PAD, d->y + 2, key_w - 2 * PDF_PAD,
			PDF_F_CELL, PDF_LEFT, PDF_MUTED, f->fact[i].key);
		pdf_put(d, PDF_MARGIN + key_w + PDF_PAD, d->y + 2,
			d->body_w - key_w - 2 * PDF_PAD, PDF_F_CELL, PDF_LEFT, PDF_INK,
			f->fact[i].value);
		d->y += h + 4;
		pdf_line(d, PDF_MARGIN, d->y, PDF_MARGIN + d->body_w, d->y);
	}
	d->y += 8;
}

struct grid {
	const struct rpt_table *t;
	double width, weight; /* of all columns */
};

static double col_w(const struct grid *g, size_t i)
{
	return g->width * g->t->col[i].weight / g->weight;
}

static double table_head_h(struct pdf *d, const struct grid *g)
{
	double h = 0;

	for (size_t i = 0; i < g->t->n_col; i++)
		h = fmax(h, pdf_height(d, col_w(g, i) - 2 * PDF_PAD, PDF_F_CELL_BOLD,
				       g->t->col[i].title));
	return h + 5;
}

static void table_head(struct pdf *d, const struct grid *g)
{
	const struct rpt_table *t = g->t;
	double h = table_head_h(d, g), x = PDF_MARGIN;

	if (t->span_title) {
		double span_h =
			pdf_height(d, g->width, PDF_F_CELL_BOLD, t->span_title) + 5;

		for (size_t i = 0; i < t->span_from; i++)
			x += col_w(g, i);
		pdf_fill(d, PDF_MARGIN, d->y, g->width, span_h, PDF_TINT);
		pdf_put(d, x, d->y + 2.5, PDF_MARGIN + g->width - x, PDF_F_CELL_BOLD,
			PDF_CENTRE, PDF_INK, t->span_title);
		d->y += span_h;
		pdf_line(d, x, d->y, PDF_MARGIN + g->width, d->y);
		x = PDF_MARGIN;
	}
	pdf_fill(d, PDF_MARGIN, d->y, g->width, h, PDF_TINT);
	for (size_t i = 0; i < t->n_col; i++) {
		pdf_put(d, x + PDF_PAD, d->y + 2.5, col_w(g, i) - 2 * PDF_PAD,
			PDF_F_CELL_BOLD, t->col[i].number ? PDF_RIGHT : PDF_LEFT, PDF_INK,
			t->col[i].title);
		x += col_w(g, i);
	}
	d->y += h;
}

/* What stands out by its colour stands out by its weight too. */
static enum pdf_font cell_font(const struct rpt_cell *cell)
{
	switch (cell->tone) {
	case RPT_GOOD:
	case RPT_WARN:
	case RPT_BAD:
		return PDF_F_CELL_BOLD;
	case RPT_PLAIN:
	case RPT_DIM:
		break;
	}
	return PDF_F_CELL;
}

static double row_h(struct pdf *d, const struct grid *g, const struct rpt_cell *cell)
{
	double h = 0;

	for (size_t i = 0; i < g->t->n_col; i++)
		h = fmax(h, pdf_height(d, col_w(g, i) - 2 * PDF_PAD, cell_font(&cell[i]),
				       cell[i].text));
	return h + 4;
}

static void table_row(struct pdf *d, const struct grid *g, const struct rpt_cell *cell,
		      double h)
{
	double x = PDF_MARGIN;

	for (size_t i = 0; i < g->t->n_col; i++) {
		pdf_put(d, x + PDF_PAD, d->y + 2, col_w(g, i) - 2 * PDF_PAD,
			cell_font(&cell[i]), g->t->col[i].number ? PDF_RIGHT : PDF_LEFT,
			pdf_tone_ink(cell[i].tone), cell[i].text);
		x += col_w(g, i);
	}
	d->y += h;
	pdf_line(d, PDF_MARGIN, d->y, PDF_MARGIN + g->width, d->y);
}

static void draw_table(struct pdf *d, const struct rpt_table *t)
{
	struct grid g = { .t = t, .width = t->narrow ? d->body_w * 0.55 : d->body_w };
	size_t rows = t->n_col ? t->n_cell / t->n_col : 0;

	for (size_t i = 0; i < t->n_col; i++)
		g.weight += t->col[i].weight;
	if (!rows)
		return;
	need(d, 30 + table_head_h(d, &g) + row_h(d, &g, t->cell));
	if (*t->caption) {
		pdf_put(d, PDF_MARGIN, d->y, d->body_w, PDF_F_CELL_BOLD, PDF_LEFT,
			PDF_INK, t->caption);
		d->y += pdf_height(d, d->body_w, PDF_F_CELL_BOLD, t->caption) + 3;
	}
	table_head(d, &g);
	for (size_t i = 0; i < rows; i++) {
		const struct rpt_cell *cell = &t->cell[i * t->n_col];
		double h = row_h(d, &g, cell);

		if (d->y + h > d->body_end) {
			page_break(d);
			table_head(d, &g);
		}
		table_row(d, &g, cell, h);
	}
	d->y += 9;
}

static int draw_svg(struct pdf *d, const struct rpt_chart *c, double x, double w,
		    double h)
{
	RsvgRectangle view = { .x = x, .y = d->y, .width = w, .height = h };
	RsvgHandle *handle = NULL;
	GError *gerr = NULL;
	struct str svg = { 0 };
	int r = rpt_plot_read(c, d->charts_dir, &svg, d->err);

	if (r < 0)
		goto out;
	handle = rsvg_handle_new_from_data((const guint8 *)svg.text, svg.len, &gerr);
	if (!handle || !rsvg_handle_render_document(handle, d->cr, &view, &gerr))
		r = err_set(d->err, EXIT_CODE_HOST, EIO, "%s/%s.svg cannot be drawn: %s",
			    d->charts_dir, c->name, gerr ? gerr->message : "unknown");
out:
	g_clear_error(&gerr);
	if (handle)
		g_object_unref(handle);
	str_release(&svg);
	return r;
}

static int draw_chart(struct pdf *d, const struct rpt_chart *c)
{
	double w = d->body_w * d->scale, h = w * c->h_px / c->w_px, room;
	int r = 0;

	if (rpt_chart_empty(c)) {
		draw_text(d, c->title, RPT_PLAIN, true);
		draw_text(d, "no data", RPT_DIM, false);
		return 0;
	}
	need(d, h * SQUEEZE);
	room = d->body_end - d->y;
	if (h > room) {
		w *= room / h;
		h = room;
	}
	if (!d->dry)
		r = draw_svg(d, c, PDF_MARGIN + (d->body_w - w) / 2, w, h);
	d->y += h + 8;
	if (r == 0 && c->dropped) {
		struct str note = { 0 };

		str_addf(
			&note,
			"%zu value%s of zero left out: a logarithmic axis cannot show it.",
			c->dropped, c->dropped == 1 ? "" : "s");
		draw_text(d, str_text(&note), RPT_DIM, false);
		str_release(&note);
	}
	return r;
}

static int draw_block(struct pdf *d, const struct rpt_block *b)
{
	switch (b->kind) {
	case RPT_FACTS:
		draw_facts(d, b->u.facts);
		break;
	case RPT_TABLE:
		draw_table(d, b->u.table);
		break;
	case RPT_CHART:
		return draw_chart(d, b->u.chart);
	case RPT_TEXT:
		draw_text(d, b->u.text.text, b->u.text.tone, b->u.text.heading);
		break;
	}
	return 0;
}

static int draw_page(struct pdf *d)
{
	pdf_page_begin(d, false);
	for (size_t i = 0; i < d->page->n_block; i++) {
		int r = draw_block(d, &d->page->block[i]);

		if (r < 0)
			return r;
	}
	pdf_page_end(d);
	return 0;
}

/* The largest charts with which the page's tables need no second sheet; full size where none do. */
static double chart_scale(struct pdf *d)
{
	static const double scales[] = { 1, 0.93, 0.86, 0.8, 0.74 };
	unsigned page_no = d->page_no;
	bool dry = d->dry, fits = false;
	size_t i;

	d->dry = true;
	for (i = 0; i < ARRAY_LEN(scales) && !fits; i++) {
		d->scale = scales[i];
		fits = draw_page(d) == 0 && d->page_no == page_no + 1;
		d->page_no = page_no;
	}
	d->dry = dry;
	return fits ? scales[i - 1] : 1;
}

static int draw_all(struct pdf *d)
{
	d->page_no = 0;
	for (size_t i = 0; i < d->m->n_page; i++) {
		int r;

		d->page = d->m->page[i];
		d->scale = chart_scale(d);
		r = draw_page(d);
		if (r < 0)
			return r;
	}
	return 0;
}

static cairo_status_t keep(void *arg, const unsigned char *data, unsigned n)
{
	struct str *s = arg;

	str_add_bytes(s, (const char *)data, n);
	return s->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_metadata(const struct pdf *d)
{
	char when[UNITS_TEXT];
	const struct {
		cairo_pdf_metadata_t what;
		const char *text;
	} data[] = {
		{ CAIRO_PDF_METADATA_TITLE, d->m->title },
		{ CAIRO_PDF_METADATA_AUTHOR, d->m->author },
		{ CAIRO_PDF_METADATA_SUBJECT, "Format after SNIA SSS PTS" },
		{ CAIRO_PDF_METADATA_KEYWORDS, d->m->keywords },
		{ CAIRO_PDF_METADATA_CREATOR, "plateau " PLATEAU_VERSION },
		{ CAIRO_PDF_METADATA_CREATE_DATE, units_utc(d->m->report_wall_ns, when) },
	};

	for (size_t i = 0; i < ARRAY_LEN(data); i++)
		if (data[i].text)
			cairo_pdf_surface_set_metadata(d->surface, data[i].what,
						       data[i].text);
}

static void set_paper(struct pdf *d, enum rpt_paper paper)
{
	static const struct {
		double w, h;
	} sheet[] = { [RPT_A4] = { 595.276, 841.89 }, [RPT_LETTER] = { 612, 792 } };

	d->page_w = sheet[paper].w;
	d->page_h = sheet[paper].h;
	d->body_w = d->page_w - 2 * PDF_MARGIN;
	d->foot_y = d->page_h - 40;
	d->body_end = d->foot_y - 8;
}

int rpt_pdf_write(const struct rpt_model *m, const char *charts_dir, const char *path,
		  unsigned *ret_pages, struct err *err)
{
	struct pdf d = { .m = m, .charts_dir = charts_dir, .err = err };
	struct str bytes = { 0 };
	cairo_status_t status;
	int r;

	set_paper(&d, m->paper);
	d.surface = cairo_pdf_surface_create_for_stream(keep, &bytes, d.page_w, d.page_h);
	d.cr = cairo_create(d.surface);
	set_metadata(&d);
	pdf_open_text(&d);
	d.dry = true;
	r = pdf_check_text(&d);
	if (r == 0)
		r = draw_all(&d);
	d.n_pages = d.page_no;
	d.dry = false;
	if (r == 0)
		r = draw_all(&d);
	pdf_close_text(&d);
	cairo_destroy(d.cr);
	cairo_surface_finish(d.surface);
	status = cairo_surface_status(d.surface);
	if (r == 0 && status != CAIRO_STATUS_SUCCESS)
		r = err_set(err, EXIT_CODE_HOST, EIO, "%s cannot be made: %s", path,
			    cairo_status_to_string(status));
	cairo_surface_destroy(d.surface);
	if (r == 0)
		r = str_write_file(&bytes, path, err);
	if (r == 0)
		*ret_pages = d.n_pages;
	str_release(&bytes);
	return r;
}
