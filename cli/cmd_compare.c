/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/reporting.h"
#include "cli/say.h"
#include "report/compare.h"

static int check_distinct(const struct cli_args *a, struct err *err)
{
	struct stat st[CMP_MAX_RUNS];

	if (a->n_operands < CMP_MIN_RUNS || a->n_operands > CMP_MAX_RUNS)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "compare takes %d to %d runs, not %u", CMP_MIN_RUNS,
			       CMP_MAX_RUNS, a->n_operands);
	for (unsigned i = 0; i < a->n_operands; i++) {
		if (stat(a->operand[i], &st[i]))
			return err_set(err, EXIT_CODE_HOST, errno, "%s: %s",
				       a->operand[i], strerror(errno));
		for (unsigned k = 0; k < i; k++)
			if (st[i].st_ino == st[k].st_ino && st[i].st_dev == st[k].st_dev)
				return err_set(err, EXIT_CODE_USAGE, EINVAL,
					       "%s and %s are the same run",
					       a->operand[k], a->operand[i]);
	}
	return 0;
}

static enum exit_code compare(const struct cli_args *a, const struct st_run *const run[])
{
	struct cmp_opts opts = { .out_dir = a->output, .paper = cli_paper(a->paper) };
	struct cmp_result made;
	struct err err;

	if (cli_report_date(&opts.report_wall_ns, &err) ||
	    cmp_write(run, a->n_operands, &opts, &made, &err))
		return say_err(&err);
	if (made.differs)
		say("the runs were not taken alike: page one names what differs (%zu)",
		    made.differs);
	if (a->json) {
		char path[4096 + 32];
		json_error_t why;

		snprintf(path, sizeof(path), "%s/comparison.json", a->output);
		enum exit_code code = cli_print_json(json_load_file(path, 0, &why));

		if (code)
			return code;
	} else {
		printf("%s\n%s\n", made.html, made.pdf);
	}
	return a->strict && made.differs ? EXIT_CODE_DIFFERS : EXIT_CODE_COMPLETE;
}

enum exit_code cmd_compare(const struct cli_args *a)
{
	static struct st_run run[CMP_MAX_RUNS];
	const struct st_run *list[CMP_MAX_RUNS];
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct err err;
	unsigned n = 0;

	if (check_distinct(a, &err))
		return say_err(&err);
	for (; n < a->n_operands && !code; n++) {
		list[n] = &run[n];
		if (st_run_read(a->operand[n], &run[n], &err))
			code = say_err(&err);
	}
	if (!code)
		code = compare(a, list);
	for (unsigned i = 0; i < n; i++)
		st_run_release(&run[i]);
	return code;
}
