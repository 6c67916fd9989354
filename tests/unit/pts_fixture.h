/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run directory of one's own, for tests of what judges stored runs. */
#ifndef TESTS_PTS_FIXTURE_H
#define TESTS_PTS_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

/* A new name below T_DIR (or /var/tmp, where O_DIRECT works). */
static inline const char *fresh_path(const char *name)
{
	static char path[512];
	static char top[256];
	static unsigned n;
	const char *given = getenv("T_DIR");

	if (!top[0]) {
		if (given) {
			snprintf(top, sizeof(top), "%s", given);
		} else {
			snprintf(top, sizeof(top), "/var/tmp/plateau-pts.XXXXXX");
			ck_assert_ptr_nonnull(mkdtemp(top));
		}
	}
	snprintf(path, sizeof(path), "%s/%s-%d-%u", top, name, (int)getpid(), n++);
	return path;
}

#endif
