/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of [sections] and key = value lines, read with inih; a sentence about one names its line. */
#ifndef BASE_INI_H
#define BASE_INI_H

#include "base/err.h"

/*
 * Called for each section with key NULL, then for each of its lines. The words are valid during the
 * call only. What is wrong goes to err without file and line: the reader puts them in front.
 */
typedef int (*ini_on_line)(void *arg, const char *section, const char *key,
			   const char *value, struct err *err);

/* Lines may be indented; ';' and '#' begin comments, ';' also after a blank. -ENOENT where there is no
 * such file. What is wrong with the content: EXIT_CODE_USAGE; the rest of the file is not read. */
int ini_read(const char *path, ini_on_line on_line, void *arg,
	     struct err *err) MUST_CHECK;

#endif
