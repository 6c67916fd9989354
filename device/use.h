/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a device or file. Only looks; what cannot be found out is an error, never "nobody". */
#ifndef DEVICE_USE_H
#define DEVICE_USE_H

#include "device/dev.h"

/*
 * 0 when nobody uses it. In use, or not to be found out: EXIT_CODE_SAFETY with the sentence.
 * run_dir (may be NULL, need not exist yet): the disk that holds it counts as used.
 */
int use_refuse(const struct dev_roots *roots, const struct dev_info *info,
	       const char *run_dir, struct err *err) MUST_CHECK;

/* The same in words for a list ("mounted on /, swap"); openers are left out: they come and go. */
void use_words(const struct dev_roots *roots, const struct dev_info *info, char *ret,
	       size_t cap);

#endif
