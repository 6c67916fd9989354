/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header block that every page repeats, in the fields of the PTS report format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/pages.h"

struct field {
	const char *key, *path; /* a member of run.json */
};

static void add_fields(struct rpt_model *m, struct rpt_data *d, struct rpt_facts *f,
		       const struct field *field, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rpt_fact_add(m, f, field[i].key, "%s", rpt_word(d, field[i].path));
}

/* "Vendor Model" of a pair of members. */
static const char *pair(struct rpt_data *d, const char *first, const char *second)
{
	const char *a = rpt_word_or_null(d, first), *b = rpt_word_or_null(d, second);

	if (!a || !b)
		return a ? a : b ? b : rpt_word(d, first);
	return rpt_fmt(d->arena, "%s %s", a, b);
}

static const char *memory(struct rpt_data *d)
{
	const json_t *v =
		json_object_get(json_object_get(d->run->run, "host"), "memory_b");

	if (!json_is_integer(v))
		return rpt_word(d, "host.memory_b");
	return rpt_fmt(d->arena, "%.1f GiB",
		       (double)json_integer_value(v) / (double)GIB(1));
}

static const char *cpu(struct rpt_data *d)
{
	const char *cpus = rpt_word_or_null(d, "host.cpus");

	return cpus ? rpt_fmt(d->arena, "%s, %s CPUs", rpt_word(d, "host.cpu"), cpus)
		    : rpt_word(d, "host.cpu");
}

/* The start of the run: "20261130-213503". */
static const char *test_id(struct rpt_data *d)
{
	const char *started = rpt_word_or_null(d, "started");

	if (!started || strlen(started) < 19)
		return rpt_word(d, "started");
	return rpt_fmt(d->arena, "%.4s%.2s%.2s-%.2s%.2s%.2s", started, started + 5,
		       started + 8, started + 11, started + 14, started + 17);
}

/* What the laboratory says goes before what the machine knows. */
static const char *stated_or_found(struct rpt_data *d, const char *lab, const char *found)
{
	const char *stated = rpt_word_or_null(d, lab);

	return stated ? stated : rpt_word(d, found);
}

static void platform(struct rpt_model *m, struct rpt_data *d, struct rpt_facts *f)
{
	static const struct field fields[] = {
		{ "OS", "host.os" },
		{ "Kernel", "host.kernel" },
	};

	f->title = "Test platform";
	rpt_fact_add(m, f, "Ref. platform", "%s", rpt_word(d, "lab.platform"));
	rpt_fact_add(m, f, "System", "%s",
		     pair(d, "host.system_vendor", "host.system_model"));
	rpt_fact_add(m, f, "Motherboard", "%s",
		     pair(d, "host.board_vendor", "host.board_model"));
	rpt_fact_add(m, f, "CPU", "%s", cpu(d));
	rpt_fact_add(m, f, "Memory", "%s", memory(d));
	add_fields(m, d, f, fields, ARRAY_LEN(fields));
	rpt_fact_add(m, f, "HBA", "%s", stated_or_found(d, "lab.hba", "device.adapter"));
	rpt_fact_add(m, f, "PCIe", "%s",
		     stated_or_found(d, "lab.pcie", "device.pcie_link"));
	rpt_fact_add(m, f, "Test SW", "plateau %s", rpt_word(d, "tool.version"));
	rpt_fact_add(m, f, "Test ID", "%s", test_id(d));
}

static const char *purge_words(struct rpt_data *d)
{
	for (size_t i = 0; i < d->n_unit; i++) {
		const json_t *words = json_object_get(d->unit[i].purge, "words");

		if (json_is_string(words))
			return rpt_clean(d->arena, json_string_value(words));
	}
	return rpt_word(d, "plan.purge");
}

static const char *cache_words(struct rpt_data *d)
{
	const char *found = rpt_word_or_null(d, "plan.write_cache.found");
	const char *asked = rpt_word_or_null(d, "plan.write_cache.asked");

	if (!found)
		return rpt_word(d, "device.write_cache");
	return asked ? rpt_fmt(d->arena, "%s (edition: %s)", found, asked) : found;
}

