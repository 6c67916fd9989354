/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "device/sim.h"
#include "store/store.h"

int cli_target_find(const struct cli_args *a, struct cli_target *ret, struct err *err)
{
	char is[UNITS_TEXT], asked[UNITS_TEXT];
	int rc;

	*ret = (struct cli_target){ 0 };
	if (a->size_b && access(a->device, F_OK) && errno == ENOENT &&
	    !sim_is(a->device)) {
		rc = dev_file_create(a->device, a->size_b, err);
		if (rc)
			return rc;
		ret->made = true;
	}
	rc = dev_identify(&dev_roots_host, a->device, &ret->info, err);
	if (!rc && ret->made && a->size_b % ret->info.lbs_b)
		rc = err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"--size %s is no multiple of the block size of direct I/O there, %s",
			units_size(a->size_b, asked), units_size(ret->info.lbs_b, is));
	if (!rc && a->size_b && ret->info.size_b != a->size_b)
		rc = err_set(
			err, EXIT_CODE_USAGE, EEXIST,
			"--size %s makes a new file only, but '%s' is there and has %s",
			units_size(a->size_b, asked), a->device,
			units_size(ret->info.size_b, is));
	if (rc)
		cli_target_unmake(ret);
	return rc;
}

/* Where a drive with this identity is now; where it was, if no other place shows it. */
static int find_path(const json_t *device, char path[4096], struct err *err)
{
	struct dev_info *list;
	size_t n;
	int rc;

	snprintf(path, 4096, "%s", st_text(device, "path"));
	if (!*st_text(device, "serial") ||
	    json_is_true(json_object_get(device, "partition")))
		return 0;
	rc = dev_list(&dev_roots_host, &list, &n, err);
	for (size_t i = 0; !rc && i < n; i++)
		if (!strcmp(list[i].serial, st_text(device, "serial")) &&
		    !strcmp(list[i].wwid, st_text(device, "wwid")))
			snprintf(path, 4096, "%s", list[i].path);
	if (!rc)
		free(list);
	return rc;
}

int cli_target_find_again(const json_t *run, struct cli_target *ret, struct err *err)
{
	const json_t *device = json_object_get(run, "device");
	json_int_t size_b = json_integer_value(json_object_get(device, "size_b")),
		   lbs_b = json_integer_value(json_object_get(device, "lbs_b"));
	const struct dev_info *is = &ret->info;
	char path[4096];
	int rc;

	*ret = (struct cli_target){ 0 };
	rc = find_path(device, path, err);
	if (!rc)
		rc = dev_identify(&dev_roots_host, path, &ret->info, err);
	if (rc)
		return rc;
	if (strcmp(is->serial, st_text(device, "serial")) ||
	    strcmp(is->wwid, st_text(device, "wwid")) ||
	    strcmp(is->model, st_text(device, "model")))
		return err_set(
			err, EXIT_CODE_SAFETY, ENODEV,
			"%s is not the drive of this run: it is '%s' with the serial number '%s', the "
			"run's is '%s' with '%s'",
			path, is->model, is->serial, st_text(device, "model"),
			st_text(device, "serial"));
	if (is->size_b != (uint64_t)size_b || is->lbs_b != (uint64_t)lbs_b)
		return err_set(
			err, EXIT_CODE_SAFETY, EINVAL,
			"%s has changed since the run began: %ju bytes in blocks of %u, not "
			"%ju in blocks of %ju; a new run is needed",
			path, (uintmax_t)is->size_b, is->lbs_b, (uintmax_t)size_b,
			(uintmax_t)lbs_b);
	return 0;
}

void cli_target_unmake(struct cli_target *t)
{
	if (t->made)
		unlink(t->info.path);
	t->made = false;
}

int cli_target_claim(const struct cli_args *a, const struct cli_target *t,
		     const char *run_dir, struct dev_claim **ret, struct err *err)
{
	const struct dev_gate_opts opts = {
		.erase_id = a->erase_id,
		.discard_signatures = a->pts.discard_signatures,
		.shared_ok = a->pts.shared_ok,
		.run_dir = run_dir,
		.roots = &dev_roots_host,
	};

	return dev_gate(&t->info, &opts, ret, err);
}
