/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.json: everything that is known before the first I/O. What is unknown is null.
 * @pts 5: the items of the report's header.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/str.h"
#include "base/units.h"
#include "device/adapter.h"
#include "device/remark.h"
#include "pts/plan_parts.h"
#include "pts/runner.h"

#define DMI "/sys/class/dmi/id/"

/* Text from outside may be no UTF-8, which JSON cannot hold; empty is unknown. */
static json_t *text_or_null(const char *text)
{
	json_t *s = text && *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

/* The first line of a small file. */
static json_t *file_line(const char *path)
{
	struct str s = { 0 };
	json_t *ret = NULL;

	if (!str_read_file(&s, path, 4096, NULL) && s.len) {
		s.text[strcspn(s.text, "\n")] = '\0';
		ret = text_or_null(s.text);
	}
	str_release(&s);
	return ret ? ret : json_null();
}

/* The value of the first line that begins with `key`, without quotes and blanks around it. */
static json_t *file_value(const char *path, const char *key)
{
	struct str s = { 0 };
	json_t *ret = NULL;
	char *line, *save = NULL;

	if (!str_read_file(&s, path, 1 << 20, NULL) && s.len) {
		for (line = strtok_r(s.text, "\n", &save); line && !ret;
		     line = strtok_r(NULL, "\n", &save)) {
			if (strncmp(line, key, strlen(key)) != 0)
				continue;
			line += strlen(key);
			line += strspn(line, " \t:=\"");
			line[strcspn(line, "\"")] = '\0';
			ret = text_or_null(line);
		}
	}
	str_release(&s);
	return ret ? ret : json_null();
}

static json_t *memory_b(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_b = sysconf(_SC_PAGESIZE);

	return pages > 0 && page_b > 0 ? json_integer((json_int_t)pages * page_b)
				       : json_null();
}

static json_t *host_json(void)
{
	struct utsname u = { 0 };
	json_t *o = json_object();

	(void)uname(&u);
	json_object_set_new(o, "name", text_or_null(u.nodename));
	json_object_set_new(o, "kernel", text_or_null(u.release));
	json_object_set_new(o, "kernel_version", text_or_null(u.version));
	json_object_set_new(o, "machine", text_or_null(u.machine));
	json_object_set_new(o, "os", file_value("/etc/os-release", "PRETTY_NAME"));
	json_object_set_new(o, "cpu", file_value("/proc/cpuinfo", "model name"));
	json_object_set_new(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(o, "memory_b", memory_b());
	json_object_set_new(o, "system_vendor", file_line(DMI "sys_vendor"));
	json_object_set_new(o, "system_model", file_line(DMI "product_name"));
	json_object_set_new(o, "board_vendor", file_line(DMI "board_vendor"));
	json_object_set_new(o, "board_model", file_line(DMI "board_name"));
	json_object_set_new(
		o, "clock_source",
		file_line(
			"/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	return o;
}

static json_t *device_json(const struct dev_info *d)
{
	struct dev_adapter adapter = { .hba = "" };
	json_t *o = json_object();

	json_object_set_new(o, "kind", json_string(pts_dev_kind_word(d->kind)));
	json_object_set_new(o, "path", text_or_null(d->path));
	json_object_set_new(o, "name", text_or_null(d->name));
	json_object_set_new(o, "vendor", text_or_null(d->vendor));
	json_object_set_new(o, "model", text_or_null(d->model));
	json_object_set_new(o, "serial", text_or_null(d->serial));
	json_object_set_new(o, "firmware", text_or_null(d->firmware));
	json_object_set_new(o, "wwid", text_or_null(d->wwid));
	json_object_set_new(o, "transport", text_or_null(d->transport));
	json_object_set_new(o, "fs_type", text_or_null(d->fs_type));
	json_object_set_new(o, "erase_id", text_or_null(d->erase_id));
	json_object_set_new(o, "size_b", json_integer((json_int_t)d->size_b));
	json_object_set_new(o, "lbs_b", json_integer(d->lbs_b));
	json_object_set_new(o, "pbs_b", json_integer(d->pbs_b));
	json_object_set_new(o, "rotational", json_boolean(d->rotational));
	json_object_set_new(o, "partition", json_boolean(d->is_partition));
	json_object_set_new(o, "zoned", json_boolean(d->zoned));
	json_object_set_new(o, "numa_node",
			    d->numa_node < 0 ? json_null() : json_integer(d->numa_node));
	json_object_set_new(o, "write_cache", json_string(pts_wcache_word(d->wcache)));
	if (d->kind == DEV_BLOCK)
		dev_adapter(&dev_roots_host, d->name, &adapter);
	json_object_set_new(o, "adapter", text_or_null(adapter.hba));
	json_object_set_new(o, "pcie_link", text_or_null(adapter.pcie));
	if (dev_details_json(d, o)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *number_or_null(uint64_t v)
{
	return v ? json_integer((json_int_t)v) : json_null();
}

/* As asked: null means the edition's value. */
static json_t *options_json(const struct pts_opts *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "tests", text_or_null(p->tests));
	json_object_set_new(o, "tc", number_or_null(p->tc));
	json_object_set_new(o, "qd", number_or_null(p->qd));
	json_object_set_new(o, "active_range_pct", number_or_null(p->active_range_pct));
	json_object_set_new(o, "round_time_ns", number_or_null(p->round_ns));
	json_object_set_new(o, "max_rounds", number_or_null(p->max_rounds));
	json_object_set_new(o, "wipc_passes",
			    p->wipc_passes_set ? json_integer(p->wipc_passes)
					       : json_null());
	json_object_set_new(o, "purge", text_or_null(p->purge));
	json_object_set_new(o, "write_cache", text_or_null(p->write_cache));
	json_object_set_new(o, "duration_ns", number_or_null(p->duration_ns));
	json_object_set_new(o, "no_steady_stop", json_boolean(p->no_steady_stop));
	json_object_set_new(o, "steady_rule", json_string(ss_mode_word(p->mode)));
	json_object_set_new(o, "capacity_b", number_or_null(p->capacity_b));
	json_object_set_new(o, "io_timeout_ns", number_or_null(p->io_timeout_ns));
	json_object_set_new(o, "keep_cpu_latency", json_boolean(p->keep_cpu_latency));
	json_object_set_new(o, "discard_signatures", json_boolean(p->discard_signatures));
	json_object_set_new(o, "shared_ok", json_boolean(p->shared_ok));
	return o;
}

static uint64_t asked(const json_t *o, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(o, name));

	return v > 0 ? (uint64_t)v : 0;
}

static const char *word(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

int pts_opts_read(const json_t *run, struct pts_opts *ret, struct err *err)
{
	const json_t *o = json_object_get(run, "options");
	const char *rule = word(o, "steady_rule"), *seed = word(run, "seed");

	*ret = (struct pts_opts){
		.edition = word(run, "edition"),
		.tests = word(o, "tests"),
		.tc = (uint32_t)asked(o, "tc"),
		.qd = (uint32_t)asked(o, "qd"),
		.active_range_pct = (unsigned)asked(o, "active_range_pct"),
		.round_ns = asked(o, "round_time_ns"),
		.max_rounds = (unsigned)asked(o, "max_rounds"),
		.wipc_passes = (unsigned)asked(o, "wipc_passes"),
		.wipc_passes_set = json_is_integer(json_object_get(o, "wipc_passes")),
		.purge = word(o, "purge"),
		.write_cache = word(o, "write_cache"),
		.seed = seed ? strtoull(seed, NULL, 10) : 0,
		.seed_set = seed,
		.duration_ns = asked(o, "duration_ns"),
		.no_steady_stop = json_is_true(json_object_get(o, "no_steady_stop")),
		.capacity_b = asked(o, "capacity_b"),
		.io_timeout_ns = asked(o, "io_timeout_ns"),
		.keep_cpu_latency = json_is_true(json_object_get(o, "keep_cpu_latency")),
		.discard_signatures =
			json_is_true(json_object_get(o, "discard_signatures")),
		.shared_ok = json_is_true(json_object_get(o, "shared_ok")),
	};
	if (!ret->edition || !pts_edition_find(ret->edition) || !seed || !rule ||
	    ss_mode_parse(rule, &ret->mode, NULL))
		return err_set(err, EXIT_CODE_HOST, EINVAL,
			       "run.json: edition, seed or options make no sense");
	return 0;
}

bool pts_plan_is_of(const struct pts_plan *plan, const struct dev_info *info,
		    const json_t *run)
{
	static const char *const same[] = { "capacity_b", "active_range", "purge",
					    "steps" };
	json_t *mine = pts_plan_json(plan, info);
	const json_t *its = json_object_get(run, "plan");
	bool is = mine;

	for (size_t i = 0; is && i < ARRAY_LEN(same); i++)
		is = json_equal(json_object_get(mine, same[i]),
				json_object_get(its, same[i]));
	json_decref(mine);
	return is;
}

static json_t *lab_json(const struct pts_lab *l)
{
	json_t *o = json_object();

	json_object_set_new(o, "sponsor", text_or_null(l->sponsor));
	json_object_set_new(o, "tested_by", text_or_null(l->tested_by));
	json_object_set_new(o, "auditor", text_or_null(l->auditor));
	json_object_set_new(o, "platform", text_or_null(l->platform));
	json_object_set_new(o, "hba", text_or_null(l->hba));
	json_object_set_new(o, "pcie", text_or_null(l->pcie));
	json_object_set_new(o, "form_factor", text_or_null(l->form_factor));
	json_object_set_new(o, "nand", text_or_null(l->nand));
	return o;
}

/* All 64 bits are used, so it is a text: JSON's numbers are signed, and often doubles. */
static json_t *seed_json(const struct pts_opts *o)
{
	uint64_t seed = o->seed;
	char text[24];

	if (!o->seed_set && getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		return NULL;
	snprintf(text, sizeof(text), "%" PRIu64, seed);
	return json_string(text);
}

json_t *pts_run_json(const struct pts_plan *plan, const struct dev_handle *dev, int argc,
		     char *const argv[], int64_t wall_ns)
{
	json_t *args = json_array(), *seed = seed_json(&plan->opts);
	char utc[UNITS_TEXT];

	for (int i = 0; i < argc; i++)
		json_array_append_new(args, text_or_null(argv[i]));
	if (!seed) {
		json_decref(args);
		return NULL;
	}
	return json_pack("{s:{s:s,s:s},s:I,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "tool",
			 "name", "plateau", "version", PLATEAU_VERSION, "started_wall_ns",
			 (json_int_t)wall_ns, "started", units_utc(wall_ns, utc), "argv",
			 args, "edition", plan->edition->id, "seed", seed, "device",
			 device_json(&dev->info), "host", host_json(), "lab",
			 lab_json(&plan->opts.lab), "options", options_json(&plan->opts),
			 "plan", pts_plan_json(plan, &dev->info));
}
