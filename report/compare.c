/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/pages.h"

#define OUTLIER_MADS    3
#define OUTLIER_MIN_PCT 5
#define OUTLIER_RUNS    4

static const struct {
	const char *unit, *suffix;
	bool lower_is_better;
	enum pts_metric printed_as;
} quantities[CMP_QUANTITIES] = {
	[CMP_IOPS] = { "IOPS", "", false, PTS_IOPS },
	[CMP_MBPS] = { "MB/s", "", false, PTS_MBPS },
	[CMP_ART] = { "ms", ", mean", true, PTS_ART },
	[CMP_NINES] = { "ms", ", 99.999 %", true, PTS_ART },
	[CMP_MRT] = { "ms", ", maximum", true, PTS_ART },
	[CMP_FRESH] = { "IOPS", "Fresh plateau", false, PTS_IOPS },
	[CMP_FLOOR] = { "IOPS", "Floor", false, PTS_IOPS },
	[CMP_CLIFF_GB] = { "GB", "Written before the cliff", false, PTS_MBPS },
};

bool cmp_lower_is_better(enum cmp_quantity q)
{
	return quantities[q].lower_is_better;
}

const char *cmp_text(struct rpt_arena *a, const struct cmp_row *r, double v)
{
	return rpt_number(a, quantities[r->quantity].printed_as, v);
}

static bool same_row(const struct cmp_row *a, const struct cmp_row *b)
{
	return !strcmp(a->test, b->test) && a->quantity == b->quantity &&
	       a->pattern == b->pattern && a->bs_b == b->bs_b &&
	       a->read_pct == b->read_pct;
}

static const char *row_words(struct cmp *c, const struct cmp_row *r)
{
	struct rpt_arena *a = c->arena;
	const char *suffix = quantities[r->quantity].suffix;

	if (r->quantity >= CMP_FRESH)
		return suffix;
	return rpt_fmt(a, "%s %s KiB, RW %s%s%s", io_pattern_word(r->pattern),
		       rpt_kib(a, r->bs_b), rpt_mix(a, r->read_pct), suffix,
		       r->tc ? rpt_fmt(a, ", TC %u / QD %u", r->tc, r->qd) : "");
}

/* The row of `key`, made where there is none. One for a TC and QD of its own only serves these. */
static struct cmp_row *row_of(struct cmp *c, const struct cmp_row *key)
{
	for (size_t i = 0; i < c->n_row; i++)
		if (same_row(&c->row[i], key) && c->row[i].tc == key->tc &&
		    c->row[i].qd == key->qd)
			return &c->row[i];
	c->row = rpt_grow(c->arena, c->row, c->n_row, sizeof(*c->row));
	struct cmp_row *r = &c->row[c->n_row++];

	*r = *key;
	r->value = rpt_alloc(c->arena, c->n * sizeof(*r->value));
	r->what = row_words(c, r);
	r->unit = quantities[r->quantity].unit;
	return r;
}

/* --- the figures of a PTS run --- */

/* Largest less smallest round of a steady window, else negative: a drift is no noise. */
static double window_range(const struct rpt_unit *u, const struct pts_cell *cell,
			   enum pts_metric m, struct cmp_value *v)
{
	double lo = HUGE_VAL, hi = -HUGE_VAL;

	for (unsigned round = u->first; u->first && round <= u->last; round++) {
		const struct st_point *p =
			pts_rounds_at(&u->rounds, round, cell->read_pct, cell->bs_b);

		if (!p)
			continue;
		lo = fmin(lo, pts_metric_value(m, p));
		hi = fmax(hi, pts_metric_value(m, p));
		v->tc = p->tc;
		v->qd = p->qd;
	}
	return u->decision && u->decision->steady && hi >= lo ? hi - lo : -1;
}

static bool is_key_cell(const struct rpt_unit *u, const struct pts_cell *cell)
{
	uint32_t bs_b = u->loop_bs_b ? u->loop_bs_b : (uint32_t)KIB(4);

	return cell->bs_b == bs_b && (cell->read_pct == 100 || cell->read_pct == 0 ||
				      (cell->read_pct == 65 && !u->loop_bs_b));
}

