/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the drive takes a fill, for the plan's estimate, where that can be known beforehand. */
#ifndef CLI_RATE_H
#define CLI_RATE_H

#include "cli/cli.h"

/*
 * Put into the plan what --endurance-tbw says and the rate: that of the run named by
 * --fill-rate-from (another drive, or no fill: EXIT_CODE_USAGE), or, for a simulated drive, that of
 * one which is filled now, since virtual time costs nothing.
 */
int cli_rate_find(const struct cli_args *a, const struct dev_info *info,
		  struct pts_plan *plan, struct err *err) MUST_CHECK;

#endif
