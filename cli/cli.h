/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: what was typed, as values, and the commands that act on it. cli/ is the only
 * place that prints, prompts and exits.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "pts/plan.h"

#define CLI_MAX_OPERANDS 32
#define CLI_MAX_OPTIONS  96

/* Which rows of the option table were given. */
struct cli_seen {
	bool option[CLI_MAX_OPTIONS];
};

/* Everything that a command can be told. Absent options are 0, false or NULL where no default is named. */
struct cli_args {
	const struct cli_command *command;
	int argc; /* as typed, for run.json */
	char *const *argv;
	unsigned n_operands;
	const char *operand[CLI_MAX_OPERANDS];
	struct cli_seen seen;
	char *kept[CLI_MAX_OPTIONS]; /* owned: the words that came from settings files */
	unsigned n_kept;

	bool help, man, json, quiet, sim;
	const char *config; /* settings file */
	const char *device; /* the target as typed */
	uint64_t size_b; /* make the target file of this size where it does not exist */
	const char *erase_id;
	const char *output;
	const char *paper; /* directory */
	const char *rule;  /* pts.mode is what it means; default SS_MODE_BOTH */
	struct pts_opts pts;
	const char *limits; /* file */
	const char *end_command;
	const char *fill_rate_from; /* run directory */
	uint32_t endurance_tb;

	uint32_t jobs; /* batch; default 1 */
	bool dry_run, resume;
	bool continue_saturation; /* resume */
	bool redact;              /* report */
	bool strict;              /* compare */
	const char *import_as;    /* run directory */
	const char *import_drive; /* its model */

	const char *rw;      /* io: "randread", "randwrite", "randrw", "read", "write" */
	uint64_t bs_b;       /* default 4 KiB */
	uint64_t runtime_ns; /* default 10 s */
	uint32_t rwmixread;  /* percent of reads of randrw; default 50 */
};

void cli_args_release(struct cli_args *a);

/* A command prints its results on stdout, says what is wrong through cli/say.h, returns its exit code. */
enum exit_code cmd_list(const struct cli_args *a);
enum exit_code cmd_plan(const struct cli_args *a);
enum exit_code cmd_run(const struct cli_args *a);
enum exit_code cmd_compare(const struct cli_args *a);
enum exit_code cmd_import(const struct cli_args *a);
enum exit_code cmd_bundle(const struct cli_args *a);
enum exit_code cmd_resume(const struct cli_args *a);
enum exit_code cmd_batch(const struct cli_args *a);
enum exit_code cmd_report(const struct cli_args *a);
enum exit_code cmd_steady(const struct cli_args *a);
enum exit_code cmd_status(const struct cli_args *a);
enum exit_code cmd_io(const struct cli_args *a);
enum exit_code cmd_verify(const struct cli_args *a);
enum exit_code cmd_help(const struct cli_args *a);

/* Print a result on stdout, indented, and let go of it. NULL: out of memory, EXIT_CODE_INTERNAL. */
enum exit_code cli_print_json(json_t *result);

#endif
