/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "store/store.h"

/* So much is simulated at most; it takes a second or two. */
#define FILL_B GIB(32)

static void set_rate(struct pts_plan *plan, enum pts_rate rate, uint64_t bytes,
		     uint64_t ns)
{
	plan->opts.rate = rate;
	plan->opts.fill_bytes_per_s = (uint64_t)((u128)bytes * NSEC_PER_SEC / ns);
	/* Slower than a byte a second is as good as that. */
	if (!plan->opts.fill_bytes_per_s)
		plan->opts.fill_bytes_per_s = 1;
}

/* A simulated drive's name says little: its parameters make it. */
static bool same_drive(const json_t *device, const struct dev_info *info)
{
	bool sim = !strcmp(st_text(device, "kind"), "sim");

	return sim == (info->kind == DEV_SIM) &&
	       json_integer_value(json_object_get(device, "size_b")) ==
		       (json_int_t)info->size_b &&
	       (sim ? !strcmp(st_text(device, "path"), info->path)
		    : !strcmp(st_text(device, "erase_id"), info->erase_id));
}

/* All its fills together. */
static int read_rate(const struct st_run *run, const char *dir,
		     const struct dev_info *info, struct pts_plan *plan, struct err *err)
{
	const json_t *device = json_object_get(run->run, "device");
	uint64_t bytes = 0, ns = 0;

	if (!same_drive(device, info))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--fill-rate-from: '%s' is a run on another drive: %s",
			       dir, st_text(device, "erase_id"));
	for (size_t i = 0; i < run->n; i++) {
		const struct st_point *p = run->rec[i].point;

		if (!p || p->phase != ST_FILL || !p->complete)
			continue;
		bytes += p->dir[IO_WRITE].bytes;
		ns += p->t1_ns - p->t0_ns;
	}
	if (!bytes || !ns)
		return err_set(err, EXIT_CODE_USAGE, ENODATA,
			       "--fill-rate-from: no fill was completed in '%s'", dir);
	set_rate(plan, PTS_RATE_MEASURED, bytes, ns);
	return 0;
}

static int fill(struct eng *eng, struct dev_claim *claim, struct pts_plan *plan,
		struct err *err)
{
	struct eng_result *res = calloc(1, sizeof(*res));
	struct eng_workload load = {
		.pattern = IO_SEQ,
		.bs_b = KIB(128),
		.tc = 1,
		.qd = 32,
		.off_b = plan->off_b,
		.len_b = plan->len_b,
		.limit_b = 2 * plan->len_b < FILL_B ? 2 * plan->len_b : FILL_B,
	};
	uint64_t bytes = 0, ns = 0;
	int rc = res ? eng_start_write(eng, claim, &load, err)
		     : err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");

	while (!rc && !res->done) {
		rc = eng_next(eng, 3600 * NSEC_PER_SEC, NULL, res, err);
		if (rc)
			break;
		bytes += res->dir[IO_WRITE].bytes;
		ns += res->t1_ns - res->t0_ns;
	}
	/* A drive that fails this early says so in the run; the assumption stays. */
	if (!rc && !res->errors && bytes && ns)
		set_rate(plan, PTS_RATE_SIMULATED, bytes, ns);
	free(res);
	return rc;
}

static int simulate(const struct dev_info *info, struct pts_plan *plan, struct err *err)
{
	const struct dev_gate_opts gate = { .erase_id = info->erase_id,
					    .roots = &dev_roots_host };
	const struct eng_limits limits = { .max_tc = 1,
					   .max_qd = 32,
					   .max_bs_b = KIB(128) };
	struct dev_claim *claim;
	struct eng *eng;
	int rc;

	rc = dev_gate(info, &gate, &claim, err);
	if (rc)
		return rc;
	rc = eng_open(dev_claim_handle(claim), &limits, &eng, err);
	if (!rc) {
		rc = fill(eng, claim, plan, err);
		eng_close(eng);
	}
	dev_claim_free(claim);
	return rc;
}

int cli_rate_find(const struct cli_args *a, const struct dev_info *info,
		  struct pts_plan *plan, struct err *err)
{
	struct st_run run = { 0 };
	int rc;

	plan->opts.endurance_b = a->endurance_tb * UINT64_C(1000000000000);
	if (!a->fill_rate_from)
		return info->kind == DEV_SIM ? simulate(info, plan, err) : 0;
	rc = st_run_read(a->fill_rate_from, &run, err);
	if (!rc)
		rc = read_rate(&run, a->fill_rate_from, info, plan, err);
	st_run_release(&run);
	return rc;
}
