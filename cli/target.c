/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/target.h"

#include <errno.h>
#include <unistd.h>

#include "base/units.h"
#include "device/sim.h"

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
		.run_dir = run_dir,
		.roots = &dev_roots_host,
	};

	return dev_gate(&t->info, &opts, ret, err);
}
