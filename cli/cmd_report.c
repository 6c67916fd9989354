/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/reporting.h"
#include "cli/say.h"

enum exit_code cmd_report(const struct cli_args *a)
{
	struct st_run run = { 0 };
	struct err err;

	if (st_run_read(a->operand[0], &run, &err))
		return say_err(&err);
	if (run.dropped_b)
		say("the journal's last line is torn: %" PRIu64 " bytes are left out",
		    run.dropped_b);
	if (!st_run_end(&run))
		say("'%s' has no end: the report is marked incomplete", run.dir);
	int rc = cli_report(&run, a->output, a->paper, &err);

	if ((rc == -EROFS || rc == -EACCES || rc == -EPERM) && !a->output)
		say("--output DIR puts the report where it can be written");
	st_run_release(&run);
	return rc ? say_err(&err) : EXIT_CODE_COMPLETE;
}
