/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model as a PDF: A4, real text, the header block on every page, charts as vectors. */
#ifndef REPORT_PDF_H
#define REPORT_PDF_H

#include "base/err.h"
#include "report/model.h"

/* Charts are read from `charts_dir`. Equal models and charts make equal bytes. */
int rpt_pdf_write(const struct rpt_model *m, const char *charts_dir, const char *path,
		  unsigned *ret_pages, struct err *err) MUST_CHECK;

#endif
