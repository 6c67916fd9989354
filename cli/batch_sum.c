/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a batch will take, and what came of it. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/units.h"
#include "cli/batch.h"
#include "cli/opts.h"
#include "cli/rate.h"
#include "cli/say.h"
#include "report/report.h"
#include "store/store.h"

/* --- dry run --- */

struct forecast {
	struct pts_estimate estimate;
	struct err err; /* text "": it can be done */
};

static int plan(const struct cli_args *typed, const struct batch *b,
		const struct batch_drive *d, struct forecast *ret)
{
	const struct cli_command *command = cli_command_find("plan", &ret->err);
	struct batch_words words = { 0 };
	struct pts_plan made = { 0 };
	struct cli_args a = { 0 };
	struct dev_info info;
	int rc;

	if (!*d->device)
		return err_set(&ret->err, EXIT_CODE_USAGE, ENODEV,
			       "no drive here has this ID; `plateau list` shows them");
	rc = command ? batch_words(b, d, command, typed, &words, &ret->err) : -EINVAL;
	if (!rc)
		rc = cli_parse(words.argc, words.argv, &a, &ret->err);
	if (!rc)
		rc = dev_identify(&dev_roots_host, a.device, &info, &ret->err);
	if (!rc)
		rc = pts_plan_make(&a.pts, &info, &made, &ret->err);
	if (!rc)
		rc = cli_rate_find(&a, &info, &made, &ret->err);
	if (!rc)
		pts_plan_estimate(&made, pts_plan_fill_rate(&made), &ret->estimate);
	pts_plan_release(&made);
	cli_args_release(&a);
	batch_words_release(&words);
	return rc;
}

/* When the last of the drives ends, each begun as soon as one of the `jobs` places is free. */
static uint64_t total_ns(const struct forecast *f, size_t n, uint32_t jobs,
			 size_t of_estimate)
{
	uint64_t place[1024] = { 0 }, end = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t ns;
		size_t first = 0;

		memcpy(&ns, (const char *)&f[i].estimate + of_estimate, sizeof(ns));
		for (size_t k = 1; k < jobs; k++)
			if (place[k] < place[first])
				first = k;
		place[first] += ns;
		end = place[first] > end ? place[first] : end;
	}
	return end;
}

#define TOTAL(f, b, a, member)                                                           \
	total_ns(f, (b)->n, (a)->jobs, offsetof(struct pts_estimate, member))

static json_t *estimate_json(const struct pts_estimate *e)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I}", "best_ns", (json_int_t)e->best_ns,
			 "expected_ns", (json_int_t)e->expected_ns, "worst_ns",
			 (json_int_t)e->worst_ns, "best_bytes", (json_int_t)e->best_b,
			 "worst_bytes", (json_int_t)e->worst_b);
}

static enum exit_code print_forecast_json(const struct cli_args *a, const struct batch *b,
					  const struct forecast *f,
					  const struct pts_estimate *all)
{
	json_t *drives = json_array();

	for (size_t i = 0; i < b->n; i++) {
		json_t *o = json_pack("{s:s,s:s}", "name", b->drive[i].name, "device",
				      b->drive[i].device);

		if (*f[i].err.text)
			json_object_set_new(o, "refused", json_string(f[i].err.text));
		else
			json_object_set_new(o, "estimate", estimate_json(&f[i].estimate));
		json_array_append_new(drives, o);
	}
	return cli_print_json(json_pack("{s:I,s:o,s:o}", "jobs", (json_int_t)a->jobs,
					"drives", drives, "total", estimate_json(all)));
}

static void print_estimate(const char *name, const char *tests,
			   const struct pts_estimate *e)
{
	char best[UNITS_TEXT], expected[UNITS_TEXT], worst[UNITS_TEXT], from[UNITS_TEXT],
		to[UNITS_TEXT];

	printf("%-24s %-16s %-14s %-14s %-14s %s to %s\n", name, tests,
	       units_dur(e->best_ns, best), units_dur(e->expected_ns, expected),
	       units_dur(e->worst_ns, worst), units_capacity(e->best_b, from),
	       units_capacity(e->worst_b, to));
}

