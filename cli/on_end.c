/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/on_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "cli/say.h"

#define LIMIT_S 600

static void say_lines(const struct str *s)
{
	for (const char *at = str_text(s); *at;) {
		size_t len = strcspn(at, "\n");

		say_info("--on-end: %.*s", (int)len, at);
		at += len + (at[len] == '\n');
	}
}

void on_end(const char *command, enum exit_code code, const char *run_dir,
	    const char *device)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	const struct proc p = { .argv = argv,
				.package = "dash",
				.limit_s = LIMIT_S,
				.max_output_b = 1 << 16 };
	struct proc_result result = { 0 };
	char *dir, number[16];
	struct err err;

	if (!command)
		return;
	dir = run_dir ? realpath(run_dir, NULL) : NULL;
	snprintf(number, sizeof(number), "%d", code);
	setenv("PLATEAU_VERDICT", exit_code_word(code), 1);
	setenv("PLATEAU_EXIT_CODE", number, 1);
	setenv("PLATEAU_RUN", dir ? dir : "", 1);
	setenv("PLATEAU_DEVICE", device, 1);
	if (proc_run(&p, &result, &err)) {
		say("--on-end: %s", err.text);
	} else {
		say_lines(&result.out);
		say_lines(&result.err);
		if (result.timed_out)
			say("--on-end: ended after %d s without an end", LIMIT_S);
		else if (result.status)
			say("--on-end: its command ended with %d", result.status);
		proc_result_release(&result);
	}
	free(dir);
}
