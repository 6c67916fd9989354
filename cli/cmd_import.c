/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import: the result of another program as a run directory, marked so, that compare takes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "import/import.h"
#include "store/store.h"

#define FILE_MAX_B MIB(64)

static json_t *run_json(const struct imp_result *r, const char *file, int64_t wall_ns)
{
	char utc[UNITS_TEXT];

	return json_pack(
		"{s:{s:s,s:s},s:I,s:s,s:{s:s,s:s?,s:s?},s:o}", "tool", "name", "plateau",
		"version", PLATEAU_VERSION, "started_wall_ns", (json_int_t)wall_ns,
		"started", units_utc(wall_ns, utc), "device", "kind", "imported", "model",
		r->drive[0] ? r->drive : NULL, "firmware",
		r->firmware[0] ? r->firmware : NULL, "imported", imp_json(r, file));
}

static int save(const struct imp_result *r, const char *file, const char *dir,
		struct err *err)
{
	struct clock *clk = clock_system();
	int64_t wall_ns = clk->wall_ns(clk);
	json_t *run = run_json(r, file, wall_ns),
	       *end = json_pack("{s:i,s:s,s:s,s:[]}", "exit_code", EXIT_CODE_COMPLETE,
				"exit", exit_code_word(EXIT_CODE_COMPLETE), "reason",
				"imported", "tests");
	struct st_writer *w = NULL;
	int rc = run && end ? st_create(dir, run, &w, err)
			    : err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");

	if (!rc)
		rc = st_append(w, ST_END, wall_ns, end, err);
	st_writer_close(w);
	json_decref(run);
	json_decref(end);
	return rc;
}

static void print_figures(const struct imp_result *r)
{
	char bs[UNITS_TEXT];

	printf("%s: %s\n", r->tool, r->drive[0] ? r->drive : "a drive without a name");
	for (size_t i = 0; i < r->n; i++) {
		const struct imp_figure *f = &r->figure[i];

		printf("  %s %7s KiB  %3u/%-3u  TC %-3u QD %-3u",
		       io_pattern_word(f->pattern), units_kib(f->bs_b, bs), f->read_pct,
		       100u - f->read_pct, f->tc, f->qd);
		if (f->iops > 0)
			printf("  %10.1f IOPS  %9.2f MB/s", f->iops,
			       f->bytes_per_s / 1e6);
		if (f->lat_mean_ns > 0)
			printf("  %9.3f ms", f->lat_mean_ns / 1e6);
		putchar('\n');
	}
}

enum exit_code cmd_import(const struct cli_args *a)
{
	static struct imp_result r; /* large */
	const char *file = a->operand[0], *name = strrchr(file, '/');
	struct str text = { 0 };
	struct err err, why = { 0 };
	int rc = str_read_file(&text, file, FILE_MAX_B, &err);

	if (!rc && imp_read(str_text(&text), text.len, &r, &why))
		rc = err_set(&err, why.code, EINVAL, "%s %s", file, why.text);
	if (a->import_drive)
		imp_words(r.drive, sizeof(r.drive), a->import_drive);
	if (!rc)
		rc = save(&r, name ? name + 1 : file, a->import_as, &err);
	str_release(&text);
	if (rc)
		return say_err(&err);
	print_figures(&r);
	return EXIT_CODE_COMPLETE;
}
