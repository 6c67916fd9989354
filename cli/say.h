/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What goes to stderr: whole lines that start with "plateau: ", and one live line on a terminal.
 * While a run is on, the lines go to its console.log too.
 */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/err.h"

/* One line; what is wrong is always said. */
void say(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* One line that --quiet leaves out (it still goes to console.log). */
void say_info(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Print the sentence of `err`; returns its exit code, so that a command can end with it. */
enum exit_code say_err(const struct err *err);

void say_quiet(void);
/* From now on lines go to DIR/console.log too. */
void say_log_open(const char *dir);
void say_log_close(void);

/* Replace the live line; cut to the terminal's width. Only where say_is_tty(). */
void say_live(const char *text);
bool say_is_tty(void);

#endif