static void device(struct rpt_model *m, struct rpt_data *d, struct rpt_facts *f)
{
	static const struct field fields[] = {
		{ "Serial no.", "device.serial" },
		{ "Firmware", "device.firmware" },
	};
	char buf[UNITS_TEXT];

	f->title = "Device under test";
	rpt_fact_add(m, f, "Maker", "%s", rpt_word(d, "device.vendor"));
	rpt_fact_add(m, f, "Model no.", "%s", rpt_model(d));
	add_fields(m, d, f, fields, ARRAY_LEN(fields));
	rpt_fact_add(m, f, "Capacity", "%s", units_capacity(d->opts.capacity_b, buf));
	rpt_fact_add(m, f, "Interface", "%s", rpt_word(d, "device.transport"));
	rpt_fact_add(m, f, "Sector (B)", "%s / %s physical", rpt_word(d, "device.lbs_b"),
		     rpt_word(d, "device.pbs_b"));
	rpt_fact_add(m, f, "Form factor", "%s",
		     stated_or_found(d, "lab.form_factor", "device.form_factor"));
	rpt_fact_add(m, f, "NAND type", "%s", rpt_word(d, "lab.nand"));
	rpt_fact_add(m, f, "Purge", "%s", purge_words(d));
	rpt_fact_add(m, f, "Write cache", "%s", cache_words(d));
}

static const char *range_words(struct rpt_data *d)
{
	char from[UNITS_TEXT], len[UNITS_TEXT];
	const char *pct = rpt_word(d, "plan.active_range.pct");

	units_capacity(d->opts.len_b, len);
	if (!d->opts.off_b)
		return rpt_fmt(d->arena, "%s %%, %s", pct, len);
	return rpt_fmt(d->arena, "%s %%, %s from %s", pct, len,
		       units_size(d->opts.off_b, from));
}

static const char *tc_qd(struct rpt_data *d, const struct rpt_points *used,
			 const struct pts_step *step)
{
	uint32_t tc = used && used->n ? used->p[0]->tc : step->tc;
	uint32_t qd = used && used->n ? used->p[0]->qd : step->qd;

	return rpt_fmt(d->arena, "%" PRIu32 " - %" PRIu32 " / %" PRIu32, tc * qd, tc, qd);
}

/* Of n cycles, whose step may leave the size to the cycle. */
static const char *bs_list(struct rpt_data *d, const struct rpt_unit *u, size_t n,
			   const struct pts_step *step)
{
	const char *list = "";

	for (size_t cycle = 0; cycle < n; cycle++)
		for (unsigned i = 0; i < step->n_bs && (cycle == 0 || !step->bs_b[i]);
		     i++)
			list = rpt_fmt(d->arena, "%s%s%s", list, *list ? ", " : "",
				       rpt_kib(d->arena, step->bs_b[i]
								 ? step->bs_b[i]
								 : u[cycle].loop_bs_b));
	return rpt_fmt(d->arena, "%s KiB", list);
}

static const char *mix_list(struct rpt_data *d, const struct pts_step *step)
{
	const char *list = "";

	for (unsigned i = 0; i < step->n_read_pct; i++)
		list = rpt_fmt(d->arena, "%s%s%s", list, i ? ", " : "",
			       rpt_mix(d->arena, step->read_pct[i]));
	return list;
}

static const struct pts_step *loop_step(const struct pts_test *t)
{
	const struct pts_step *step = pts_test_step(t, PTS_ROUNDS);

	return step ? step : pts_test_step(t, PTS_SATURATE);
}

/* Points of the loop that show which TC and QD were used. */
static struct rpt_points loop_points(const struct rpt_unit *u)
{
	if (u->rounds.n_rounds)
		return (struct rpt_points){ u->rounds.point, 1 };
	return u->minute;
}

/* The gravest of n cycles. */
static const char *notes(struct rpt_data *d, const struct rpt_unit *u, size_t n)
{
	static const char *const words[] = { [RPT_GOOD] = "steady state attained",
					     [RPT_DIM] = "not run",
					     [RPT_WARN] = "steady state not evaluated",
					     [RPT_BAD] = "steady state NOT attained" };
	static const enum rpt_tone order[] = { RPT_BAD, RPT_WARN, RPT_DIM };

	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < n; i++)
			if (rpt_verdict(d, &u[i]).tone == order[k])
				return words[order[k]];
	return words[RPT_GOOD];
}

static const char *windows(struct rpt_data *d, const struct rpt_unit *u, size_t n)
{
	const char *words = "";

	for (size_t i = 0; i < n; i++) {
		const char *w = rpt_window_words(d, &u[i]);

		words = rpt_fmt(d->arena, "%s%s%s", words, i ? "; " : "",
				*w ? w : "none");
	}
	return words;
}

