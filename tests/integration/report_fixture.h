/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run directories of drives that do not exist: the plan is the real one, the store is the real
 * one, only the figures are made up, by formulas that look like an enterprise drive. No host is measured.
 */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/units.h"
#include "pts/runner.h"
#include "store/store.h"

#define WALL0_NS INT64_C(1796074503000000000) /* 2026-11-30T21:35:03Z */

struct fx {
	const char *name; /* of the directory */
	struct pts_opts opts;
	enum dev_kind kind;
	const char *vendor, *model, *serial, *firmware;
	uint64_t size_b;
	uint32_t lbs_b;
	unsigned rounds; /* that each loop runs */
	double swing; /* relative, of writes from round to round: 0.15 is never steady */
	unsigned minutes;    /* of a saturation */
	bool with_zeros;     /* some minutes without any I/O */
	unsigned stop_after; /* points; 0: runs to its end */
	bool nothing;        /* no point at all */
	unsigned deviations; /* beyond those of the plan */
	enum exit_code exit;
};

struct fx_run {
	const struct fx *fx;
	const struct pts_plan *plan;
	struct st_writer *w;
	struct rng rng;
	uint64_t now_ns;
	unsigned points;
	bool stopped;
};

/* Uniform in [-1, 1). */
static inline double fx_noise(struct fx_run *r)
{
	return (double)(rng_next(&r->rng) >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

static inline void fx_record(struct fx_run *r, enum st_kind kind, json_t *body)
{
	struct err err = { 0 };

	ck_assert_ptr_nonnull(body);
	ck_assert_msg(!st_append(r->w, kind, WALL0_NS + (int64_t)r->now_ns, body, &err),
		      "%s", err.text);
	json_decref(body);
}

/* n I/Os of a log-normal latency about mean_ns, with one in 2000 in a tail ten times longer. */
static inline void fx_fill_dir(struct fx_run *r, struct st_dir *d, uint64_t n,
			       uint32_t bs_b, double mean_ns)
{
	static struct hist h;
	double sigma = 0.35, mu = log(mean_ns) - sigma * sigma / 2;
	double done = 0, tail_mu = mu + log(10.0), tail_sigma = 0.5;
	uint64_t left = n;

	d->bytes = n * bs_b;
	if (!n)
		return;
	hist_clear(&h);
	for (uint32_t i = 1; i < HIST_BUCKETS && left; i++) {
		double x = (double)hist_bucket_low_ns(i), cdf;
		uint64_t upto, count;

		if (i + 1 == HIST_BUCKETS)
			x = 1e300;
		cdf = 0.9995 * 0.5 * erfc(-(log(x) - mu) / sigma / sqrt(2.0)) +
		      0.0005 * 0.5 * erfc(-(log(x) - tail_mu) / tail_sigma / sqrt(2.0));
		upto = (uint64_t)llround(cdf * (double)n);
		count = upto > (uint64_t)done ? upto - (uint64_t)done : 0;
		count = count < left ? count : left;
		if (!count)
			continue;
		uint64_t v_ns = hist_bucket_low_ns(i - 1);

		h.bucket[i - 1] += count;
		h.count += count;
		h.sum_ns += count * v_ns;
		h.min_ns = v_ns < h.min_ns ? v_ns : h.min_ns;
		h.max_ns = v_ns > h.max_ns ? v_ns : h.max_ns;
		done += (double)count;
		left -= count;
	}
	ck_assert_int_eq(hist_pack(&h, &d->lat), 0);
	(void)r;
}

/* Time of one I/O, in ns of a saturated drive: command cost and transfer, reads and writes. */
static inline double fx_cost_ns(enum io_pattern pattern, bool read, uint32_t bs_b)
{
	double bytes_per_s = read ? 6.6e9 : pattern == IO_SEQ ? 2.1e9 : 0.62e9;
	double per_io_s = read ? 1 / 1.02e6 : pattern == IO_SEQ ? 1 / 5e5 : 1 / 1.6e5;
	double small = bs_b < 4096 && !read ? 2.2e-6 : 0; /* read, modify, write */

	return 1e9 * (per_io_s + small + bs_b / bytes_per_s);
}

static inline void fx_point(struct fx_run *r, const struct pts_plan_step *s,
			    enum st_phase phase, unsigned round, unsigned index,
			    uint8_t read_pct, uint32_t bs_b, uint64_t dur_ns,
			    double write_gain)
{
	double share = read_pct / 100.0, noise = 1 + 0.012 * fx_noise(r);
	double cost_ns =
		share * fx_cost_ns(s->step->pattern, true, bs_b) +
		(1 - share) * fx_cost_ns(s->step->pattern, false, bs_b) / write_gain;
	double depth = (double)s->tc * s->qd, lat_ns = cost_ns * fmax(depth, 6) * noise;
	double ios = (double)dur_ns * depth / (lat_ns + (depth < 2 ? 8000 : 0));
	uint64_t reads = (uint64_t)(ios * share), writes = (uint64_t)(ios * (1 - share));
	bool sim = r->fx->kind == DEV_SIM;
	struct st_point p = { .phase = phase,
			      .loop_bs_b = s->loop_bs_b,
			      .round = round,
			      .index = index,
			      .pattern = s->step->pattern,
			      .bs_b = bs_b,
			      .read_pct = read_pct,
			      .tc = s->tc,
			      .qd = s->qd,
			      .seed = rng_next(&r->rng),
			      .len_b = r->plan->len_b,
			      .t0_ns = r->now_ns,
			      .t1_ns = r->now_ns + dur_ns,
			      .gap_ns = phase == ST_MINUTE && round > 1
						? 0
						: 3 * NSEC_PER_MSEC,
			      .depth_ns = (uint64_t)((double)dur_ns * depth * 0.993),
			      .host_known = !sim,
			      .complete = true };
	struct err err = { 0 };

	if (r->stopped)
		return;
	snprintf(p.test, sizeof(p.test), "%s", s->test->id);
	fx_fill_dir(r, &p.dir[IO_READ], reads, bs_b, lat_ns * 1.1);
	fx_fill_dir(r, &p.dir[IO_WRITE], writes, bs_b, lat_ns * 0.95);
	if (!sim) {
		p.worst_busy_ns =
			(uint64_t)((double)dur_ns * (0.35 + 0.2 * fabs(fx_noise(r))));
		p.cpu_ns = p.worst_busy_ns;
		p.usr_ns = p.cpu_ns / 3;
		p.sys_ns = p.cpu_ns - p.usr_ns;
	}
	ck_assert_msg(!st_append_point(r->w, WALL0_NS + (int64_t)p.t1_ns, &p, &err), "%s",
		      err.text);
	r->now_ns += dur_ns + 3 * NSEC_PER_MSEC;
	if (sim)
		fx_record(r, ST_HEALTH,
			  json_pack("{s:s,s:I,s:f,s:i,s:I}", "test", p.test, "t_ns",
				    (json_int_t)r->now_ns, "temperature_c",
				    38 + 20 * (1 - exp(-(double)r->points / 50)),
				    "throttle_events", 0, "throttled_ns", (json_int_t)0));
	r->stopped = ++r->points == r->fx->stop_after;
}

static inline void fx_stage(struct fx_run *r, const struct pts_plan_step *s,
			    const char *stage, json_t *more)
{
	json_t *body = json_pack("{s:s,s:s,s:s,s:I,s:I}", "stage", stage, "test",
				 s->test->id, "verb", pts_verb_word(s->verb), "loop_bs_b",
				 (json_int_t)s->loop_bs_b, "t_ns", (json_int_t)r->now_ns);

	if (more) {
		ck_assert_int_eq(json_object_update(body, more), 0);
		json_decref(more);
	}
	fx_record(r, ST_STAGE, body);
}

static inline void fx_purge(struct fx_run *r, const struct pts_plan_step *s)
{
	bool real = r->plan->purge == DEV_PURGE_SIM;

	r->now_ns += 42 * NSEC_PER_SEC;
	fx_stage(r, s, "end",
		 json_pack("{s:s,s:s,s:b,s:I,s:I}", "method",
			   dev_purge_word(r->plan->purge), "words",
			   real ? "simulated purge" : "discard (TRIM)", "is_pts_purge",
			   real, "bytes", (json_int_t)r->fx->size_b, "dur_ns",
			   (json_int_t)(42 * NSEC_PER_SEC)));
}

static inline void fx_wipc(struct fx_run *r, const struct pts_plan_step *s)
{
	uint64_t left_b = s->fill_b, bytes_per_s = 1900000000;

	for (unsigned pass = 1; left_b && !r->stopped; pass++) {
		uint64_t b = left_b < r->plan->len_b ? left_b : r->plan->len_b;
		struct st_point p = { .phase = ST_FILL,
				      .loop_bs_b = s->loop_bs_b,
				      .round = pass,
				      .pattern = IO_SEQ,
				      .bs_b = s->bs_b,
				      .tc = s->tc,
				      .qd = s->qd,
				      .len_b = r->plan->len_b,
				      .t0_ns = r->now_ns,
				      .host_known = r->fx->kind != DEV_SIM,
				      .complete = true };
		uint64_t dur_ns = b / bytes_per_s * NSEC_PER_SEC + NSEC_PER_SEC;
		struct err err = { 0 };

		snprintf(p.test, sizeof(p.test), "%s", s->test->id);
		p.t1_ns = r->now_ns + dur_ns;
		p.depth_ns = dur_ns * s->tc * s->qd;
		fx_fill_dir(r, &p.dir[IO_WRITE], (b + s->bs_b - 1) / s->bs_b, s->bs_b,
			    (double)s->tc * s->qd * s->bs_b * 1e9 / (double)bytes_per_s);
		p.dir[IO_WRITE].bytes = b;
		ck_assert_msg(
			!st_append_point(r->w, WALL0_NS + (int64_t)p.t1_ns, &p, &err),
			"%s", err.text);
		r->now_ns += dur_ns;
		left_b -= b;
		r->stopped = ++r->points == r->fx->stop_after;
	}
}

/* Fresh at first, then down to a level that swings as much as the drive is asked to. */
static inline double fx_round_gain(const struct fx *fx, unsigned round)
{
	return 1 + 2.2 * exp(-(round - 1.0) / 0.6) + fx->swing * (round % 2 ? 1 : -1);
}

static inline void fx_rounds(struct fx_run *r, const struct pts_plan_step *s)
{
	for (unsigned round = 1; round <= r->fx->rounds && !r->stopped; round++)
		for (unsigned i = 0; i < s->n_cells && !r->stopped; i++)
			fx_point(r, s, ST_ROUND, round, i, s->cell[i].read_pct,
				 s->cell[i].bs_b, s->point_ns,
				 fx_round_gain(r->fx, round));
}

/* Full speed until one drive fill, a cliff, an undershoot, then a floor that breathes a little. */
static inline double fx_minute_gain(const struct fx *fx, double fills, unsigned minute)
{
	double fresh = 2.6 / (1 + exp((fills - 1.1) / 0.04));
	double dip = fills > 1 ? -0.18 * exp(-(fills - 1.2) / 0.3) : 0;

	return 1 + fresh + dip + (0.04 + fx->swing) * sin(minute / 7.0);
}

static inline void fx_saturate(struct fx_run *r, const struct pts_plan_step *s)
{
	double written_b = 0;

	for (unsigned m = 1; m <= r->fx->minutes && !r->stopped; m++) {
		bool zero = r->fx->with_zeros && m % 10 == 5;
		double gain =
			fx_minute_gain(r->fx, written_b / (double)r->plan->capacity_b, m);

		fx_point(r, s, ST_MINUTE, m, 0, 0, s->bs_b, s->point_ns,
			 zero ? 1e-9 : gain);
		const struct st_run *run = st_writer_run(r->w);

		written_b += (double)run->rec[run->n - 1].point->dir[IO_WRITE].bytes;
	}
}

static inline void fx_walk(struct fx_run *r)
{
	for (size_t i = 0; i < r->plan->n && !r->stopped; i++) {
		const struct pts_plan_step *s = &r->plan->step[i];

		fx_stage(r, s, "begin", NULL);
		switch (s->verb) {
		case PTS_PURGE:
			fx_purge(r, s);
			break;
		case PTS_WIPC:
			fx_wipc(r, s);
			break;
		case PTS_ROUNDS:
			fx_rounds(r, s);
			break;
		case PTS_SATURATE:
			fx_saturate(r, s);
			break;
		case PTS_HISTOGRAM:
			fx_point(r, s, ST_HISTOGRAM, 1, 0, 0, s->bs_b, s->dur_ns, 1);
			break;
		}
	}
}

static inline struct dev_info fx_device(const struct fx *fx)
{
	struct dev_info info = { .kind = fx->kind,
				 .size_b = fx->size_b,
				 .lbs_b = fx->lbs_b ? fx->lbs_b : 512,
				 .pbs_b = 4096,
				 .numa_node = -1,
				 .wcache = DEV_WCACHE_OFF };

	snprintf(info.purge_methods, sizeof(info.purge_methods), "%s",
		 fx->kind == DEV_SIM ? "sim" : "discard, none");
	snprintf(info.path, sizeof(info.path), "/dev/nvme7n1");
	snprintf(info.name, sizeof(info.name), "nvme7n1");
	snprintf(info.vendor, sizeof(info.vendor), "%s", fx->vendor ? fx->vendor : "");
	snprintf(info.model, sizeof(info.model), "%s", fx->model ? fx->model : "");
	snprintf(info.serial, sizeof(info.serial), "%s", fx->serial ? fx->serial : "");
	snprintf(info.firmware, sizeof(info.firmware), "%s",
		 fx->firmware ? fx->firmware : "");
	snprintf(info.transport, sizeof(info.transport), "%s",
		 fx->kind == DEV_SIM ? "sim" : "NVMe");
	return info;
}

static inline void fx_notes(struct fx_run *r)
{
	for (size_t i = 0; i < r->plan->n_notes; i++) {
		const struct pts_plan_note *n = &r->plan->note[i];

		fx_record(r, ST_EVENT,
			  json_pack("{s:s,s:s,s:s,s:s,s:s}", "event", "deviation", "code",
				    n->code, "clause", n->clause, "test", n->test, "text",
				    n->text));
	}
}

static inline void fx_deviations(struct fx_run *r)
{
	for (unsigned i = 1; i <= r->fx->deviations; i++) {
		char text[160], code[32];

		snprintf(code, sizeof(code), "clock-source-%u", i);
		snprintf(
			text, sizeof(text),
			"number %u: the clock source changed from tsc to hpet after %u minutes, "
			"and nobody can say by how much its figures are off",
			i, i);
		fx_record(r, ST_EVENT,
			  json_pack("{s:s,s:s,s:s,s:s,s:s}", "event", "deviation", "code",
				    code, "clause", "4", "test", "wsat", "text", text));
	}
}

/* Make the run directory `dir`. */
static inline void fx_make(const struct fx *fx, const char *dir)
{
	struct dev_handle dev = { .fd = -1 };
	struct pts_plan plan;
	struct fx_run r = { .fx = fx, .plan = &plan, .stopped = fx->nothing };
	struct err err = { 0 };
	char *argv[] = { (char[]){ "plateau" }, (char[]){ "run" }, NULL };
	json_t *run;

	dev.info = fx_device(fx);
	ck_assert_msg(!pts_plan_make(&fx->opts, &dev.info, &plan, &err), "%s", err.text);
	run = pts_run_json(&plan, &dev, 2, argv, WALL0_NS);
	ck_assert_ptr_nonnull(run);
	ck_assert_msg(!st_create(dir, run, &r.w, &err), "%s", err.text);
	json_decref(run);
	rng_seed(&r.rng, 20261130);
	fx_record(&r, ST_START,
		  json_pack("{s:s,s:b}", "edition", plan.edition->id, "simulated",
			    fx->kind == DEV_SIM));
	fx_notes(&r);
	fx_walk(&r);
	fx_deviations(&r);
	if (!r.stopped)
		fx_record(&r, ST_END,
			  json_pack("{s:i,s:s,s:s,s:[]}", "exit_code", (int)fx->exit,
				    "exit", exit_code_word(fx->exit), "reason",
				    "every step ran to its end", "tests"));
	st_writer_close(r.w);
	pts_plan_release(&plan);
}

#endif
