/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that a device reports about itself, made fit to compare and to print. */
#ifndef DEVICE_TEXT_H
#define DEVICE_TEXT_H

#include <stddef.h>

/*
 * Trim blanks and NULs at both ends; show what is not 0x20..0x7e, and the backslash itself, as
 * \xNN. What does not fit is cut off before a whole character. cap > 0; always terminated.
 */
void text_clean(char *ret, size_t cap, const void *bytes, size_t n);

#endif
