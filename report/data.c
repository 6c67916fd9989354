/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define NOT_STATED "not stated"

const struct rpt_percentile rpt_percentiles[RPT_PERCENTILES] = {
	{ 999000000, "99.9 %", "3 9s" },
	{ 999900000, "99.99 %", "4 9s" },
	{ 999990000, "99.999 %", "5 9s" },
};

/* --- words --- */

const char *rpt_clean(struct rpt_arena *a, const char *text)
{
	size_t n = strlen(text);
	char *copy = rpt_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++)
		copy[i] =
			(unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i];
	/* U+FFFE and U+FFFF are no characters for XML: U+FFFD, the sign for such, instead. */
	for (char *at = copy; (at = strstr(at, "\xef\xbf")); at += 3)
		if (at[2] == '\xbe' || at[2] == '\xbf')
			at[2] = '\xbd';
	return copy;
}

static const json_t *json_at(const json_t *o, const char *path)
{
	while (o && *path) {
		size_t n = strcspn(path, ".");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		o = json_object_get(o, name);
		path += n + (path[n] == '.');
	}
	return o;
}

const char *rpt_word_or_null(struct rpt_data *d, const char *path)
{
	const json_t *v = json_at(d->run->run, path);

	if (json_is_string(v))
		return *json_string_value(v) ? rpt_clean(d->arena, json_string_value(v))
					     : NULL;
	if (json_is_integer(v))
		return rpt_fmt(d->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	if (json_is_boolean(v))
		return json_is_true(v) ? "yes" : "no";
	return NULL;
}

const char *rpt_word(struct rpt_data *d, const char *path)
{
	const char *word = rpt_word_or_null(d, path);

	return word ? word : NOT_STATED;
}

const char *rpt_model(struct rpt_data *d)
{
	const char *model = rpt_word_or_null(d, "device.model");

	return model ? model : rpt_word(d, "device.name");
}

/* As the header shows a moment: "2026-11-30 21:35:03 UTC". */
const char *rpt_date(struct rpt_arena *a, int64_t wall_ns)
{
	char utc[UNITS_TEXT];

	units_utc(wall_ns, utc);
	return rpt_fmt(a, "%.10s %.8s UTC", utc,
		       utc + strcspn(utc, "T") + (strchr(utc, 'T') != NULL));
}

const char *rpt_number(struct rpt_arena *a, enum pts_metric m, double v)
{
	int decimals = 0;

	if (!isfinite(v) || v < 0)
		return "n/a";
	switch (m) {
	case PTS_IOPS:
		decimals = v >= 1000 ? 0 : v >= 100 ? 1 : 2;
		break;
	case PTS_MBPS:
		decimals = v >= 1000 ? 1 : 2;
		break;
	case PTS_ART:
		decimals = v >= 100 ? 1 : v >= 10 ? 2 : v >= 1 ? 3 : v >= 0.1 ? 4 : 5;
		break;
	}
	return rpt_fmt(a, "%.*f", decimals, v);
}

const char *rpt_kib(struct rpt_arena *a, uint32_t bs_b)
{
	char buf[UNITS_TEXT];

	return rpt_fmt(a, "%s", units_kib(bs_b, buf));
}

const char *rpt_mix(struct rpt_arena *a, uint8_t read_pct)
{
	return rpt_fmt(a, "%u/%u", read_pct, 100u - read_pct);
}

const char *rpt_track(struct rpt_data *d, const struct rpt_unit *u, unsigned track)
{
	char word[96];

	pts_track_word(&u->test->track[track], u->loop_bs_b, word, sizeof(word));
	return rpt_fmt(d->arena, "%s", word);
}

/* --- histograms --- */

static struct hist *hist_new(struct rpt_arena *a)
{
	struct hist *h = rpt_alloc(a, sizeof(*h));

	hist_clear(h);
	return h;
}

struct hist *rpt_merge(struct rpt_arena *a, const struct rpt_points *points)
{
	struct hist *h = hist_new(a);

	for (size_t i = 0; i < points->n; i++)
		if (!st_point_merge_lat(points->p[i], h))
			return NULL; /* the reader has checked the cells: cannot be */
	return h->count ? h : NULL;
}

const struct hist *rpt_point_hist(struct rpt_data *d, const struct st_point *p)
{
	if (!d->scratch)
		d->scratch = rpt_alloc(d->arena, sizeof(*d->scratch));
	hist_clear(d->scratch);
	return st_point_merge_lat(p, d->scratch) ? d->scratch : NULL;
}

double rpt_percentile_ms(const struct hist *h, uint32_t ppb)
{
	if (!h || hist_beyond(h, ppb) < HIST_MIN_BEYOND)
		return -1;
	return (double)hist_quantile_ns(h, ppb) / 1e6;
}

const char *rpt_percentile_text(struct rpt_arena *a, const struct hist *h, uint32_t ppb)
{
	if (!h || !h->count)
		return "n/a";
	if (hist_beyond(h, ppb) < HIST_MIN_BEYOND)
		return rpt_fmt(a, "n/a (%" PRIu64 ")", hist_beyond(h, ppb));
	return rpt_number(a, PTS_ART, rpt_percentile_ms(h, ppb));
}

/* --- cells --- */

struct rpt_cell_stat rpt_cell_stat(struct rpt_data *d, const struct rpt_unit *u,
				   uint8_t read_pct, uint32_t bs_b)
{
	struct rpt_cell_stat s = { 0 };

	for (unsigned round = u->first; u->first && round <= u->last; round++) {
		const struct st_point *p =
			pts_rounds_at(&u->rounds, round, read_pct, bs_b);
		double max_ms;

		if (!p)
			continue;
		if (!s.lat)
			s.lat = hist_new(d->arena);
		if (!st_point_merge_lat(p, s.lat))
			continue;
		max_ms = (double)st_point_lat_max_ns(p) / 1e6;
		s.rounds++;
		s.iops += st_point_iops(p);
		s.mb_per_s += st_point_bytes_per_s(p) / 1e6;
		s.art_ms += st_point_lat_mean_ns(p) / 1e6;
		s.mrt_ms += max_ms;
		s.max_ms = fmax(s.max_ms, max_ms);
	}
	if (s.rounds) {
		s.iops /= s.rounds;
		s.mb_per_s /= s.rounds;
		s.art_ms /= s.rounds;
		s.mrt_ms /= s.rounds;
	}
	return s;
}

double rpt_metric(enum pts_metric m, const struct rpt_cell_stat *s)
{
	if (!s->rounds)
		return -1;
	switch (m) {
	case PTS_IOPS:
		return s->iops;
	case PTS_MBPS:
		return s->mb_per_s;
	case PTS_ART:
		return s->art_ms;
	}
	return -1;
}

/* --- verdicts --- */

static struct rpt_mark mark_of(enum rpt_tone tone, const char *text)
{
	return (struct rpt_mark){ .text = text, .tone = tone };
}

const struct ss_verdict *rpt_window(const struct ss_decision *d, size_t series)
{
	return d->deciding == &ss_rule_band ? &d->band[series] : &d->pts[series];
}

static unsigned window_len(const struct ss_decision *d)
{
	return d->deciding ? d->deciding->window : ss_rule_pts.window;
}

const char *rpt_window_words(struct rpt_data *d, const struct rpt_unit *u)
{
	const struct ss_verdict *v = rpt_window(u->decision, 0);
	const struct pts_step *sat = pts_test_step(u->test, PTS_SATURATE);

	if (!sat)
		return u->verdict.first ? rpt_fmt(d->arena, "%u-%u", u->verdict.first,
						  u->verdict.last)
					: "";
	if (!v->judged)
		return "";
	return rpt_fmt(d->arena, "minutes %u-%u",
		       sat->ss_offset + (v->first - 1) * sat->ss_period,
		       sat->ss_offset + (v->round - 1) * sat->ss_period);
}

static bool is_throttled(const struct rpt_data *d, const struct rpt_unit *u)
{
	for (size_t i = 0; i < d->n_deviation; i++)
		if (!strcmp(d->deviation[i].code, "throttled") &&
		    !strcmp(d->deviation[i].test, u->test->id))
			return true;
	return false;
}

struct rpt_mark rpt_verdict(struct rpt_data *d, const struct rpt_unit *u)
{
	bool sat = pts_test_step(u->test, PTS_SATURATE);
	unsigned have = sat ? u->sat.samples : u->rounds.n_rounds, want;
	const char *what = sat ? "samples" : "rounds";

	if (!u->ran)
		return mark_of(RPT_DIM, "not run");
	want = window_len(u->decision);
	if (u->decision->steady)
		return mark_of(RPT_GOOD,
			       rpt_fmt(d->arena, "%s, %s%s",
				       is_throttled(d, u) ? "steady but throttled"
							  : "steady state attained",
				       sat ? "" : "rounds ", rpt_window_words(d, u)));
	if (have >= want)
		return mark_of(RPT_BAD,
			       rpt_fmt(d->arena, "steady state not attained in %u %s",
				       have, what));
	return mark_of(sat ? RPT_WARN : RPT_BAD,
		       rpt_fmt(d->arena, "steady state not %s (%u of %u %s)",
			       sat ? "evaluated" : "attained", have, want, what));
}

const char *rpt_run_date(struct rpt_data *d)
{
	const json_t *started = json_at(d->run->run, "started_wall_ns");
	const char *first = json_is_integer(started)
				    ? rpt_date(d->arena, json_integer_value(started))
				    : NOT_STATED;

	if (!d->run->n)
		return first;
	return rpt_fmt(d->arena, "%s - %s", first,
		       rpt_date(d->arena, d->run->rec[d->run->n - 1].wall_ns));
}

/* What holds for the whole run, the gravest first. */
static size_t run_marks(struct rpt_data *d, struct rpt_mark ret[RPT_MAX_MARKS])
{
	const char *names = "";
	size_t n = 0;

	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];

		if (u->ran && rpt_verdict(d, u).tone == RPT_BAD)
			names = rpt_fmt(d->arena, "%s%s%s", names, *names ? ", " : "",
					u->title);
	}
	if (d->incomplete)
		ret[n++] = mark_of(RPT_BAD, "INCOMPLETE (no end record)");
	else if (d->exit ==
		 EXIT_CODE_LIMITS) /* the result stands, and is not good enough */
		ret[n++] = mark_of(RPT_BAD, exit_code_word(d->exit));
	else if (d->exit != EXIT_CODE_COMPLETE && d->exit != EXIT_CODE_NOT_STEADY)
		ret[n++] = mark_of(RPT_BAD, rpt_fmt(d->arena, "NOT A VALID RESULT: %s",
						    exit_code_word(d->exit)));
	if (*names) {
		ret[n] =
			mark_of(RPT_BAD, rpt_fmt(d->arena,
						 "steady state not attained: %s", names));
		ret[n++].of_tests = true;
	}
	if (d->simulated)
		ret[n++] = mark_of(RPT_WARN, "SIMULATED");
	if (d->short_rounds)
		ret[n++] = mark_of(RPT_WARN, "short rounds - not PTS conformant");
	return n;
}

