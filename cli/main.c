/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/opts.h"
#include "cli/say.h"

/*
 * A closed standard stream must not let a device take its number: results would be written to the
 * drive. /dev/null opened the wrong way round keeps the number, and using it still fails.
 */
static bool hold_std_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

static enum exit_code dispatch(int argc, char *const argv[])
{
	struct cli_args args = { 0 };
	struct err err;

	if (argc > 1 && !strcmp(argv[1], "--version")) {
		puts("plateau " PLATEAU_VERSION);
		return EXIT_CODE_COMPLETE;
	}
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return cmd_help(&args);
	enum exit_code code;

	if (cli_parse(argc, argv, &args, &err)) {
		code = say_err(&err);
	} else if (args.help && args.command->bit != CMD_HELP) {
		args.operand[0] = args.command->name;
		args.n_operands = 1;
		code = cmd_help(&args);
	} else {
		if (args.quiet)
			say_quiet();
		code = args.command->run(&args);
	}
	cli_args_release(&args);
	return code;
}

int main(int argc, char *argv[])
{
	if (!hold_std_streams())
		return EXIT_CODE_INTERNAL;
	/* A closed pipe and a file-size limit are errors of the write, which says what was lost. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	bool was_tty = isatty(STDOUT_FILENO);
	enum exit_code code = dispatch(argc, argv);

	/* A terminal that was closed meanwhile takes nothing, and nobody waits for it there. */
	bool failed = (fflush(stdout) || ferror(stdout)) && !(was_tty && errno == EIO);

	if (failed) {
		say("cannot write the result to standard output: %s", strerror(errno));
		code = exit_code_graver(code, EXIT_CODE_HOST);
	}
	return (int)code;
}
