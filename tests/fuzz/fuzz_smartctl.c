/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: what smartctl printed. */
#include "device/smartctl.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct smartctl_id id;
	struct err err;
	json_t *o;

	if (!text)
		abort();
	fuzz_take(text, size, data, size);
	text[size] = '\0';
	if (!smartctl_parse(text, size, &o, &err)) {
		smartctl_identify(o, &id);
		fuzz_printable(id.model);
		fuzz_printable(id.serial);
		fuzz_printable(id.link.now);
		json_decref(o);
	}
	free(text);
	return 0;
}
