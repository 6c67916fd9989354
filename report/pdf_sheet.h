/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of the PDF exporter share: the sheet, its fonts and colours, and the strokes
 * that everything is made of. In a dry pass they measure and draw nothing.
 */
#ifndef REPORT_PDF_SHEET_H
#define REPORT_PDF_SHEET_H

#include <cairo.h>
#include <pango/pangocairo.h>

#include "base/err.h"
#include "report/model.h"

/* In points. */
#define PDF_MARGIN 32.0
#define PDF_PAD    3.0

enum pdf_font {
	PDF_F_HEAD,
	PDF_F_HEAD_BOLD,
	PDF_F_CELL,
	PDF_F_CELL_BOLD,
	PDF_F_TEXT,
	PDF_F_TITLE,
	PDF_F_BAND,
	PDF_F_MARK,
	PDF_FONTS
};

struct pdf_colour {
	double r, g, b;
};
#define PDF_RGB(hex)                                                                     \
	(struct pdf_colour)                                                              \
	{                                                                                \
		((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0,                 \
			((hex)&255) / 255.0                                              \
	}
#define PDF_INK   PDF_RGB(0x1b2733)
#define PDF_MUTED PDF_RGB(0x55616d)
#define PDF_RULE  PDF_RGB(0xc3ccd4)
#define PDF_BAND  PDF_RGB(0x24405c)
#define PDF_TINT  PDF_RGB(0xe6ecf2)
#define PDF_WHITE PDF_RGB(0xffffff)

enum pdf_align { PDF_LEFT, PDF_CENTRE, PDF_RIGHT };

struct pdf {
	const struct rpt_model *m;
	const char *charts_dir;
	struct err *err;
	cairo_surface_t *surface;
	cairo_t *cr;
	PangoLayout *layout;
	PangoFontDescription *font[PDF_FONTS];
	double page_w, page_h, body_w; /* body: between the margins */
	double foot_y, body_end;
	double scale; /* of this page's charts */
	bool dry;
	unsigned page_no, n_pages;
	const struct rpt_page *page;
	const char *band; /* of the bookmark under which pages are filed */
	int outline;
	double y;   /* where the next block begins */
	double top; /* where the body of this page began */
};

struct pdf_colour pdf_tone_ink(enum rpt_tone tone);
struct pdf_colour pdf_tone_ground(enum rpt_tone tone);

void pdf_open_text(struct pdf *d);
/* Without any font, pango would write pages without words. */
int pdf_check_text(struct pdf *d) MUST_CHECK;
void pdf_close_text(struct pdf *d);
/* Height of the text in a box of width w; drawn unless dry. */
double pdf_put(struct pdf *d, double x, double y, double w, enum pdf_font font,
	       enum pdf_align align, struct pdf_colour c, const char *text);
double pdf_height(struct pdf *d, double w, enum pdf_font font, const char *text);
void pdf_fill(struct pdf *d, double x, double y, double w, double h, struct pdf_colour c);
void pdf_line(struct pdf *d, double x0, double y0, double x1, double y1);

/* A page with header and foot; `again`: it continues the one before. */
void pdf_page_begin(struct pdf *d, bool again);
void pdf_page_end(struct pdf *d);

#endif
