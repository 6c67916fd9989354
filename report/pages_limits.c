/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits that the run was held to. */
#include "report/limits.h"
#include "report/pages.h"

void rpt_page_limits(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	const struct rpt_limits *l = d->limits;
	struct rpt_finding *f;
	struct rpt_page *p;
	struct rpt_table *t;
	unsigned failed = 0;

	if (!l || !l->n)
		return;
	f = rpt_alloc(&m->arena, l->n * sizeof(*f));
	rpt_limits_find(d, l, f);
	for (size_t i = 0; i < l->n; i++)
		failed += !f[i].pass;
	p = rpt_page_add(m, head, "limits", "Limits");
	rpt_text_add(m, p, failed ? RPT_BAD : RPT_GOOD,
		     failed ? "%u of %zu limits failed."
			    : "%u of %zu limits failed: all hold.",
		     failed, l->n);
	rpt_text_add(
		m, p, RPT_PLAIN,
		"Cells are judged by the rounds that the tables of their test average. What "
		"was not measured does not pass.");
	t = rpt_table_add(m, p, "Limit by limit");
	rpt_col_add(m, t, "Limit", false, 4);
	rpt_col_add(m, t, "Measured", true, 2);
	rpt_col_add(m, t, "Result", false, 1);
	for (size_t i = 0; i < l->n; i++) {
		rpt_cell_add(m, t, RPT_PLAIN, "%s", l->limit[i].text);
		rpt_cell_add(m, t, f[i].measured ? RPT_PLAIN : RPT_WARN, "%s",
			     f[i].value);
		rpt_cell_add(m, t, f[i].pass ? RPT_GOOD : RPT_BAD,
			     f[i].pass ? "PASS" : "FAIL");
	}
}
