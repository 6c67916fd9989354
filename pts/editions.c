/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The editions of the specification and what each asks of every test. The first is the default. */
#include <string.h>

#include "pts/tables.h"

/* clang-format off */
static const struct pts_edition editions[] = {
	{ .id = "pts-e-2.0", .label = "PTS-E 2.0.2",
	  .cache = PTS_WCD, .cache_cite = T("3.7"),
	  .active_range_pct = 100, .active_range_cite = T("3.4") },
	{ .id = "pts-c-2.0", .label = "PTS-C 2.0.2",
	  .cache = PTS_WCE, .cache_cite = T("3.7"),
	  .active_range_pct = 75, .active_range_cite = T("3.4") },
};
/* clang-format on */

const struct pts_edition *pts_edition_nth(size_t i)
{
	return i < ARRAY_LEN(editions) ? &editions[i] : NULL;
}

const struct pts_edition *pts_edition_find(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(editions); i++)
		if (!strcmp(editions[i].id, id))
			return &editions[i];
	return NULL;
}
