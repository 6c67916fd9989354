/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TKperf's XML: tests as elements whose texts are JSON. A figure is the mean over the rounds that it found steady
 * ("stdyrounds", from 0), else over the last five. Throughput is in KiB/s, latency in us as [min, max, mean].
 */
#include <errno.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>

#include "import/parse.h"

#define WINDOW 5

struct tk_test {
	json_t *rounds, *steady, *jobs, *depth;
};

/* The JSON text of the child element `name`; NULL where there is none. */
static json_t *child_json(const xmlNode *of, const char *name)
{
	for (xmlNode *n = of->children; n; n = n->next) {
		if (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, name))
			continue;
		xmlChar *text = xmlNodeGetContent(n);
		json_t *v = text ? json_loads((const char *)text, JSON_DECODE_ANY, NULL)
				 : NULL;

		xmlFree(text);
		return v;
	}
	return NULL;
}

static void words_of(const xmlNode *root, const char *name, char *ret, size_t size)
{
	json_t *v = child_json(root, name);

	if (json_is_string(v))
		imp_words(ret, size, json_string_value(v));
	json_decref(v);
}

/* rounds[round], then down the path; the mean over the window, -1 where nothing is. */
static double mean(const json_t *rounds, const json_t *steady, const size_t *path,
		   size_t depth)
{
	size_t n_rounds = json_array_size(rounds), n = json_array_size(steady);
	size_t first = n_rounds > WINDOW ? n_rounds - WINDOW : 0, used = 0;
	double sum = 0;

	for (size_t i = 0; i < (n ? n : n_rounds - first); i++) {
		json_int_t round = n ? json_integer_value(json_array_get(steady, i))
				     : (json_int_t)(first + i);
		const json_t *v =
			round < 0 ? NULL : json_array_get(rounds, (size_t)round);

		for (size_t d = 0; d < depth; d++)
			v = json_array_get(v, path[d]);
		if (!json_is_number(v))
			continue;
		sum += json_number_value(v);
		used++;
	}
	return used ? sum / (double)used : -1;
}

static uint32_t count_of(const json_t *v)
{
	const char *text = json_string_value(v);
	unsigned n = 1;

	if (json_is_integer(v))
		return (uint32_t)json_integer_value(v);
	return text && sscanf(text, "%u", &n) == 1 ? n : 1;
}

static int add_matrix(struct imp_result *r, const struct tk_test *t, bool latency,
		      struct err *err)
{
	static const uint8_t iops_mix[] = { 100, 95, 65, 50, 35, 5, 0 },
			     lat_mix[] = { 100, 65, 0 };
	static const uint32_t iops_bs[] = { 1 << 20,  128 << 10, 64 << 10, 32 << 10,
					    16 << 10, 8 << 10,   4 << 10,  512 },
			      lat_bs[] = { 8 << 10, 4 << 10, 512 };
	size_t n_mix = latency ? ARRAY_LEN(lat_mix) : ARRAY_LEN(iops_mix);
	size_t n_bs = latency ? ARRAY_LEN(lat_bs) : ARRAY_LEN(iops_bs);
	int rc = 0;

	for (size_t i = 0; !rc && i < n_mix * n_bs; i++) {
		const size_t path[] = { i / n_bs, i % n_bs, 2 };
		double v = mean(t->rounds, t->steady, path, latency ? 3 : 2);
		struct imp_figure f = {
			.pattern = IO_RAND,
			.read_pct = latency ? lat_mix[path[0]] : iops_mix[path[0]],
			.bs_b = latency ? lat_bs[path[1]] : iops_bs[path[1]],
			.tc = latency ? 1 : count_of(t->jobs),
			.qd = latency ? 1 : count_of(t->depth),
		};

		if (latency)
			f.lat_mean_ns = v * 1e3;
		else
			f.iops = v;
		if (v > 0)
			rc = imp_add(r, &f, err);
	}
	return rc;
}

/* [block size][read, write][round] */
static int add_throughput(struct imp_result *r, const struct tk_test *t, struct err *err)
{
	static const uint32_t bs[] = { 1 << 20, 64 << 10, 8 << 10, 4 << 10, 512 };
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(bs) * 2; i++) {
		const json_t *of = json_array_get(t->rounds, i / 2);
		double kib = mean(json_array_get(of, i % 2), NULL, NULL, 0);
		struct imp_figure f = { .pattern = IO_SEQ,
					.read_pct = i % 2 ? 0 : 100,
					.bs_b = bs[i / 2],
					.tc = count_of(t->jobs),
					.qd = count_of(t->depth),
					.bytes_per_s = kib * 1024 };

		if (kib > 0)
			rc = imp_add(r, &f, err);
	}
	return rc;
}

static int add_test(struct imp_result *r, const xmlNode *node, struct err *err)
{
	const char *name = (const char *)node->name;
	struct tk_test t = { .rounds = child_json(node, "roundmat"),
			     .steady = child_json(node, "stdyrounds"),
			     .jobs = child_json(node, "numjobs"),
			     .depth = child_json(node, "iodepth") };
	int rc = 0;

	if (!strcmp(name, "iops") || !strcmp(name, "lat"))
		rc = add_matrix(r, &t, !strcmp(name, "lat"), err);
	else if (!strcmp(name, "tp"))
		rc = add_throughput(r, &t, err);
	json_decref(t.rounds);
	json_decref(t.steady);
	json_decref(t.jobs);
	json_decref(t.depth);
	return rc;
}

int imp_tkperf(const char *text, struct imp_result *r, struct err *err)
{
	xmlDoc *doc =
		xmlReadMemory(text, (int)strlen(text), NULL, NULL,
			      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
	char version[32] = "";
	int rc = 0;

	if (!root) {
		xmlFreeDoc(doc);
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "is no whole XML");
	}
	words_of(root, "ioperfversion", version, sizeof(version));
	snprintf(r->tool, sizeof(r->tool), "TKperf %s", version);
	words_of(root, "testdate", r->date, sizeof(r->date));
	words_of(root, "lsb", r->os, sizeof(r->os));
	imp_words(r->drive, sizeof(r->drive), (const char *)root->name);
	for (const xmlNode *n = root->children; n && !rc; n = n->next)
		if (n->type == XML_ELEMENT_NODE)
			rc = add_test(r, n, err);
	xmlFreeDoc(doc);
	return rc;
}
