/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits as words: parsed, stored, and told. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ini.h"
#include "base/units.h"
#include "pts/pts_test.h"
#include "report/limits.h"

#define WRONG(err, ...) err_set(err, EXIT_CODE_USAGE, EINVAL, __VA_ARGS__)

static const struct named_stat {
	const char *name;
	enum rpt_limit_unit unit;
} cell_stats[] = {
	{ "iops", RPT_UNIT_IOPS },
	{ "mb_per_s", RPT_UNIT_MBPS },
	{ "art", RPT_UNIT_MS },
	{ "mrt", RPT_UNIT_MS },
	{ NULL, RPT_UNIT_PLAIN },
}, wsat_stats[] = {
	{ "first", RPT_UNIT_IOPS },
	{ "last", RPT_UNIT_IOPS },
	{ "average", RPT_UNIT_IOPS },
	{ "fresh", RPT_UNIT_IOPS },
	{ "lowest", RPT_UNIT_IOPS },
	{ "floor_iops", RPT_UNIT_IOPS },
	{ "floor", RPT_UNIT_SHARE },
	{ "swing", RPT_UNIT_SHARE },
	{ "fills", RPT_UNIT_PLAIN },
	{ "art", RPT_UNIT_MS },
	{ "mrt", RPT_UNIT_MS },
	{ NULL, RPT_UNIT_PLAIN },
}, run_stats[] = {
	{ "io_errors", RPT_UNIT_PLAIN },
	{ "deviations", RPT_UNIT_PLAIN },
	{ NULL, RPT_UNIT_PLAIN },
};

/* "p99.999" in parts per thousand million; 0: no percentile. */
static uint32_t percentile(const char *name)
{
	char *end;
	double pct;

	if (*name != 'p' || name[1] < '0' || name[1] > '9')
		return 0;
	pct = strtod(name + 1, &end);
	return *end || pct <= 0 || pct >= 100 ? 0 : (uint32_t)lround(pct * 1e7);
}

static int set_stat(struct rpt_limit *l, const char *name, const struct named_stat *stats,
		    bool percentiles, struct err *err)
{
	snprintf(l->stat, sizeof(l->stat), "%s", name);
	l->ppb = percentiles ? percentile(name) : 0;
	l->unit = RPT_UNIT_MS;
	if (l->ppb)
		return 0;
	for (; stats->name; stats++)
		if (!strcmp(stats->name, name)) {
			l->unit = stats->unit;
			return 0;
		}
	return WRONG(err, "'%s' is no figure of %s", name, l->test);
}

/* What the test tracks: "iops" of IOPS, "mb_per_s" of throughput, "art" of latency. */
static const char *default_stat(const struct pts_test *t)
{
	static const char *const names[] = {
		[PTS_IOPS] = "iops", [PTS_MBPS] = "mb_per_s", [PTS_ART] = "art"
	};

	return names[t->track[0].metric];
}

static const struct pts_test *rounds_test(const char *id)
{
	const struct pts_test *t;

	for (size_t i = 0; (t = pts_test_nth(i)); i++)
		if (!strcmp(t->id, id) && pts_test_step(t, PTS_ROUNDS))
			return t;
	return NULL;
}

/* "4KiB.0/100" or "0.5KiB.100/0.p99.9". */
static int parse_cell(struct rpt_limit *l, const struct pts_test *t, char *rest,
		      struct err *err)
{
	char *slash = strchr(rest, '/'), *mix = slash;
	uint64_t bs_b, reads, writes;
	char *stat;

	while (mix && mix > rest && *mix != '.')
		mix--;
	if (!mix || mix == rest)
		return WRONG(err, "%s needs block size and mix, as in %s.4KiB.0/100",
			     l->test, l->test);
	*mix++ = *slash++ = '\0';
	stat = strchr(slash, '.');
	if (stat)
		*stat++ = '\0';
	if (units_parse_size("the block size", rest, &bs_b, err) ||
	    units_parse_uint("the share of reads", mix, 0, 100, &reads, err) ||
	    units_parse_uint("the share of writes", slash, 0, 100, &writes, err))
		return -EINVAL;
	if (reads + writes != 100 || !bs_b || bs_b > UINT32_MAX)
		return WRONG(err, "%s/%s is no mix of reads and writes", mix, slash);
	l->bs_b = (uint32_t)bs_b;
	l->read_pct = (uint8_t)reads;
	return set_stat(l, stat ? stat : default_stat(t), cell_stats, true, err);
}

