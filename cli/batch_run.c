/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drives' own programs: started, waited for, told of signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/batch.h"
#include "cli/cancel.h"
#include "cli/notify.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "store/store.h"

#define LOOK_EVERY_NS (200 * NSEC_PER_MSEC)
#define MAX_LOG_B     (64 << 20)

static void end_drive(struct batch_drive *d, enum exit_code code)
{
	char dur[UNITS_TEXT];

	d->state = BATCH_ENDED;
	d->code = code;
	d->t1_ns = clock_mono_ns();
	say_info("%s: %s (exit %d) after %s%s%s", d->name, exit_code_word(code), code,
		 units_dur(d->t1_ns - d->t0_ns, dur), *d->reason ? ": " : "", d->reason);
}

/* A group of its own: signals of the terminal come through us, once. */
static void become(const struct batch_drive *d, char *const argv[])
{
	int in = open("/dev/null", O_RDONLY);
	int log = open(d->log, O_WRONLY | O_CREAT | O_APPEND, 0666);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT); /* without us it is resumed, not left alone */
	if (log >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
	    dup2(log, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(EXIT_CODE_HOST);
}

static int words_for(const struct cli_args *a, const struct batch *b,
		     const struct batch_drive *d, struct batch_words *ret,
		     struct err *err)
{
	const struct cli_command *c = cli_command_find(d->resume ? "resume" : "run", err);

	return c ? batch_words(b, d, c, a, ret, err) : -EINVAL;
}

static void start(const struct cli_args *a, struct batch *b, struct batch_drive *d)
{
	struct batch_words words = { 0 };
	struct err err;

	d->t0_ns = clock_mono_ns();
	if (!*d->device && !d->resume) {
		snprintf(d->reason, sizeof(d->reason),
			 "no drive here has this ID; `plateau list` shows them");
		end_drive(d, EXIT_CODE_USAGE);
		return;
	}
	if (words_for(a, b, d, &words, &err)) {
		snprintf(d->reason, sizeof(d->reason), "%s", err.text);
		end_drive(d, err.code);
		return;
	}
	say_info("%s: %s, %s; '%s' has what it says", d->name,
		 d->resume ? "resumed" : "started", d->device, d->log);
	d->state = BATCH_RUNNING;
	d->pid = fork();
	if (!d->pid)
		become(d, words.argv);
	if (d->pid < 0) {
		snprintf(d->reason, sizeof(d->reason), "cannot start a program: %s",
			 strerror(errno));
		end_drive(d, EXIT_CODE_HOST);
	}
	batch_words_release(&words);
}

/* The last line that plateau said in its log. */
static void last_words(struct batch_drive *d)
{
	static const char mark[] = "plateau: ";
	struct str log = { 0 };
	const char *last = NULL;

	if (!str_read_file(&log, d->log, MAX_LOG_B, NULL))
		for (const char *at = str_text(&log); (at = strstr(at, mark));
		     at += strlen(mark))
			last = at + strlen(mark);
	if (last)
		snprintf(d->reason, sizeof(d->reason), "%.*s", (int)strcspn(last, "\n"),
			 last);
	str_release(&log);
}

/* Why it ended, as the run itself recorded it; what it said where the record is of an earlier end. */
static void find_reason(struct batch_drive *d, int code)
{
	struct st_run run = { 0 };
	const char *reason = NULL;

	if (!st_run_read(d->dir, &run, NULL)) {
		const json_t *end = st_run_end(&run);

		if (json_integer_value(json_object_get(end, "exit_code")) == code)
			reason = json_string_value(json_object_get(end, "reason"));
	}
	if (reason)
		snprintf(d->reason, sizeof(d->reason), "%s", reason);
	else
		last_words(d);
	st_run_release(&run);
}

static void reap(struct batch *b)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < b->n; i++) {
			struct batch_drive *d = &b->drive[i];

			if (d->state != BATCH_RUNNING || d->pid != pid)
				continue;
			find_reason(d, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
			if (WIFSIGNALED(status))
				snprintf(d->reason, sizeof(d->reason),
					 "its program was ended by signal %d (%s)",
					 WTERMSIG(status), strsignal(WTERMSIG(status)));
			end_drive(d, WIFEXITED(status)
					     ? (enum exit_code)WEXITSTATUS(status)
					     : EXIT_CODE_INTERNAL);
		}
}

static size_t count(const struct batch *b, enum batch_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->drive[i].state == state;
	return n;
}

/* The first signal goes on to those that run; what waits is not begun. */
static void pass_on_cancel(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct batch_drive *d = &b->drive[i];

		if (d->state == BATCH_RUNNING)
			kill(d->pid, SIGINT);
		if (d->state == BATCH_WAITING) {
			snprintf(d->reason, sizeof(d->reason), "not begun");
			d->state = BATCH_ENDED;
			d->code = EXIT_CODE_INTERRUPTED;
		}
	}
	notify("STOPPING=1");
}

static void start_next(const struct cli_args *a, struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->drive[i].state == BATCH_WAITING &&
		    count(b, BATCH_RUNNING) < a->jobs) {
			start(a, b, &b->drive[i]);
			notify("STATUS=%zu of %zu drives ended, %zu running",
			       count(b, BATCH_ENDED) + count(b, BATCH_KEPT), b->n,
			       count(b, BATCH_RUNNING));
		}
}

void batch_run(const struct cli_args *a, struct batch *b)
{
	const struct timespec nap = { .tv_nsec = LOOK_EVERY_NS };
	bool told = false;
	int inhibitor = notify_inhibit_sleep();

	cli_cancel_on_signals();
	notify("READY=1");
	while (count(b, BATCH_WAITING) + count(b, BATCH_RUNNING)) {
		if (cli_cancel && !told) {
			told = true;
			pass_on_cancel(b);
		}
		start_next(a, b);
		nanosleep(&nap, NULL);
		reap(b);
		notify_alive();
	}
	if (inhibitor > 0)
		kill(-inhibitor, SIGTERM);
}
