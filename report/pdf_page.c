/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of the PDF around its body: header block, status, foot, watermark, bookmark. */
#include <cairo-pdf.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "report/pdf_sheet.h"

static double head_dates(struct pdf *d, double y)
{
	const struct rpt_model *m = d->m;
	double w = d->body_w / 2 - PDF_PAD, h, h2;
	struct str text = { 0 };

	str_addf(&text, "Test run date: %s", m->run_date);
	h = pdf_put(d, PDF_MARGIN, y, w, PDF_F_HEAD, PDF_LEFT, PDF_MUTED,
		    str_text(&text));
	str_release(&text);
	str_addf(&text, "Report run date: %s", m->report_date);
	h2 = pdf_put(d, PDF_MARGIN + d->body_w / 2 + PDF_PAD, y, w, PDF_F_HEAD, PDF_RIGHT,
		     PDF_MUTED, str_text(&text));
	str_release(&text);
	return y + fmax(h, h2) + 2;
}

static double head_band(struct pdf *d, double y)
{
	double h = pdf_height(d, d->body_w, PDF_F_BAND, d->page->head->band) + 6;

	pdf_fill(d, PDF_MARGIN, y, d->body_w, h, PDF_BAND);
	pdf_put(d, PDF_MARGIN, y + 3, d->body_w, PDF_F_BAND, PDF_CENTRE, PDF_WHITE,
		d->page->head->band);
	return y + h;
}

/* Who wrote the format, what the test is, which revision, which page. */
static double head_title(struct pdf *d, double y)
{
	double side = d->body_w * 0.25, mid = d->body_w - 2 * side, h = 25;
	const char *subtitle = d->page->head->subtitle;
	double text_h = pdf_height(d, mid - 2 * PDF_PAD, PDF_F_TITLE, subtitle);
	struct str right = { 0 };

	h = fmax(h, text_h + 6);
	pdf_fill(d, PDF_MARGIN, y, d->body_w, h, PDF_TINT);
	pdf_put(d, PDF_MARGIN + PDF_PAD, y + 3.5, side - PDF_PAD, PDF_F_HEAD, PDF_LEFT,
		PDF_INK, "Format after SNIA PTS\nSSS Performance Test Spec.");
	pdf_put(d, PDF_MARGIN + side + PDF_PAD, y + (h - text_h) / 2, mid - 2 * PDF_PAD,
		PDF_F_TITLE, PDF_CENTRE, PDF_INK, subtitle);
	str_addf(&right, "Rev. %s\nPage %u of %u", d->m->edition, d->page_no, d->n_pages);
	pdf_put(d, PDF_MARGIN + side + mid, y + 3.5, side - PDF_PAD, PDF_F_HEAD_BOLD,
		PDF_RIGHT, PDF_INK, str_text(&right));
	str_release(&right);
	return y + h;
}

static double head_people(struct pdf *d, double y)
{
	const struct rpt_facts *f = &d->m->people;
	double w = d->body_w / (double)(f->n ? f->n : 1), h = 0;

	for (size_t i = 0; i < f->n; i++) {
		double x = PDF_MARGIN + w * (double)i + PDF_PAD, key_h;

		key_h = pdf_put(d, x, y + 2, w - 2 * PDF_PAD, PDF_F_HEAD, PDF_LEFT,
				PDF_MUTED, f->fact[i].key);
		h = fmax(h, key_h + pdf_put(d, x, y + 2 + key_h, w - 2 * PDF_PAD,
					    PDF_F_HEAD_BOLD, PDF_LEFT, PDF_INK,
					    f->fact[i].value));
	}
	for (size_t i = 1; i < f->n; i++)
		pdf_line(d, PDF_MARGIN + w * (double)i, y, PDF_MARGIN + w * (double)i,
			 y + h + 4);
	return y + h + 4;
}

static double head_row(struct pdf *d, double y, size_t row)
{
	double w = d->body_w / RPT_GROUPS, key_w = w * 0.36, h = 0;

	for (size_t g = 0; g < RPT_GROUPS; g++) {
		const struct rpt_facts *f = &d->page->head->group[g];
		double x = PDF_MARGIN + w * (double)g;

		if (row >= f->n)
			continue;
		h = fmax(h, pdf_put(d, x + PDF_PAD, y + 1, key_w - PDF_PAD, PDF_F_HEAD,
				    PDF_LEFT, PDF_MUTED, f->fact[row].key));
		h = fmax(h,
			 pdf_put(d, x + key_w + PDF_PAD, y + 1, w - key_w - 2 * PDF_PAD,
				 PDF_F_HEAD, PDF_LEFT, PDF_INK, f->fact[row].value));
	}
	return y + h + 2;
}