static int parse_name(struct rpt_limit *l, const char *name, struct err *err)
{
	const struct pts_test *t;
	char text[128], *rest;

	snprintf(text, sizeof(text), "%s", name);
	rest = strchr(text, '.');
	if (!rest || !rest[1])
		return WRONG(err,
			     "'%s' is no figure; they are called like "
			     "iops.4KiB.0/100, wsat.floor, health.media_errors",
			     name);
	*rest++ = '\0';
	snprintf(l->test, sizeof(l->test), "%.15s", text);
	l->unit = RPT_UNIT_PLAIN;
	t = rounds_test(text);
	if (t)
		return parse_cell(l, t, rest, err);
	if (!strcmp(text, "wsat"))
		return set_stat(l, rest, wsat_stats, true, err);
	if (!strcmp(text, "run"))
		return set_stat(l, rest, run_stats, false, err);
	if (strcmp(text, "health") != 0)
		return WRONG(err,
			     "'%s' is no test; limits are of iops, tp, lat, wsat, "
			     "health or run",
			     text);
	snprintf(l->stat, sizeof(l->stat), "%.63s", rest);
	return 0;
}

static const struct suffix {
	enum rpt_limit_unit unit;
	const char *text;
	double factor;
} suffixes[] = {
	{ RPT_UNIT_IOPS, "", 1 },     { RPT_UNIT_IOPS, "k", 1e3 },
	{ RPT_UNIT_IOPS, "M", 1e6 },  { RPT_UNIT_MBPS, "", 1 },
	{ RPT_UNIT_MBPS, "MB/s", 1 }, { RPT_UNIT_MBPS, "GB/s", 1e3 },
	{ RPT_UNIT_MS, "ns", 1e-6 },  { RPT_UNIT_MS, "us", 1e-3 },
	{ RPT_UNIT_MS, "ms", 1 },     { RPT_UNIT_MS, "s", 1e3 },
	{ RPT_UNIT_SHARE, "", 1 },    { RPT_UNIT_SHARE, "%", 1e-2 },
	{ RPT_UNIT_PLAIN, "", 1 },    { RPT_UNIT_PLAIN, "k", 1e3 },
	{ RPT_UNIT_PLAIN, "M", 1e6 },
};

static int parse_bound(struct rpt_limit *l, const char *text, struct err *err)
{
	static const char *const forms[] = { "180k", "2000 or 2.1GB/s", "800us or 2ms",
					     "0.9 or 90%", "0 or 12k" };
	size_t digits = strspn(text, "0123456789.");
	char *end = NULL;
	double value = digits ? strtod(text, &end) : 0;

	if (end == text + digits)
		for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
			if (suffixes[i].unit == l->unit &&
			    !strcmp(end, suffixes[i].text)) {
				l->bound = value * suffixes[i].factor;
				return 0;
			}
	return WRONG(err, "'%s' is not a value for %s.%s; write it like %s", text,
		     l->test, l->stat, forms[l->unit]);
}

/* inih splits at the first '=': "a >" and "5", or "a" and "= 5". */
static int parse_limit(const char *key, const char *value, struct rpt_limit *ret,
		       struct err *err)
{
	size_t n = strlen(key);
	char name[64];
	int rc;

	*ret = (struct rpt_limit){ .op = n ? key[n - 1] : '\0' };
	if (*value == '=' && ret->op != '<' && ret->op != '>') {
		ret->op = '=';
		value++;
	} else if (ret->op == '<' || ret->op == '>') {
		n--;
	} else {
		return WRONG(err, "limits compare with >=, <= or ==");
	}
	value += strspn(value, " \t");
	while (n && (key[n - 1] == ' ' || key[n - 1] == '\t'))
		n--;
	snprintf(name, sizeof(name), "%.*s", (int)n, key);
	snprintf(ret->text, sizeof(ret->text), "%s %c= %.32s", name, ret->op, value);
	rc = parse_name(ret, name, err);
	return rc ? rc : parse_bound(ret, value, err);
}

static int add(struct rpt_limits *l, const struct rpt_limit *one, struct err *err)
{
	struct rpt_limit *more = reallocarray(l->limit, l->n + 1, sizeof(*more));

	if (!more)
		return err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	l->limit = more;
	more[l->n++] = *one;
	return 0;
}

static int on_line(void *arg, const char *section, const char *key, const char *value,
		   struct err *err)
{
	struct rpt_limit one;

