/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages about the whole run, and how each test was prepared. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/pages.h"

/* --- summary --- */

static void results_table(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_table *t = rpt_table_add(m, p, "Results");

	rpt_col_add(m, t, "Test", false, 1.3);
	rpt_col_add(m, t, "Verdict", false, 2.9);
	rpt_col_add(m, t, "Window", false, 1.2);
	rpt_col_add(m, t, "Rule", false, 0.6);
	rpt_col_add(m, t, "Why", false, 4);
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];
		const struct ss_decision *dec = u->decision;
		struct rpt_mark v = rpt_verdict(d, u);
		const char *window = rpt_window_words(d, u);

		rpt_cell_add(m, t, RPT_PLAIN, "%s", u->title);
		rpt_cell_add(m, t, v.tone, "%s", v.text);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", *window ? window : "none");
		rpt_cell_add(m, t, RPT_PLAIN, "%s",
			     dec->deciding ? dec->deciding->name : "-");
		rpt_cell_add(m, t, RPT_PLAIN, "%s", u->ran ? dec->reason : "");
	}
}

static void arithmetic_row(struct rpt_model *m, struct rpt_data *d, struct rpt_table *t,
			   const struct rpt_unit *u, unsigned track,
			   const struct ss_decision *dec, size_t series)
{
	const struct ss_verdict *w = rpt_window(dec, series);
	enum pts_metric metric = u->test->track[track].metric;

	if (!w->judged)
		return;
	rpt_cell_add(m, t, RPT_PLAIN, "%s", u->title);
	rpt_cell_add(m, t, RPT_PLAIN, "%s%s", rpt_track(d, u, track),
		     u->test->track[track].decides ? "" : " (shown only)");
	rpt_cell_add(m, t, RPT_PLAIN, "%u-%u", w->first, w->round);
	rpt_cell_add(m, t, RPT_PLAIN, "%s", rpt_number(&m->arena, metric, w->average));
	rpt_cell_add(m, t, RPT_PLAIN, "%.2f %%", w->range_pct);
	rpt_cell_add(m, t, RPT_PLAIN, "%.2f %%", w->excursion_pct);
	rpt_cell_add(m, t, RPT_PLAIN, "%.1f ... %.1f %%", w->line_low_pct,
		     w->line_high_pct);
	rpt_cell_add(m, t, w->steady ? RPT_GOOD : RPT_BAD, w->steady ? "PASS" : "FAIL");
}

static void arithmetic_table(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_table *t =
		rpt_table_add(m, p, "Deciding windows, with their arithmetic");

	rpt_col_add(m, t, "Test", false, 1.3);
	rpt_col_add(m, t, "Tracking variable", false, 2.2);
	rpt_col_add(m, t, "Rounds", false, 0.7);
	rpt_col_add(m, t, "Average", true, 1);
	rpt_col_add(m, t,
		    rpt_fmt(&m->arena, "Range (<= %g %%)", ss_rule_pts.max_range_pct),
		    true, 0.9);
	rpt_col_add(m, t,
		    rpt_fmt(&m->arena, "Line (<= %g %%)", ss_rule_pts.max_excursion_pct),
		    true, 0.9);
	rpt_col_add(m, t, "Line's ends, of average", true, 1.4);
	rpt_col_add(m, t, "Result", false, 0.6);
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];

		if (pts_test_step(u->test, PTS_SATURATE)) {
			arithmetic_row(m, d, t, u, 0, u->decision, 0);
			continue;
		}
		for (size_t k = 0; k < u->decision->n_series; k++)
			arithmetic_row(m, d, t, u, u->verdict.track_of[k], u->decision,
				       k);
		for (unsigned k = 0; k < u->verdict.n_extra; k++)
			arithmetic_row(m, d, t, u, u->verdict.extra_of[k],
				       &u->verdict.extra[k], 0);
	}
}

static void deviations_block(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_table *t;

	if (!d->n_deviation) {
		rpt_heading_add(m, p, "Deviations");
		rpt_text_add(m, p, RPT_PLAIN, "no deviations recorded");
		return;
	}
	t = rpt_table_add(m, p,
			  rpt_fmt(&m->arena, "Deviations from %s: %zu",
				  d->opts.edition->label, d->n_deviation));
	rpt_col_add(m, t, "Clause", false, 0.6);
	rpt_col_add(m, t, "Test", false, 0.6);
	rpt_col_add(m, t, "Code", false, 1.3);
	rpt_col_add(m, t, "What departs", false, 6);
	for (size_t i = 0; i < d->n_deviation; i++) {
		const struct pts_deviation *v = &d->deviation[i];

		rpt_cell_add(m, t, RPT_PLAIN, "%s", v->clause);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", *v->test ? v->test : "all");
		rpt_cell_add(m, t, RPT_PLAIN, "%s", v->code);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", rpt_clean(&m->arena, v->text));
	}
}

