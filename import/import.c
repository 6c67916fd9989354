/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "import/parse.h"

#define MAX_DEPTH 65536

bool imp_line(const char **at, char line[IMP_LINE])
{
	size_t len = strcspn(*at, "\n");

	if (!**at)
		return false;
	snprintf(line, IMP_LINE, "%.*s", len < IMP_LINE ? (int)len : IMP_LINE - 1, *at);
	*at += len + ((*at)[len] == '\n');
	return true;
}

bool imp_number(const char *text, double *ret)
{
	char plain[64], *end;
	const char *point = strrchr(text, ',');
	size_t n = 0;

	/* The last of the two is the one before the decimals, the other groups thousands. */
	if (strrchr(text, '.') > point)
		point = strrchr(text, '.');
	for (const char *c = text; *c && n + 1 < sizeof(plain); c++) {
		if (c == point)
			plain[n++] = '.';
		else if (*c != ',' && *c != '.')
			plain[n++] = *c;
	}
	plain[n] = '\0';
	*ret = g_ascii_strtod(plain, &end);
	return n && !*end && isfinite(*ret) && *ret >= 0;
}

void imp_words(char *ret, size_t size, const char *text)
{
	const char *end;
	size_t len;

	text += strspn(text, " \t");
	snprintf(ret, size, "%s", text);
	/* Cut within a character, perhaps. */
	g_utf8_validate(ret, -1, &end);
	len = (size_t)(end - ret);
	ret[len] = '\0';
	while (len && strchr(" \t\r", ret[len - 1]))
		ret[--len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)ret[i]))
			ret[i] = '?';
}

int imp_add(struct imp_result *r, const struct imp_figure *f, struct err *err)
{
	struct imp_figure *to = &r->figure[r->n];

	if (r->n == IMP_MAX_FIGURES)
		return err_set(err, EXIT_CODE_USAGE, E2BIG, "has more than %d results",
			       IMP_MAX_FIGURES);
	if (!f->bs_b || f->read_pct > 100)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "has a result with a block size of %u and %u %% reads",
			       f->bs_b, f->read_pct);
	if (!f->tc || f->tc > MAX_DEPTH || !f->qd || f->qd > MAX_DEPTH)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "has a result of %u threads with %u I/Os each", f->tc,
			       f->qd);
	*to = *f;
	if (to->iops <= 0)
		to->iops = to->bytes_per_s / to->bs_b;
	if (to->bytes_per_s <= 0)
		to->bytes_per_s = to->iops * to->bs_b;
	r->n += to->iops > 0 || to->lat_mean_ns > 0;
	return 0;
}

/* UTF-8 without carriage returns; NULL where it is no text in any of the three. */
static char *as_utf8(const char *text, size_t len)
{
	const unsigned char *b = (const unsigned char *)text;
	const char *from = NULL;
	char *copy;

	if (len >= 2 && b[0] == 0xff && b[1] == 0xfe)
		from = "UTF-16LE";
	else if (len >= 2 && b[0] == 0xfe && b[1] == 0xff)
		from = "UTF-16BE";
	else if (len >= 3 && !memcmp(b, "\xef\xbb\xbf", 3))
		text += 3, len -= 3;
	if (from)
		copy = g_convert(text + 2, (gssize)len - 2, "UTF-8", from, NULL, NULL,
				 NULL);
	else if (g_utf8_validate(text, (gssize)len, NULL))
		copy = g_strndup(text, len);
	else
		copy = g_convert(text, (gssize)len, "UTF-8", "CP1252", NULL, NULL, NULL);
	if (copy) {
		char *to = copy;

		for (const char *c = copy; *c; c++)
			if (*c != '\r')
				*to++ = *c;
		*to = '\0';
	}
	return copy;
}

int imp_read(const char *text, size_t len, struct imp_result *ret, struct err *err)
{
	static const struct {
		const char *sign;
		int (*read)(const char *text, struct imp_result *r, struct err *err);
	} formats[] = {
		{ "CrystalDiskMark", imp_cdm },
		{ "AS SSD Benchmark", imp_asssd },
		{ "\"fio version\"", imp_fio },
		{ "<roundmat>", imp_tkperf },
	};
	char *utf8 = as_utf8(text, len);
	int rc = -EINVAL;

	*ret = (struct imp_result){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (!utf8 || !strstr(utf8, formats[i].sign))
			continue;
		rc = formats[i].read(utf8, ret, err);
		if (!rc && !ret->n)
			rc = err_set(err, EXIT_CODE_USAGE, ENODATA,
				     "is of %s, and holds no result", ret->tool);
		/* It may quote the file. */
		if (rc && err) {
			char clean[sizeof(err->text)];

			imp_words(clean, sizeof(clean), err->text);
			memcpy(err->text, clean, sizeof(clean));
		}
		g_free(utf8);
		return rc;
	}
	g_free(utf8);
	return err_set(
		err, EXIT_CODE_USAGE, EINVAL,
		"is no result of CrystalDiskMark, AS SSD (text), fio (JSON) or TKperf (XML)");
}

static json_t *number_or_null(double v)
{
	return v > 0 ? json_real(v) : json_null();
}

static json_t *figure_json(const struct imp_figure *f)
{
	return json_pack("{s:s,s:I,s:i,s:I,s:I,s:o,s:o,s:o}", "pattern",
			 io_pattern_word(f->pattern), "bs_b", (json_int_t)f->bs_b,
			 "read_pct", (int)f->read_pct, "tc", (json_int_t)f->tc, "qd",
			 (json_int_t)f->qd, "iops", number_or_null(f->iops),
			 "bytes_per_s", number_or_null(f->bytes_per_s), "lat_mean_ns",
			 number_or_null(f->lat_mean_ns));
}

json_t *imp_json(const struct imp_result *r, const char *file)
{
	json_t *figures = json_array();
	char name[256];

	imp_words(name, sizeof(name), file);
	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(figures, figure_json(&r->figure[i]));
	return json_pack("{s:s,s:s,s:s,s:s,s:o}", "tool", r->tool, "file", name, "date",
			 r->date, "os", r->os, "figures", figures);
}
