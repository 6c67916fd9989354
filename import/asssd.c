/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AS SSD's text, in MB/s or in IOPS. Its MB are 2^20 bytes, as its own two forms show: 160.60 blocks of 16 MiB a
 * second are its "2569.63 MB/s". Access times are those of 512 bytes at random, one at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "import/parse.h"

struct section {
	const char *name;
	enum io_pattern pattern;
	uint32_t bs_b, tc;
};

static const struct section sections[] = {
	{ "Sequential:", IO_SEQ, 16 << 20, 1 },
	{ "16MB", IO_SEQ, 16 << 20, 1 },
	{ "4K:", IO_RAND, 4096, 1 },
	{ "4K-64Threads:", IO_RAND, 4096, 64 },
	{ "4K-64Thrd:", IO_RAND, 4096, 64 },
	{ "512B", IO_RAND, 512, 1 },
	{ "Access Times:", IO_RAND, 512, 1 },
	{ "Acc.time:", IO_RAND, 512, 1 },
	{ "Score:", IO_RAND, 0, 0 }, /* points, no figure */
};

static const struct section *section_of(const char *line)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (!strncmp(line, sections[i].name, strlen(sections[i].name)))
			return &sections[i];
	return NULL;
}

static int add(struct imp_result *r, const struct section *s, const char *dir,
	       const char *value, const char *unit, struct err *err)
{
	struct imp_figure f = { .pattern = s->pattern,
				.bs_b = s->bs_b,
				.read_pct = strcmp(dir, "Read") ? 0 : 100,
				.tc = s->tc,
				.qd = 1 };
	double v;

	if (!imp_number(value, &v))
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "has '%s' for a number",
			       value);
	if (!strcmp(unit, "MB/s"))
		f.bytes_per_s = v * (double)MIB(1);
	else if (!strcmp(unit, "iops"))
		f.iops = v;
	else if (!strcmp(unit, "ms"))
		f.lat_mean_ns = v * 1e6;
	else
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "has a figure in '%s'",
			       unit);
	return imp_add(r, &f, err);
}

int imp_asssd(const char *text, struct imp_result *r, struct err *err)
{
	const struct section *in = NULL, *next;
	char line[IMP_LINE], dir[8], value[32], unit[8];
	int rc = 0;

	while (!rc && imp_line(&text, line)) {
		next = section_of(line);
		if (next)
			in = next;
		else if (!in && strstr(line, "AS SSD Benchmark"))
			imp_words(r->tool, sizeof(r->tool), line);
		else if (!in && !strncmp(line, "Name:", 5))
			imp_words(r->drive, sizeof(r->drive), line + 5);
		else if (!in && !strncmp(line, "Firmware:", 9))
			imp_words(r->firmware, sizeof(r->firmware), line + 9);
		else if (!in && !strncmp(line, "Date:", 5))
			imp_words(r->date, sizeof(r->date), line + 5);
		else if (in && in->bs_b &&
			 sscanf(line, " %7[A-Za-z]: %31[0-9.,] %7s", dir, value, unit) ==
				 3)
			rc = add(r, in, dir, value, unit, err);
	}
	return rc;
}
