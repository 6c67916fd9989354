/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pts/plan_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MAX_PASSES 1000

static int unknown_edition(const char *id, struct err *err)
{
	char known[256] = "";

	for (size_t i = 0, at = 0; pts_edition_nth(i) && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
				       i ? ", " : "", pts_edition_nth(i)->id);
	return err_set(err, EXIT_CODE_USAGE, EINVAL, "unknown edition '%s'; known are %s",
		       id, known);
}

static int unknown_test(const char *id, const struct pts_edition *e, struct err *err)
{
	char known[256] = "";
	size_t at = 0;

	for (size_t i = 0; pts_test_nth(i) && at < sizeof(known); i++)
		if (!strcmp(pts_test_nth(i)->edition, e->id))
			at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
					       at ? ", " : "", pts_test_nth(i)->id);
	return err_set(err, EXIT_CODE_USAGE, EINVAL, "unknown test '%s'; %s has %s", id,
		       e->label, known);
}

/* The length that a table gives in seconds, scaled where --round-time changes the point. */
static uint64_t scaled_ns(const struct pts_opts *o, const struct pts_test *t,
			  unsigned table_s)
{
	const struct pts_step *main_step = pts_test_step(t, PTS_ROUNDS);

	if (!o->round_ns)
		return table_s * NSEC_PER_SEC;
	if (!main_step)
		main_step = pts_test_step(t, PTS_SATURATE);
	return (uint64_t)((u128)table_s * o->round_ns / main_step->point_s);
}

static uint32_t largest_block(const struct pts_plan_step *s)
{
	uint32_t max = s->bs_b;

	for (unsigned i = 0; i < s->n_cells; i++)
		if (s->cell[i].bs_b > max)
			max = s->cell[i].bs_b;
	return max;
}

static int check_blocks(const struct pts_plan *p, const struct pts_plan_step *s,
			const struct dev_info *info, struct err *err)
{
	if (s->verb == PTS_ROUNDS && !s->n_cells)
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"%s: no block size of the test is a multiple of the device's block of %" PRIu32
			" B",
			s->test->id, info->lbs_b);
	if (s->bs_b % info->lbs_b)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "%s: blocks of %" PRIu32
			       " B are no multiple of the device's block of %" PRIu32
			       " B",
			       s->test->id, s->bs_b, info->lbs_b);
	if (p->len_b < largest_block(s))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "%s: the active range of %" PRIu64
			       " B is smaller than the largest block of %" PRIu32 " B",
			       s->test->id, p->len_b, largest_block(s));
	return 0;
}

static void fill_in(const struct pts_plan *p, const struct dev_info *info,
		    struct pts_plan_step *s)
{
	const struct pts_opts *o = &p->opts;
	const struct pts_step *step = s->step;

	s->tc = o->tc ? o->tc : step->tc;
	s->qd = o->qd ? o->qd : step->qd;
	switch (s->verb) {
	case PTS_PURGE:
		s->tc = s->qd = 0;
		return;
	case PTS_WIPC:
		s->fill_b = p->capacity_b *
			    (o->wipc_passes_set ? o->wipc_passes : step->passes);
		break;
	case PTS_ROUNDS:
		s->n_cells = pts_step_cells(step, s->loop_bs_b, info->lbs_b, s->cell);
		s->max_rounds = o->max_rounds ? o->max_rounds : step->max_rounds;
		s->point_ns = scaled_ns(o, s->test, step->point_s);
		return;
	case PTS_SATURATE:
		s->point_ns = scaled_ns(o, s->test, step->point_s);
		s->dur_ns = o->duration_ns ? o->duration_ns
					   : scaled_ns(o, s->test, step->stop_s);
		s->stop_b = o->duration_ns ? 0 : p->capacity_b * step->stop_x_uc;
		s->ss_stop_b = p->capacity_b * step->ss_stop_x_uc;
		break;
	case PTS_HISTOGRAM:
		s->dur_ns = scaled_ns(o, s->test, step->point_s);
		break;
	}
	s->bs_b = step->bs_b[0] ? step->bs_b[0] : s->loop_bs_b;
}

static int add_step(struct pts_plan *p, const struct dev_info *info,
		    const struct pts_test *t, const struct pts_step *step,
		    uint32_t loop_bs_b, struct err *err)
{
	struct pts_plan_step s = {
		.test = t, .step = step, .verb = step->verb, .loop_bs_b = loop_bs_b
	};
	struct pts_plan_step *grown;
	int rc;

	fill_in(p, info, &s);
	if (s.verb == PTS_WIPC && !s.fill_b)
		return 0;
	rc = check_blocks(p, &s, info, err);
	if (rc)
		return rc;
	grown = realloc(p->step, (p->n + 1) * sizeof(*grown));
	if (!grown)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	p->step = grown;
	p->step[p->n++] = s;
	return 0;
}

