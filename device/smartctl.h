/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What smartctl (package smartmontools) says about a drive that is no NVMe. */
#ifndef DEVICE_SMARTCTL_H
#define DEVICE_SMARTCTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "device/dev.h"

/*
 * `smartctl --json ARGS... PATH`, judged by its JSON and never by its exit status, of which
 * most bits are findings about the drive. args ends with NULL. The caller json_decref()s *ret.
 * -ENOENT: not installed. -ENODATA: it could not talk to the drive, with its own words.
 */
int smartctl_run(const char *const *args, const char *path, json_t **ret,
		 struct err *err) MUST_CHECK;
/* The same judgement on a text that was recorded. */
int smartctl_parse(const char *text, size_t len, json_t **ret,
		   struct err *err) MUST_CHECK;

/* "ata_version.string"; NULL where any part is missing or of another type. */
const json_t *smartctl_at(const json_t *o, const char *path);
/* "" and false where missing. */
const char *smartctl_text(const json_t *o, const char *path);
/* Numbers, also those that it writes as text because they exceed a double ("..._s"). */
bool smartctl_u64(const json_t *o, const char *path, uint64_t *ret);

/* What `--info` says; "" and 0 where it does not. */
struct smartctl_id {
	char model[DEV_WORD], serial[DEV_WORD], firmware[DEV_WORD];
	uint64_t size_b;
	uint32_t lbs_b, pbs_b;
	char form_factor[64];
	struct dev_link link;
};
void smartctl_identify(const json_t *o, struct smartctl_id *ret);

#endif
