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
#include <pango/pangocairo.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "report/plot.h"

/* A4, in points. */
#define PAGE_W   595.276
#define PAGE_H   841.89
#define MARGIN   32.0
#define BODY_W   (PAGE_W - 2 * MARGIN)
#define FOOT_Y   (PAGE_H - 40)
#define BODY_END (FOOT_Y - 8)
#define SQUEEZE  0.85 /* a chart may shrink so far rather than begin a page */
#define PAD      3.0

enum font {
	F_HEAD,
	F_HEAD_BOLD,
	F_CELL,
	F_CELL_BOLD,
	F_TEXT,
	F_TITLE,
	F_BAND,
	F_MARK,
	FONTS
};

static const struct {
	double pt;
	bool bold;
} font_of[FONTS] = {
	[F_HEAD] = { 6.4, false }, [F_HEAD_BOLD] = { 6.4, true },
	[F_CELL] = { 7.2, false }, [F_CELL_BOLD] = { 7.2, true },
	[F_TEXT] = { 8, false },   [F_TITLE] = { 10, true },
	[F_BAND] = { 10.5, true }, [F_MARK] = { 7.4, true },
};

struct colour {
	double r, g, b;
};
#define RGB(hex)                                                                         \
	(struct colour)                                                                  \
	{                                                                                \
		((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0,                 \
			((hex)&255) / 255.0                                              \
	}
#define INK       RGB(0x1b2733)
#define MUTED     RGB(0x55616d)
#define RULE      RGB(0xc3ccd4)
#define BAND      RGB(0x24405c)
#define TINT      RGB(0xe6ecf2)
#define TINT_SOFT RGB(0xf5f7f9)
#define WHITE     RGB(0xffffff)

static struct colour tone_ink(enum rpt_tone tone)
{
	switch (tone) {
	case RPT_GOOD:
		return RGB(0x00664a);
	case RPT_WARN:
		return RGB(0x7a5200);
	case RPT_BAD:
		return RGB(0xa83800);
	case RPT_DIM:
		return MUTED;
	case RPT_PLAIN:
		break;
	}
	return INK;
}

static struct colour tone_ground(enum rpt_tone tone)
{
	switch (tone) {
	case RPT_GOOD:
		return RGB(0xdff2ea);
	case RPT_WARN:
		return RGB(0xfdf0d2);
	case RPT_BAD:
		return RGB(0xfde3d8);
	case RPT_DIM:
	case RPT_PLAIN:
		break;
	}
	return TINT;
}

struct pdf {
	const struct rpt_model *m;
	const char *charts_dir;
	struct err *err;
	cairo_surface_t *surface;
	cairo_t *cr;
	PangoLayout *layout;
	PangoFontDescription *font[FONTS];
	bool dry;
	unsigned page_no, n_pages;
	const struct rpt_page *page;
	const char *band; /* of the bookmark under which pages are filed */
	int outline;
	double y;   /* where the next block begins */
	double top; /* where the body of this page began */
};

/* --- primitives --- */

enum align { LEFT, CENTRE, RIGHT };

/* Height of the text in a box of width w; drawn unless dry. */
static double put(struct pdf *d, double x, double y, double w, enum font font,
		  enum align align, struct colour c, const char *text)
{
	static const PangoAlignment pango_align[] = { [LEFT] = PANGO_ALIGN_LEFT,
						      [CENTRE] = PANGO_ALIGN_CENTER,
						      [RIGHT] = PANGO_ALIGN_RIGHT };
	PangoRectangle box;

	pango_layout_set_font_description(d->layout, d->font[font]);
	pango_layout_set_width(d->layout, (int)lround(fmax(w, 1) * PANGO_SCALE));
	pango_layout_set_alignment(d->layout, pango_align[align]);
	pango_layout_set_text(d->layout, text, -1);
	pango_layout_get_extents(d->layout, NULL, &box);
	if (!d->dry && *text) {
		cairo_set_source_rgb(d->cr, c.r, c.g, c.b);
		cairo_move_to(d->cr, x, y);
		pango_cairo_show_layout(d->cr, d->layout);
	}
	return (double)box.height / PANGO_SCALE;
}

static double height(struct pdf *d, double w, enum font font, const char *text)
{
	bool dry = d->dry;
	double h;

	d->dry = true;
	h = put(d, 0, 0, w, font, LEFT, INK, text);
	d->dry = dry;
	return h;
}

static void fill(struct pdf *d, double x, double y, double w, double h, struct colour c)
{
	if (d->dry)
		return;
	cairo_set_source_rgb(d->cr, c.r, c.g, c.b);
	cairo_rectangle(d->cr, x, y, w, h);
	cairo_fill(d->cr);
}

static void line(struct pdf *d, double x0, double y0, double x1, double y1)
{
	if (d->dry)
		return;
	cairo_set_source_rgb(d->cr, RULE.r, RULE.g, RULE.b);
	cairo_set_line_width(d->cr, 0.5);
	cairo_move_to(d->cr, x0, y0);
	cairo_line_to(d->cr, x1, y1);
	cairo_stroke(d->cr);
}

/* --- the header block --- */

static double head_dates(struct pdf *d, double y)
{
	const struct rpt_model *m = d->m;
	double w = BODY_W / 2 - PAD, h, h2;
	struct str text = { 0 };

	str_addf(&text, "Test run date: %s", m->run_date);
	h = put(d, MARGIN, y, w, F_HEAD, LEFT, MUTED, str_text(&text));
	str_release(&text);
	str_addf(&text, "Report run date: %s", m->report_date);
	h2 = put(d, MARGIN + BODY_W / 2 + PAD, y, w, F_HEAD, RIGHT, MUTED,
		 str_text(&text));
	str_release(&text);
	return y + fmax(h, h2) + 2;
}

static double head_band(struct pdf *d, double y)
{
	double h = height(d, BODY_W, F_BAND, d->page->head->band) + 6;

	fill(d, MARGIN, y, BODY_W, h, BAND);
	put(d, MARGIN, y + 3, BODY_W, F_BAND, CENTRE, WHITE, d->page->head->band);
	return y + h;
}

/* Who wrote the format, what the test is, which revision, which page. */
static double head_title(struct pdf *d, double y)
{
	double side = BODY_W * 0.25, mid = BODY_W - 2 * side, h = 25;
	const char *subtitle = d->page->head->subtitle;
	double text_h = height(d, mid - 2 * PAD, F_TITLE, subtitle);
	struct str right = { 0 };

	h = fmax(h, text_h + 6);
	fill(d, MARGIN, y, BODY_W, h, TINT);
	put(d, MARGIN + PAD, y + 3.5, side - PAD, F_HEAD, LEFT, INK,
	    "Format after SNIA PTS\nSSS Performance Test Spec.");
	put(d, MARGIN + side + PAD, y + (h - text_h) / 2, mid - 2 * PAD, F_TITLE, CENTRE,
	    INK, subtitle);
	str_addf(&right, "Rev. %s\nPage %u of %u", d->m->edition, d->page_no, d->n_pages);
	put(d, MARGIN + side + mid, y + 3.5, side - PAD, F_HEAD_BOLD, RIGHT, INK,
	    str_text(&right));
	str_release(&right);
	return y + h;
}

static double head_people(struct pdf *d, double y)
{
	const struct rpt_facts *f = &d->m->people;
	double w = BODY_W / (double)(f->n ? f->n : 1), h = 0;

	for (size_t i = 0; i < f->n; i++) {
		double x = MARGIN + w * (double)i + PAD, key_h;

		key_h = put(d, x, y + 2, w - 2 * PAD, F_HEAD, LEFT, MUTED,
			    f->fact[i].key);
		h = fmax(h, key_h + put(d, x, y + 2 + key_h, w - 2 * PAD, F_HEAD_BOLD,
					LEFT, INK, f->fact[i].value));
	}
	for (size_t i = 1; i < f->n; i++)
		line(d, MARGIN + w * (double)i, y, MARGIN + w * (double)i, y + h + 4);
	return y + h + 4;
}

static double head_row(struct pdf *d, double y, size_t row)
{
	double w = BODY_W / RPT_GROUPS, key_w = w * 0.36, h = 0;

	for (size_t g = 0; g < RPT_GROUPS; g++) {
		const struct rpt_facts *f = &d->page->head->group[g];
		double x = MARGIN + w * (double)g;

		if (row >= f->n)
			continue;
		h = fmax(h, put(d, x + PAD, y + 1, key_w - PAD, F_HEAD, LEFT, MUTED,
				f->fact[row].key));
		h = fmax(h, put(d, x + key_w + PAD, y + 1, w - key_w - 2 * PAD, F_HEAD,
				LEFT, INK, f->fact[row].value));
	}
	return y + h + 2;
}

static double head_groups(struct pdf *d, double y)
{
	const struct rpt_head *head = d->page->head;
	double w = BODY_W / RPT_GROUPS, top = y, h;
	size_t rows = 0;

	h = height(d, w, F_HEAD_BOLD, "X") + 3;
	fill(d, MARGIN, y, BODY_W, h, TINT);
	for (size_t g = 0; g < RPT_GROUPS; g++) {
		put(d, MARGIN + w * (double)g, y + 1.5, w, F_HEAD_BOLD, CENTRE, INK,
		    head->group[g].title);
		if (head->group[g].n > rows)
			rows = head->group[g].n;
	}
	y += h;
	for (size_t row = 0; row < rows; row++) {
		y = head_row(d, y, row);
		line(d, MARGIN, y, MARGIN + BODY_W, y);
	}
	for (size_t g = 1; g < RPT_GROUPS; g++)
		line(d, MARGIN + w * (double)g, top, MARGIN + w * (double)g, y);
	return y;
}

/* What is not as it should be, in words, then the page's title with the test's verdict. */
static double head_status(struct pdf *d, double y, bool again)
{
	const struct rpt_mark *status = &d->m->status;
	const struct rpt_page *p = d->page;
	double verdict_w = *p->verdict.text ? 172 : 0, title_w = BODY_W - verdict_w, h,
	       text_h;
	struct str title = { 0 };

	if (*status->text) {
		h = height(d, BODY_W - 2 * PAD, F_MARK, status->text) + 5;
		fill(d, MARGIN, y, BODY_W, h, tone_ground(status->tone));
		put(d, MARGIN + PAD, y + 2.5, BODY_W - 2 * PAD, F_MARK, CENTRE,
		    tone_ink(status->tone), status->text);
		y += h;
	}
	y += 5;
	str_addf(&title, "%s%s", p->title, again ? " (continued)" : "");
	text_h = height(d, title_w - 4 * PAD, F_TITLE, str_text(&title));
	h = text_h + 8;
	if (verdict_w > 0)
		h = fmax(h, height(d, verdict_w - 2 * PAD, F_MARK, p->verdict.text) + 8);
	fill(d, MARGIN, y, title_w, h, TINT);
	put(d, MARGIN + 2 * PAD, y + (h - text_h) / 2, title_w - 4 * PAD, F_TITLE, LEFT,
	    INK, str_text(&title));
	if (verdict_w > 0) {
		fill(d, MARGIN + title_w, y, verdict_w, h, tone_ground(p->verdict.tone));
		text_h = height(d, verdict_w - 2 * PAD, F_MARK, p->verdict.text);
		put(d, MARGIN + title_w + PAD, y + (h - text_h) / 2, verdict_w - 2 * PAD,
		    F_MARK, CENTRE, tone_ink(p->verdict.tone), p->verdict.text);
	}
	str_release(&title);
	return y + h + 8;
}

static void foot(struct pdf *d)
{
	struct str text = { 0 };

	line(d, MARGIN, FOOT_Y, MARGIN + BODY_W, FOOT_Y);
	str_addf(&text, "%s%s%s", d->page->plot ? d->page->plot : "",
		 d->page->plot ? " - " : "", d->page->title);
	put(d, MARGIN, FOOT_Y + 3, BODY_W, F_HEAD_BOLD, CENTRE, INK, str_text(&text));
	str_release(&text);
	str_addf(&text, "plateau %s · %s", PLATEAU_VERSION, d->m->drive);
	put(d, MARGIN, FOOT_Y + 13, BODY_W - 70, F_HEAD, LEFT, MUTED, str_text(&text));
	str_release(&text);
	str_addf(&text, "Page %u of %u", d->page_no, d->n_pages);
	put(d, MARGIN + BODY_W - 68, FOOT_Y + 13, 68, F_HEAD, RIGHT, MUTED,
	    str_text(&text));
	str_release(&text);
}

static void watermark(struct pdf *d)
{
	double size = height(d, 1e6, F_TITLE, d->m->watermark), w;
	PangoRectangle box;

	if (d->dry || !*d->m->watermark || size <= 0)
		return;
	pango_layout_get_extents(d->layout, NULL, &box);
	w = (double)box.width / PANGO_SCALE;
	cairo_save(d->cr);
	cairo_translate(d->cr, PAGE_W / 2, PAGE_H * 0.6);
	cairo_rotate(d->cr, -G_PI / 4);
	cairo_scale(d->cr, 620 / w, 620 / w);
	pango_layout_set_width(d->layout, -1);
	cairo_set_source_rgb(d->cr, 0.953, 0.957, 0.961);
	cairo_move_to(d->cr, -w / 2, -size / 2);
	/* As a shape, not as text: whoever copies a table does not want it in between. */
	pango_cairo_layout_path(d->cr, d->layout);
	cairo_fill(d->cr);
	cairo_restore(d->cr);
}

static void bookmark(struct pdf *d)
{
	const char *band = d->page->head->band;
	struct str at = { 0 };

	if (d->dry)
		return;
	str_addf(&at, "page=%u", d->page_no);
	if (!d->band || strcmp(band, d->band)) {
		d->band = band;
		d->outline = cairo_pdf_surface_add_outline(
			d->surface, CAIRO_PDF_OUTLINE_ROOT, band, str_text(&at), 0);
	}
	cairo_pdf_surface_add_outline(d->surface, d->outline, d->page->title,
				      str_text(&at), 0);
	str_release(&at);
}

static void page_begin(struct pdf *d, bool again)
{
	double y = 24;

	d->page_no++;
	watermark(d);
	if (!again)
		bookmark(d);
	y = head_dates(d, y);
	y = head_band(d, y);
	y = head_title(d, y);
	y = head_people(d, y);
	y = head_groups(d, y);
	d->top = d->y = head_status(d, y, again);
	foot(d);
}

static void page_end(struct pdf *d)
{
	if (!d->dry)
		cairo_show_page(d->cr);
}

static void page_break(struct pdf *d)
{
	page_end(d);
	page_begin(d, true);
}

/* Make sure that `h` fits below; a block taller than a page begins on a new one. */
static void need(struct pdf *d, double h)
{
	if (d->y + h > BODY_END && d->y > d->top)
		page_break(d);
}

/* --- blocks --- */

static void draw_text(struct pdf *d, const char *text, enum rpt_tone tone, bool heading)
{
	enum font font = heading ? F_TITLE : F_TEXT;
	double h = height(d, BODY_W, font, text);

	need(d, heading ? h + 40 : h);
	put(d, MARGIN, d->y, BODY_W, font, LEFT, tone_ink(tone), text);
	d->y += h + (heading ? 4 : 6);
}

static void draw_facts(struct pdf *d, const struct rpt_facts *f)
{
	double key_w = BODY_W * 0.3;

	if (*f->title)
		draw_text(d, f->title, RPT_PLAIN, true);
	for (size_t i = 0; i < f->n; i++) {
		double h = fmax(
			height(d, key_w - 2 * PAD, F_CELL, f->fact[i].key),
			height(d, BODY_W - key_w - 2 * PAD, F_CELL, f->fact[i].value));

		need(d, h + 4);
		put(d, MARGIN + PAD, d->y + 2, key_w - 2 * PAD, F_CELL, LEFT, MUTED,
		    f->fact[i].key);
		put(d, MARGIN + key_w + PAD, d->y + 2, BODY_W - key_w - 2 * PAD, F_CELL,
		    LEFT, INK, f->fact[i].value);
		d->y += h + 4;
		line(d, MARGIN, d->y, MARGIN + BODY_W, d->y);
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
		h = fmax(h, height(d, col_w(g, i) - 2 * PAD, F_CELL_BOLD,
				   g->t->col[i].title));
	return h + 5;
}

static void table_head(struct pdf *d, const struct grid *g)
{
	const struct rpt_table *t = g->t;
	double h = table_head_h(d, g), x = MARGIN;

	if (t->span_title) {
		double span_h = height(d, g->width, F_CELL_BOLD, t->span_title) + 5;

		for (size_t i = 0; i < t->span_from; i++)
			x += col_w(g, i);
		fill(d, MARGIN, d->y, g->width, span_h, TINT);
		put(d, x, d->y + 2.5, MARGIN + g->width - x, F_CELL_BOLD, CENTRE, INK,
		    t->span_title);
		d->y += span_h;
		line(d, x, d->y, MARGIN + g->width, d->y);
		x = MARGIN;
	}
	fill(d, MARGIN, d->y, g->width, h, TINT);
	for (size_t i = 0; i < t->n_col; i++) {
		put(d, x + PAD, d->y + 2.5, col_w(g, i) - 2 * PAD, F_CELL_BOLD,
		    t->col[i].number ? RIGHT : LEFT, INK, t->col[i].title);
		x += col_w(g, i);
	}
	d->y += h;
}

/* What stands out by its colour stands out by its weight too. */
static enum font cell_font(const struct rpt_cell *cell)
{
	switch (cell->tone) {
	case RPT_GOOD:
	case RPT_WARN:
	case RPT_BAD:
		return F_CELL_BOLD;
	case RPT_PLAIN:
	case RPT_DIM:
		break;
	}
	return F_CELL;
}

static double row_h(struct pdf *d, const struct grid *g, const struct rpt_cell *cell)
{
	double h = 0;

	for (size_t i = 0; i < g->t->n_col; i++)
		h = fmax(h, height(d, col_w(g, i) - 2 * PAD, cell_font(&cell[i]),
				   cell[i].text));
	return h + 4;
}

static void table_row(struct pdf *d, const struct grid *g, const struct rpt_cell *cell,
		      double h)
{
	double x = MARGIN;

	for (size_t i = 0; i < g->t->n_col; i++) {
		put(d, x + PAD, d->y + 2, col_w(g, i) - 2 * PAD, cell_font(&cell[i]),
		    g->t->col[i].number ? RIGHT : LEFT, tone_ink(cell[i].tone),
		    cell[i].text);
		x += col_w(g, i);
	}
	d->y += h;
	line(d, MARGIN, d->y, MARGIN + g->width, d->y);
}

static void draw_table(struct pdf *d, const struct rpt_table *t)
{
	struct grid g = { .t = t, .width = t->narrow ? BODY_W * 0.55 : BODY_W };
	size_t rows = t->n_col ? t->n_cell / t->n_col : 0;

	for (size_t i = 0; i < t->n_col; i++)
		g.weight += t->col[i].weight;
	if (!rows)
		return;
	need(d, 30 + table_head_h(d, &g) + row_h(d, &g, t->cell));
	if (*t->caption) {
		put(d, MARGIN, d->y, BODY_W, F_CELL_BOLD, LEFT, INK, t->caption);
		d->y += height(d, BODY_W, F_CELL_BOLD, t->caption) + 3;
	}
	table_head(d, &g);
	for (size_t i = 0; i < rows; i++) {
		const struct rpt_cell *cell = &t->cell[i * t->n_col];
		double h = row_h(d, &g, cell);

		if (d->y + h > BODY_END) {
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
	double w = BODY_W, h = w * c->h_px / c->w_px, room;
	int r = 0;

	if (rpt_chart_empty(c)) {
		draw_text(d, c->title, RPT_PLAIN, true);
		draw_text(d, "no data", RPT_DIM, false);
		return 0;
	}
	need(d, h * SQUEEZE);
	room = BODY_END - d->y;
	if (h > room) {
		w *= room / h;
		h = room;
	}
	if (!d->dry)
		r = draw_svg(d, c, MARGIN + (BODY_W - w) / 2, w, h);
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

static int draw_all(struct pdf *d)
{
	d->page_no = 0;
	for (size_t i = 0; i < d->m->n_page; i++) {
		d->page = d->m->page[i];
		page_begin(d, false);
		for (size_t k = 0; k < d->page->n_block; k++) {
			int r = draw_block(d, &d->page->block[k]);

			if (r < 0)
				return r;
		}
		page_end(d);
	}
	return 0;
}

/* --- the document --- */

static cairo_status_t keep(void *arg, const unsigned char *data, unsigned n)
{
	struct str *s = arg;

	str_add_bytes(s, (const char *)data, n);
	return s->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_metadata(const struct pdf *d)
{
	char when[UNITS_TEXT];

	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_TITLE, d->m->title);
	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_SUBJECT,
				       "Format after SNIA SSS PTS");
	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_CREATOR,
				       "plateau " PLATEAU_VERSION);
	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_CREATE_DATE,
				       units_utc(d->m->report_wall_ns, when));
}

/* No hinting: the pages must not depend on who prints them. */
static void open_text(struct pdf *d)
{
	cairo_font_options_t *opts = cairo_font_options_create();
	PangoAttrList *attrs = pango_attr_list_new();
	PangoContext *ctx;

	cairo_font_options_set_hint_style(opts, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(opts, CAIRO_HINT_METRICS_OFF);
	d->layout = pango_cairo_create_layout(d->cr);
	ctx = pango_layout_get_context(d->layout);
	pango_cairo_context_set_font_options(ctx, opts);
	pango_context_set_round_glyph_positions(ctx, FALSE);
	pango_layout_context_changed(d->layout);
	pango_layout_set_wrap(d->layout, PANGO_WRAP_WORD_CHAR);
	/* A hyphen in a broken serial number would be read as part of it. */
	pango_attr_list_insert(attrs, pango_attr_insert_hyphens_new(FALSE));
	pango_layout_set_attributes(d->layout, attrs);
	pango_attr_list_unref(attrs);
	cairo_font_options_destroy(opts);
	for (int i = 0; i < FONTS; i++) {
		d->font[i] =
			pango_font_description_from_string("DejaVu Sans, sans-serif");
		pango_font_description_set_weight(d->font[i],
						  font_of[i].bold ? PANGO_WEIGHT_BOLD
								  : PANGO_WEIGHT_NORMAL);
		pango_font_description_set_absolute_size(d->font[i],
							 font_of[i].pt * PANGO_SCALE);
	}
}

static void close_text(struct pdf *d)
{
	for (int i = 0; i < FONTS; i++)
		pango_font_description_free(d->font[i]);
	g_object_unref(d->layout);
}

int rpt_pdf_write(const struct rpt_model *m, const char *charts_dir, const char *path,
		  unsigned *ret_pages, struct err *err)
{
	struct pdf d = { .m = m, .charts_dir = charts_dir, .err = err };
	struct str bytes = { 0 };
	cairo_status_t status;
	int r;

	d.surface = cairo_pdf_surface_create_for_stream(keep, &bytes, PAGE_W, PAGE_H);
	d.cr = cairo_create(d.surface);
	set_metadata(&d);
	open_text(&d);
	d.dry = true;
	r = draw_all(&d);
	d.n_pages = d.page_no;
	d.dry = false;
	if (r == 0)
		r = draw_all(&d);
	close_text(&d);
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
