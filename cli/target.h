/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --device and --size: what is there, or the scratch file that is made. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <jansson.h>

#include "cli/cli.h"

struct cli_target {
	struct dev_info info;
	bool made; /* the file is ours and new */
};

int cli_target_find(const struct cli_args *a, struct cli_target *ret,
		    struct err *err) MUST_CHECK;
/*
 * The target of a run that is gone on with, found by its identity: serial number and WWID, wherever it is now. Another
 * drive, size or block size: EXIT_CODE_SAFETY.
 */
int cli_target_find_again(const json_t *run, struct cli_target *ret,
			  struct err *err) MUST_CHECK;
/* Where nothing has been done with it: remove a file that cli_target_find() made. */
void cli_target_unmake(struct cli_target *t);
/* The gate, with what --erase and --discard-signatures say. run_dir: NULL for none. */
int cli_target_claim(const struct cli_args *a, const struct cli_target *t,
		     const char *run_dir, struct dev_claim **ret,
		     struct err *err) MUST_CHECK;

#endif