static void ledger_counts(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	static const enum rpt_tone tones[PTS_STATES] = { RPT_GOOD, RPT_PLAIN, RPT_BAD,
							 RPT_WARN };
	struct rpt_table *t = rpt_table_add(m, p, "Compliance ledger");

	for (int i = 0; i < PTS_STATES; i++)
		rpt_col_add(m, t, pts_state_word((enum pts_state)i), true, 1);
	for (int i = 0; i < PTS_STATES; i++)
		rpt_cell_add(m, t, d->ledger.count[i] ? tones[i] : RPT_DIM, "%u",
			     d->ledger.count[i]);
}

static struct rpt_mark overall(const struct rpt_data *d)
{
	bool good = !d->incomplete && d->exit == EXIT_CODE_COMPLETE;

	return (struct rpt_mark){
		.text = d->incomplete ? "INCOMPLETE" : exit_code_word(d->exit),
		.tone = good ? RPT_GOOD : RPT_BAD,
	};
}

static void key_table(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_key key[RPT_MAX_KEYS];
	size_t n = rpt_keys(d, key, ARRAY_LEN(key));
	struct rpt_table *t;

	if (!n)
		return;
	t = rpt_table_add(m, p, "Key figures");
	rpt_col_add(m, t, "Test", false, 1.4);
	rpt_col_add(m, t, "Figure", false, 3);
	rpt_col_add(m, t, "Value", true, 1.2);
	rpt_col_add(m, t, "Unit", false, 0.8);
	for (size_t i = 0; i < n; i++) {
		rpt_cell_add(m, t, RPT_PLAIN, "%s", key[i].test);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", key[i].what);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", key[i].value);
		rpt_cell_add(m, t, RPT_PLAIN, "%s", key[i].unit);
	}
}

void rpt_page_summary(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	struct rpt_page *p = rpt_page_add(m, head, "summary", "Summary");
	const char *reason =
		json_string_value(json_object_get(st_run_end(d->run), "reason"));

	p->verdict = overall(d);
	if (reason && *reason)
		rpt_text_add(m, p, RPT_PLAIN, "The run ended: %s.",
			     rpt_clean(&m->arena, reason));
	results_table(m, d, p);
	deviations_block(m, d, p);
	ledger_counts(m, d, p);
	key_table(m, d, p);
	arithmetic_table(m, d, p);
}

/* --- purge and preconditioning --- */

static void purge_facts(const struct rpt_scope *s, struct rpt_page *p)
{
	struct rpt_facts *f = rpt_facts_add(s->m, p, "Purge report");
	const json_t *purge = s->u->purge;
	const char *words = json_string_value(json_object_get(purge, "words"));
	char buf[UNITS_TEXT];

	if (!purge) {
		rpt_fact_add(s->m, f, "Purge",
			     "no record: not done, or the run ended before");
		return;
	}
	rpt_fact_add(s->m, f, "Method", "%s",
		     words ? rpt_clean(&s->m->arena, words) : "not stated");
	rpt_fact_add(s->m, f, "Accepted by the PTS as a purge", "%s",
		     json_is_true(json_object_get(purge, "is_pts_purge"))
			     ? "yes"
			     : "NO: a deviation");
	rpt_fact_add(s->m, f, "Amount", "%s",
		     units_capacity((uint64_t)json_integer_value(
					    json_object_get(purge, "bytes")),
				    buf));
	rpt_fact_add(
		s->m, f, "Duration", "%s",
		units_dur((uint64_t)json_integer_value(json_object_get(purge, "dur_ns")),
			  buf));
}

static void fill_table(const struct rpt_scope *s, struct rpt_page *p)
{
	struct rpt_table *t = rpt_table_add(
		s->m, p, "Workload-independent preconditioning, pass by pass");
	struct rpt_arena *a = &s->m->arena;
	char buf[UNITS_TEXT];

	static const char *const cols[] = {
		"Pass", "Written (GB)", "Bytes",  "Duration",
		"MB/s", "ART (ms)",     "Errors", "Complete"
	};

	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		rpt_col_add(s->m, t, cols[i], true, i == 2 ? 1.4 : 1);
	for (size_t i = 0; i < s->u->fill.n; i++) {
		const struct st_point *pt = s->u->fill.p[i];
		uint64_t bytes = pt->dir[IO_WRITE].bytes;

		rpt_cell_add(s->m, t, RPT_PLAIN, "%u", pt->round);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%.3f", (double)bytes / 1e9);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%" PRIu64, bytes);
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     units_dur(pt->t1_ns - pt->t0_ns, buf));
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_MBPS, st_point_bytes_per_s(pt) / 1e6));
		rpt_cell_add(s->m, t, RPT_PLAIN, "%s",
			     rpt_number(a, PTS_ART, st_point_lat_mean_ns(pt) / 1e6));
		rpt_cell_add(s->m, t, pt->errors ? RPT_BAD : RPT_PLAIN, "%" PRIu64,
			     pt->errors);
		rpt_cell_add(s->m, t, pt->complete ? RPT_PLAIN : RPT_BAD, "%s",
			     pt->complete ? "yes" : "no");
	}
}

