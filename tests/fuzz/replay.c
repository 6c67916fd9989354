/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target on the files named. */
#include <stdio.h>

#include "base/str.h"
#include "tests/fuzz/fuzz.h"

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		struct str s = { 0 };
		struct err err;

		if (str_read_file(&s, argv[i], 1 << 20, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		fprintf(stderr, "%s\n", argv[i]); /* the last one named is the culprit */
		LLVMFuzzerTestOneInput((const uint8_t *)str_text(&s), s.len);
		str_release(&s);
	}
	return argc < 2;
}
