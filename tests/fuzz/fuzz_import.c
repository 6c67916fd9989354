/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: a file of results of another program. */
#include <glib.h>

#include "import/import.h"
#include "tests/fuzz/fuzz.h"

static void words(const char *text)
{
	if (!g_utf8_validate(text, -1, NULL))
		abort();
	for (; *text; text++)
		if (g_ascii_iscntrl(*text))
			abort();
}

/* What is read makes a run.json. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct imp_result r;
	struct err err = { 0 };

	if (imp_read((const char *)data, size, &r, &err)) {
		if (!*err.text)
			abort();
		words(err.text);
		return 0;
	}
	if (!r.n || r.n > IMP_MAX_FIGURES)
		abort();
	words(r.tool);
	words(r.drive);
	words(r.firmware);
	words(r.date);
	words(r.os);
	json_t *o = imp_json(&r, "file");

	if (!o)
		abort();
	json_decref(o);
	return 0;
}
