/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan as text, for people and golden tests, and as JSON, for run.json and scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "pts/plan_parts.h"

#define INDENT "                       "

static void add_cite(struct str *out, const struct pts_cite *c)
{
	str_addf(out, "  [%s %s]\n", c->clause, pts_conf_word(c->conf));
}

static void add_rounds(struct str *out, const struct pts_plan_step *s)
{
	const struct pts_step *step = s->step;
	const struct pts_test *t = s->test;
	char dur[UNITS_TEXT], word[96];

	str_addf(out,
		 "%s, TC %" PRIu32 " QD %" PRIu32
		 ", %u points of %s a round, at most %u rounds",
		 io_pattern_word(step->pattern), s->tc, s->qd, s->n_cells,
		 units_dur(s->point_ns, dur), s->max_rounds);
	add_cite(out, &step->cite);
	str_add(out, INDENT "RW");
	for (unsigned i = 0; i < step->n_read_pct; i++)
		str_addf(out, " %u/%u", step->read_pct[i], 100u - step->read_pct[i]);
	str_add(out, "\n" INDENT "BS");
	for (unsigned i = 0; i < s->n_cells && s->cell[i].read_pct == s->cell[0].read_pct;
	     i++)
		str_addf(out, " %s", units_kib(s->cell[i].bs_b, dur));
	str_add(out, " KiB\n");
	for (unsigned i = 0; i < t->n_track; i++) {
		pts_track_word(&t->track[i], s->loop_bs_b, word, sizeof(word));
		str_addf(out, INDENT "%s %s\n",
			 t->track[i].decides ? "until steady:" : "also judged: ", word);
	}
}

static void add_saturation(struct str *out, const struct pts_plan *p,
			   const struct pts_plan_step *s)
{
	const struct pts_step *step = s->step;
	char kib[UNITS_TEXT], dur[UNITS_TEXT];

	str_addf(out,
		 "%s %s KiB, RW 0/100, TC %" PRIu32 " QD %" PRIu32
		 ", a snapshot every %s",
		 io_pattern_word(step->pattern), units_kib(s->bs_b, kib), s->tc, s->qd,
		 units_dur(s->point_ns, dur));
	add_cite(out, &step->cite);
	str_addf(out, INDENT "ends after %s", units_dur(s->dur_ns, dur));
	if (s->stop_b)
		str_addf(out, ", or %" PRIu64 " B written (%u x user capacity)",
			 s->stop_b, step->stop_x_uc);
	if (!p->opts.no_steady_stop)
		str_addf(out, ", or steady after %" PRIu64 " B (%u x)", s->ss_stop_b,
			 step->ss_stop_x_uc);
	str_addf(out, "\n" INDENT "steady-state samples: minutes %u, %u, %u, ...\n",
		 step->ss_offset, step->ss_offset + step->ss_period,
		 step->ss_offset + 2 * step->ss_period);
}

static void add_step(struct str *out, const struct pts_plan *p, size_t i)
{
	const struct pts_plan_step *s = &p->step[i];
	char kib[UNITS_TEXT], dur[UNITS_TEXT];

	str_addf(out, "%3zu  %-4s  %-10s  ", i + 1, s->test->id, pts_verb_word(s->verb));
	switch (s->verb) {
	case PTS_PURGE:
		str_add(out, dev_purge_word(p->purge));
		if (s->loop_bs_b)
			str_addf(out, ", for the %s KiB cycle",
				 units_kib(s->loop_bs_b, kib));
		add_cite(out, &s->step->cite);
		break;
	case PTS_WIPC:
		str_addf(out,
			 "SEQ %s KiB, RW 0/100, TC %" PRIu32 " QD %" PRIu32 ", %" PRIu64
			 " B: %.2f passes over the active range",
			 units_kib(s->bs_b, kib), s->tc, s->qd, s->fill_b,
			 (double)s->fill_b / (double)p->len_b);
		add_cite(out, &s->step->cite);
		break;
	case PTS_ROUNDS:
		add_rounds(out, s);
		break;
	case PTS_SATURATE:
		add_saturation(out, p, s);
		break;
	case PTS_HISTOGRAM:
		str_addf(out,
			 "%s %s KiB, RW 0/100, TC %" PRIu32 " QD %" PRIu32
			 ", every response time for %s",
			 io_pattern_word(s->step->pattern), units_kib(s->bs_b, kib),
			 s->tc, s->qd, units_dur(s->dur_ns, dur));
		add_cite(out, &s->step->cite);
		break;
	}
}

