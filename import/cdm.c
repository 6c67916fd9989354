/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CrystalDiskMark's text: 6 names direction and block in the line, 8 and 9 have sections. MB are 10^6 bytes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/parse.h"

#define VALUE "%31[0-9.,]"

struct cdm {
	struct imp_result *r;
	unsigned number;      /* of the line */
	int section_read_pct; /* -1: before the first section */
};

static int wrong(const struct cdm *c, const char *line, struct err *err)
{
	return err_set(err, EXIT_CODE_USAGE, EINVAL, "line %u makes no sense: '%.60s'",
		       c->number, line);
}

/* "  509.971 MB/s [  76191.7 IOPS] < 418.81 us>", of which only the first is always there. */
static int add(struct cdm *c, struct imp_figure *f, const char *line,
	       const char *const value[3], struct err *err)
{
	double mb, us = 0;

	if (!imp_number(value[0], &mb) ||
	    (value[1][0] && !imp_number(value[1], &f->iops)) ||
	    (value[2][0] && !imp_number(value[2], &us)))
		return wrong(c, line, err);
	f->bytes_per_s = mb * 1e6;
	f->lat_mean_ns = us * 1e3;
	return imp_add(c->r, f, err);
}

/* 6: "Random Read 4KiB (Q= 8,T= 8) :", "Sequential Write (Q= 32,T= 1) :", whose blocks are of 128 KiB. */
static int line_6(struct cdm *c, const char *line, struct err *err)
{
	char dir[8], value[3][32] = { "" };
	unsigned kib = 128, q, t;
	bool random = strstr(line, "Random");
	int n = random ? sscanf(line,
				" Random %7[A-Za-z] %uKiB (Q=%u,T=%u) : " VALUE
				" MB/s [ " VALUE,
				dir, &kib, &q, &t, value[0], value[1])
		       : sscanf(line,
				" Sequential %7[A-Za-z] (Q=%u,T=%u) : " VALUE
				" MB/s [ " VALUE,
				dir, &q, &t, value[0], value[1]);

	if (n < (random ? 5 : 4) || kib > 65536)
		return wrong(c, line, err);
	struct imp_figure f = { .pattern = random ? IO_RAND : IO_SEQ,
				.bs_b = kib << 10,
				.read_pct = strcmp(dir, "Read") ? 0 : 100,
				.tc = t,
				.qd = q };

	return add(c, &f, line, (const char *[]){ value[0], value[1], "" }, err);
}

/* 8 and 9: "RND    4KiB (Q= 32, T=16):" */
static int line_8(struct cdm *c, const char *line, struct err *err)
{
	char pattern[4], unit[2], value[3][32] = { "" };
	unsigned size, q, t;
	int n = sscanf(line,
		       " %3[A-Z] %u%1[KM]iB (Q=%u, T=%u): " VALUE " MB/s [ " VALUE
		       " IOPS] < " VALUE,
		       pattern, &size, unit, &q, &t, value[0], value[1], value[2]);

	if (n < 6 || size > 65536 || c->section_read_pct < 0)
		return wrong(c, line, err);
	struct imp_figure f = { .pattern = strcmp(pattern, "RND") ? IO_SEQ : IO_RAND,
				.bs_b = size << (*unit == 'K' ? 10 : 20),
				.read_pct = (uint8_t)c->section_read_pct,
				.tc = t,
				.qd = q };

	return add(c, &f, line, (const char *[]){ value[0], value[1], value[2] }, err);
}

static void about(struct cdm *c, const char *line)
{
	struct imp_result *r = c->r;
	const char *colon = strchr(line, ':');
	unsigned read_pct;
	char version[32];

	if (sscanf(line, " CrystalDiskMark %31[0-9.]", version) == 1)
		snprintf(r->tool, sizeof(r->tool), "CrystalDiskMark %s", version);
	else if (strstr(line, "[Read]"))
		c->section_read_pct = 100;
	else if (strstr(line, "[Write]"))
		c->section_read_pct = 0;
	else if (sscanf(line, " [Mix] Read %u%%", &read_pct) == 1 && read_pct <= 100)
		c->section_read_pct = (int)read_pct;
	else if (colon && strstr(line, "Date") && !r->date[0])
		imp_words(r->date, sizeof(r->date), colon + 1);
	else if (colon && strstr(line, " OS ") && !r->os[0])
		imp_words(r->os, sizeof(r->os), colon + 1);
	else if (colon && strstr(line, " OS:") && !r->os[0])
		imp_words(r->os, sizeof(r->os), colon + 1);
	else if (colon && !strncmp(line, "Comment:", 8))
		imp_words(r->drive, sizeof(r->drive), colon + 1);
	else if (r->os[0] && !r->drive[0] && line[strspn(line, " \t")])
		imp_words(r->drive, sizeof(r->drive), line); /* 6: the comment */
}

int imp_cdm(const char *text, struct imp_result *r, struct err *err)
{
	struct cdm c = { .r = r, .section_read_pct = -1 };
	char line[IMP_LINE], pattern[4];
	int rc = 0;

	snprintf(r->tool, sizeof(r->tool), "CrystalDiskMark");
	while (!rc && imp_line(&text, line)) {
		c.number++;
		if (!strstr(line, "(Q="))
			about(&c, line);
		else if (sscanf(line, " %3[A-Z]", pattern) == 1 &&
			 (!strcmp(pattern, "SEQ") || !strcmp(pattern, "RND")))
			rc = line_8(&c, line, err);
		else
			rc = line_6(&c, line, err);
	}
	return rc;
}
