/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "device/remark.h"
#include "device/sim.h"

#define COLUMNS 8
static const char *const heads[COLUMNS] = { "DEVICE", "ERASE ID", "MODEL", "SIZE",
					    "BLOCKS", "LINK",     "PURGE", "USED BY" };

struct row {
	const char *cell[COLUMNS];
	char size[UNITS_TEXT], blocks[UNITS_TEXT], link[2 * DEV_WORD];
};

static void fill_row(const struct dev_info *d, struct row *r)
{
	units_capacity(d->size_b, r->size);
	snprintf(r->blocks, sizeof(r->blocks), "%u/%u", d->lbs_b, d->pbs_b);
	snprintf(r->link, sizeof(r->link), "%s%s%s", d->transport,
		 d->link.now[0] ? " " : "", d->link.now);
	const char *const cells[COLUMNS] = { d->path,          d->erase_id, d->model,
					     r->size,          r->blocks,   r->link,
					     d->purge_methods, d->who };

	for (size_t c = 0; c < COLUMNS; c++)
		r->cell[c] = cells[c][0] ? cells[c] : "-";
}

static void print_row(const char *const cell[COLUMNS], const int width[COLUMNS])
{
	for (size_t c = 0; c + 1 < COLUMNS; c++)
		printf("%-*s  ", width[c], cell[c]);
	puts(cell[COLUMNS - 1]);
}

/* What does not fit a column: one line each, below the table. */
static void print_remarks(const struct dev_info *d)
{
	struct dev_remark r[DEV_REMARKS_MAX];
	size_t n = dev_remarks(d, r);

	for (size_t i = 0; i < n; i++)
		printf("%s: %s\n", d->path, r[i].text);
}

static enum exit_code print_table(const struct dev_info *dev, size_t n)
{
	struct row *row = calloc(n ? n : 1, sizeof(*row));
	int width[COLUMNS];

	if (!row) {
		say("out of memory");
		return EXIT_CODE_INTERNAL;
	}
	for (size_t c = 0; c < COLUMNS; c++)
		width[c] = (int)strlen(heads[c]);
	for (size_t i = 0; i < n; i++) {
		fill_row(&dev[i], &row[i]);
		for (size_t c = 0; c < COLUMNS; c++)
			if ((int)strlen(row[i].cell[c]) > width[c])
				width[c] = (int)strlen(row[i].cell[c]);
	}
	print_row(heads, width);
	for (size_t i = 0; i < n; i++)
		print_row(row[i].cell, width);
	for (size_t i = 0; i < n; i++)
		print_remarks(&dev[i]);
	free(row);
	return EXIT_CODE_COMPLETE;
}

static const char *wcache_word(enum dev_wcache w)
{
	static const char *const words[] = { "unknown", "none", "off", "on" };

	return words[w];
}

static json_t *device_json(const struct dev_info *d)
{
	json_t *o = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:i, s:i,"
		" s:b, s:b, s:b, s:i, s:s, s:s, s:s}",
		"path", d->path, "name", d->name, "vendor", d->vendor, "model", d->model,
		"serial", d->serial, "firmware", d->firmware, "wwid", d->wwid,
		"transport", d->transport, "erase_id", d->erase_id, "erase_id_shared",
		d->erase_id_shared, "size_bytes", (json_int_t)d->size_b,
		"logical_block_bytes", (int)d->lbs_b, "physical_block_bytes",
		(int)d->pbs_b, "read_only", d->read_only, "zoned", d->zoned, "rotational",
		d->rotational, "numa_node", d->numa_node, "write_cache",
		wcache_word(d->wcache), "used_by", d->who, "purge_methods",
		d->purge_methods);

	if (o && dev_details_json(d, o)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static enum exit_code print_json(const struct dev_info *dev, size_t n)
{
	json_t *devices = json_array();

	for (size_t i = 0; i < n && devices; i++) {
		if (json_array_append_new(devices, device_json(&dev[i]))) {
			json_decref(devices);
			devices = NULL;
		}
	}
	return cli_print_json(json_pack("{s:o}", "devices", devices));
}

static enum exit_code print_sim_json(void)
{
	json_t *drives = json_array(), *params = json_array();
	const struct sim_model *m;
	const struct sim_param *p;

	for (size_t i = 0; (m = sim_nth(i)); i++)
		json_array_append_new(drives, json_pack("{s:s, s:s, s:s}", "name",
							m->name, "about", m->about,
							"settings", m->settings));
	for (size_t i = 0; (p = sim_param_nth(i)); i++)
		json_array_append_new(params,
				      json_pack("{s:s, s:s, s:s}", "name", p->name,
						"form", p->form, "about", p->about));
	return cli_print_json(
		json_pack("{s:o, s:o}", "simulated", drives, "parameters", params));
}

static enum exit_code print_sim_text(void)
{
	const struct sim_model *m;
	const struct sim_param *p;

	puts("Simulated drives, for --device; --erase is the name without sim:");
	for (size_t i = 0; (m = sim_nth(i)); i++) {
		printf("  sim:%-14s %s\n", m->name, m->about);
		printf("  %18s %s\n", "", m->settings);
	}
	puts("\nParameters, as in sim:enterprise,op=0.28,capacity=8G:");
	for (size_t i = 0; (p = sim_param_nth(i)); i++) {
		int at = printf("  %s=%s", p->name, p->form);

		printf("%*s%s\n", at < 26 ? 26 - at : 1, "", p->about);
	}
	return EXIT_CODE_COMPLETE;
}

enum exit_code cmd_list(const struct cli_args *a)
{
	struct dev_info *dev = NULL;
	size_t n = 0;
	struct err err;

	if (a->sim)
		return a->json ? print_sim_json() : print_sim_text();
	if (dev_list(&dev_roots_host, &dev, &n, &err))
		return say_err(&err);
	enum exit_code code = a->json ? print_json(dev, n) : print_table(dev, n);

	free(dev);
	return code;
}
