/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's JSON, also with messages before it. Latency is `lat`, which begins before the submission as plateau's does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "import/parse.h"

static const char *word(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static double number(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

/* The job's own option, else the one of all jobs. */
static const char *option(const json_t *root, const json_t *job, const char *name)
{
	const char *own = word(json_object_get(job, "job options"), name);

	return own ? own : word(json_object_get(root, "global options"), name);
}

static uint32_t count(const char *text)
{
	unsigned long n = text ? strtoul(text, NULL, 10) : 1;

	return n && n <= UINT32_MAX ? (uint32_t)n : 1;
}

static void add_dir(struct imp_figure *f, const json_t *dir, double *ios, double *lat_ns)
{
	const json_t *ns = json_object_get(dir, "lat_ns"),
		     *us = json_object_get(dir, "lat");
	double n = number(dir, "total_ios"), iops = number(dir, "iops");

	/* Without a count the rates weigh as well. */
	n = n > 0 ? n : iops;
	f->iops += iops;
	f->bytes_per_s += json_object_get(dir, "bw_bytes") ? number(dir, "bw_bytes")
							   : number(dir, "bw") * 1024;
	*ios += n;
	*lat_ns += n * (ns ? number(ns, "mean") : number(us, "mean") * 1e3);
}

/* In per cent; what is no share stays none, for imp_add() to refuse. */
static uint8_t share_read(const char *rw, const char *mix_read, const char *mix_write)
{
	const char *mix = mix_read ? mix_read : mix_write;
	unsigned long pct = mix ? strtoul(mix, NULL, 10) : 50;

	if (!strstr(rw, "rw") && !strstr(rw, "readwrite"))
		return strstr(rw, "write") ? 0 : 100;
	if (pct > 100)
		return UINT8_MAX;
	return (uint8_t)(mix_read || !mix_write ? pct : 100 - pct);
}

/* Jobs of one name and group are the threads of one load, where fio did not add them up itself. */
static bool same_load(const json_t *a, const json_t *b)
{
	const char *of_a = word(a, "jobname"), *of_b = word(b, "jobname");

	return of_a && of_b && !strcmp(of_a, of_b) &&
	       json_equal(json_object_get(a, "groupid"), json_object_get(b, "groupid"));
}

/* The load that begins with the job at `*at`, which moves behind it. */
static int add_load(struct imp_result *r, const json_t *root, const json_t *jobs,
		    size_t *at, struct err *err)
{
	const json_t *job = json_array_get(jobs, *at), *other = job;
	const char *rw = option(root, job, "rw"), *bs = option(root, job, "bs"),
		   *name = word(job, "jobname");
	struct imp_figure f = { .tc = count(option(root, job, "numjobs")),
				.qd = count(option(root, job, "iodepth")) };
	double ios = 0, lat_ns = 0;
	uint64_t bs_b;

	if (!name)
		name = "without name";
	if (!rw || !bs || units_parse_size("bs", bs, &bs_b, NULL) || bs_b > UINT32_MAX)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "does not say rw and bs of its job '%.60s'", name);
	f.pattern = strncmp(rw, "rand", 4) ? IO_SEQ : IO_RAND;
	f.bs_b = (uint32_t)bs_b;
	f.read_pct = share_read(rw, option(root, job, "rwmixread"),
				option(root, job, "rwmixwrite"));
	do {
		if (number(other, "error") > 0)
			return err_set(
				err, EXIT_CODE_USAGE, EIO,
				"has a job that failed: '%.60s' ended with error %.0f",
				name, number(other, "error"));
		add_dir(&f, json_object_get(other, "read"), &ios, &lat_ns);
		add_dir(&f, json_object_get(other, "write"), &ios, &lat_ns);
		other = json_array_get(jobs, ++*at);
	} while (f.tc > 1 && same_load(job, other));
	f.lat_mean_ns = ios > 0 ? lat_ns / ios : 0;
	return imp_add(r, &f, err);
}

int imp_fio(const char *text, struct imp_result *r, struct err *err)
{
	const char *json = strchr(text, '{');
	json_error_t why;
	json_t *root = json ? json_loads(json, JSON_DISABLE_EOF_CHECK, &why) : NULL;
	const json_t *jobs = json_object_get(root, "jobs");
	int rc = 0;

	if (!root)
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "is no whole JSON: %s",
			       json ? why.text : "it has no '{'");
	imp_words(r->tool, sizeof(r->tool),
		  word(root, "fio version") ? word(root, "fio version") : "fio");
	if (word(root, "time"))
		imp_words(r->date, sizeof(r->date), word(root, "time"));
	for (size_t i = 0; !rc && i < json_array_size(jobs);)
		rc = add_load(r, root, jobs, &i, err);
	json_decref(root);
	return rc;
}
