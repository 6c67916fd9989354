/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary for the terminal. */
#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include "report/data.h"
#include "report/report.h"

static size_t letters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void padded(struct str *out, const char *text, size_t width)
{
	size_t n = letters(text);

	str_add(out, text);
	for (; n < width; n++)
		str_add(out, " ");
}

static size_t widest(struct rpt_data *d)
{
	size_t w = 4;

	for (size_t i = 0; i < d->n_unit; i++)
		w = letters(d->unit[i].title) > w ? letters(d->unit[i].title) : w;
	return w + 2;
}

static void tests(struct str *out, struct rpt_data *d, size_t width)
{
	for (size_t i = 0; i < d->n_unit; i++) {
		str_add(out, "  ");
		padded(out, d->unit[i].title, width);
		str_addf(out, "%s\n", rpt_verdict(d, &d->unit[i]).text);
	}
}

static void keys(struct str *out, struct rpt_data *d, size_t width)
{
	struct rpt_key key[RPT_MAX_KEYS];
	size_t n = rpt_keys(d, key, ARRAY_LEN(key)), what = 0;

	for (size_t i = 0; i < n; i++)
		what = letters(key[i].what) > what ? letters(key[i].what) : what;
	if (n)
		str_add(out, "\n");
	for (size_t i = 0; i < n; i++) {
		str_add(out, "  ");
		padded(out, key[i].test, width);
		padded(out, key[i].what, what + 2);
		str_addf(out, "%12s%s%s\n", key[i].value, *key[i].unit ? " " : "",
			 key[i].unit);
	}
}

static int summarise(const struct st_run *run, struct rpt_arena *arena,
		     struct rpt_data *d, struct str *out, struct err *err)
{
	size_t width;
	int r;

	if (setjmp(arena->oom))
		return err_set(err, EXIT_CODE_HOST, ENOMEM,
			       "out of memory making the summary");
	r = rpt_data_read(run, arena, d, err);
	if (r < 0)
		return r;
	width = widest(d);
	str_addf(out, "%s, %s\n", d->drive, d->opts.edition->label);
	if (*d->status)
		str_addf(out, "%s\n", d->status);
	str_add(out, "\n");
	tests(out, d, width);
	keys(out, d, width);
	str_addf(out, "\n  %zu deviation%s recorded\n", d->n_deviation,
		 d->n_deviation == 1 ? "" : "s");
	return 0;
}

int rpt_summary(const struct st_run *run, struct str *out, struct err *err)
{
	struct rpt_arena arena = { 0 };
	struct rpt_data data = { 0 };
	int r = summarise(run, &arena, &data, out, err);

	rpt_data_release(&data);
	rpt_arena_release(&arena);
	return r;
}

static int collect(const struct st_run *run, struct rpt_arena *arena, struct rpt_data *d,
		   json_t *figures, struct err *err)
{
	struct rpt_key key[RPT_MAX_KEYS];
	int r;

	if (setjmp(arena->oom))
		return err_set(err, EXIT_CODE_HOST, ENOMEM,
			       "out of memory collecting figures");
	r = rpt_data_read(run, arena, d, err);
	if (r < 0)
		return r;
	for (size_t i = 0, n = rpt_keys(d, key, ARRAY_LEN(key)); i < n; i++)
		json_array_append_new(figures,
				      json_pack("{s:s,s:s,s:s,s:s}", "test", key[i].test,
						"what", key[i].what, "value",
						key[i].value, "unit", key[i].unit));
	return 0;
}

int rpt_figures(const struct st_run *run, json_t **ret, struct err *err)
{
	struct rpt_arena arena = { 0 };
	struct rpt_data data = { 0 };
	json_t *figures = json_array();
	int r = figures ? collect(run, &arena, &data, figures, err)
			: err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");

	rpt_data_release(&data);
	rpt_arena_release(&arena);
	if (r < 0)
		json_decref(figures);
	else
		*ret = figures;
	return r;
}
