/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

static bool quiet;
static bool live; /* the cursor stands on a live line */
static FILE *console;

void say_quiet(void)
{
	quiet = true;
}

bool say_is_tty(void)
{
	return isatty(STDERR_FILENO);
}

static void clear_live(void)
{
	if (live)
		fputs("\r\033[K", stderr);
	live = false;
}

PRINTF_LIKE(2, 0)
static void say_line(bool show, const char *fmt, va_list ap)
{
	static char line[2048];
	int n = snprintf(line, sizeof(line), "plateau: ");

	vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	strcat(line, "\n");
	if (show) {
		clear_live();
		fputs(line, stderr);
	}
	/* A log that cannot be written must not end a run: stderr has the line. */
	if (console) {
		fputs(line, console);
		fflush(console);
	}
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(true, fmt, ap);
	va_end(ap);
}

void say_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(!quiet, fmt, ap);
	va_end(ap);
}

enum exit_code say_err(const struct err *err)
{
	say("%s", err->text);
	return err->code;
}

void say_log_open(const char *dir)
{
	struct str path = { 0 };

	str_addf(&path, "%s/console.log", dir);
	console = path.failed ? NULL : fopen(path.text, "ae");
	str_release(&path);
}

void say_log_close(void)
{
	if (console)
		fclose(console);
	console = NULL;
}

void say_live(const char *text)
{
	struct winsize ws;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || !ws.ws_col ? 80 : ws.ws_col;

	if (quiet)
		return;
	fprintf(stderr, "\r%.*s\033[K", width - 1, text);
	fflush(stderr);
	live = true;
}