static void add(struct cmp *c, size_t run, const struct cmp_row *key, double v,
		const struct cmp_value *like, double range)
{
	struct cmp_row *r = row_of(c, key);

	r->key |= key->key;
	r->value[run] = *like;
	r->value[run].known = true;
	r->value[run].v = v;
	r->value[run].range = range;
}

static void add_cell(struct cmp *c, size_t run, const struct rpt_unit *u,
		     const struct pts_cell *cell)
{
	struct rpt_data *d = &c->run[run].data;
	enum pts_metric m = u->test->track[0].metric;
	struct rpt_cell_stat s = rpt_cell_stat(d, u, cell->read_pct, cell->bs_b);
	struct cmp_row key = { .test = u->test->id,
			       .pattern = pts_test_step(u->test, PTS_ROUNDS)->pattern,
			       .bs_b = cell->bs_b,
			       .read_pct = cell->read_pct,
			       .key = is_key_cell(u, cell),
			       .quantity = m == PTS_IOPS   ? CMP_IOPS
					   : m == PTS_MBPS ? CMP_MBPS
							   : CMP_ART };
	struct cmp_value like = { 0 };
	double range = window_range(u, cell, m, &like), nines;

	if (!s.rounds)
		return;
	add(c, run, &key, rpt_metric(m, &s), &like, range);
	if (m != PTS_ART)
		return;
	nines = rpt_percentile_ms(s.lat, rpt_percentiles[RPT_FIVE_NINES].ppb);
	key.quantity = CMP_NINES;
	if (nines >= 0)
		add(c, run, &key, nines, &like, -1);
	key.quantity = CMP_MRT;
	add(c, run, &key, s.max_ms, &like, -1);
}

static void add_shape(struct cmp *c, size_t run, const struct rpt_unit *u)
{
	struct cmp_row key = { .test = u->test->id, .key = true };
	struct cmp_value like = { .tc = u->minute.n ? u->minute.p[0]->tc : 0,
				  .qd = u->minute.n ? u->minute.p[0]->qd : 0 };
	const struct ss_shape *s = &u->shape;

	key.quantity = CMP_FRESH;
	if (s->judged && s->cliff)
		add(c, run, &key, s->fresh, &like, -1);
	key.quantity = CMP_CLIFF_GB;
	if (s->judged && s->cliff)
		add(c, run, &key, (double)rpt_written_b(&u->minute, s->fresh_n) / 1e9,
		    &like, -1);
	key.quantity = CMP_FLOOR;
	if (s->judged && s->settled)
		add(c, run, &key, s->floor, &like, s->floor * s->swing_pct / 100);
}

static void add_pts(struct cmp *c, size_t run)
{
	const struct rpt_data *d = &c->run[run].data;
	struct pts_cell cell[PTS_MAX_CELLS];
	uint32_t lbs_b = (uint32_t)json_integer_value(
		json_object_get(json_object_get(d->run->run, "device"), "lbs_b"));

	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];
		const struct pts_step *step = pts_test_step(u->test, PTS_ROUNDS);
		unsigned n = step ? pts_step_cells(step, u->loop_bs_b, lbs_b, cell) : 0;

		for (unsigned k = 0; k < n; k++)
			add_cell(c, run, u, &cell[k]);
		if (!step)
			add_shape(c, run, u);
	}
}

/* --- the figures of an import --- */

static double number(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

static uint32_t count(const json_t *o, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(o, name));
}

/* Beside the PTS figure of the same I/O, where that has no other yet; else in a row for its own TC and QD. */
static void add_imported(struct cmp *c, size_t run, const struct cmp_row *like,
			 const struct cmp_value *value)
{
	struct cmp_row key = *like;

	for (size_t i = 0; i < c->n_row; i++)
		if (same_row(&c->row[i], &key) && !c->row[i].tc &&
		    !c->row[i].value[run].known) {
			key.tc = key.qd = 0;
			break;
		}
	add(c, run, &key, value->v, value, -1);
}