static int add_test(struct pts_plan *p, const struct dev_info *info, const char *id,
		    struct err *err)
{
	const struct pts_test *t = pts_test_find(id, p->edition->id);

	if (!t)
		return unknown_test(id, p->edition, err);
	for (size_t i = 0; i < p->n; i++)
		if (p->step[i].test == t)
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "test '%s' is named twice", id);
	for (unsigned cycle = 0; cycle < (t->n_cycles ? t->n_cycles : 1); cycle++) {
		for (unsigned i = 0; i < t->n_steps; i++) {
			int rc = add_step(p, info, t, &t->step[i], t->cycle_bs_b[cycle],
					  err);

			if (rc)
				return rc;
		}
	}
	return 0;
}

static int add_tests(struct pts_plan *p, const struct dev_info *info, const char *list,
		     struct err *err)
{
	char *copy = strdup(list), *at = copy;
	int rc = copy ? 0 : err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");

	while (!rc && at)
		rc = add_test(p, info, strsep(&at, ","), err);
	free(copy);
	return rc;
}

/* User capacity and active range; both whole logical blocks. */
static int set_range(struct pts_plan *p, const struct dev_info *info, struct err *err)
{
	const struct pts_opts *o = &p->opts;
	unsigned pct =
		o->active_range_pct ? o->active_range_pct : p->edition->active_range_pct;

	if (o->capacity_b > info->size_b)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--capacity %" PRIu64
			       " B is more than the device's %" PRIu64 " B",
			       o->capacity_b, info->size_b);
	if (o->capacity_b % info->lbs_b)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--capacity %" PRIu64
			       " B is no multiple of the device's block of %" PRIu32 " B",
			       o->capacity_b, info->lbs_b);
	if (pct > 100)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--active-range %u %% is not within 1 to 100 %%", pct);
	p->capacity_b =
		o->capacity_b ? o->capacity_b : info->size_b - info->size_b % info->lbs_b;
	p->off_b = 0;
	p->len_b = (uint64_t)((u128)p->capacity_b * pct / 100);
	p->len_b -= p->len_b % info->lbs_b;
	return 0;
}

static int check_opts(const struct pts_opts *o, const struct dev_info *info,
		      struct err *err)
{
	const char *cache = o->write_cache;

	if (!o->tests || !*o->tests)
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "no test is named");
	if (o->max_rounds > PTS_MAX_ROUNDS)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--max-rounds %u is more than %u", o->max_rounds,
			       PTS_MAX_ROUNDS);
	if (o->wipc_passes_set && o->wipc_passes > MAX_PASSES)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--wipc-passes %u is more than %u", o->wipc_passes,
			       MAX_PASSES);
	if (cache && strcmp(cache, "on") != 0 && strcmp(cache, "off") != 0 &&
	    strcmp(cache, "keep") != 0)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--write-cache '%s' is none of on, off, keep", cache);
	if (cache && strcmp(cache, "keep") != 0 &&
	    strcmp(cache, pts_wcache_word(info->wcache)) != 0)
		return err_set(
			err, EXIT_CODE_USAGE, ENOTSUP,
			"--write-cache %s: the write cache of %s is %s and cannot be set; 'keep' leaves it and records that",
			cache, info->name, pts_wcache_word(info->wcache));
	return 0;
}

static int check_saturation(const struct pts_plan *p, struct err *err)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct pts_plan_step *s = &p->step[i];
		uint64_t max_ns;

		if (s->verb != PTS_SATURATE)
			continue;
		max_ns = s->point_ns * s->step->ss_period * PTS_MAX_ROUNDS;
		if (s->dur_ns < s->point_ns || s->dur_ns > max_ns)
			return err_set(
				err, EXIT_CODE_USAGE, EINVAL,
				"--duration %" PRIu64
				" s: write saturation takes from one snapshot of %" PRIu64
				" ms to %u samples of steady state",
				s->dur_ns / NSEC_PER_SEC, s->point_ns / NSEC_PER_MSEC,
				PTS_MAX_ROUNDS);
	}
	return 0;
}

int pts_plan_make(const struct pts_opts *opts, const struct dev_info *info,
		  struct pts_plan *ret, struct err *err)
{
	struct pts_plan p = { .opts = *opts };
	int rc;