static void add_head(struct str *out, const struct pts_plan *p,
		     const struct dev_info *info)
{
	const struct pts_edition *e = p->edition;
	unsigned pct = p->opts.active_range_pct;
	char cap[UNITS_TEXT];

	str_addf(out, "edition        %s (%s)\n", e->label, e->id);
	str_addf(out, "device         %s", info->path);
	if (info->model[0])
		str_addf(out, ", %s%s%s", info->vendor, info->vendor[0] ? " " : "",
			 info->model);
	if (info->serial[0])
		str_addf(out, ", serial %s", info->serial);
	if (info->firmware[0])
		str_addf(out, ", firmware %s", info->firmware);
	str_addf(out, ", %s, blocks of %" PRIu32 " B\n",
		 units_capacity(info->size_b, cap), info->lbs_b);
	str_addf(out, "user capacity  %" PRIu64 " B\n", p->capacity_b);
	str_addf(out, "active range   %u %%: %" PRIu64 " B\n",
		 pct ? pct : e->active_range_pct, p->len_b);
	str_addf(out, "purge          %s\n", dev_purge_word(p->purge));
	str_addf(out, "write cache    %s; the edition asks for %s\n",
		 pts_wcache_word(info->wcache), e->cache == PTS_WCE ? "on" : "off");
	str_addf(out, "steady state   rule '%s'\n\n", ss_mode_word(p->opts.mode));
}

static const char *const rate_words[] = {
	[PTS_RATE_ASSUMED] = "assumed",
	[PTS_RATE_MEASURED] = "measured",
	[PTS_RATE_SIMULATED] = "simulated",
};

static double endurance_pct(const struct pts_plan *p, uint64_t bytes)
{
	return 100.0 * (double)bytes / (double)p->opts.endurance_b;
}

static void add_estimate(struct str *out, const struct pts_plan *p)
{
	struct pts_estimate e;
	char best[UNITS_TEXT], expected[UNITS_TEXT], worst[UNITS_TEXT];
	uint64_t rate = pts_plan_fill_rate(p);

	pts_plan_estimate(p, rate, &e);
	str_addf(out, "\nduration       %s at best, about %s, %s at worst\n",
		 units_dur(e.best_ns, best), units_dur(e.expected_ns, expected),
		 units_dur(e.worst_ns, worst));
	str_addf(out,
		 "written        %s to %s, where all writes go at the %s %.*f MB/s\n",
		 units_capacity(e.best_b, best), units_capacity(e.worst_b, worst),
		 rate_words[p->opts.rate], rate < 100000000 ? 1 : 0, (double)rate / 1e6);
	if (p->opts.endurance_b)
		str_addf(out,
			 "endurance      %.2g %% to %.2g %% of the rated %s written\n",
			 endurance_pct(p, e.best_b), endurance_pct(p, e.worst_b),
			 units_capacity(p->opts.endurance_b, best));
}

void pts_plan_text(const struct pts_plan *p, const struct dev_info *info, struct str *out)
{
	add_head(out, p, info);
	for (size_t i = 0; i < p->n; i++)
		add_step(out, p, i);
	add_estimate(out, p);
	str_add(out, p->n_notes ? "\ndeviations known beforehand\n"
				: "\nno deviations known beforehand\n");
	for (size_t i = 0; i < p->n_notes; i++) {
		const struct pts_plan_note *n = &p->note[i];

		str_addf(out, "  %s%s%s: %s  [%s]\n", n->test, n->test[0] ? ": " : "",
			 n->code, n->text, n->clause);
	}
	for (unsigned i = 0; i < p->n_warnings; i++)
		str_addf(out, "\nwarning: %s\n", p->warning[i]);
}