static void add_figure(struct cmp *c, size_t run, const json_t *f)
{
	bool random = !strcmp(st_text(f, "pattern"), "RND");
	struct cmp_row key = { .pattern = random ? IO_RAND : IO_SEQ,
			       .bs_b = count(f, "bs_b"),
			       .read_pct = (uint8_t)count(f, "read_pct"),
			       .tc = count(f, "tc"),
			       .qd = count(f, "qd"),
			       .key = true };
	struct cmp_value v = { .tc = key.tc, .qd = key.qd };

	key.test = random ? "iops" : "tp";
	key.quantity = random ? CMP_IOPS : CMP_MBPS;
	v.v = random ? number(f, "iops") : number(f, "bytes_per_s") / 1e6;
	if (v.v > 0)
		add_imported(c, run, &key, &v);
	key.test = "lat";
	key.quantity = CMP_ART;
	v.v = number(f, "lat_mean_ns") / 1e6;
	if (v.v > 0 && key.tc == 1 && key.qd == 1)
		add_imported(c, run, &key, &v);
}

/* The deepest first: that is the one which a PTS figure, taken deep, is nearest to. */
static int by_depth(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	uint64_t dx = (uint64_t)count(*x, "tc") * count(*x, "qd"),
		 dy = (uint64_t)count(*y, "tc") * count(*y, "qd");

	return (dx < dy) - (dx > dy);
}

static void add_import(struct cmp *c, size_t run)
{
	const json_t *figures = json_object_get(
		json_object_get(c->run[run].run->run, "imported"), "figures");
	size_t n = json_array_size(figures);
	const json_t **f = rpt_alloc(c->arena, (n + 1) * sizeof(json_t *));

	for (size_t i = 0; i < n; i++)
		f[i] = json_array_get(figures, i);
	qsort(f, n, sizeof(json_t *), by_depth);
	for (size_t i = 0; i < n; i++)
		add_figure(c, run, f[i]);
}

/* --- what was compared, and how it differs --- */

static const char *member(struct cmp *c, size_t run, const char *group, const char *name)
{
	const json_t *v =
		json_object_get(json_object_get(c->run[run].run->run, group), name);

	if (json_is_integer(v))
		return rpt_fmt(c->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return json_is_string(v) && *json_string_value(v)
		       ? rpt_clean(c->arena, json_string_value(v))
		       : "not stated";
}

/* The day it was taken. */
static const char *date_of(struct cmp *c, const json_t *run)
{
	const json_t *imported = json_object_get(run, "imported");
	const char *date = imported ? st_text(imported, "date") : st_text(run, "started");

	return rpt_fmt(c->arena, "%.10s", rpt_clean(c->arena, date));
}

static void name_runs(struct cmp *c)
{
	bool same_model = true, same_drive = true;

	for (size_t i = 0; i < c->n; i++) {
		struct cmp_run *r = &c->run[i];
		const json_t *device = json_object_get(r->run->run, "device");

		r->letter = rpt_fmt(c->arena, "%c", (char)('A' + i));
		r->model = rpt_clean(c->arena, *st_text(device, "model")
						       ? st_text(device, "model")
						       : st_text(device, "name"));
		r->serial = rpt_clean(c->arena, st_text(device, "serial"));
		r->date = date_of(c, r->run->run);
		same_model = same_model && !strcmp(r->model, c->run[0].model);
		/* No serial number proves nothing; of an import the operator named the drive. */
		same_drive = same_drive && !strcmp(r->serial, c->run[0].serial) &&
			     (*r->serial || (r->imported && c->run[0].imported));
	}
	c->kind = !same_model ? CMP_DRIVES : same_drive ? CMP_ONE_DRIVE : CMP_ONE_MODEL;
	for (size_t i = 0; i < c->n; i++) {
		struct cmp_run *r = &c->run[i];
		size_t len = strlen(r->serial);

		if (c->kind == CMP_ONE_MODEL)
			r->name = rpt_fmt(c->arena, "%s: ...%s", r->letter,
					  r->serial + (len > 8 ? len - 8 : 0));
		else if (c->kind == CMP_ONE_DRIVE)
			r->name = rpt_fmt(c->arena, "%s: %s", r->letter,
					  *r->date ? r->date : "not dated");
		else
			r->name = rpt_fmt(c->arena, "%s: %.34s", r->letter, r->model);
	}
}

static struct cmp_guard *guard_add(struct cmp *c, const char *what)
{
	c->guard = rpt_grow(c->arena, c->guard, c->n_guard, sizeof(*c->guard));
	struct cmp_guard *g = &c->guard[c->n_guard++];

	*g = (struct cmp_guard){ .what = what,
				 .value = rpt_alloc(c->arena, c->n * sizeof(char *)) };
	return g;
}

static const char *deviation_codes(struct cmp *c, size_t run)
{
	const struct rpt_data *d = &c->run[run].data;
	const char *words = "";

	for (size_t i = 0; i < d->n_deviation; i++) {
		const struct pts_deviation *v = &d->deviation[i];

		words = rpt_fmt(c->arena, "%s%s%s%s%s", words, *words ? ", " : "",
				v->test, *v->test ? " " : "", v->code);
	}
	return *words ? words : "none";
}

static const char *depths(struct cmp *c, size_t run)
{
	const struct rpt_data *d = &c->run[run].data;
	const char *words = "";

	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];
		const struct st_point *p = u->rounds.n_rounds ? u->rounds.point[0]
					   : u->minute.n      ? u->minute.p[0]
							      : NULL;

		if (p && (!i || d->unit[i - 1].test != u->test))
			words = rpt_fmt(c->arena, "%s%s%s %u/%u", words,
					*words ? ", " : "", u->test->id, p->tc, p->qd);
	}
	return *words ? words : "various";
}