/* --- gathering --- */

static void gather(struct rpt_data *d, const struct rpt_unit *u, enum st_phase phase,
		   struct rpt_points *ret)
{
	const struct st_point **p =
		rpt_alloc(d->arena, (d->run->n + 1) * sizeof(const void *));

	ret->p = p;
	ret->n = st_run_points(d->run, u->test->id, phase, u->loop_bs_b, p, d->run->n);
}

static const json_t *find_purge(const struct rpt_data *d, const struct rpt_unit *u)
{
	const json_t *found = NULL;
	const struct st_record *rec;

	for (size_t i = 0; (rec = st_run_nth(d->run, ST_STAGE, i)); i++) {
		const char *test = json_string_value(json_object_get(rec->body, "test"));
		const char *verb = json_string_value(json_object_get(rec->body, "verb"));

		if (test && verb && !strcmp(test, u->test->id) &&
		    !strcmp(verb, pts_verb_word(PTS_PURGE)) &&
		    json_object_get(rec->body, "words") &&
		    json_integer_value(json_object_get(rec->body, "loop_bs_b")) ==
			    u->loop_bs_b)
			found = rec->body;
	}
	return found;
}

/* Rounds that tables average: the window, or the last ones there are. */
static void choose_rounds(struct rpt_unit *u)
{
	unsigned n = u->rounds.n_rounds;

	u->in_window = u->verdict.first > 0;
	u->first = u->verdict.first;
	u->last = u->verdict.last;
	if (u->in_window || !n)
		return;
	u->last = n;
	u->first = n > SS_MAX_WINDOW ? n - SS_MAX_WINDOW + 1 : 1;
}

