/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run: target, plan, gate, run directory, tests, report - in this order, so that a refusal leaves nothing.
 * resume: the same, with all that `run` was told taken from the run directory.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/proc.h"
#include "base/units.h"
#include "cli/cancel.h"
#include "cli/cli.h"
#include "cli/on_end.h"
#include "cli/progress.h"
#include "cli/rate.h"
#include "cli/reporting.h"
#include "cli/say.h"
#include "cli/target.h"
#include "pts/runner.h"

struct session {
	struct cli_target target;
	struct pts_plan plan;
	struct str dir;
	struct dev_claim *claim;
	struct st_writer *store;
	struct rpt_limits limits;
	struct st_run before; /* resume: as it was found */
	bool go_on, continue_saturation;
};

/* TARGET-TESTS-UTC in the current directory, unless --output names one. */
static int name_dir(const struct cli_args *a, const struct dev_info *info,
		    struct str *dir, struct err *err)
{
	struct clock *clk = clock_system();
	char utc[UNITS_TEXT];

	if (a->output) {
		str_add(dir, a->output);
	} else {
		str_addf(dir, "%s-%s-", info->name, a->pts.tests);
		for (char *c = dir->text; c && *c; c++)
			if (strchr(",:/ ", *c))
				*c = '-';
		for (const char *c = units_utc(clk->wall_ns(clk), utc); *c; c++)
			if (!strchr("-:", *c))
				str_add_bytes(dir, c, 1);
	}
	if (dir->failed || !dir->len)
		return err_set(err, dir->failed ? EXIT_CODE_INTERNAL : EXIT_CODE_USAGE,
			       dir->failed ? ENOMEM : EINVAL,
			       "cannot use '%s' as output directory", str_text(dir));
	return 0;
}

/* A report that cannot be drawn is said before the hours begin, and never ends the run. */
static void warn_of_gnuplot(void)
{
	const char *const argv[] = { "gnuplot", "--version", NULL };
	const struct proc p = { .argv = argv,
				.package = "gnuplot-nox",
				.limit_s = 10,
				.max_output_b = 4096 };
	struct proc_result result = { 0 };
	struct err err;

	if (proc_run(&p, &result, &err))
		say("%s; the run goes on, and `plateau report` can draw its charts later",
		    err.text);
	else
		proc_result_release(&result);
}

static void tell_plan(const struct session *s)
{
	const struct pts_plan *p = &s->plan;
	char size[UNITS_TEXT], best[UNITS_TEXT], worst[UNITS_TEXT];
	struct pts_estimate e;

	pts_plan_estimate(p, pts_plan_fill_rate(p), &e);
	say_info("%s: %s on %s (%s)", p->edition->label, p->opts.tests,
		 s->target.info.path, units_capacity(p->capacity_b, size));
	say_info("about %s, at most %s; results go to '%s'",
		 cli_roughly(e.expected_ns, best), cli_roughly(e.worst_ns, worst),
		 str_text(&s->dir));
	for (size_t i = 0; i < p->n_notes; i++)
		say_info("deviation: %s%s%s", p->note[i].test,
			 p->note[i].test[0] ? ": " : "", p->note[i].text);
	for (unsigned i = 0; i < p->n_warnings; i++)
		say_info("warning: %s", p->warning[i]);
}

/* The journal when no step ends early. A point takes 1 to 5 KiB by how many latencies differ. */
static uint64_t most_journal_b(const struct pts_plan *p)
{
	uint64_t points = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct pts_plan_step *s = &p->step[i];

		points += s->verb == PTS_ROUNDS     ? (uint64_t)s->n_cells * s->max_rounds
			  : s->verb == PTS_SATURATE ? s->dur_ns / s->point_ns
						    : 4;
	}
	return points * KIB(8);
}

/* Before anything is done to the drive: a night is not begun that the disk cannot hold. */
static int check_room(const struct session *s, struct err *err)
{
	uint64_t need_b = most_journal_b(&s->plan), free_b;
	char dir[4096], need[UNITS_TEXT], is[UNITS_TEXT];
	struct statvfs fs;

	snprintf(dir, sizeof(dir), "%s", s->dir.text);
	/* It is still to be made. */
	for (const char *at = dir; statvfs(at, &fs); at = dirname(dir))
		if (errno != ENOENT || !strcmp(at, "/") || !strcmp(at, "."))
			return 0; /* whoever makes the directory says what is wrong */
	free_b = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (free_b >= need_b)
		return 0;
	return err_set(
		err, EXIT_CODE_HOST, ENOSPC,
		"the disk of '%s' has %s left, and the run may need %s there: No space left on device; "
		"--output names another place",
		s->dir.text, units_size(free_b, is), units_size(need_b, need));
}

static int open_store(const struct cli_args *a, struct session *s, struct err *err)
{
	const struct dev_handle *dev = dev_claim_handle(s->claim);
	struct clock *clk = dev_handle_clock(dev);
	json_t *run = pts_run_json(&s->plan, dev, a->argc, a->argv, clk->wall_ns(clk));
	int rc;

	if (!run || (s->limits.n &&
		     json_object_set_new(run, "limits", rpt_limits_json(&s->limits)))) {
		json_decref(run);
		return err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	}
	rc = st_create(s->dir.text, run, &s->store, err);
	json_decref(run);
	return rc;
}

