/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/rate.h"
#include "cli/say.h"

enum exit_code cmd_plan(const struct cli_args *a)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct pts_plan plan = { 0 };
	struct str text = { 0 };
	struct dev_info info;
	struct err err;

	if (dev_identify(&dev_roots_host, a->device, &info, &err) ||
	    pts_plan_make(&a->pts, &info, &plan, &err))
		return say_err(&err);
	if (cli_rate_find(a, &info, &plan, &err)) {
		pts_plan_release(&plan);
		return say_err(&err);
	}
	if (a->json) {
		code = cli_print_json(pts_plan_json(&plan, &info));
	} else {
		pts_plan_text(&plan, &info, &text);
		fputs(str_text(&text), stdout);
	}
	str_release(&text);
	pts_plan_release(&plan);
	return code;
}