uint64_t rpt_written_b(const struct rpt_points *minute, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += minute->p[i]->dir[IO_WRITE].bytes;
	return bytes;
}

static void find_shape(struct rpt_data *d, struct rpt_unit *u)
{
	double *iops = rpt_alloc(d->arena, (u->minute.n + 1) * sizeof(*iops));

	for (size_t i = 0; i < u->minute.n; i++)
		iops[i] = st_point_iops(u->minute.p[i]);
	ss_shape(iops, u->minute.n, &u->shape);
}

static int judge(struct rpt_data *d, struct rpt_unit *u, struct err *err)
{
	int r;

	if (pts_test_step(u->test, PTS_SATURATE)) {
		u->decision = &u->sat.decision;
		u->ran = u->minute.n > 0;
		find_shape(d, u);
		return pts_judge_saturation(d->run, u->test, &d->opts, &u->sat, err);
	}
	r = pts_rounds_collect(d->run, u->test, u->loop_bs_b, &u->rounds, err);
	if (r < 0)
		return r;
	pts_judge_rounds(&u->rounds, d->opts.mode, &u->verdict);
	u->decision = &u->verdict.decision;
	u->ran = u->rounds.n_rounds > 0 || u->fill.n > 0;
	choose_rounds(u);
	return 0;
}

