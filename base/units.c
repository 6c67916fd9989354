/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/*
 * digits[.digits] times unit (at most 2^60), exactly: the fraction must come out whole. Returns
 * false where the text is no such number or the product does not fit.
 */
static bool parse_scaled(const char *text, size_t len, uint64_t unit, uint64_t *ret)
{
	u128 value = 0, scale = 1;
	bool digit = false, point = false;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.' && digit && !point) {
			point = true;
			digit = false;
			continue;
		}
		if (!isdigit((unsigned char)text[i]) || scale > 1000000000000ULL)
			return false;
		digit = true;
		value = value * 10 + (unsigned)(text[i] - '0');
		if (value >> 64)
			return false;
		if (point)
			scale *= 10;
	}
	if (!digit)
		return false;
	value *= unit;
	if (value % scale || (value / scale) >> 64)
		return false;
	*ret = (uint64_t)(value / scale);
	return true;
}

/* Length of the leading number. */
static size_t number_len(const char *text)
{
	return strspn(text, "0123456789.");
}

int units_parse_size(const char *what, const char *text, uint64_t *ret_b, struct err *err)
{
	static const char letters[] = "kmgtpe";
	size_t n = number_len(text);
	const char *suffix = text + n;
	uint64_t unit = 1, value;

	if (*suffix) {
		const char *at = strchr(letters, tolower((unsigned char)*suffix));

		if (at) {
			unit = 1ULL << (10 * (at - letters + 1));
			suffix++;
			if (*suffix == 'i' && (suffix[1] == 'B' || suffix[1] == 'b'))
				suffix++;
		}
		if (*suffix == 'B' || *suffix == 'b')
			suffix++;
	}
	if (!n || *suffix || !parse_scaled(text, n, unit, &value))
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"%s: '%s' is not a size; write it like 4k, 128KiB, 0.5k or 1G",
			what, text);
	*ret_b = value;
	return 0;
}

int units_parse_dur(const char *what, const char *text, uint64_t *ret_ns, struct err *err)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {
		{ "us", NSEC_PER_USEC },       { "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC },         { "", NSEC_PER_SEC },
		{ "m", 60 * NSEC_PER_SEC },    { "h", 3600 * NSEC_PER_SEC },
		{ "d", 86400 * NSEC_PER_SEC },
	};
	size_t n = number_len(text);
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (!n || strcmp(text + n, units[i].suffix) != 0 ||
		    !parse_scaled(text, n, units[i].ns, &value) || !value)
			continue;
		*ret_ns = value;
		return 0;
	}
	return err_set(err, EXIT_CODE_USAGE, EINVAL,
		       "%s: '%s' is not a duration; write it like 250ms, 90s, 60m or 24h",
		       what, text);
}

int units_parse_ratio(const char *what, const char *text, uint64_t *ret_ppm,
		      struct err *err)
{
	if (!parse_scaled(text, strlen(text), 1000000, ret_ppm))
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"%s: '%s' is not a ratio; write it like 0.28, with six decimals at most",
			what, text);
	return 0;
}

int units_parse_uint(const char *what, const char *text, uint64_t min, uint64_t max,
		     uint64_t *ret, struct err *err)
{
	uint64_t value;

	if (strchr(text, '.') || !parse_scaled(text, strlen(text), 1, &value) ||
	    value < min || value > max)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "%s: '%s' is not a whole number from %" PRIu64
			       " to %" PRIu64,
			       what, text, min, max);
	*ret = value;
	return 0;
}

const char *units_size(uint64_t size_b, char buf[UNITS_TEXT])
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };

	for (size_t i = ARRAY_LEN(names); i-- > 1;) {
		uint64_t unit = 1ULL << (10 * i), half = unit / 2;

		if (size_b < half || size_b % half)
			continue;
		snprintf(buf, UNITS_TEXT, "%" PRIu64 "%s %s", size_b / unit,
			 size_b % unit ? ".5" : "", names[i]);
		return buf;
	}
	snprintf(buf, UNITS_TEXT, "%" PRIu64 " B", size_b);
	return buf;
}

const char *units_capacity(uint64_t size_b, char buf[UNITS_TEXT])
{
	static const char *const names[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)size_b;
	size_t i = 0;

	while (value >= 999.5 && i + 1 < ARRAY_LEN(names)) {
		value /= 1000;
		i++;
	}
	snprintf(buf, UNITS_TEXT, "%.*f %s",
		 !i              ? 0
		 : value < 9.995 ? 2
		 : value < 99.95 ? 1
				 : 0,
		 value, names[i]);
	return buf;
}

const char *units_dur(uint64_t dur_ns, char buf[UNITS_TEXT])
{
	uint64_t s = dur_ns / NSEC_PER_SEC + (dur_ns % NSEC_PER_SEC >= NSEC_PER_SEC / 2);

	if (dur_ns < 10 * NSEC_PER_SEC && dur_ns % NSEC_PER_SEC)
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " ms",
			 (dur_ns + NSEC_PER_MSEC / 2) / NSEC_PER_MSEC);
	else if (s < 60)
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " s", s);
	else if (s < 3600 && s % 60)
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " min %" PRIu64 " s", s / 60,
			 s % 60);
	else if (s < 3600)
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " min", s / 60);
	else if (s < 172800)
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " h %" PRIu64 " min", s / 3600,
			 s % 3600 / 60);
	else
		snprintf(buf, UNITS_TEXT, "%" PRIu64 " d %" PRIu64 " h", s / 86400,
			 s % 86400 / 3600);
	return buf;
}

const char *units_utc(int64_t wall_ns, char buf[UNITS_TEXT])
{
	time_t t = (time_t)(wall_ns / (int64_t)NSEC_PER_SEC);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, UNITS_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, UNITS_TEXT, "?");
	return buf;
}

const char *units_kib(uint64_t bs_b, char buf[UNITS_TEXT])
{
	if (bs_b % 1024)
		snprintf(buf, UNITS_TEXT, "%g", (double)bs_b / 1024);
	else
		snprintf(buf, UNITS_TEXT, "%" PRIu64, bs_b / 1024);
	return buf;
}
