/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/say.h"

/* 17 digits: what is read back is the very same double. */
enum exit_code cli_print_json(json_t *result)
{
	bool made = result &&
		    !json_dumpf(result, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

	if (made)
		putchar('\n');
	else if (!ferror(stdout))
		say("out of memory while printing the result");
	json_decref(result);
	return made || ferror(stdout) ? EXIT_CODE_COMPLETE : EXIT_CODE_INTERNAL;
}