static int prepare(const struct cli_args *a, struct session *s, struct err *err)
{
	int rc = cli_target_find(a, &s->target, err);

	if (!rc)
		rc = name_dir(a, &s->target.info, &s->dir, err);
	/* First: a target that must not be touched outranks whatever else is wrong. */
	if (!rc)
		rc = cli_target_claim(a, &s->target, s->dir.text, &s->claim, err);
	if (!rc && a->limits)
		rc = rpt_limits_read(a->limits, &s->limits, err);
	if (!rc)
		rc = pts_plan_make(&a->pts, &s->target.info, &s->plan, err);
	if (!rc)
		rc = cli_rate_find(a, &s->target.info, &s->plan, err);
	if (!rc)
		rc = check_room(s, err);
	return rc ? rc : open_store(a, s, err);
}

static void on_note(void *arg, const char *text)
{
	(void)arg;
	say_info("%s", text);
}

static enum exit_code run_tests(struct session *s)
{
	struct cli_progress progress = { 0 };
	struct pts_runner runner = {
		.plan = &s->plan,
		.claim = s->claim,
		.store = s->store,
		.go_on = s->go_on,
		.continue_saturation = s->continue_saturation,
		.cancel = &cli_cancel,
		.on_progress = cli_progress_show,
		.on_note = on_note,
		.on_judge = cli_judge_limits,
		.arg = &progress,
	};
	struct err err = { 0 };
	enum exit_code code = pts_run(&runner, &err);

	if (code != EXIT_CODE_COMPLETE && err.text[0])
		say("%s", err.text);
	return code;
}

static void release(struct session *s)
{
	st_writer_close(s->store);
	dev_claim_free(s->claim);
	pts_plan_release(&s->plan);
	rpt_limits_release(&s->limits);
	st_run_release(&s->before);
	str_release(&s->dir);
}

/* Tests, report and last words. */
static enum exit_code carry_out(const struct cli_args *a, struct session *s)
{
	enum exit_code code;
	struct err err;

	warn_of_gnuplot();
	code = run_tests(s);
	say_info("%s (exit %d)", exit_code_word(code), code);
	dev_claim_free(s->claim);
	s->claim = NULL;
	if (cli_report(st_writer_run(s->store), NULL, a->paper, &err))
		say("no report: %s", err.text);
	return code;
}

enum exit_code cmd_run(const struct cli_args *a)
{
	struct session s = { 0 };
	enum exit_code code;
	struct err err;

	cli_cancel_on_signals();
	cli_progress_on_signal();
	if (prepare(a, &s, &err)) {
		cli_target_unmake(&s.target);
		code = say_err(&err);
		goto out;
	}
	say_log_open(s.dir.text);
	tell_plan(&s);
	code = carry_out(a, &s);
out:
	on_end(a->end_command, code, s.store ? s.dir.text : NULL, a->device);
	say_log_close();
	release(&s);
	return code;
}

static const char *waived_before(const struct st_run *run)
{
	const struct st_record *rec;

	for (size_t i = 0; (rec = st_run_nth(run, ST_EVENT, i)); i++)
		if (st_is_event(rec, "signatures-discarded"))
			return st_text(rec->body, "found");
	return "";
}

static int claim_again(struct session *s, const struct pts_opts *opts, struct err *err)
{
	const json_t *device = json_object_get(s->before.run, "device");
	const struct dev_gate_opts gate = {
		.erase_id = json_string_value(json_object_get(device, "erase_id")),
		.discard_signatures = opts->discard_signatures,
		.shared_ok = opts->shared_ok,
		.waive_only = waived_before(&s->before),
		.run_dir = s->dir.text,
		.roots = &dev_roots_host,
	};

	return dev_gate(&s->target.info, &gate, &s->claim, err);
}

static int prepare_again(const struct cli_args *a, struct session *s, struct err *err)
{
	struct pts_opts opts;
	int rc = st_run_read(a->operand[0], &s->before, err);

	if (!rc && !pts_is_resumable(&s->before))
		rc = err_set(
			err, EXIT_CODE_USAGE, EALREADY,
			"%s has ended: %s; nothing is left to be done, and `plateau report` draws it again",
			a->operand[0],
			json_string_value(
				json_object_get(st_run_end(&s->before), "exit")));
	if (!rc)
		rc = pts_opts_read(s->before.run, &opts, err);
	if (rc)
		return rc;
	str_add(&s->dir, a->operand[0]);
	rc = cli_target_find_again(s->before.run, &s->target, err);
	if (!rc)
		rc = claim_again(s, &opts, err);
	if (!rc)
		rc = pts_plan_make(&opts, &s->target.info, &s->plan, err);
	if (!rc && !pts_plan_is_of(&s->plan, &s->target.info, s->before.run))
		rc = err_set(
			err, EXIT_CODE_HOST, EINVAL,
			"%s was planned otherwise than this version plans; go on with the version that "
			"began it",
			a->operand[0]);
	if (rc)
		return rc;
	s->go_on = s->target.info.kind != DEV_SIM;
	s->continue_saturation = a->continue_saturation;
	return st_reopen(a->operand[0], !s->go_on, &s->store, err);
}

enum exit_code cmd_resume(const struct cli_args *a)
{
	struct session s = { 0 };
	enum exit_code code;
	struct err err;

	cli_cancel_on_signals();
	cli_progress_on_signal();
	if (prepare_again(a, &s, &err)) {
		code = say_err(&err);
		goto out;
	}
	say_log_open(s.dir.text);
	if (s.before.dropped_b)
		say_info("%ju bytes of a record that was never finished were cut off",
			 (uintmax_t)s.before.dropped_b);
	code = carry_out(a, &s);
out:
	on_end(a->end_command, code, a->operand[0], s.target.info.path);
	say_log_close();
	release(&s);
	return code;
}