static const char *range_words(struct cmp *c, size_t run)
{
	const struct pts_run_opts *o = &c->run[run].data.opts;

	return rpt_fmt(c->arena, "%.2f %% of user capacity",
		       100.0 * (double)o->len_b / (double)o->capacity_b);
}

/* The drive's own link; where it names none, that of its controller. */
static const char *link_words(struct cmp *c, size_t run)
{
	const json_t *link =
		json_object_get(json_object_get(c->run[run].run->run, "device"), "link");
	const char *now = st_text(link, "now");

	return *now ? rpt_clean(c->arena, now) : member(c, run, "device", "pcie_link");
}

static const char *round_time(struct cmp *c, size_t run)
{
	uint64_t point_ns = c->run[run].data.opts.point_ns;
	char text[UNITS_TEXT];

	return point_ns ? rpt_fmt(c->arena, "%s", units_dur(point_ns, text))
			: "the edition's";
}

static void fill_guard(struct cmp *c)
{
	static const struct {
		const char *what, *group, *name;
	} members[] = {
		{ "Write cache", "device", "write_cache" },
		{ "Logical block (B)", "device", "lbs_b" },
		{ "Processor", "host", "cpu" },
		{ "Operating system", "host", "os" },
		{ "Kernel", "host", "kernel" },
		{ "Purge", "plan", "purge" },
	};
	static const struct {
		const char *what;
		const char *(*words)(struct cmp *c, size_t run);
		const char *of_import; /* NULL: it is told like that of a run */
	} made[] = {
		{ "Link", link_words, NULL },
		{ "TC/QD", depths, "various" },
		{ "Round time", round_time, "no rounds" },
		{ "Active range", range_words, "not stated" },
		{ "Deviations", deviation_codes, "no PTS run" },
	};
	struct cmp_guard *source = guard_add(c, "Measured by"),
			 *edition = guard_add(c, "Edition");

	for (size_t i = 0; i < c->n; i++) {
		const struct cmp_run *r = &c->run[i];

		source->value[i] = r->imported         ? rpt_fmt(c->arena, "IMPORTED: %s",
								 member(c, i, "imported", "tool"))
				   : r->data.simulated ? "SIMULATED"
						       : "plateau, on a drive";
		edition->value[i] = r->imported ? "none" : r->data.opts.edition->label;
	}
	for (size_t k = 0; k < ARRAY_LEN(members); k++) {
		struct cmp_guard *g = guard_add(c, members[k].what);

		for (size_t i = 0; i < c->n; i++)
			g->value[i] = member(c, i, members[k].group, members[k].name);
	}
	for (size_t k = 0; k < ARRAY_LEN(made); k++) {
		struct cmp_guard *g = guard_add(c, made[k].what);

		for (size_t i = 0; i < c->n; i++)
			g->value[i] = c->run[i].imported && made[k].of_import
					      ? made[k].of_import
					      : made[k].words(c, i);
	}
	c->differs = "";
	for (size_t k = 0; k < c->n_guard; k++) {
		struct cmp_guard *g = &c->guard[k];

		for (size_t i = 1; i < c->n; i++)
			g->differs |= strcmp(g->value[i], g->value[0]) != 0;
		if (!g->differs)
			continue;
		c->n_differs++;
		c->differs = rpt_fmt(c->arena, "%s%s%s", c->differs,
				     *c->differs ? ", " : "", g->what);
	}
}

