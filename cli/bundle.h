/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_BUNDLE_H
#define CLI_BUNDLE_H

#include "base/str.h"

/*
 * Unpack the bundle `file` into a new directory of its own below TMPDIR; *ret_dir is the run in it. Members
 * that lead out of it, or another number of runs than one: EXIT_CODE_HOST. bundle_remove() in any case.
 */
int bundle_unpack(const char *file, struct str *ret_tmp, struct str *ret_dir,
		  struct err *err) MUST_CHECK;
void bundle_remove(const struct str *tmp);

#endif
