/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chart of the model as NAME.dat, NAME.gp and, drawn by gnuplot from these two, NAME.svg.
 * Whoever has the directory can redraw it: gnuplot NAME.gp.
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/str.h"
#include "report/model.h"

/* 0 where gnuplot can be run; else EXIT_CODE_HOST and the name of its package. */
int rpt_plot_ready(struct err *err) MUST_CHECK;
/* Draw every chart that has data into `dir`, which exists. */
int rpt_plot_all(const struct rpt_model *m, const char *dir, struct err *err) MUST_CHECK;
/* The chart's SVG as drawn by rpt_plot_all. */
int rpt_plot_read(const struct rpt_chart *c, const char *dir, struct str *ret,
		  struct err *err) MUST_CHECK;

#endif
