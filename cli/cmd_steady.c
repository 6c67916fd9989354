/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steady: the detector on any series. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "cli/series.h"
#include "steady_state/ss.h"

static json_t *number_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *window_json(const struct ss_verdict *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(a, number_json(v->window[i]));
	return a;
}

/* A window that could not be judged has no figures. */
static json_t *verdict_json(const struct ss_verdict *v)
{
	const struct {
		const char *name;
		double value;
	} figure[] = {
		{ "average", v->average },
		{ "range", v->range },
		{ "range_pct", v->range_pct },
		{ "slope", v->slope },
		{ "intercept", v->intercept },
		{ "excursion", v->excursion },
		{ "excursion_pct", v->excursion_pct },
		{ "line_low_pct", v->line_low_pct },
		{ "line_high_pct", v->line_high_pct },
		{ "r", v->r },
	};
	json_t *o = json_pack("{s:s, s:b, s:I, s:o}", "rule", v->rule->name, "steady",
			      v->steady, "round", (json_int_t)v->round, "window",
			      window_json(v));

	for (size_t i = 0; i < ARRAY_LEN(figure); i++)
		json_object_set_new(o, figure[i].name,
				    v->judged ? number_json(figure[i].value)
					      : json_null());
	json_object_set_new(o, "reason", json_string(v->reason));
	return o;
}

static json_t *decision_json(const struct ss_decision *d)
{
	if (d->mode != SS_MODE_BOTH)
		return verdict_json(d->mode == SS_MODE_PTS ? d->pts : d->band);
	return json_pack("{s:s, s:b, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:s}", "rule",
			 ss_mode_word(d->mode), "steady", d->steady, "round",
			 (json_int_t)d->round, "pts", verdict_json(d->pts), "band",
			 verdict_json(d->band), "pts_first", (json_int_t)d->pts_first,
			 "band_first", (json_int_t)d->band_first, "later",
			 (json_int_t)d->later, "later_failed",
			 (json_int_t)d->later_failed, "reason", d->reason);
}

static void print_verdict(const struct ss_verdict *v)
{
	printf("%-4s  rounds %u..%u:", v->rule->name, v->first, v->round);
	for (size_t i = 0; i < v->n; i++)
		printf(" %.10g", v->window[i]);
	if (v->judged)
		printf("\n      average %.10g, range %.10g, line %.10g x round %c %.10g, "
		       "its max - min %zu x %.10g = %.10g",
		       v->average, v->range, v->slope, v->intercept < 0 ? '-' : '+',
		       fabs(v->intercept), v->n - 1, fabs(v->slope), v->excursion);
	printf("\n      %s\n", v->reason);
}

static void print_decision(const struct ss_decision *d)
{
	printf("%s\n", d->reason);
	if (d->mode != SS_MODE_BAND)
		print_verdict(d->pts);
	if (d->mode != SS_MODE_PTS)
		print_verdict(d->band);
}

static int read_operand(const char *path, struct series *ret, struct err *err)
{
	if (!strcmp(path, "-"))
		return series_read(stdin, "standard input", ret, err);
	FILE *f = fopen(path, "re");

	if (!f)
		return err_set(err, EXIT_CODE_USAGE, errno, "cannot read %s: %s", path,
			       strerror(errno));
	int rc = series_read(f, path, ret, err);

	fclose(f);
	return rc;
}

enum exit_code cmd_steady(const struct cli_args *a)
{
	struct ss_decision d;
	struct series series;
	struct err err;
	enum exit_code code = EXIT_CODE_COMPLETE;

	if (read_operand(a->operand[0], &series, &err))
		return say_err(&err);
	ss_decide(a->pts.mode, (const double *const[]){ series.value }, 1, series.n,
		  series.first, &d);
	series_release(&series);
	if (a->json)
		code = cli_print_json(decision_json(&d));
	else
		print_decision(&d);
	return exit_code_graver(code,
				d.steady ? EXIT_CODE_COMPLETE : EXIT_CODE_NOT_STEADY);
}
