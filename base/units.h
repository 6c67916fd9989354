/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words of the command line into integers, and quantities into words.
 * Sizes are binary (4k = 4KiB = 4096); rates and capacities in reports are decimal. @pts 2.4.1
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

#include "base/err.h"

/* "512", "4k", "0.5KiB", "1G", "2TiB" -> bytes. One form only: digits, an optional fraction that
 * comes out as whole bytes, a suffix k M G T P E with or without iB or B. EXIT_CODE_USAGE. */
int units_parse_size(const char *what, const char *text, uint64_t *ret_b,
		     struct err *err) MUST_CHECK;
/* "400us", "250ms", "90s", "60m", "24h", "2d" -> ns; a bare number is seconds. 0 is refused. */
int units_parse_dur(const char *what, const char *text, uint64_t *ret_ns,
		    struct err *err) MUST_CHECK;
/* "0.28" -> 280000 parts in a million. */
int units_parse_ratio(const char *what, const char *text, uint64_t *ret_ppm,
		      struct err *err) MUST_CHECK;
/* A whole number in [min, max]. */
int units_parse_uint(const char *what, const char *text, uint64_t min, uint64_t max,
		     uint64_t *ret, struct err *err) MUST_CHECK;

#define UNITS_TEXT 32
/* "4 KiB", "0.5 KiB", "1 MiB", "1073831936 B": the largest binary unit that is exact to 0.5. */
const char *units_size(uint64_t size_b, char buf[UNITS_TEXT]);
/* "1.92 TB": decimal, three significant digits or more. */
const char *units_capacity(uint64_t size_b, char buf[UNITS_TEXT]);
/* "250 ms", "42 s", "3 min 5 s", "5 h 12 min", "2 d 3 h". */
const char *units_dur(uint64_t dur_ns, char buf[UNITS_TEXT]);
/* "2026-11-30T21:35:03Z" */
const char *units_utc(int64_t wall_ns, char buf[UNITS_TEXT]);
/* A block size as the PTS writes it, in KiB: "0.5", "4", "1024". */
const char *units_kib(uint64_t bs_b, char buf[UNITS_TEXT]);

#endif