static void wipc_facts(const struct rpt_scope *s, struct rpt_page *p)
{
	const struct pts_step *wipc = pts_test_step(s->u->test, PTS_WIPC);
	struct rpt_facts *f = rpt_facts_add(s->m, p, "Preconditioning report");
	struct rpt_arena *a = &s->m->arena;
	const struct rpt_points *fill = &s->u->fill;
	uint64_t bytes = 0;
	char buf[UNITS_TEXT];

	for (size_t i = 0; i < fill->n; i++)
		bytes += fill->p[i]->dir[IO_WRITE].bytes;
	if (!wipc) {
		rpt_fact_add(s->m, f, "Workload-independent (WIPC)",
			     "none: this test starts from the purged drive");
	} else {
		rpt_fact_add(s->m, f, "Workload-independent (WIPC)",
			     "SEQ %s KiB writes, %ux user capacity asked (clause %s)",
			     rpt_kib(a, wipc->bs_b[0] ? wipc->bs_b[0] : s->u->loop_bs_b),
			     wipc->passes, wipc->cite.clause);
		rpt_fact_add(s->m, f, "Written", "%" PRIu64 " B = %.3fx user capacity",
			     bytes, (double)bytes / (double)s->d->opts.capacity_b);
		if (fill->n)
			rpt_fact_add(s->m, f, "TC / QD", "%" PRIu32 " / %" PRIu32,
				     fill->p[0]->tc, fill->p[0]->qd);
	}
	rpt_fact_add(s->m, f, "User capacity", "%" PRIu64 " B = %s",
		     s->d->opts.capacity_b, units_capacity(s->d->opts.capacity_b, buf));
}

static void wdpc_facts(const struct rpt_scope *s, struct rpt_page *p)
{
	struct rpt_facts *f = rpt_facts_add(s->m, p, "");
	const struct rpt_unit *u = s->u;
	char minutes[64];

	if (pts_test_step(u->test, PTS_SATURATE)) {
		rpt_fact_add(s->m, f, "Workload-dependent (WDPC)",
			     "the stimulus itself, %s in one piece; ended by: %s",
			     pts_minutes_text(&s->d->opts, u->sat.minutes, minutes),
			     pts_sat_stop_word(u->sat.stop));
		return;
	}
	rpt_fact_add(s->m, f, "Workload-dependent (WDPC)",
		     "the test loop itself: %u complete rounds of %u points",
		     u->rounds.n_rounds, u->rounds.n_points);
	rpt_fact_add(s->m, f, "Steady state", "%s", rpt_verdict(s->d, u).text);
	if (u->verdict.first)
		rpt_fact_add(s->m, f, "Measurement window", "rounds %u-%u",
			     u->verdict.first, u->verdict.last);
}

void rpt_page_preparation(const struct rpt_scope *s)
{
	struct rpt_page *p = rpt_test_page(
		s, "preparation",
		rpt_fmt(&s->m->arena, "%s - Purge and Preconditioning Report",
			s->u->title));

	if (!s->u->ran) {
		rpt_text_add(s->m, p, RPT_DIM, "no data: this test did not run");
		return;
	}
	purge_facts(s, p);
	wipc_facts(s, p);
	wdpc_facts(s, p);
	if (s->u->fill.n)
		fill_table(s, p);
}

/* --- host headroom --- */

struct headroom {
	unsigned points, limited, known;
	double depth_pct_min, busy_pct_max;
	uint64_t gap_max_ns, errors;
};

static void headroom_add(struct headroom *h, const struct st_point *p)
{
	double dur_ns = (double)(p->t1_ns - p->t0_ns);
	double asked = (double)p->tc * p->qd;

	h->points++;
	h->limited += p->host_limited;
	h->errors += p->errors;
	h->gap_max_ns = p->gap_ns > h->gap_max_ns ? p->gap_ns : h->gap_max_ns;
	if (dur_ns > 0 && asked > 0)
		h->depth_pct_min =
			fmin(h->depth_pct_min, 100 * st_point_depth(p) / asked);
	if (!p->host_known || dur_ns <= 0)
		return;
	h->known++;
	h->busy_pct_max = fmax(h->busy_pct_max, 100 * (double)p->worst_busy_ns / dur_ns);
}

