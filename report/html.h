/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model as one HTML file: charts inside as SVG, nothing fetched, light and dark. A few lines of
 * script sort its tables; nothing else needs them.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/err.h"
#include "report/model.h"

int rpt_html_write(const struct rpt_model *m, const char *charts_dir, const char *path,
		   struct err *err) MUST_CHECK;

#endif
