/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cancel.h"

#include <stddef.h>
#include <unistd.h>

#include "base/err.h"

volatile sig_atomic_t cli_cancel;

static void on_signal(int sig)
{
	(void)sig;
	if (cli_cancel)
		_exit(EXIT_CODE_INTERRUPTED);
	cli_cancel = 1;
}

void cli_cancel_on_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	act.sa_handler = SIG_IGN;
	sigaction(SIGHUP, &act, NULL);
}
