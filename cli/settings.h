/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The settings files: any long option of `plateau run`, but for those that consent to erasing, as
 * key = value; the report's header fields below [lab], there without their "lab-".
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/cli.h"

/*
 * For commands that take --config. What was typed goes before --config FILE; without that the user's
 * file goes before the machine's. A file that is not there is passed over, unless it was asked for.
 */
int cli_settings_read(struct cli_args *a, struct err *err) MUST_CHECK;

#endif
