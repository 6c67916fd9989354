/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compliance ledger, and the arithmetic of every decision step by step. */
#include <math.h>

#include "report/pages.h"

void rpt_page_ledger(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	static const enum rpt_tone tones[PTS_STATES] = { RPT_GOOD, RPT_PLAIN, RPT_BAD,
							 RPT_WARN };
	struct rpt_page *p = rpt_page_add(m, head, "ledger", "Compliance Ledger");
	struct rpt_table *t;

	rpt_text_add(
		m, p, RPT_PLAIN,
		"What %s asks for, what was done, and where the evidence lies. Src: T seen in the "
		"specification's own words, Q a note that cites the clause, P other implementations, M "
		"memory, D our own reading. Only T and Q can be \"met\" outright.",
		d->opts.edition->label);
	t = rpt_table_add(m, p, "");
	rpt_col_add(m, t, "Clause", false, 0.8);
	rpt_col_add(m, t, "Src", false, 0.5);
	rpt_col_add(m, t, "Test", false, 0.5);
	rpt_col_add(m, t, "Required", false, 2.5);
	rpt_col_add(m, t, "Actual", false, 2.6);
	rpt_col_add(m, t, "State", false, 1.7);
	rpt_col_add(m, t, "Evidence", false, 1.5);
	for (size_t i = 0; i < d->ledger.n; i++) {
		const struct pts_ledger_row *r = &d->ledger.row[i];

		rpt_cell_add(m, t, RPT_PLAIN, "%s", r->cite.clause);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", pts_conf_word(r->cite.conf));
		rpt_cell_add(m, t, RPT_PLAIN, "%s", *r->test ? r->test : "all");
		rpt_cell_add(m, t, RPT_PLAIN, "%s", r->required);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", rpt_clean(&m->arena, r->actual));
		rpt_cell_add(m, t, tones[r->state], "%s", pts_state_word(r->state));
		rpt_cell_add(m, t, RPT_DIM, "%s", r->evidence);
	}
}

static const char *value_list(struct rpt_arena *a, const struct ss_verdict *w)
{
	const char *list = "";

	for (size_t i = 0; i < w->n; i++)
		list = rpt_fmt(a, "%s%s%.8g", list, i ? ", " : "", w->window[i]);
	return list;
}

static void steps(struct rpt_model *m, struct rpt_table *t, const char *what,
		  const char *fmt, ...) PRINTF_LIKE(4, 5);
static void steps(struct rpt_model *m, struct rpt_table *t, const char *what,
		  const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rpt_cell_add(m, t, RPT_PLAIN, "%s", what);
	rpt_cell_add(m, t, RPT_PLAIN, "%s", text);
}

/* One rule on one series: every number that went into the verdict. */
static void window_steps(struct rpt_model *m, struct rpt_page *p, const char *of,
			 const struct ss_verdict *w)
{
	struct rpt_arena *a = &m->arena;
	struct rpt_table *t;
	double lo = HUGE_VAL, hi = -HUGE_VAL;

	if (!w->rule)
		return;
	t = rpt_table_add(
		m, p,
		rpt_fmt(a, "%s - rule \"%s\" (%s)", of, w->rule->name, w->rule->clause));
	rpt_col_add(m, t, "Step", false, 1);
	rpt_col_add(m, t, "Value", false, 4);
	if (w->judged) {
		for (size_t i = 0; i < w->n; i++) {
			lo = fmin(lo, w->window[i]);
			hi = fmax(hi, w->window[i]);
		}
		steps(m, t, "Window", "rounds %u-%u: %s", w->first, w->round,
		      value_list(a, w));
		steps(m, t, "Average", "sum / %zu = %.8g", w->n, w->average);
		steps(m, t, "Range", "%.8g - %.8g = %.8g = %.4f %% of the average", hi,
		      lo, w->range, w->range_pct);
		steps(m, t, "Line", "k = %.8g a round, d = %.8g, r = %.4f", w->slope,
		      w->intercept, w->r);
		steps(m, t, "Line's excursion",
		      "%zu * |k| = %.8g = %.4f %% of the average", w->n - 1, w->excursion,
		      w->excursion_pct);
		steps(m, t, "Line's ends", "%.4f %% ... %.4f %% of the average",
		      w->line_low_pct, w->line_high_pct);
	}
	rpt_cell_add(m, t, RPT_PLAIN, "Verdict");
	rpt_cell_add(m, t, w->steady ? RPT_GOOD : RPT_BAD, "%s", w->reason);
}

static void decision_steps(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p,
			   const struct rpt_unit *u, unsigned track,
			   const struct ss_decision *dec, size_t series)
{
	const char *of = rpt_fmt(&m->arena, "%s: %s", u->title, rpt_track(d, u, track));

	window_steps(m, p, of, &dec->pts[series]);
	window_steps(m, p, of, &dec->band[series]);
}

void rpt_page_arithmetic(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	struct rpt_page *p =
		rpt_page_add(m, head, "arithmetic",
			     "Appendix - Arithmetic of Every Steady-State Decision");

	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];
		const struct ss_decision *dec = u->decision;

		rpt_heading_add(m, p, u->title);
		rpt_text_add(
			m, p, RPT_PLAIN,
			"%s. Rule pts first held at round %u, band at round %u (0: never); of %u later "
			"pts windows %u fail.",
			dec->reason, dec->pts_first, dec->band_first, dec->later,
			dec->later_failed);
		if (pts_test_step(u->test, PTS_SATURATE)) {
			decision_steps(m, d, p, u, 0, dec, 0);
			continue;
		}
		for (size_t k = 0; k < dec->n_series; k++)
			decision_steps(m, d, p, u, u->verdict.track_of[k], dec, k);
		for (unsigned k = 0; k < u->verdict.n_extra; k++)
			decision_steps(m, d, p, u, u->verdict.extra_of[k],
				       &u->verdict.extra[k], 0);
	}
}
