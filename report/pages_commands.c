/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was typed, and every step that followed from it, with its time. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "report/pages.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-"

/* As a shell takes it back. */
static const char *quoted(struct rpt_arena *a, const char *word)
{
	const char *text = "'", *quote;

	if (*word && !word[strspn(word, PLAIN)])
		return word;
	while ((quote = strchr(word, '\''))) {
		text = rpt_fmt(a, "%s%.*s'\\''", text, (int)(quote - word), word);
		word = quote + 1;
	}
	return rpt_fmt(a, "%s%s'", text, word);
}

static const char *command_line(struct rpt_arena *a, const json_t *argv)
{
	const char *line = "";
	const json_t *word;
	size_t i;

	json_array_foreach(argv, i, word) if (json_is_string(word)) line = rpt_fmt(
		a, "%s%s%s", line, *line ? " " : "", quoted(a, json_string_value(word)));
	return *line ? rpt_clean(a, line) : "not stated";
}

static json_int_t number(const json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

static bool same_step(const json_t *a, const json_t *b)
{
	return !strcmp(st_text(a, "test"), st_text(b, "test")) &&
	       !strcmp(st_text(a, "verb"), st_text(b, "verb")) &&
	       number(a, "loop_bs_b") == number(b, "loop_bs_b");
}

static const json_t *plan_step(const struct rpt_data *d, const json_t *stage)
{
	const json_t *steps = json_object_get(json_object_get(d->run->run, "plan"),
					      "steps"),
		     *step;
	size_t i;

	json_array_foreach(steps, i, step) if (same_step(step, stage)) return step;
	return NULL;
}

/* The record that ends a stage; NULL where it did not end. */
static const json_t *stage_end(const struct rpt_data *d, size_t begin)
{
	const json_t *stage = d->run->rec[begin].body;

	for (size_t i = begin + 1; i < d->run->n; i++) {
		const struct st_record *rec = &d->run->rec[i];

		if (rec->kind != ST_STAGE || !same_step(rec->body, stage))
			continue;
		return strcmp(st_text(rec->body, "stage"), "end") ? NULL : rec->body;
	}
	return NULL;
}

static const char *what_ran(struct rpt_data *d, const json_t *stage, const json_t *end)
{
	const json_t *plan = plan_step(d, stage);
	struct rpt_arena *a = d->arena;
	const char *words = st_text(end, "words"), *with;
	json_int_t bs_b = number(plan, "bs_b"), bytes = number(end, "bytes");
	char buf[UNITS_TEXT];

	if (*words)
		return rpt_clean(a, words);
	if (!number(plan, "tc"))
		return "";
	with = rpt_fmt(a, "TC %" JSON_INTEGER_FORMAT " / QD %" JSON_INTEGER_FORMAT,
		       number(plan, "tc"), number(plan, "qd"));
	if (bs_b > 0)
		with = rpt_fmt(a, "%s KiB, %s", rpt_kib(a, (uint32_t)bs_b), with);
	if (bytes > 0)
		with = rpt_fmt(a, "%s, %s written", with,
			       units_capacity((uint64_t)bytes, buf));
	if (json_object_get(end, "rounds"))
		with = rpt_fmt(a, "%s, %" JSON_INTEGER_FORMAT " rounds of %zu points",
			       with, number(end, "rounds"),
			       json_array_size(json_object_get(plan, "cells")));
	return with;
}

/* "7:41:48" since the start of the run. */
static const char *clock_words(struct rpt_arena *a, json_int_t ns)
{
	json_int_t s = ns / (json_int_t)NSEC_PER_SEC;

	return rpt_fmt(a,
		       "%" JSON_INTEGER_FORMAT ":%02" JSON_INTEGER_FORMAT
		       ":%02" JSON_INTEGER_FORMAT,
		       s / 3600, s / 60 % 60, s % 60);
}

static void step_row(struct rpt_model *m, struct rpt_data *d, struct rpt_table *t,
		     const json_t *stage, const json_t *end)
{
	json_int_t from = number(stage, "t_ns"), loop = number(stage, "loop_bs_b");
	char buf[UNITS_TEXT];

	rpt_cell_add(m, t, RPT_PLAIN, "%s", clock_words(&m->arena, from));
	rpt_cell_add(m, t, RPT_PLAIN, "%s%s",
		     rpt_clean(&m->arena, st_text(stage, "test")),
		     loop > 0 ? rpt_fmt(&m->arena, " %s KiB",
					rpt_kib(&m->arena, (uint32_t)loop))
			      : "");
	rpt_cell_add(m, t, RPT_PLAIN, "%s", rpt_clean(&m->arena, st_text(stage, "verb")));
	rpt_cell_add(m, t, RPT_PLAIN, "%s", what_ran(d, stage, end));
	rpt_cell_add(m, t, end ? RPT_PLAIN : RPT_BAD, "%s",
		     end ? units_dur((uint64_t)(number(end, "t_ns") - from), buf)
			 : "did not end");
}

static void steps_table(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_table *t = rpt_table_add(m, p, "Steps, as they ran");

	rpt_col_add(m, t, "Start (h:mm:ss)", true, 0.9);
	rpt_col_add(m, t, "Test", false, 1);
	rpt_col_add(m, t, "Step", false, 0.8);
	rpt_col_add(m, t, "What", false, 4);
	rpt_col_add(m, t, "Duration", true, 1.1);
	for (size_t i = 0; i < d->run->n; i++) {
		const struct st_record *rec = &d->run->rec[i];

		if (rec->kind == ST_STAGE &&
		    !strcmp(st_text(rec->body, "stage"), "begin"))
			step_row(m, d, t, rec->body, stage_end(d, i));
	}
}

/* Programs that were run on the drive, as the journal has them. */
static void programs_table(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_table *t = NULL;

	for (size_t i = 0; i < d->run->n; i++) {
		const json_t *body = d->run->rec[i].body;
		const char *command = st_text(body, "command");

		if (!*command)
			continue;
		if (!t) {
			t = rpt_table_add(m, p, "Programs that were run");
			rpt_col_add(m, t, "Journal line", true, 0.6);
			rpt_col_add(m, t, "Command", false, 5);
		}
		rpt_cell_add(m, t, RPT_PLAIN, "%" PRIu64, d->run->rec[i].seq);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", rpt_clean(&m->arena, command));
	}
}

void rpt_page_commands(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	struct rpt_page *p =
		rpt_page_add(m, head, "commands", "Appendix - Commands and Steps");
	struct rpt_facts *f = rpt_facts_add(m, p, "");

	rpt_fact_add(m, f, "Typed", "%s",
		     command_line(&m->arena, json_object_get(d->run->run, "argv")));
	rpt_fact_add(m, f, "Judge it again", "plateau verify RUN");
	rpt_fact_add(m, f, "Draw it again",
		     "plateau report RUN; one chart: gnuplot NAME.gp, in charts/");
	steps_table(m, d, p);
	programs_table(m, d, p);
}