static void print_forecast(const struct batch *b, const struct forecast *f,
			   const struct pts_estimate *all)
{
	printf("%-24s %-16s %-14s %-14s %-14s %s\n", "DRIVE", "TESTS", "BEST", "EXPECTED",
	       "WORST", "WRITTEN");
	for (size_t i = 0; i < b->n; i++) {
		const char *tests = batch_value(b, &b->drive[i], "test");

		if (*f[i].err.text)
			printf("%-24s %-16s %s\n", b->drive[i].name, tests,
			       f[i].err.text);
		else
			print_estimate(b->drive[i].name, tests, &f[i].estimate);
	}
	print_estimate("all", "", all);
}

enum exit_code batch_dry_run(const struct cli_args *a, const struct batch *b)
{
	struct forecast *f = calloc(b->n, sizeof(*f));
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct pts_estimate all = { 0 };

	if (!f) {
		say("out of memory");
		return EXIT_CODE_INTERNAL;
	}
	for (size_t i = 0; i < b->n; i++) {
		if (plan(a, b, &b->drive[i], &f[i]))
			code = exit_code_graver(code, f[i].err.code);
		else
			f[i].err.text[0] = '\0';
		all.best_b += f[i].estimate.best_b;
		all.worst_b += f[i].estimate.worst_b;
	}
	all.best_ns = TOTAL(f, b, a, best_ns);
	all.expected_ns = TOTAL(f, b, a, expected_ns);
	all.worst_ns = TOTAL(f, b, a, worst_ns);
	if (a->json)
		code = exit_code_graver(code, print_forecast_json(a, b, f, &all));
	else
		print_forecast(b, f, &all);
	free(f);
	return code;
}

/* --- summary --- */

/* What the run says of each of its tests, and its figures; null where it has no run. */
static void add_results(json_t *o, const struct batch_drive *d)
{
	json_t *tests = NULL, *figures = NULL;
	struct st_run run = { 0 };

	if (!st_run_read(d->dir, &run, NULL)) {
		tests = json_deep_copy(json_object_get(st_run_end(&run), "tests"));
		if (rpt_figures(&run, &figures, NULL))
			figures = NULL;
	}
	json_object_set_new(o, "tests", tests ? tests : json_null());
	json_object_set_new(o, "figures", figures ? figures : json_null());
	st_run_release(&run);
}

static json_t *summary_json(const struct batch *b, enum exit_code code,
			    const char *comparison)
{
	json_t *drives = json_array();

	for (size_t i = 0; i < b->n; i++) {
		const struct batch_drive *d = &b->drive[i];

		json_t *o =
			json_pack("{s:s,s:s,s:s,s:i,s:s,s:s,s:b,s:I}", "name", d->name,
				  "device", d->device, "run", d->dir, "exit_code",
				  (int)d->code, "exit", exit_code_word(d->code), "reason",
				  d->reason, "ran_before", d->state == BATCH_KEPT,
				  "dur_ns", (json_int_t)(d->t1_ns - d->t0_ns));

		add_results(o, d);
		json_array_append_new(drives, o);
	}
	return json_pack("{s:i,s:s,s:o,s:s?}", "exit_code", (int)code, "exit",
			 exit_code_word(code), "drives", drives, "comparison",
			 comparison);
}

static void print_summary(const struct batch *b)
{
	char dur[UNITS_TEXT];

	printf("%-24s %-32s %-14s %s\n", "DRIVE", "RESULT", "TIME", "REASON");
	for (size_t i = 0; i < b->n; i++) {
		const struct batch_drive *d = &b->drive[i];
		char result[64];

		snprintf(result, sizeof(result), "%s (%d)", exit_code_word(d->code),
			 d->code);
		printf("%-24s %-32s %-14s %s\n", d->name, result,
		       d->state == BATCH_KEPT ? "before"
					      : units_dur(d->t1_ns - d->t0_ns, dur),
		       d->reason);
	}
}

/* The same figure among another drive's; NULL where it has none. */
static const json_t *same_figure(const json_t *figures, const json_t *of)
{
	const json_t *f;
	size_t i;

	json_array_foreach(
		figures, i,
		f) if (!strcmp(st_text(f, "test"), st_text(of, "test")) &&
		       !strcmp(st_text(f, "what"), st_text(of, "what"))) return f;
	return NULL;
}

