/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chart of the model as a gnuplot script and the data that it plots. */
#ifndef REPORT_GP_H
#define REPORT_GP_H

#include "base/str.h"
#include "report/model.h"

/* The script reads NAME.dat and draws NAME.svg. -ENOMEM. */
int rpt_gp_write(const struct rpt_chart *c, struct str *gp, struct str *dat) MUST_CHECK;

#endif
