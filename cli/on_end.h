/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_ON_END_H
#define CLI_ON_END_H

#include "base/err.h"

/*
 * Run --on-end's command (NULL: nothing) in the shell. Its environment says how it ended: PLATEAU_VERDICT,
 * PLATEAU_EXIT_CODE, PLATEAU_RUN (the run directory, "" where none was made), PLATEAU_DEVICE. What it
 * prints is said; that it fails is said and changes nothing.
 */
void on_end(const char *command, enum exit_code code, const char *run_dir,
	    const char *device);

#endif
