/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/smartctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"

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

	if (!smartctl_at(o, "smartctl")) {
		json_decref(o);
		return unreadable(err, "its JSON is not one of its own");
	}
	if (smartctl_u64(o, "smartctl.exit_status", &status) && status & 3) {
		const char *words = complaint(o);
		int failed = unreadable(err, *words ? words : "it cannot open the drive");

		json_decref(o);
		return failed;
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
