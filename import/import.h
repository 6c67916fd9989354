/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of other programs, as figures that can stand beside those of a run: CrystalDiskMark 6, 8 and 9 (text), AS SSD (text), fio
 * (JSON), TKperf (XML). What such a file does not say is 0 or "", never guessed.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/io.h"

struct imp_figure {
	enum io_pattern pattern;
	uint32_t bs_b;
	uint8_t read_pct;
	uint32_t tc, qd;          /* threads, outstanding I/Os of each */
	double iops, bytes_per_s; /* 0: not stated, and not to be had from the other */
	double lat_mean_ns;
};

#define IMP_MAX_FIGURES 256

struct imp_result {
	char tool[96]; /* "CrystalDiskMark 8.0.4" */
	char drive[128];
	char firmware[32];
	char date[40]; /* as it stands there */
	char os[96];
	struct imp_figure figure[IMP_MAX_FIGURES];
	size_t n;
};

/*
 * Find out what `text` is, and read it: UTF-8, UTF-16 with its mark, or Windows-1252; any line ends; a
 * comma or a point before the decimals. Not one of the four, or nothing to be found in it: EXIT_CODE_USAGE and half a
 * sentence to put behind the file's name.
 */
int imp_read(const char *text, size_t len, struct imp_result *ret,
	     struct err *err) MUST_CHECK;

/* Without blanks around it; control characters become '?', what is no UTF-8 ends it. */
void imp_words(char *ret, size_t size, const char *text);

/* The members "imported" of run.json; NULL without memory. */
json_t *imp_json(const struct imp_result *r, const char *file);

#endif