static int unit_read(struct rpt_data *d, const struct pts_test *test, uint32_t loop_bs_b,
		     struct err *err)
{
	struct rpt_unit *u;

	d->unit = rpt_grow(d->arena, d->unit, d->n_unit, sizeof(*d->unit));
	u = &d->unit[d->n_unit++];
	*u = (struct rpt_unit){ .test = test,
				.loop_bs_b = loop_bs_b,
				.key = test->id,
				.title = test->title };
	if (loop_bs_b) {
		u->key = rpt_fmt(d->arena, "%s-%sk", test->id,
				 rpt_kib(d->arena, loop_bs_b));
		u->title = rpt_fmt(d->arena, "%s %s KiB", test->title,
				   rpt_kib(d->arena, loop_bs_b));
	}
	gather(d, u, ST_FILL, &u->fill);
	gather(d, u, ST_MINUTE, &u->minute);
	gather(d, u, ST_HISTOGRAM, &u->hist);
	u->purge = find_purge(d, u);
	return judge(d, u, err);
}

static bool has_unit(const struct rpt_data *d, const struct pts_test *test,
		     uint32_t loop_bs_b)
{
	for (size_t i = 0; i < d->n_unit; i++)
		if (d->unit[i].test == test && d->unit[i].loop_bs_b == loop_bs_b)
			return true;
	return false;
}

/* The plan's tests and cycles, in its order. */
static int units_read(struct rpt_data *d, struct err *err)
{
	const json_t *steps = json_at(d->run->run, "plan.steps"), *step;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		const char *id = json_string_value(json_object_get(step, "test"));
		json_int_t loop = json_integer_value(json_object_get(step, "loop_bs_b"));
		const struct pts_test *test =
			id ? pts_test_find(id, d->opts.edition->id) : NULL;
		int r;

		if (!test || loop < 0 || loop > UINT32_MAX)
			return err_set(
				err, EXIT_CODE_HOST, EINVAL,
				"run.json: step %zu of the plan names no test of %s", i,
				d->opts.edition->id);
		if (has_unit(d, test, (uint32_t)loop))
			continue;
		r = unit_read(d, test, (uint32_t)loop, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Pages of a test show its verdict beside; they need no list of the others. */
static const char *marks_line(const struct rpt_data *d, bool verdicts)
{
	const char *line = "";

	for (size_t i = 0; i < d->n_mark; i++)
		if (verdicts || !d->mark[i].of_tests)
			line = rpt_fmt(d->arena, "%s%s%s", line, *line ? " · " : "",
				       d->mark[i].text);
	return line;
}

static void describe(struct rpt_data *d)
{
	const json_t *end = st_run_end(d->run);
	const char *model = rpt_model(d);
	const char *serial = rpt_word_or_null(d, "device.serial");

	d->drive = rpt_fmt(d->arena, "%s%s%s", model, serial ? ", S/N " : "",
			   serial ? serial : "");
	d->simulated = st_run_simulated(d->run);
	d->incomplete = !end;
	d->exit = EXIT_CODE_INTERNAL;
	if (end)
		d->exit = (enum exit_code)json_integer_value(
			json_object_get(end, "exit_code"));
	for (size_t i = 0; i < d->n_deviation; i++)
		if (!strcmp(d->deviation[i].code, "short-rounds"))
			d->short_rounds = true;
	d->n_mark = run_marks(d, d->mark);
	d->status = marks_line(d, true);
	d->chart_status = marks_line(d, false);
}

int rpt_data_read(const struct st_run *run, struct rpt_arena *arena, struct rpt_data *ret,
		  struct err *err)
{
	int r;

	*ret = (struct rpt_data){ .arena = arena, .run = run };
	r = pts_run_opts_read(run->run, &ret->opts, err);
	if (r == 0)
		r = units_read(ret, err);
	if (r == 0)
		r = pts_deviations(run, &ret->deviation, &ret->n_deviation, err);
	if (r == 0)
		r = pts_ledger_make(run, &ret->ledger, err);
	if (r == 0)
		describe(ret);
	return r;
}

void rpt_data_release(struct rpt_data *d)
{
	for (size_t i = 0; i < d->n_unit; i++)
		pts_rounds_release(&d->unit[i].rounds);
	free(d->deviation);
	pts_ledger_release(&d->ledger);
}