/* --- statistics --- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct cmp_stat cmp_stat(const struct cmp *c, const struct cmp_row *r)
{
	struct cmp_stat s = { .outlier = -1, .noise_known = true };
	double v[CMP_MAX_RUNS], off[CMP_MAX_RUNS], widest = 0, furthest = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct cmp_value *x = &r->value[i];

		if (!x->known)
			continue;
		if (!s.n ||
		    (cmp_lower_is_better(r->quantity) ? x->v < r->value[s.best].v
						      : x->v > r->value[s.best].v))
			s.best = i;
		v[s.n++] = x->v;
		widest = fmax(widest, x->range);
		s.noise_known = s.noise_known && x->range >= 0;
	}
	if (!s.n)
		return s;
	s.median = median_of(v, s.n);
	s.spread_pct = s.median > 0 ? (v[s.n - 1] - v[0]) / s.median * 100 : 0;
	s.noise_known = s.noise_known && s.n > 1;
	s.within_noise = s.noise_known && v[s.n - 1] - v[0] <= widest;
	for (size_t i = 0; i < s.n; i++)
		off[i] = fabs(v[i] - s.median);
	double mad = median_of(off, s.n);

	for (size_t i = 0; i < c->n && s.n >= OUTLIER_RUNS; i++) {
		double far = fabs(r->value[i].v - s.median);

		if (!r->value[i].known || far <= OUTLIER_MADS * mad ||
		    far <= s.median * OUTLIER_MIN_PCT / 100 || far <= furthest)
			continue;
		furthest = far;
		s.outlier = (int)i;
	}
	return s;
}

int cmp_make(const struct st_run *const run[], size_t n, struct rpt_arena *arena,
	     struct cmp *ret, struct err *err)
{
	*ret = (struct cmp){ .arena = arena,
			     .n = n,
			     .run = rpt_alloc(arena, n * sizeof(struct cmp_run)) };
	for (size_t i = 0; i < n; i++) {
		struct cmp_run *r = &ret->run[i];

		r->run = run[i];
		r->imported = json_object_get(run[i]->run, "imported");
		int rc = r->imported ? 0 : rpt_data_read(run[i], arena, &r->data, err);

		if (rc)
			return rc;
	}
	name_runs(ret);
	for (size_t i = 0; i < n; i++)
		if (!ret->run[i].imported)
			add_pts(ret, i);
	for (size_t i = 0; i < n; i++)
		if (ret->run[i].imported)
			add_import(ret, i);
	fill_guard(ret);
	return 0;
}

void cmp_release(struct cmp *c)
{
	for (size_t i = 0; i < c->n && c->run; i++)
		if (!c->run[i].imported)
			rpt_data_release(&c->run[i].data);
}