static void set_up(struct rpt_model *m, struct rpt_data *d, const struct rpt_unit *u,
		   size_t n, struct rpt_facts *f)
{
	const struct pts_step *wipc = pts_test_step(u->test, PTS_WIPC),
			      *loop = loop_step(u->test);
	struct rpt_points in_loop = loop_points(u);

	f->title = "Set-up parameters";
	rpt_fact_add(m, f, "Data pattern", "random");
	rpt_fact_add(m, f, "Active range", "%s", range_words(d));
	rpt_fact_add(m, f, "AR segments", "none");
	if (wipc) {
		rpt_fact_add(m, f, "Precond. 1", "SEQ %s W", bs_list(d, u, n, wipc));
		rpt_fact_add(m, f, "TOIO-TC/QD", "%s", tc_qd(d, &u->fill, wipc));
		rpt_fact_add(m, f, "Duration", "%ux user capacity", wipc->passes);
	} else {
		rpt_fact_add(m, f, "Precond. 1", "none");
	}
	rpt_fact_add(m, f, "Precond. 2", "%s loop", u->test->title);
	rpt_fact_add(m, f, "TOIO-TC/QD", "%s", tc_qd(d, &in_loop, loop));
	rpt_fact_add(m, f, "SS rounds", "%s", windows(d, u, n));
	rpt_fact_add(m, f, "Notes", "%s; %zu deviation%s%s", notes(d, u, n),
		     d->n_deviation, d->n_deviation == 1 ? "" : "s",
		     d->n_deviation ? ", page 1" : "");
}

static void test(struct rpt_model *m, struct rpt_data *d, const struct rpt_unit *u,
		 size_t n, struct rpt_facts *f)
{
	const struct pts_step *loop = loop_step(u->test),
			      *hist = pts_test_step(u->test, PTS_HISTOGRAM);
	struct rpt_points in_loop = loop_points(u);
	char buf[UNITS_TEXT];

	f->title = "Test parameters";
	rpt_fact_add(m, f, "Data pattern", "random");
	rpt_fact_add(m, f, "AR & amount", "%s %%, %s",
		     rpt_word(d, "plan.active_range.pct"),
		     units_capacity(d->opts.len_b, buf));
	rpt_fact_add(m, f, "Stimulus 1", "%s, %s", u->test->title,
		     io_pattern_word(loop->pattern));
	rpt_fact_add(m, f, "RW (outer)", "%s", mix_list(d, loop));
	rpt_fact_add(m, f, "BS (inner)", "%s", bs_list(d, u, n, loop));
	rpt_fact_add(m, f, "TOIO-TC/QD", "%s", tc_qd(d, &in_loop, loop));
	rpt_fact_add(m, f, "Steady state", "%s", windows(d, u, n));
	if (!hist) {
		rpt_fact_add(m, f, "Stimulus 2", "none");
		return;
	}
	rpt_fact_add(m, f, "Stimulus 2", "%s %s RW %s", io_pattern_word(hist->pattern),
		     bs_list(d, u, n, hist), mix_list(d, hist));
	rpt_fact_add(m, f, "TOIO-TC/QD", "%s", tc_qd(d, &u->hist, hist));
}

/* On pages about the whole run: what was asked for. */
static void run_set_up(struct rpt_model *m, struct rpt_data *d, struct rpt_facts *f)
{
	f->title = "Set-up parameters";
	rpt_fact_add(m, f, "Edition", "%s", d->opts.edition->label);
	rpt_fact_add(m, f, "Data pattern", "random");
	rpt_fact_add(m, f, "Active range", "%s", range_words(d));
	rpt_fact_add(m, f, "AR segments", "none");
	rpt_fact_add(m, f, "SS rule", "%s", ss_mode_word(d->opts.mode));
	rpt_fact_add(m, f, "Seed", "%s", rpt_word(d, "seed"));
}

static void run_tests(struct rpt_model *m, struct rpt_data *d, struct rpt_facts *f)
{
	f->title = "TOIO - TC / QD";
	for (size_t i = 0; i < d->n_unit; i++) {
		const struct rpt_unit *u = &d->unit[i];
		struct rpt_points in_loop = loop_points(u);

		rpt_fact_add(m, f, u->title, "%s",
			     tc_qd(d, &in_loop, loop_step(u->test)));
	}
}

struct rpt_head *rpt_head_make(struct rpt_model *m, struct rpt_data *d,
			       const struct rpt_unit *u, size_t n)
{
	struct rpt_head *h = rpt_alloc(&m->arena, sizeof(*h));

	h->band = u ? rpt_fmt(&m->arena, "%s Test - Report Page", u->test->title)
		    : "Test Report - Whole Run";
	h->subtitle = u ? u->test->subtitle : "Summary and Evidence";
	platform(m, d, &h->group[0]);
	device(m, d, &h->group[1]);
	if (u) {
		set_up(m, d, u, n, &h->group[2]);
		test(m, d, u, n, &h->group[3]);
	} else {
		run_set_up(m, d, &h->group[2]);
		run_tests(m, d, &h->group[3]);
	}
	return h;
}