static void headroom_row(struct rpt_model *m, struct rpt_data *d, struct rpt_table *t,
			 const struct rpt_unit *u, enum st_phase phase)
{
	struct headroom h = { .depth_pct_min = HUGE_VAL };

	for (size_t i = 0; i < d->run->n; i++) {
		const struct st_point *p = st_counted(&d->run->rec[i]);

		if (p && p->phase == phase && p->loop_bs_b == u->loop_bs_b &&
		    !strcmp(p->test, u->test->id))
			headroom_add(&h, p);
	}
	if (!h.points)
		return;
	rpt_cell_add(m, t, RPT_PLAIN, "%s", u->title);
	rpt_cell_add(m, t, RPT_PLAIN, "%s", st_phase_word(phase));
	rpt_cell_add(m, t, RPT_PLAIN, "%u", h.points);
	rpt_cell_add(m, t, RPT_PLAIN, "%s",
		     isfinite(h.depth_pct_min)
			     ? rpt_fmt(&m->arena, "%.1f", h.depth_pct_min)
			     : "n/a");
	rpt_cell_add(m, t, RPT_PLAIN, "%s",
		     h.known ? rpt_fmt(&m->arena, "%.1f", h.busy_pct_max) : "n/a");
	rpt_cell_add(m, t, h.limited ? RPT_BAD : RPT_PLAIN, "%u", h.limited);
	rpt_cell_add(m, t, RPT_PLAIN, "%.1f", (double)h.gap_max_ns / 1e6);
	rpt_cell_add(m, t, h.errors ? RPT_BAD : RPT_PLAIN, "%" PRIu64, h.errors);
}

/* How full the asked depth was, and how busy the busiest worker, over the run. */
static void headroom_chart(struct rpt_model *m, struct rpt_data *d, struct rpt_page *p)
{
	struct rpt_chart *c = rpt_run_chart(
		m, d, p, "host-headroom", "Host Headroom - every measured interval", 430);
	struct rpt_series *depth = rpt_series_add(m, c, "Outstanding I/Os, % of asked",
						  RPT_POINTS, 0),
			  *busy = rpt_series_add(m, c, "Busiest worker, % of the time",
						 RPT_POINTS, 1);
	double top = 100;

	c->x.label = "Time since the start of the run (hours)";
	c->y.label = "Share (%)";
	for (size_t i = 0; i < d->run->n; i++) {
		const struct st_point *pt = st_counted(&d->run->rec[i]);
		double hours, asked, ns;

		if (!pt || pt->t1_ns == pt->t0_ns)
			continue;
		ns = (double)(pt->t1_ns - pt->t0_ns);
		hours = (double)pt->t1_ns / (3600.0 * (double)NSEC_PER_SEC);
		asked = (double)pt->tc * pt->qd;
		if (asked > 0)
			rpt_point_add(m, c, depth, hours,
				      100 * st_point_depth(pt) / asked);
		if (pt->host_known) {
			rpt_point_add(m, c, busy, hours,
				      100 * (double)pt->worst_busy_ns / ns);
			top = fmax(top, 100 * (double)pt->worst_busy_ns / ns);
		}
		c->x.hi = fmax(c->x.hi, hours);
	}
	c->y.hi = top * 1.05;
	if (c->x.hi < 2) { /* short runs: minutes */
		c->x.label = "Time since the start of the run (minutes)";
		c->x.hi *= 60;
		for (size_t i = 0; i < c->n_series; i++)
			for (size_t k = 0; k < c->series[i]->n; k++)
				c->series[i]->point[k].x *= 60;
	}
}

void rpt_page_host(struct rpt_model *m, struct rpt_data *d, struct rpt_head *head)
{
	struct rpt_page *p = rpt_page_add(m, head, "host", "Host Headroom");
	struct rpt_table *t;

	rpt_text_add(
		m, p, RPT_PLAIN,
		"Was it the drive or the host that set the pace? A point counts as host-limited when a "
		"worker was busy or waiting for a CPU for 90 %% of the time, when less than 95 %% of the "
		"asked depth was outstanding, or, at QD 1, when the time between reaping and the next "
		"submission exceeds 5 %% of the mean latency.");
	if (d->simulated)
		rpt_text_add(
			m, p, RPT_DIM,
			"A simulated drive runs on a virtual clock: host figures do not exist.");
	headroom_chart(m, d, p);
	t = rpt_table_add(m, p, "By test and phase");
	static const char *const cols[] = { "Test",
					    "Phase",
					    "Intervals",
					    "Lowest depth (% of asked)",
					    "Busiest worker (%)",
					    "Host-limited",
					    "Longest gap (ms)",
					    "I/O errors" };

	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		rpt_col_add(m, t, cols[i], i > 1, i == 0 ? 1.6 : 1);
	for (size_t i = 0; i < d->n_unit; i++)
		for (int phase = ST_FILL; phase <= ST_HISTOGRAM; phase++)
			headroom_row(m, d, t, &d->unit[i], (enum st_phase)phase);
}
