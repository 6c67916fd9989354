/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/text.h"

#include <stdbool.h>
#include <string.h>

static bool is_padding(unsigned char c)
{
	return c == ' ' || c == '\0' || (c >= '\t' && c <= '\r');
}

void text_clean(char *ret, size_t cap, const void *bytes, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = bytes, *end = p + n;
	size_t len = 0;

	while (p < end && is_padding(*p))
		p++;
	while (p < end && is_padding(end[-1]))
		end--;
	for (; p < end; p++) {
		bool plain = *p >= 0x20 && *p <= 0x7e && *p != '\\';

		if (len + (plain ? 1 : 4) >= cap)
			break;
		if (plain) {
			ret[len++] = (char)*p;
		} else {
			memcpy(ret + len,
			       (char[]){ '\\', 'x', hex[*p >> 4], hex[*p & 15] }, 4);
			len += 4;
		}
	}
	ret[len] = '\0';
}
