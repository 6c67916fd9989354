/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/smartctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "device/text.h"

enum { ARGS_MAX = 16, LIMIT_S = 60, OUTPUT_MAX_B = 4 << 20 };

static int unreadable(struct err *err, const char *why)
{
	return err_set(err, EXIT_CODE_DEVICE, ENODATA, "smartctl tells nothing: %s", why);
}

/* Its own words for a drive that it could not talk to. */
static const char *complaint(const json_t *o)
{
	const json_t *messages = smartctl_at(o, "smartctl.messages"), *m;
	size_t i;

	json_array_foreach(messages, i,
			   m) if (!strcmp(smartctl_text(m, "severity"),
					  "error")) return smartctl_text(m, "string");
	return "";
}

int smartctl_parse(const char *text, size_t len, json_t **ret, struct err *err)
{
	json_error_t at;
	const char *start = memchr(text, '{', len); /* a warning may stand before it */
	json_t *o = NULL;

	if (start)
		o = json_loadb(start, len - (size_t)(start - text),
			       JSON_DISABLE_EOF_CHECK, &at);
	if (!json_is_object(o)) {
		json_decref(o);
		return unreadable(err, start ? at.text : "it printed no JSON");
	}
	/* Bits 0 and 1: the command line, or the device could not be opened. */
	uint64_t status = 0;
	bool failed = smartctl_u64(o, "smartctl.exit_status", &status) && status & 3;

	if (failed || !json_is_object(smartctl_at(o, "device"))) {
		const char *words = complaint(o);
		int failure = unreadable(err, *words ? words : "its JSON names no drive");

		json_decref(o);
		return failure;
	}
	*ret = o;
	return 0;
}

int smartctl_run(const char *const *args, const char *path, json_t **ret, struct err *err)
{
	const char *argv[ARGS_MAX + 4] = { "smartctl", "--json" };
	size_t n = 2;
	struct proc p = { .argv = argv,
			  .package = "smartmontools",
			  .limit_s = LIMIT_S,
			  .max_output_b = OUTPUT_MAX_B };
	struct proc_result r;

	while (*args && n < ARGS_MAX + 2)
		argv[n++] = *args++;
	argv[n] = path;
	int failed = proc_run(&p, &r, err);

	if (failed)
		return failed;
	if (r.timed_out)
		failed = err_set(err, EXIT_CODE_DEVICE, ETIMEDOUT,
				 "smartctl did not end within %d s on %s", LIMIT_S, path);
	else
		failed = smartctl_parse(str_text(&r.out), r.out.len, ret, err);
	proc_result_release(&r);
	return failed;
}

const json_t *smartctl_at(const json_t *o, const char *path)
{
	char key[64];

	while (o && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		o = json_object_get(o, key);
		path += len + (path[len] == '.');
	}
	return o;
}

const char *smartctl_text(const json_t *o, const char *path)
{
	const char *text = json_string_value(smartctl_at(o, path));

	return text ? text : "";
}

bool smartctl_u64(const json_t *o, const char *path, uint64_t *ret)
{
	const json_t *v = smartctl_at(o, path);
	const char *text = json_string_value(v);
	char *end;

	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*ret = (uint64_t)json_integer_value(v);
		return true;
	}
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return !errno && !*end;
}

/* The first of the paths that says anything, printable. */
static void first_text(const json_t *o, const char *const *paths, char *ret, size_t cap)
{
	ret[0] = '\0';
	for (; *paths && !ret[0]; paths++) {
		const char *text = smartctl_text(o, *paths);

		text_clean(ret, cap, text, strlen(text));
	}
}

#define FIRST_TEXT(o, ret, ...)                                                          \
	first_text(o, (const char *const[]){ __VA_ARGS__, NULL }, ret, sizeof(ret))

static uint32_t u32_or_0(const json_t *o, const char *path)
{
	uint64_t v;

	return smartctl_u64(o, path, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

void smartctl_identify(const json_t *o, struct smartctl_id *ret)
{
	*ret = (struct smartctl_id){ 0 };
	FIRST_TEXT(o, ret->model, "model_name", "scsi_model_name", "scsi_product");
	FIRST_TEXT(o, ret->serial, "serial_number");
	FIRST_TEXT(o, ret->firmware, "firmware_version", "scsi_revision");
	FIRST_TEXT(o, ret->form_factor, "form_factor.name");
	FIRST_TEXT(o, ret->link.now, "interface_speed.current.string");
	FIRST_TEXT(o, ret->link.best, "interface_speed.max.string");
	if (!smartctl_u64(o, "user_capacity.bytes", &ret->size_b) &&
	    !smartctl_u64(o, "user_capacity.bytes_s", &ret->size_b) &&
	    !smartctl_u64(o, "nvme_total_capacity", &ret->size_b))
		ret->size_b = 0;
	ret->lbs_b = u32_or_0(o, "logical_block_size");
	ret->pbs_b = u32_or_0(o, "physical_block_size");
	ret->link.below = u32_or_0(o, "interface_speed.current.units_per_second") <
				  u32_or_0(o, "interface_speed.max.units_per_second") &&
			  ret->link.now[0];
}