	if (!key)
		return WRONG(err, "[%s]: limits stand in no section", section);
	int rc = parse_limit(key, value, &one, err);

	return rc ? rc : add(arg, &one, err);
}

int rpt_limits_read(const char *path, struct rpt_limits *ret, struct err *err)
{
	int rc = ini_read(path, on_line, ret, err);

	if (rc && err->code == EXIT_CODE_HOST)
		err->code = EXIT_CODE_USAGE;
	return rc || ret->n ? rc : WRONG(err, "%s has no limits", path);
}

void rpt_limits_release(struct rpt_limits *l)
{
	free(l->limit);
	*l = (struct rpt_limits){ 0 };
}

json_t *rpt_limits_json(const struct rpt_limits *l)
{
	json_t *texts = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(texts, json_string(l->limit[i].text));
	return texts;
}

int rpt_limits_of_run(const struct st_run *run, struct rpt_limits *ret, struct err *err)
{
	const json_t *texts = json_object_get(run->run, "limits"), *text;
	int rc = 0;
	size_t i;

	json_array_foreach(texts, i, text)
	{
		char key[128] = "", *value;
		struct rpt_limit one;

		if (json_is_string(text))
			snprintf(key, sizeof(key), "%s", json_string_value(text));
		value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		rc = parse_limit(key, value ? value : "", &one, err);
		if (rc)
			return err_set(err, EXIT_CODE_HOST, EINVAL,
				       "%s/run.json: limits[%zu] is damaged", run->dir,
				       i);
		rc = add(ret, &one, err);
		if (rc)
			return rc;
	}
	return 0;
}

unsigned rpt_limits_sum_up(const struct rpt_limits *l, const struct rpt_finding *f,
			   struct str *ret)
{
	unsigned failed = 0;

	for (size_t i = 0; i < l->n; i++)
		failed += !f[i].pass;
	if (!failed) {
		str_addf(ret, "all %zu limits hold", l->n);
		return 0;
	}
	str_addf(ret, "%u of %zu limits failed: ", failed, l->n);
	for (size_t i = 0, told = 0; i < l->n; i++)
		if (!f[i].pass)
			str_addf(ret, "%s%s (%s)", told++ ? ", " : "", l->limit[i].text,
				 f[i].value);
	return failed;
}

static void add_xml(struct str *s, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"", *text))
			str_addf(s, "&#%d;", *text);
		else
			str_add_bytes(s, text, 1);
	}
}

static void junit_case(struct str *s, const char *id, const struct rpt_limit *l,
		       const struct rpt_finding *f)
{
	str_add(s, "  <testcase classname=\"plateau.");
	add_xml(s, id);
	str_add(s, "\" name=\"");
	add_xml(s, l->text);
	if (f->pass) {
		str_add(s, "\"/>\n");
		return;
	}
	str_addf(s, "\">\n    <failure type=\"%s\" message=\"",
		 f->measured ? "limit" : "not measured");
	add_xml(s, f->measured ? "measured " : "");
	add_xml(s, f->value);
	str_add(s, "\"/>\n  </testcase>\n");
}

int rpt_limits_junit(const struct st_run *run, const struct rpt_limits *l,
		     const struct rpt_finding *f, const char *dir, struct err *err)
{
	const char *id = json_string_value(
		json_object_get(json_object_get(run->run, "device"), "erase_id"));
	const char *at = json_string_value(json_object_get(run->run, "started"));
	struct str s = { 0 };
	unsigned failed = 0;
	char path[PATH_MAX];
	int rc;

	for (size_t i = 0; i < l->n; i++)
		failed += !f[i].pass;
	str_addf(
		&s,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"plateau\" "
		"tests=\"%zu\" failures=\"%u\" errors=\"0\" timestamp=\"%.19s\">\n",
		l->n, failed, at ? at : "");
	for (size_t i = 0; i < l->n; i++)
		junit_case(&s, id ? id : "drive", &l->limit[i], &f[i]);
	str_add(&s, "</testsuite>\n");
	(void)mkdir(dir, 0777); /* where it cannot be made, writing says so */
	if (s.failed || snprintf(path, sizeof(path), "%s/junit.xml", dir) >= PATH_MAX)
		rc = err_set(err, EXIT_CODE_HOST, ENOMEM,
			     "out of memory writing junit.xml");
	else
		rc = str_write_file(&s, path, err);
	str_release(&s);
	return rc;
}
