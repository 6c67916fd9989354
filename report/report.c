/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <string.h>
#include <sys/stat.h>

#include "report/csv.h"
#include "report/html.h"
#include "report/pages.h"
#include "report/pdf.h"
#include "report/plot.h"

struct made {
	struct rpt_arena *arena; /* the model's */
	struct rpt_model model;
	struct rpt_data data;
};

static void add_links(struct made *made, bool beside_run)
{
	struct rpt_model *m = &made->model;
	struct rpt_data *d = &made->data;

	rpt_link_add(m, "csv/run.csv", "drive, edition, dates, deviations");
	rpt_link_add(m, "csv/points.csv", "every interval as it was measured");
	rpt_link_add(m, "csv/window.csv",
		     "each cell averaged over the measurement window");
	rpt_link_add(m, "csv/verdicts.csv",
		     "both steady-state rules on every tracking variable");
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];

		if (u->minute.n) {
			rpt_link_add(m, rpt_fmt(&m->arena, "csv/%s-minutes.csv", u->key),
				     "write saturation by the minute");
			rpt_link_add(m, rpt_fmt(&m->arena, "csv/%s-shape.csv", u->key),
				     "its fresh plateau, cliff and floor");
		}
		if (u->hist.n)
			rpt_link_add(m,
				     rpt_fmt(&m->arena, "csv/%s-histogram.csv", u->key),
				     "the cells of the response-time histogram");
	}
	rpt_link_add(m, "ledger.json", "the compliance ledger");
	if (d->limits && d->limits->n)
		rpt_link_add(m, "junit.xml", "the limits, as test cases");
	if (!beside_run)
		return;
	rpt_link_add(m, "run.json", "drive, host, plan and options of the run");
	rpt_link_add(m, "journal.jsonl", "the raw data that every figure follows from");
}

/* Everything that allocates from the arena happens in here. */
static int build(const struct st_run *run, const struct rpt_opts *opts, struct made *made,
		 const char *csv_dir, struct err *err)
{
	int r;

	if (setjmp(made->model.arena.oom))
		return err_set(err, EXIT_CODE_HOST, ENOMEM,
			       "out of memory making the report");
	r = rpt_data_read(run, &made->model.arena, &made->data, err);
	if (r == 0)
		r = rpt_csv_write(&made->data, csv_dir, err);
	made->data.limits = opts->limits;
	if (r == 0)
		rpt_pages_make(&made->model, &made->data, opts->report_wall_ns);
	if (r == 0)
		add_links(made, !opts->out_dir);
	return r;
}

static int path_in(char ret[PATH_MAX], const char *dir, const char *name, struct err *err)
{
	if (snprintf(ret, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return 0;
	return err_set(err, EXIT_CODE_HOST, ENAMETOOLONG, "%s: the path is too long",
		       dir);
}

static int make_dir(const char *path, struct err *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	return err_set(err, EXIT_CODE_HOST, errno, "%s cannot be made: %s", path,
		       strerror(errno));
}

static int write_ledger(const struct rpt_data *d, const char *path, struct err *err)
{
	json_t *ledger = pts_ledger_json(&d->ledger);
	struct str s = { 0 };
	char *text = NULL;
	int r;

	if (ledger && !json_object_set_new(ledger, "status", json_string(d->status)))
		text = json_dumps(ledger, JSON_INDENT(2));
	if (text)
		str_addf(&s, "%s\n", text);
	if (!text || s.failed)
		r = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory writing %s",
			    path);
	else
		r = str_write_file(&s, path, err);
	str_release(&s);
	free(text);
	json_decref(ledger);
	return r;
}

int rpt_make(const struct st_run *run, const struct rpt_opts *opts,
	     struct rpt_result *ret, struct err *err)
{
	const char *dir = opts->out_dir ? opts->out_dir : run->dir;
	char charts[PATH_MAX], csv[PATH_MAX], ledger[PATH_MAX];
	struct made made = { .model.paper = opts->paper };
	int r;

	*ret = (struct rpt_result){ 0 };
	r = rpt_plot_ready(err);
	if (r == 0)
		r = path_in(charts, dir, "charts", err);
	if (r == 0)
		r = path_in(csv, dir, "csv", err);
	if (r == 0)
		r = path_in(ledger, dir, "ledger.json", err);
	if (r == 0)
		r = path_in(ret->html, dir, "report.html", err);
	if (r == 0)
		r = path_in(ret->pdf, dir, "report.pdf", err);
	if (r == 0)
		r = make_dir(dir, err);
	if (r == 0)
		r = make_dir(charts, err);
	if (r == 0)
		r = make_dir(csv, err);
	if (r == 0)
		r = build(run, opts, &made, csv, err);
	if (r == 0)
		r = write_ledger(&made.data, ledger, err);
	if (r == 0)
		r = rpt_plot_all(&made.model, charts, err);
	if (r == 0)
		r = rpt_html_write(&made.model, charts, ret->html, err);
	if (r == 0)
		r = rpt_pdf_write(&made.model, charts, ret->pdf, &ret->pages, err);
	if (r < 0)
		*ret = (struct rpt_result){ 0 };
	rpt_data_release(&made.data);
	rpt_arena_release(&made.model.arena);
	return r;
}
