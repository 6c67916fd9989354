/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "report/gp.h"

#define PACKAGE   "gnuplot-nox"
#define LIMIT_S   120
#define OUTPUT_B  ((size_t)64 << 10)
#define SVG_MAX_B ((size_t)64 << 20)

static int write_text(const struct str *s, const char *dir, const char *name,
		      const char *end, struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s.%s", dir, name, end) >= (int)sizeof(path))
		return err_set(err, EXIT_CODE_HOST, ENAMETOOLONG,
			       "%s: the path is too long", dir);
	return str_write_file(s, path, err);
}

static int write_chart(const struct rpt_chart *c, const char *dir, struct err *err)
{
	struct str gp = { 0 }, dat = { 0 };
	char svg[PATH_MAX];
	int r = 0;

	if (rpt_gp_write(c, &gp, &dat) < 0)
		r = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory drawing %s",
			    c->name);
	if (r == 0)
		r = write_text(&dat, dir, c->name, "dat", err);
	if (r == 0)
		r = write_text(&gp, dir, c->name, "gp", err);
	/* The picture is judged by being there: one of last time must not pass for today's. */
	if (r == 0 &&
	    snprintf(svg, sizeof(svg), "%s/%s.svg", dir, c->name) < (int)sizeof(svg))
		(void)unlink(svg);
	str_release(&gp);
	str_release(&dat);
	return r;
}

int rpt_plot_ready(struct err *err)
{
	const char *const argv[] = { "gnuplot", "--version", NULL };
	struct proc p = {
		.argv = argv, .package = PACKAGE, .limit_s = 20, .max_output_b = 4096
	};
	struct proc_result res;
	int r = proc_run(&p, &res, err);

	if (r == 0)
		proc_result_release(&res);
	return r;
}

/* gnuplot leaves ">" as it is, also where a name has "]]>", which XML does not allow in text. */
static void escape_svg(struct str *svg)
{
	struct str clean = { 0 };
	const char *at = str_text(svg), *end;

	while ((end = strstr(at, "]]>"))) {
		str_add_bytes(&clean, at, (size_t)(end - at));
		str_add(&clean, "]]&gt;");
		at = end + 3;
	}
	str_add(&clean, at);
	str_release(svg);
	*svg = clean;
}

/* gnuplot closes the file after an error too: what tells is the last plot in it. */
static bool svg_whole(const struct rpt_chart *c, const char *svg)
{
	size_t plots = c->bars ? 1 : 0;
	char last[48];

	for (size_t i = 0; i < c->n_series && !c->bars; i++)
		plots += c->series[i]->n > 0;
	snprintf(last, sizeof(last), "\"gnuplot_plot_%zu\"", plots);
	return strstr(svg, last) && strstr(svg, "</svg>");
}

/*
 * The line that says what is wrong: gnuplot begins with a blank one, the script and a caret, then
 * names the line. The first one where none is named; warnings are no cause.
 */
static const char *complaint(const char *text)
{
	const char *first = "it said nothing";
	bool any = false;

	while (*text) {
		const char *line = text + strspn(text, " \n");
		size_t n = strcspn(line, "\n");
		bool warning = memmem(line, n, "warning:", strlen("warning:"));
		const char *named = memmem(line, n, "line ", strlen("line "));

		if (named && !warning)
			return named;
		if (n && !warning && !any) {
			first = line;
			any = true;
		}
		text = line + n;
	}
	return first;
}

/* gnuplot does not say when it could not write: whether we can. */
static int room_for_more(const char *dir, struct err *err)
{
	struct str some = { 0 };
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; i < OUTPUT_B / 64; i++)
		str_addf(&some, "%63zu\n", i);
	if (snprintf(path, sizeof(path), "%s/room", dir) < (int)sizeof(path)) {
		r = str_write_file(&some, path, err);
		(void)unlink(path);
	}
	str_release(&some);
	return r;
}

static int svg_made(const struct rpt_chart *c, const char *dir, const char *said,
		    struct err *err)
{
	struct str svg = { 0 };
	int r = rpt_plot_read(c, dir, &svg, err);

	if (r < 0 || !svg_whole(c, str_text(&svg))) {
		r = room_for_more(dir, err);
		if (r == 0)
			r = err_set(err, EXIT_CODE_HOST, EIO,
				    "gnuplot did not draw %s/%s.gp: %.*s", dir, c->name,
				    (int)strcspn(said, "\n"), said);
	} else if (strstr(str_text(&svg), "]]>")) {
		escape_svg(&svg);
		r = write_text(&svg, dir, c->name, "svg", err);
	}
	str_release(&svg);
	return r;
}

/* One process for all charts: its start costs more than most of them. */
static int run_gnuplot(const struct rpt_model *m, const char *dir, struct err *err)
{
	const char *const argv[] = { "gnuplot", "-", NULL };
	struct proc p = { .argv = argv,
			  .cwd = dir,
			  .package = PACKAGE,
			  .limit_s = LIMIT_S,
			  .max_output_b = OUTPUT_B };
	struct proc_result res;
	struct str input = { 0 };
	int r;

	for (size_t i = 0; i < m->n_chart; i++)
		if (!rpt_chart_empty(m->chart[i]))
			str_addf(&input, "load '%s.gp'\n", m->chart[i]->name);
	if (input.failed) {
		r = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory for the charts");
		goto out;
	}
	p.input = str_text(&input);
	r = proc_run(&p, &res, err);
	if (r < 0)
		goto out;
	for (size_t i = 0; r == 0 && i < m->n_chart; i++)
		if (!rpt_chart_empty(m->chart[i]))
			r = svg_made(m->chart[i], dir, complaint(str_text(&res.err)),
				     err);
	proc_result_release(&res);
out:
	str_release(&input);
	return r;
}

int rpt_plot_all(const struct rpt_model *m, const char *dir, struct err *err)
{
	for (size_t i = 0; i < m->n_chart; i++) {
		int r = rpt_chart_empty(m->chart[i]) ? 0
						     : write_chart(m->chart[i], dir, err);

		if (r < 0)
			return r;
	}
	return run_gnuplot(m, dir, err);
}

int rpt_plot_read(const struct rpt_chart *c, const char *dir, struct str *ret,
		  struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s.svg", dir, c->name) >= (int)sizeof(path))
		return err_set(err, EXIT_CODE_HOST, ENAMETOOLONG,
			       "%s: the path is too long", dir);
	return str_read_file(ret, path, SVG_MAX_B, err);
}
