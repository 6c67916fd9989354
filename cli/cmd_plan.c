/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"

static void print_estimate(const struct pts_estimate *e, uint64_t fill_bytes_per_s)
{
	char best[UNITS_TEXT], expected[UNITS_TEXT], worst[UNITS_TEXT];

	printf("\nduration: %s where steady at once, %s expected, %s where never steady\n",
	       units_dur(e->best_ns, best), units_dur(e->expected_ns, expected),
	       units_dur(e->worst_ns, worst));
	printf("written:  %s to %s", units_capacity(e->best_b, best),
	       units_capacity(e->worst_b, worst));
	printf(", with a drive that writes %s/s\n",
	       units_capacity(fill_bytes_per_s, best));
}

static enum exit_code print_json(const struct pts_plan *plan, const struct dev_info *info,
				 const struct pts_estimate *e, uint64_t fill_bytes_per_s)
{
	json_t *all = pts_plan_json(plan, info);
	json_t *estimate = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I}", "fill_bytes_per_s",
		(json_int_t)fill_bytes_per_s, "best_ns", (json_int_t)e->best_ns,
		"expected_ns", (json_int_t)e->expected_ns, "worst_ns",
		(json_int_t)e->worst_ns, "best_written_bytes", (json_int_t)e->best_b,
		"worst_written_bytes", (json_int_t)e->worst_b);

	if (json_object_set_new(all, "estimate", estimate)) {
		json_decref(all);
		all = NULL;
	}
	return cli_print_json(all);
}

enum exit_code cmd_plan(const struct cli_args *a)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct pts_plan plan = { 0 };
	struct str text = { 0 };
	struct pts_estimate e;
	struct dev_info info;
	struct err err;

	if (dev_identify(&dev_roots_host, a->device, &info, &err) ||
	    pts_plan_make(&a->pts, &info, &plan, &err))
		return say_err(&err);
	pts_plan_estimate(&plan, a->fill_bytes_per_s, &e);
	if (a->json) {
		code = print_json(&plan, &info, &e, a->fill_bytes_per_s);
	} else {
		pts_plan_text(&plan, &info, &text);
		fputs(str_text(&text), stdout);
		print_estimate(&e, a->fill_bytes_per_s);
	}
	str_release(&text);
	pts_plan_release(&plan);
	return code;
}