static void print_row(const json_t *drives, const json_t *of)
{
	const json_t *d;
	size_t i;

	printf("%-20s %-40s %-5s", st_text(of, "test"), st_text(of, "what"),
	       st_text(of, "unit"));
	json_array_foreach(drives, i, d)
	{
		const json_t *f = same_figure(json_object_get(d, "figures"), of);

		printf(" %14s", f ? st_text(f, "value") : "-");
	}
	putchar('\n');
}

/* A drive that did not end complete is marked with its code. */
static void print_heading(const json_t *drive)
{
	json_int_t code = json_integer_value(json_object_get(drive, "exit_code"));
	char text[32];

	if (code)
		snprintf(text, sizeof(text), "%.9s (%d)", st_text(drive, "name"),
			 (int)code);
	else
		snprintf(text, sizeof(text), "%.14s", st_text(drive, "name"));
	printf(" %14s", text);
}

/* Each figure once, where the first drive that has it has it, beside those of the others. */
static void print_figures(const json_t *summary)
{
	const json_t *drives = json_object_get(summary, "drives"), *d, *f;
	size_t i, k;

	printf("\n%-20s %-40s %-5s", "TEST", "FIGURE", "UNIT");
	json_array_foreach(drives, i, d) print_heading(d);
	putchar('\n');
	json_array_foreach(drives, i, d)
	{
		json_array_foreach(json_object_get(d, "figures"), k, f)
		{
			bool told = false;

			for (size_t before = 0; before < i && !told; before++)
				told = same_figure(
					json_object_get(json_array_get(drives, before),
							"figures"),
					f);
			if (!told)
				print_row(drives, f);
		}
	}
}

static int write_summary(const json_t *summary, const char *dir, struct err *err)
{
	struct str path = { 0 }, text = { 0 };
	char *dump = json_dumps(summary, JSON_INDENT(2));
	int rc;

	str_addf(&path, "%s/batch.json", dir);
	str_addf(&text, "%s\n", dump ? dump : "");
	if (!dump || path.failed || text.failed)
		rc = err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	else
		rc = str_write_file(&text, path.text, err);
	free(dump);
	str_release(&path);
	str_release(&text);
	return rc;
}

/* Of every run that measured anything. Returns whether it was made. */
static bool compare(const struct batch *b, const char *out)
{
	const char **argv = calloc(b->n + 5, sizeof(*argv));
	struct proc p = { .argv = argv,
			  .limit_s = 600,
			  .max_output_b = 1 << 16,
			  .package = "plateau" };
	struct proc_result result = { 0 };
	struct err err = { .text = "" };
	bool made = false;
	size_t n = 0;

	if (!argv)
		return false;
	argv[n++] = "/proc/self/exe";
	argv[n++] = "compare";
	for (size_t i = 0; i < b->n; i++) {
		struct st_run run = { 0 };

		if (!st_run_read(b->drive[i].dir, &run, NULL) &&
		    st_run_nth(&run, ST_POINT, 0))
			argv[n++] = b->drive[i].dir;
		st_run_release(&run);
	}
	argv[n++] = "--output";
	argv[n++] = out;
	if (n < 6) { /* nothing to compare a single run with */
		free(argv);
		return false;
	}
	if (!proc_run(&p, &result, &err))
		made = !result.status;
	if (!made)
		say("no comparison: %s%.*s", err.text,
		    (int)strcspn(str_text(&result.err), "\n"), str_text(&result.err));
	proc_result_release(&result);
	free(argv);
	return made;
}

enum exit_code batch_sum_up(const struct cli_args *a, const struct batch *b,
			    const char *dir)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct str out = { 0 };
	json_t *summary;
	struct err err;
	bool compared;

	for (size_t i = 0; i < b->n; i++)
		code = exit_code_graver(code, b->drive[i].code);
	str_addf(&out, "%s/comparison", dir);
	compared = !out.failed && compare(b, out.text);
	summary = summary_json(b, code, compared ? out.text : NULL);
	if (!summary || write_summary(summary, dir, &err))
		say("no summary file: %s", summary ? err.text : "out of memory");
	if (a->json) {
		code = exit_code_graver(code, cli_print_json(summary));
	} else {
		print_summary(b);
		print_figures(summary);
		if (compared)
			printf("%s\n", out.text);
		json_decref(summary);
	}
	str_release(&out);
	return code;
}
