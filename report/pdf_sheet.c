/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pdf_sheet.h"

#include <errno.h>
#include <math.h>

static const struct {
	double pt;
	bool bold;
} font_of[PDF_FONTS] = {
	[PDF_F_HEAD] = { 6.4, false }, [PDF_F_HEAD_BOLD] = { 6.4, true },
	[PDF_F_CELL] = { 7.2, false }, [PDF_F_CELL_BOLD] = { 7.2, true },
	[PDF_F_TEXT] = { 8, false },   [PDF_F_TITLE] = { 10, true },
	[PDF_F_BAND] = { 10.5, true }, [PDF_F_MARK] = { 7.4, true },
};

struct pdf_colour pdf_tone_ink(enum rpt_tone tone)
{
	switch (tone) {
	case RPT_GOOD:
		return PDF_RGB(0x00664a);
	case RPT_WARN:
		return PDF_RGB(0x7a5200);
	case RPT_BAD:
		return PDF_RGB(0xa83800);
	case RPT_DIM:
		return PDF_MUTED;
	case RPT_PLAIN:
		break;
	}
	return PDF_INK;
}

struct pdf_colour pdf_tone_ground(enum rpt_tone tone)
{
	switch (tone) {
	case RPT_GOOD:
		return PDF_RGB(0xdff2ea);
	case RPT_WARN:
		return PDF_RGB(0xfdf0d2);
	case RPT_BAD:
		return PDF_RGB(0xfde3d8);
	case RPT_DIM:
	case RPT_PLAIN:
		break;
	}
	return PDF_TINT;
}

/* No hinting: the pages must not depend on who prints them. */
void pdf_open_text(struct pdf *d)
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
	for (int i = 0; i < PDF_FONTS; i++) {
		d->font[i] =
			pango_font_description_from_string("DejaVu Sans, sans-serif");
		pango_font_description_set_weight(d->font[i],
						  font_of[i].bold ? PANGO_WEIGHT_BOLD
								  : PANGO_WEIGHT_NORMAL);
		pango_font_description_set_absolute_size(d->font[i],
							 font_of[i].pt * PANGO_SCALE);
	}
}

int pdf_check_text(struct pdf *d)
{
	pango_layout_set_font_description(d->layout, d->font[PDF_F_TEXT]);
	pango_layout_set_text(d->layout, "Ag0", -1);
	if (!pango_layout_get_unknown_glyphs_count(d->layout))
		return 0;
	return err_set(d->err, EXIT_CODE_HOST, ENOENT,
		       "there is no font to write report.pdf with; install one (Debian: "
		       "fonts-dejavu-core)");
}

void pdf_close_text(struct pdf *d)
{
	for (int i = 0; i < PDF_FONTS; i++)
		pango_font_description_free(d->font[i]);
	g_object_unref(d->layout);
}

/* Height of the text in a box of width w; drawn unless dry. */
double pdf_put(struct pdf *d, double x, double y, double w, enum pdf_font font,
	       enum pdf_align align, struct pdf_colour c, const char *text)
{
	static const PangoAlignment pango_align[] = { [PDF_LEFT] = PANGO_ALIGN_LEFT,
						      [PDF_CENTRE] = PANGO_ALIGN_CENTER,
						      [PDF_RIGHT] = PANGO_ALIGN_RIGHT };
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

double pdf_height(struct pdf *d, double w, enum pdf_font font, const char *text)
{
	bool dry = d->dry;
	double h;

	d->dry = true;
	h = pdf_put(d, 0, 0, w, font, PDF_LEFT, PDF_INK, text);
	d->dry = dry;
	return h;
}

void pdf_fill(struct pdf *d, double x, double y, double w, double h, struct pdf_colour c)
{
	if (d->dry)
		return;
	cairo_set_source_rgb(d->cr, c.r, c.g, c.b);
	cairo_rectangle(d->cr, x, y, w, h);
	cairo_fill(d->cr);
}

void pdf_line(struct pdf *d, double x0, double y0, double x1, double y1)
{
	if (d->dry)
		return;
	cairo_set_source_rgb(d->cr, PDF_RULE.r, PDF_RULE.g, PDF_RULE.b);
	cairo_set_line_width(d->cr, 0.5);
	cairo_move_to(d->cr, x0, y0);
	cairo_line_to(d->cr, x1, y1);
	cairo_stroke(d->cr);
}
