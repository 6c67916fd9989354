/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option table and the command table: the parser, --help, `plateau help` and the manual page
 * all read them, so that they cannot disagree.
 */
#ifndef CLI_OPTS_H
#define CLI_OPTS_H

#include <stddef.h>

#include "base/str.h"
#include "cli/cli.h"

/* One bit a command, for the option table's columns. */
enum cli_cmd {
	CMD_LIST = 1 << 0,
	CMD_PLAN = 1 << 1,
	CMD_RUN = 1 << 2,
	CMD_REPORT = 1 << 3,
	CMD_STEADY = 1 << 4,
	CMD_STATUS = 1 << 5,
	CMD_IO = 1 << 6,
	CMD_VERIFY = 1 << 7,
	CMD_HELP = 1 << 8,
	CMD_BATCH = 1 << 9,
	CMD_RESUME = 1 << 10,
	CMD_BUNDLE = 1 << 11,
	CMD_IMPORT = 1 << 12,
	CMD_COMPARE = 1 << 13,
	CMD_ALL = (1 << 14) - 1,
};

struct cli_command {
	enum cli_cmd bit;
	const char *name;
	const char *operand; /* as help shows it; NULL: takes none */
	bool operand_needed;
	const char *synopsis; /* what follows the name and the operand */
	const char *summary;  /* half a line */
	const char *text;     /* paragraphs for help and manual, or NULL */
	enum exit_code (*run)(const struct cli_args *a);
};

enum cli_kind { CLI_FLAG, CLI_WORD, CLI_CHOICE, CLI_SIZE, CLI_DUR, CLI_COUNT };

struct cli_option {
	const char *name;  /* without the dashes */
	const char *alias; /* fio's word for it, or NULL */
	enum cli_kind kind;
	const char *
		arg; /* as help shows it; CLI_CHOICE: the words, "on|off|keep"; flags: NULL */
	uint64_t min, max;  /* CLI_SIZE, CLI_DUR, CLI_COUNT */
	unsigned cmds;      /* which commands take it */
	unsigned needed_by; /* which cannot do without */
	size_t off, width;  /* the member of struct cli_args */
	size_t given_off;   /* a bool that becomes true, 0 = none */
	bool typed_only;    /* cannot stand in a settings file */
	const char *help;
};

/* In the order of the manual; NULL past the last. */
const struct cli_command *cli_command_nth(size_t i);
const struct cli_option *cli_option_nth(size_t i);
/* NULL and a sentence that names the nearest where there is no such command. */
const struct cli_command *cli_command_find(const char *name, struct err *err);

/* Exit codes and their meaning, as in design.md section 4; NULL past the last. */
struct cli_exit {
	enum exit_code code;
	const char *meaning;
};
const struct cli_exit *cli_exit_nth(size_t i);

/* A setting: option `name` of `plateau run`, unless `stronger` has it already. Flags are yes or no. */
int cli_setting(struct cli_args *a, const char *name, const char *value,
		const struct cli_seen *stronger, struct err *err) MUST_CHECK;

/* The option of `plateau run` that is called so; NULL where there is none or the value is none of it. */
const char *cli_setting_check(const char *name, const char *value, struct err *err);

/*
 * argv[1] is the command (or --help, --version), the rest its options and operands, in any order.
 * Settings files are read for a command that takes --config. `ret` borrows the strings of argv; the
 * caller releases it, also after a failure. One sentence and EXIT_CODE_USAGE where something is wrong.
 */
int cli_parse(int argc, char *const argv[], struct cli_args *ret,
	      struct err *err) MUST_CHECK;

/* The word of `words` (n of them) that is most like `typed`; NULL where none is near. */
const char *cli_nearest(const char *typed, const char *const *words, size_t n);

#endif
