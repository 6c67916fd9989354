/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A batch: a file with options of `plateau run` for all drives, and a section for each. Every drive is
 * a program of its own in a run directory of its own, so that none can take the others along.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/cli.h"

struct batch_setting {
	char *name, *value;
};

struct batch_settings {
	struct batch_setting *at;
	size_t n;
};

/* How far a drive is. */
enum batch_state { BATCH_WAITING, BATCH_RUNNING, BATCH_ENDED, BATCH_KEPT };

struct batch_drive {
	char *name; /* of the section: the drive's ID, and its directory */
	struct batch_settings own;
	char device[4096]; /* "" where none is here */
	char *dir, *log;
	enum batch_state state;
	bool resume; /* its run stands and is not finished */
	int pid;
	uint64_t t0_ns, t1_ns;
	enum exit_code code;
	char reason[768];
};

struct batch {
	struct batch_settings defaults;
	struct batch_drive *drive;
	size_t n;
};

/* Every key and value is checked. Wrong: EXIT_CODE_USAGE, with file and line. Release also after that. */
int batch_read(const char *path, struct batch *ret, struct err *err) MUST_CHECK;
void batch_release(struct batch *b);

/* The section's value, else that of [defaults], else NULL. */
const char *batch_value(const struct batch *b, const struct batch_drive *d,
			const char *name);

/* The words of `plateau COMMAND` for a drive, NULL-terminated; borrowed from *words, freed with it. */
struct batch_words {
	struct str text;
	char **argv;
	int argc;
};
int batch_words(const struct batch *b, const struct batch_drive *d,
		const struct cli_command *command, const struct cli_args *a,
		struct batch_words *ret, struct err *err) MUST_CHECK;
void batch_words_release(struct batch_words *w);

/* Find which drives are here, and say which share a link. */
int batch_find_drives(struct batch *b, struct err *err) MUST_CHECK;

/* Steps, time and bytes of every drive; nothing is touched. */
enum exit_code batch_dry_run(const struct cli_args *a, const struct batch *b);

/* Run what waits, `jobs` at a time, until all has ended. */
void batch_run(const struct cli_args *a, struct batch *b);

/* What came of it: DIR/batch.json, the table (or the same JSON) on stdout, the comparison; the code. */
enum exit_code batch_sum_up(const struct cli_args *a, const struct batch *b,
			    const char *dir);

#endif
