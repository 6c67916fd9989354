/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fuzz target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput() and a folder
 * fixtures/fuzz/NAME of inputs, each a kind of its own or once a finding. `make fuzz` searches
 * with libFuzzer; `make check` runs the inputs alone, through replay.c.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fill `to` from the input, zeros after its end; how many bytes were used. */
static inline size_t fuzz_take(void *to, size_t cap, const uint8_t *data, size_t size)
{
	size_t n = size < cap ? size : cap;

	memset(to, 0, cap);
	if (n)
		memcpy(to, data, n);
	return n;
}

static inline void fuzz_printable(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			abort();
}

#endif
