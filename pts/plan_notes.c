/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deviations that the options and the device make certain before anything runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "device/remark.h"
#include "pts/plan_parts.h"

/* Notes go through here; out of memory is remembered. */
struct notes {
	struct pts_plan *p;
	bool failed;
};

static void PRINTF_LIKE(5, 6) note(struct notes *n, const char *code, const char *clause,
				   const char *test, const char *fmt, ...)
{
	struct pts_plan *p = n->p;
	struct pts_plan_note *grown = realloc(p->note, (p->n_notes + 1) * sizeof(*grown));
	va_list ap;

	if (!grown) {
		n->failed = true;
		return;
	}
	p->note = grown;
	grown = &p->note[p->n_notes++];
	*grown = (struct pts_plan_note){ .code = code, .clause = clause, .test = test };
	va_start(ap, fmt);
	vsnprintf(grown->text, sizeof(grown->text), fmt, ap);
	va_end(ap);
}

const char *pts_wcache_word(enum dev_wcache c)
{
	static const char *const words[] = {
		[DEV_WCACHE_UNKNOWN] = "unknown",
		[DEV_WCACHE_NONE] = "none",
		[DEV_WCACHE_OFF] = "off",
		[DEV_WCACHE_ON] = "on",
	};

	return words[c];
}

const char *pts_dev_kind_word(enum dev_kind k)
{
	static const char *const words[] = { [DEV_FILE] = "file",
					     [DEV_LOOP] = "loop",
					     [DEV_BLOCK] = "block",
					     [DEV_SIM] = "sim" };

	return words[k];
}

/* @pts 3.7: a drive without a volatile write cache has none that is enabled. */
bool pts_cache_as_asked(const struct pts_edition *e, enum dev_wcache c)
{
	return e->cache == PTS_WCE ? c == DEV_WCACHE_ON
				   : c == DEV_WCACHE_OFF || c == DEV_WCACHE_NONE;
}

static void target_notes(struct notes *n, const struct dev_info *info)
{
	switch (info->kind) {
	case DEV_FILE:
		note(n, "target-file", "4", "",
		     "a file on %s stands in for a device: it shows the file system and its disk too",
		     info->fs_type[0] ? info->fs_type : "a file system");
		break;
	case DEV_LOOP:
		note(n, "target-loop", "4", "",
		     "a loop device stands in for a drive: it shows the file behind it too");
		break;
	case DEV_SIM:
		note(n, "simulated", "4", "", "SIMULATED: no drive was measured");
		break;
	case DEV_BLOCK:
		break;
	}
	if (info->is_partition)
		note(n, "target-partition", "2.1", "",
		     "a partition is tested, not the whole drive: purge and fills reach only its part");
}

/* What the drive says about itself; @pts 2.1: the whole of it is meant. */
static void drive_notes(struct notes *n, const struct dev_info *info)
{
	struct dev_remark r[DEV_REMARKS_MAX];
	size_t n_remarks = dev_remarks(info, r);

	for (size_t i = 0; i < n_remarks; i++)
		if (r[i].deviation)
			note(n, r[i].code, "2.1", "", "%s", r[i].text);
}

/* @pts 3.2: TRIM is on no list of purge methods. */
static void purge_notes(struct notes *n)
{
	if (n->p->purge == DEV_PURGE_NONE)
		note(n, "purge-skipped", "3.2", "",
		     "no purge: the drive's state before each test is unknown");
	else if (n->p->purge == DEV_PURGE_DISCARD)
		note(n, "purge-discard", "3.2", "", "discard (TRIM) instead of a purge");
}

static void cache_notes(struct notes *n, const struct dev_info *info)
{
	const struct pts_edition *e = n->p->edition;
	const char *asked = n->p->opts.write_cache;

	if (pts_cache_as_asked(e, info->wcache))
		return;
	note(n, "write-cache", e->cache_cite.clause, "",
	     "the edition asks for the volatile write cache %s; its state is %s and it %s",
	     e->cache == PTS_WCE ? "on" : "off", pts_wcache_word(info->wcache),
	     asked ? "was kept at the operator's wish" : "cannot be set on this device");
}

static void range_notes(struct notes *n, const struct dev_info *info)
{
	const struct pts_plan *p = n->p;
	unsigned pct = p->opts.active_range_pct;

	if (pct && pct != p->edition->active_range_pct)
		note(n, "active-range", p->edition->active_range_cite.clause, "",
		     "active range %u %% instead of %u %%", pct,
		     p->edition->active_range_pct);
	if (p->opts.capacity_b && p->opts.capacity_b < info->size_b)
		note(n, "capacity", "2.1", "",
		     "only the first %" PRIu64 " B of %" PRIu64 " B are used",
		     p->capacity_b, info->size_b);
}

