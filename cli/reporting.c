/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/reporting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/report.h"

int cli_report_date(int64_t *ret_wall_ns, struct err *err)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t s;
	int rc;

	*ret_wall_ns = clock_system()->wall_ns(clock_system());
	if (!epoch)
		return 0;
	rc = units_parse_uint("SOURCE_DATE_EPOCH", epoch, 0, INT64_MAX / NSEC_PER_SEC, &s,
			      err);
	if (!rc)
		*ret_wall_ns = (int64_t)(s * NSEC_PER_SEC);
	return rc;
}

/* Judge, say it of each, and leave junit.xml; nothing where there are no limits. */
static int report_limits(const struct st_run *run, const char *dir,
			 const struct rpt_limits *l, unsigned *ret_failed,
			 struct err *err)
{
	struct rpt_finding *f = l->n ? calloc(l->n, sizeof(*f)) : NULL;
	int rc;

	*ret_failed = 0;
	if (!l->n)
		return 0;
	if (!f)
		return err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	rc = rpt_limits_judge(run, l, f, err);
	if (!rc) {
		printf("\n");
		for (size_t i = 0; i < l->n; i++) {
			printf("  %s  %-40s %s\n", f[i].pass ? "PASS" : "FAIL",
			       l->limit[i].text, f[i].value);
			*ret_failed += !f[i].pass;
		}
		rc = rpt_limits_junit(run, l, f, dir, err);
	}
	free(f);
	return rc;
}

enum rpt_paper cli_paper(const char *word)
{
	return word && !strcmp(word, "letter") ? RPT_LETTER : RPT_A4;
}

int cli_report_limits(const struct st_run *run, const char *out_dir, const char *paper,
		      const struct rpt_limits *limits, unsigned *ret_failed,
		      struct err *err)
{
	struct rpt_opts opts = { .out_dir = out_dir,
				 .paper = cli_paper(paper),
				 .limits = limits };
	struct str summary = { 0 };
	struct rpt_result made;
	int rc = cli_report_date(&opts.report_wall_ns, err);

	if (!rc)
		rc = rpt_summary(run, &summary, err);
	if (!rc) {
		fputs(str_text(&summary), stdout);
		rc = report_limits(run, out_dir ? out_dir : run->dir, limits, ret_failed,
				   err);
		fflush(stdout);
	}
	str_release(&summary);
	if (!rc)
		rc = rpt_make(run, &opts, &made, err);
	if (!rc)
		printf("%s\n%s\n", made.html, made.pdf);
	return rc;
}

int cli_report(const struct st_run *run, const char *out_dir, const char *paper,
	       struct err *err)
{
	struct rpt_limits own = { 0 };
	unsigned failed;
	int rc = rpt_limits_of_run(run, &own, err);

	if (!rc)
		rc = cli_report_limits(run, out_dir, paper, &own, &failed, err);
	rpt_limits_release(&own);
	return rc;
}

int cli_judge_limits(void *arg, const struct st_run *run, struct err *err)
{
	struct rpt_limits l = { 0 };
	struct rpt_finding *f = NULL;
	struct str text = { 0 };
	int rc = rpt_limits_of_run(run, &l, err);

	(void)arg;
	if (!rc && l.n) {
		f = calloc(l.n, sizeof(*f));
		rc = f ? rpt_limits_judge(run, &l, f, err)
		       : err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
		if (!rc && rpt_limits_sum_up(&l, f, &text))
			rc = err_set(err, EXIT_CODE_LIMITS, EINVAL, "%s",
				     str_text(&text));
	}
	str_release(&text);
	free(f);
	rpt_limits_release(&l);
	return rc;
}
