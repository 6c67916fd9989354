/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: the room for the result, and words of a device. */
#include "device/text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char word[256];

	if (!size)
		return 0;
	size_t cap = data[0] + 1U;

	text_clean(word, cap, data + 1, size - 1);
	if (strlen(word) >= cap)
		abort();
	fuzz_printable(word);
	return 0;
}
