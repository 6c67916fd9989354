/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person should know about a drive before it is tested: one place decides and words it. */
#ifndef DEVICE_REMARK_H
#define DEVICE_REMARK_H

#include <jansson.h>

#include "device/dev.h"

struct dev_remark {
	const char *code;
	bool deviation; /* a result of this drive, as it is, is not the whole drive's at its best */
	char text[320]; /* one sentence without the device's name */
};

enum { DEV_REMARKS_MAX = 12 };

/* How many of ret[] were filled. */
size_t dev_remarks(const struct dev_info *info, struct dev_remark ret[DEV_REMARKS_MAX]);

/*
 * Everything below `nvme`, `link`, and what has no other place, as members of o: for `list
 * --json` and for run.json alike (docs/result-format.md). -ENOMEM.
 */
int dev_details_json(const struct dev_info *info, json_t *o) MUST_CHECK;

#endif
