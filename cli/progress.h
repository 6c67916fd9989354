/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run stands: one live line on a terminal, one line a minute elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

#include "base/units.h"
#include "pts/runner.h"

struct cli_progress {
	uint64_t shown_ns; /* when the last line was shown; 0 = none yet */
};

/* From now on SIGUSR1 prints the newest line on stderr, in the middle of a point and with --quiet too. */
void cli_progress_on_signal(void);
/* For pts_runner: `arg` is a struct cli_progress. */
void cli_progress_show(void *arg, const struct pts_progress *p);
/* What is only estimated, in whole seconds. */
const char *cli_roughly(uint64_t dur_ns, char buf[UNITS_TEXT]);
/* The line itself. */
void cli_progress_line(const struct pts_progress *p, char *buf, size_t n);

#endif