/* What is measured in rounds and minutes, test by test. */
static void step_notes(struct notes *n, const struct pts_plan_step *s)
{
	const struct pts_opts *o = &n->p->opts;
	const struct pts_step *step = s->step;
	const char *test = s->test->id, *clause = step->cite.clause;
	uint64_t table_ns = step->point_s * NSEC_PER_SEC;
	char is[UNITS_TEXT], want[UNITS_TEXT];

	if (s->point_ns && s->point_ns != table_ns)
		note(n, s->point_ns < table_ns ? "short-rounds" : "long-rounds", clause,
		     test, "points of %s instead of %s%s", units_dur(s->point_ns, is),
		     units_dur(table_ns, want),
		     s->verb == PTS_SATURATE ? "; time cap and histogram are scaled alike"
		     : pts_test_step(s->test, PTS_HISTOGRAM)
			     ? "; the histogram is scaled alike"
			     : "");
	if (s->verb == PTS_ROUNDS && s->n_cells < step->n_read_pct * step->n_bs)
		note(n, "block-size-missing", clause, test,
		     "blocks smaller than the device's own are left out: %u of %u points run",
		     s->n_cells, step->n_read_pct * step->n_bs);
	if (s->verb == PTS_ROUNDS && s->max_rounds < step->max_rounds)
		note(n, "max-rounds", clause, test, "at most %u round%s instead of %u",
		     s->max_rounds, s->max_rounds == 1 ? "" : "s", step->max_rounds);
	if (s->verb != PTS_SATURATE)
		return;
	if (o->duration_ns)
		note(n, "duration", step->stop_cite.clause, test,
		     "the end is %s, in place of %s or %u times the user capacity",
		     units_dur(s->dur_ns, is),
		     units_dur(step->stop_s * NSEC_PER_SEC, want), step->stop_x_uc);
	if (o->no_steady_stop)
		note(n, "no-steady-stop", step->stop_cite.clause, test,
		     "steady state does not end the test");
}

static void tc_qd_note(struct notes *n, const struct pts_plan_step *s)
{
	const struct pts_step *step = s->step;

	if (step->tc_qd_fixed && (s->tc != step->tc || s->qd != step->qd))
		note(n, "tc-qd", step->tc_qd_cite.clause, s->test->id,
		     "TC %" PRIu32 " QD %" PRIu32 " instead of TC %" PRIu32
		     " QD %" PRIu32,
		     s->tc, s->qd, step->tc, step->qd);
}

static void fill_note(struct notes *n, const struct pts_test *t)
{
	const struct pts_step *step = pts_test_step(t, PTS_WIPC);
	const struct pts_opts *o = &n->p->opts;

	if (step && o->wipc_passes_set && o->wipc_passes != step->passes)
		note(n, "wipc-passes", step->cite.clause, t->id,
		     "the fill writes %u x user capacity instead of %u x", o->wipc_passes,
		     step->passes);
}

static void test_notes(struct notes *n)
{
	const struct pts_plan *p = n->p;
	const struct pts_test *last = NULL;
	enum pts_verb main_verb;

	/* Cycles repeat a test's steps: one note is enough. */
	for (size_t i = 0; i < p->n; i++) {
		const struct pts_plan_step *s = &p->step[i];

		if (s->verb == PTS_PURGE && s->test != last)
			fill_note(n, s->test);
		main_verb =
			pts_test_step(s->test, PTS_SATURATE) ? PTS_SATURATE : PTS_ROUNDS;
		if (s->verb == main_verb && s->test != last) {
			step_notes(n, s);
			tc_qd_note(n, s);
			last = s->test;
		}
	}
}

static void run_notes(struct notes *n)
{
	const struct pts_opts *o = &n->p->opts;

	if (o->mode == SS_MODE_BAND)
		note(n, "steady-rule", "2.1.24", "",
		     "steady state by the rule 'band' alone, which is not the specification's");
	if (o->keep_cpu_latency)
		note(n, "cpu-latency", "6", "",
		     "the processors may sleep between I/Os: latencies may hold their waking up");
}

/* A drive written less than twice over has shown little but its fresh state. */
static void warn_short_saturation(struct pts_plan *p)
{
	char dur[UNITS_TEXT];

	for (size_t i = 0; i < p->n; i++) {
		const struct pts_plan_step *s = &p->step[i];

		if (s->verb != PTS_SATURATE ||
		    (u128)s->dur_ns * PTS_ASSUMED_FILL_BYTES_PER_S >=
			    (u128)2 * p->capacity_b * NSEC_PER_SEC)
			continue;
		snprintf(
			p->warning[p->n_warnings++], sizeof(p->warning[0]),
			"%s: the time cap of %s allows fewer than two fills, even at %" PRIu64
			" MB/s",
			s->test->id, units_dur(s->dur_ns, dur),
			PTS_ASSUMED_FILL_BYTES_PER_S / 1000000);
	}
}

int pts_plan_add_notes(struct pts_plan *p, const struct dev_info *info, struct err *err)
{
	struct notes n = { .p = p };

	target_notes(&n, info);
	drive_notes(&n, info);
	purge_notes(&n);
	cache_notes(&n, info);
	range_notes(&n, info);
	run_notes(&n);
	test_notes(&n);
	warn_short_saturation(p);
	return n.failed ? err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory") : 0;
}
