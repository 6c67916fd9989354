/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/reporting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/report.h"

/* Now, or what SOURCE_DATE_EPOCH says, so that a report can be made again byte by byte. */
static int report_date(int64_t *ret_wall_ns, struct err *err)
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

int cli_report(const struct st_run *run, const char *out_dir, const char *paper,
	       struct err *err)
{
	struct rpt_opts opts = { .out_dir = out_dir,
				 .paper = paper && !strcmp(paper, "letter") ? RPT_LETTER
									    : RPT_A4 };
	struct str summary = { 0 };
	struct rpt_result made;
	int rc = report_date(&opts.report_wall_ns, err);

	if (rc)
		return rc;
	rc = rpt_summary(run, &summary, err);
	if (!rc) {
		fputs(str_text(&summary), stdout);
		fflush(stdout);
	}
	str_release(&summary);
	if (!rc)
		rc = rpt_make(run, &opts, &made, err);
	if (!rc)
		printf("%s\n%s\n", made.html, made.pdf);
	return rc;
}
