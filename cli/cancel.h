/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGINT and SIGTERM: the first asks for an orderly end, the second ends the program. */
#ifndef CLI_CANCEL_H
#define CLI_CANCEL_H

#include <signal.h>

extern volatile sig_atomic_t cli_cancel;

/* From now on; SIGHUP is ignored: a closed terminal must not end a run. */
void cli_cancel_on_signals(void);

#endif