static double head_groups(struct pdf *d, double y)
{
	const struct rpt_head *head = d->page->head;
	double w = d->body_w / RPT_GROUPS, top = y, h;
	size_t rows = 0;

	h = pdf_height(d, w, PDF_F_HEAD_BOLD, "X") + 3;
	pdf_fill(d, PDF_MARGIN, y, d->body_w, h, PDF_TINT);
	for (size_t g = 0; g < RPT_GROUPS; g++) {
		pdf_put(d, PDF_MARGIN + w * (double)g, y + 1.5, w, PDF_F_HEAD_BOLD,
			PDF_CENTRE, PDF_INK, head->group[g].title);
		if (head->group[g].n > rows)
			rows = head->group[g].n;
	}
	y += h;
	for (size_t row = 0; row < rows; row++) {
		y = head_row(d, y, row);
		pdf_line(d, PDF_MARGIN, y, PDF_MARGIN + d->body_w, y);
	}
	for (size_t g = 1; g < RPT_GROUPS; g++)
		pdf_line(d, PDF_MARGIN + w * (double)g, top, PDF_MARGIN + w * (double)g,
			 y);
	return y;
}

/* What is not as it should be, in words, then the page's title with the test's verdict. */
static double head_status(struct pdf *d, double y, bool again)
{
	const struct rpt_mark *status = &d->m->status;
	const struct rpt_page *p = d->page;
	double verdict_w = *p->verdict.text ? 172 : 0, title_w = d->body_w - verdict_w, h,
	       text_h;
	struct str title = { 0 };

	if (*status->text) {
		h = pdf_height(d, d->body_w - 2 * PDF_PAD, PDF_F_MARK, status->text) + 5;
		pdf_fill(d, PDF_MARGIN, y, d->body_w, h, pdf_tone_ground(status->tone));
		pdf_put(d, PDF_MARGIN + PDF_PAD, y + 2.5, d->body_w - 2 * PDF_PAD,
			PDF_F_MARK, PDF_CENTRE, pdf_tone_ink(status->tone), status->text);
		y += h;
	}
	y += 5;
	str_addf(&title, "%s%s", p->title, again ? " (continued)" : "");
	text_h = pdf_height(d, title_w - 4 * PDF_PAD, PDF_F_TITLE, str_text(&title));
	h = text_h + 8;
	if (verdict_w > 0)
		h = fmax(h, pdf_height(d, verdict_w - 2 * PDF_PAD, PDF_F_MARK,
				       p->verdict.text) +
				    8);
	pdf_fill(d, PDF_MARGIN, y, title_w, h, PDF_TINT);
	pdf_put(d, PDF_MARGIN + 2 * PDF_PAD, y + (h - text_h) / 2, title_w - 4 * PDF_PAD,
		PDF_F_TITLE, PDF_LEFT, PDF_INK, str_text(&title));
	if (verdict_w > 0) {
		pdf_fill(d, PDF_MARGIN + title_w, y, verdict_w, h,
			 pdf_tone_ground(p->verdict.tone));
		text_h = pdf_height(d, verdict_w - 2 * PDF_PAD, PDF_F_MARK,
				    p->verdict.text);
		pdf_put(d, PDF_MARGIN + title_w + PDF_PAD, y + (h - text_h) / 2,
			verdict_w - 2 * PDF_PAD, PDF_F_MARK, PDF_CENTRE,
			pdf_tone_ink(p->verdict.tone), p->verdict.text);
	}
	str_release(&title);
	return y + h + 8;
}

static void foot(struct pdf *d)
{
	struct str text = { 0 };

	pdf_line(d, PDF_MARGIN, d->foot_y, PDF_MARGIN + d->body_w, d->foot_y);
	str_addf(&text, "%s%s%s", d->page->plot ? d->page->plot : "",
		 d->page->plot ? " - " : "", d->page->title);
	pdf_put(d, PDF_MARGIN, d->foot_y + 3, d->body_w, PDF_F_HEAD_BOLD, PDF_CENTRE,
		PDF_INK, str_text(&text));
	str_release(&text);
	str_addf(&text, "plateau %s · %s", PLATEAU_VERSION, d->m->drive);
	pdf_put(d, PDF_MARGIN, d->foot_y + 13, d->body_w - 70, PDF_F_HEAD, PDF_LEFT,
		PDF_MUTED, str_text(&text));
	str_release(&text);
	str_addf(&text, "Page %u of %u", d->page_no, d->n_pages);
	pdf_put(d, PDF_MARGIN + d->body_w - 68, d->foot_y + 13, 68, PDF_F_HEAD, PDF_RIGHT,
		PDF_MUTED, str_text(&text));
	str_release(&text);
}

static void watermark(struct pdf *d)
{
	double size = pdf_height(d, 1e6, PDF_F_TITLE, d->m->watermark), w;
	PangoRectangle box;

	if (d->dry || !*d->m->watermark || size <= 0)
		return;
	pango_layout_get_extents(d->layout, NULL, &box);
	w = (double)box.width / PANGO_SCALE;
	cairo_save(d->cr);
	cairo_translate(d->cr, d->page_w / 2, d->page_h * 0.6);
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

void pdf_page_begin(struct pdf *d, bool again)
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

void pdf_page_end(struct pdf *d)
{
	if (!d->dry)
		cairo_show_page(d->cr);
}