	p.edition = opts->edition ? pts_edition_find(opts->edition) : pts_edition_nth(0);
	if (!p.edition)
		return unknown_edition(opts->edition, err);
	rc = check_opts(opts, info, err);
	if (!rc)
		rc = set_range(&p, info, err);
	if (!rc)
		rc = dev_purge_choose(info, opts->purge, &p.purge, err);
	if (!rc)
		rc = add_tests(&p, info, opts->tests, err);
	if (!rc)
		rc = check_saturation(&p, err);
	if (!rc)
		rc = pts_plan_add_notes(&p, info, err);
	if (rc) {
		pts_plan_release(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

void pts_plan_release(struct pts_plan *p)
{
	free(p->step);
	free(p->note);
	*p = (struct pts_plan){ 0 };
}

uint64_t pts_plan_fill_rate(const struct pts_plan *p)
{
	return p->opts.rate == PTS_RATE_ASSUMED ? PTS_ASSUMED_FILL_BYTES_PER_S
						: p->opts.fill_bytes_per_s;
}

static uint64_t at_rate_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return (uint64_t)((u128)bytes * NSEC_PER_SEC / bytes_per_s);
}

static uint64_t written_b(uint64_t dur_ns, uint64_t bytes_per_s)
{
	return (uint64_t)((u128)dur_ns * bytes_per_s / NSEC_PER_SEC);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void estimate_rounds(const struct pts_plan_step *s, uint64_t rate,
			    struct pts_estimate *e)
{
	uint64_t round_ns = s->n_cells * s->point_ns, round_b = 0;

	for (unsigned i = 0; i < s->n_cells; i++)
		round_b +=
			written_b(s->point_ns, rate) * (100u - s->cell[i].read_pct) / 100;
	e->best_ns = round_ns * min_u64(5, s->max_rounds);
	e->expected_ns = round_ns * min_u64(8, s->max_rounds);
	e->worst_ns = round_ns * s->max_rounds;
	e->best_b = round_b * min_u64(5, s->max_rounds);
	e->worst_b = round_b * s->max_rounds;
}

/* Once saturated, a drive is taken to write at a quarter of its sequential rate. */
static void estimate_saturation(const struct pts_plan *p, const struct pts_plan_step *s,
				uint64_t rate, struct pts_estimate *e)
{
	uint64_t samples = s->step->ss_offset + 4 * s->step->ss_period;
	uint64_t steady_ns = s->point_ns * samples,
		 two_ns = at_rate_ns(s->ss_stop_b, rate);

	e->best_ns = e->expected_ns = e->worst_ns = s->dur_ns;
	if (!p->opts.no_steady_stop)
		e->best_ns = min_u64(e->best_ns, steady_ns > two_ns ? steady_ns : two_ns);
	if (s->stop_b) {
		e->best_ns = min_u64(e->best_ns, at_rate_ns(s->stop_b, rate));
		e->expected_ns = min_u64(e->expected_ns, 4 * at_rate_ns(s->stop_b, rate));
	}
	e->best_b = written_b(e->best_ns, rate);
	e->worst_b = written_b(e->worst_ns, rate);
	if (s->stop_b)
		e->worst_b = min_u64(e->worst_b, s->stop_b);
}

static struct pts_estimate estimate_step(const struct pts_plan *p,
					 const struct pts_plan_step *s, uint64_t rate)
{
	struct pts_estimate e = { 0 };

	switch (s->verb) {
	case PTS_PURGE:
		break;
	case PTS_WIPC:
		e.best_ns = e.expected_ns = e.worst_ns = at_rate_ns(s->fill_b, rate);
		e.best_b = e.worst_b = s->fill_b;
		break;
	case PTS_ROUNDS:
		estimate_rounds(s, rate, &e);
		break;
	case PTS_SATURATE:
		estimate_saturation(p, s, rate, &e);
		break;
	case PTS_HISTOGRAM:
		e.best_ns = e.expected_ns = e.worst_ns = s->dur_ns;
		e.best_b = e.worst_b = written_b(s->dur_ns, rate);
		break;
	}
	return e;
}

void pts_plan_estimate_from(const struct pts_plan *p, size_t from,
			    uint64_t fill_bytes_per_s, struct pts_estimate *ret)
{
	*ret = (struct pts_estimate){ 0 };
	for (size_t i = from; i < p->n; i++) {
		struct pts_estimate e = estimate_step(p, &p->step[i], fill_bytes_per_s);

		ret->best_ns += e.best_ns;
		ret->expected_ns += e.expected_ns;
		ret->worst_ns += e.worst_ns;
		ret->best_b += e.best_b;
		ret->worst_b += e.worst_b;
	}
}

void pts_plan_estimate(const struct pts_plan *p, uint64_t fill_bytes_per_s,
		       struct pts_estimate *ret)
{
	pts_plan_estimate_from(p, 0, fill_bytes_per_s, ret);
}
