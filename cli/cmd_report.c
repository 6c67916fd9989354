/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/reporting.h"
#include "cli/say.h"
#include "store/redact.h"

static int report(const struct cli_args *a, const struct st_run *run,
		  const struct rpt_limits *limits, enum exit_code *ret_code,
		  struct err *err)
{
	unsigned failed = 0;
	int rc;

	if (!a->limits)
		return cli_report(run, a->output, a->paper, err);
	rc = cli_report_limits(run, a->output, a->paper, limits, &failed, err);
	if (failed)
		*ret_code = EXIT_CODE_LIMITS;
	return rc;
}

enum exit_code cmd_report(const struct cli_args *a)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct rpt_limits limits = { 0 };
	struct st_run run = { 0 };
	struct err err;
	int rc =
		a->redact && !a->output
			? err_set(&err, EXIT_CODE_USAGE, EINVAL,
				  "--redact needs --output DIR: the run's own report stays as it is")
			: 0;

	if (!rc)
		rc = a->limits ? rpt_limits_read(a->limits, &limits, &err) : 0;

	if (!rc)
		rc = st_run_read(a->operand[0], &run, &err);
	if (!rc && a->redact)
		rc = st_run_redact(&run, &err);
	if (rc)
		goto out;
	if (run.dropped_b)
		say("the journal's last line is torn: %" PRIu64 " bytes are left out",
		    run.dropped_b);
	if (!st_run_end(&run))
		say("'%s' has no end: the report is marked incomplete", run.dir);
	rc = report(a, &run, &limits, &code, &err);
	if ((rc == -EROFS || rc == -EACCES || rc == -EPERM) && !a->output)
		say("--output DIR puts the report where it can be written");
out:
	if (rc)
		code = exit_code_graver(code, say_err(&err));
	rpt_limits_release(&limits);
	st_run_release(&run);
	return code;
}
