/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run another program: found on PATH, LC_ALL=C, its own process group, a time limit, an output
 * limit. What it made is the caller's to judge; the exit status alone proves nothing.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include "base/str.h"

struct proc {
	const char *const *argv; /* NULL-terminated */
	const char *cwd;         /* NULL: here */
	const char *package;     /* named in the error when the program is missing */
	const char *input;       /* text for its stdin, or NULL for /dev/null */
	unsigned limit_s;        /* killed (the whole group) after that */
	size_t max_output_b;     /* each of out and err; the rest is dropped */
};

struct proc_result {
	int status; /* exit status; 128 + signal where a signal ended it */
	bool timed_out;
	struct str out, err;
};

/*
 * 0 when the program ran, whatever its status. -ENOENT (EXIT_CODE_HOST) when it is missing. SIGPIPE
 * must be ignored where there is an input: the program may end before it has read it.
 */
int proc_run(const struct proc *p, struct proc_result *ret, struct err *err) MUST_CHECK;
void proc_result_release(struct proc_result *r);

#endif