static json_t *step_json(const struct pts_plan_step *s)
{
	json_t *cells = json_array();

	for (unsigned i = 0; i < s->n_cells; i++)
		json_array_append_new(cells,
				      json_pack("[I,I]", (json_int_t)s->cell[i].read_pct,
						(json_int_t)s->cell[i].bs_b));
	return json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:o,s:I,s:I,s:I,s:I,s:I}",
			 "test", s->test->id, "verb", pts_verb_word(s->verb), "clause",
			 s->step->cite.clause, "conf", pts_conf_word(s->step->cite.conf),
			 "loop_bs_b", (json_int_t)s->loop_bs_b, "bs_b",
			 (json_int_t)s->bs_b, "tc", (json_int_t)s->tc, "qd",
			 (json_int_t)s->qd, "fill_b", (json_int_t)s->fill_b, "cells",
			 cells, "point_ns", (json_int_t)s->point_ns, "max_rounds",
			 (json_int_t)s->max_rounds, "dur_ns", (json_int_t)s->dur_ns,
			 "stop_b", (json_int_t)s->stop_b, "ss_stop_b",
			 (json_int_t)s->ss_stop_b);
}

static json_t *estimate_json(const struct pts_plan *p)
{
	struct pts_estimate e;
	uint64_t rate = pts_plan_fill_rate(p);

	pts_plan_estimate(p, rate, &e);
	json_t *o =
		json_pack("{s:I,s:s,s:I,s:I,s:I,s:I,s:I}", "fill_bytes_per_s",
			  (json_int_t)rate, "rate", rate_words[p->opts.rate], "best_ns",
			  (json_int_t)e.best_ns, "expected_ns", (json_int_t)e.expected_ns,
			  "worst_ns", (json_int_t)e.worst_ns, "best_b",
			  (json_int_t)e.best_b, "worst_b", (json_int_t)e.worst_b);
	if (o && p->opts.endurance_b)
		json_object_update_new(
			o, json_pack("{s:I,s:f,s:f}", "endurance_b",
				     (json_int_t)p->opts.endurance_b,
				     "best_endurance_pct", endurance_pct(p, e.best_b),
				     "worst_endurance_pct", endurance_pct(p, e.worst_b)));
	return o;
}

json_t *pts_plan_json(const struct pts_plan *p, const struct dev_info *info)
{
	json_t *steps = json_array(), *notes = json_array(), *warnings = json_array();
	unsigned pct = p->opts.active_range_pct;

	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(steps, step_json(&p->step[i]));
	for (size_t i = 0; i < p->n_notes; i++)
		json_array_append_new(
			notes, json_pack("{s:s,s:s,s:s,s:s}", "code", p->note[i].code,
					 "clause", p->note[i].clause, "test",
					 p->note[i].test, "text", p->note[i].text));
	for (unsigned i = 0; i < p->n_warnings; i++)
		json_array_append_new(warnings, json_string(p->warning[i]));
	return json_pack(
		"{s:s,s:s,s:I,s:{s:I,s:I,s:I},s:s,s:{s:s,s:s},s:s,s:o,s:o,s:o,s:o}",
		"edition", p->edition->id, "label", p->edition->label, "capacity_b",
		(json_int_t)p->capacity_b, "active_range", "pct",
		(json_int_t)(pct ? pct : p->edition->active_range_pct), "off_b",
		(json_int_t)p->off_b, "len_b", (json_int_t)p->len_b, "purge",
		dev_purge_word(p->purge), "write_cache", "asked",
		p->edition->cache == PTS_WCE ? "on" : "off", "found",
		pts_wcache_word(info->wcache), "steady_rule", ss_mode_word(p->opts.mode),
		"steps", steps, "deviations", notes, "warnings", warnings, "estimate",
		estimate_json(p));
}
