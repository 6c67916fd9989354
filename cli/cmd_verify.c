/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "pts/ledger.h"
#include "store/manifest.h"

struct findings {
	struct str text; /* what differs, a line each */
	unsigned differs;
	struct pts_deviation *deviation;
	size_t n_deviations;
	struct pts_ledger ledger;
};

static int find_all(const struct st_run *run, struct findings *f, struct err *err)
{
	int rc = pts_verify(run, &f->text, &f->differs, err);

	if (!rc)
		rc = pts_deviations(run, &f->deviation, &f->n_deviations, err);
	return rc ? rc : pts_ledger_make(run, &f->ledger, err);
}

static void print_text(const struct findings *f)
{
	fputs(str_text(&f->text), stdout);
	if (f->differs)
		printf("%u difference%s between what is stored and what should be\n",
		       f->differs, f->differs == 1 ? "" : "s");
	else
		puts("every verdict recomputed: no difference");
	puts(f->n_deviations ? "deviations:" : "no deviations recorded");
	for (size_t i = 0; i < f->n_deviations; i++) {
		const struct pts_deviation *d = &f->deviation[i];

		printf("  %s%s[%s] %s (%s)\n", d->test, d->test[0] ? " " : "", d->code,
		       d->text, d->clause);
	}
	printf("ledger:");
	for (size_t i = 0; i < PTS_STATES; i++)
		printf("%s %u %s", i ? "," : "", f->ledger.count[i],
		       pts_state_word((enum pts_state)i));
	putchar('\n');
}

static json_t *lines_json(const char *text)
{
	json_t *lines = json_array();

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		json_array_append_new(lines, json_stringn(text, len));
	}
	return lines;
}

static enum exit_code print_json(const struct findings *f, enum exit_code code)
{
	json_t *deviations = json_array(), *ledger = json_object();

	for (size_t i = 0; i < f->n_deviations; i++) {
		const struct pts_deviation *d = &f->deviation[i];

		json_array_append_new(deviations,
				      json_pack("{s:s, s:s, s:s, s:s}", "code", d->code,
						"clause", d->clause, "test", d->test,
						"text", d->text));
	}
	for (size_t i = 0; i < PTS_STATES; i++)
		json_object_set_new(ledger, pts_state_word((enum pts_state)i),
				    json_integer(f->ledger.count[i]));
	return cli_print_json(json_pack("{s:i, s:I, s:o, s:o, s:o}", "exit_code",
					(int)code, "differs", (json_int_t)f->differs,
					"differences", lines_json(str_text(&f->text)),
					"deviations", deviations, "ledger", ledger));
}

/* A bundle, or what was unpacked of one: are the files those that were packed? */
static int check_files(const char *dir, bool must, struct findings *f, struct err *err)
{
	int rc = st_manifest_check(dir, &f->text, err);

	if (rc == -ENOENT && !must)
		return 0;
	for (const char *c = str_text(&f->text); *c; c++)
		f->differs += *c == '\n';
	return rc;
}

static enum exit_code verify(const struct cli_args *a, const char *dir, bool is_bundle)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct findings f = { 0 };
	struct st_run run = { 0 };
	struct err err;
	unsigned files = 0;

	if (check_files(dir, is_bundle, &f, &err)) {
		str_release(&f.text);
		return say_err(&err);
	}
	files = f.differs;
	if (st_run_read(dir, &run, &err) || find_all(&run, &f, &err)) {
		if (files)
			fputs(str_text(&f.text), stdout);
		code = say_err(&err);
	} else {
		f.differs += files;
		code = f.differs ? EXIT_CODE_DIFFERS : EXIT_CODE_COMPLETE;
		if (a->json)
			code = exit_code_graver(code, print_json(&f, code));
		else
			print_text(&f);
	}
	str_release(&f.text);
	free(f.deviation);
	pts_ledger_release(&f.ledger);
	st_run_release(&run);
	return code;
}

enum exit_code cmd_verify(const struct cli_args *a)
{
	struct str tmp = { 0 }, dir = { 0 };
	enum exit_code code;
	struct stat st;
	struct err err;

	if (stat(a->operand[0], &st) || !S_ISREG(st.st_mode))
		return verify(a, a->operand[0], false);
	code = bundle_unpack(a->operand[0], &tmp, &dir, &err)
		       ? say_err(&err)
		       : verify(a, str_text(&dir), true);
	bundle_remove(&tmp);
	str_release(&dir);
	str_release(&tmp);
	return code;
}
