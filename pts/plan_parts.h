/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of the plan: plan.c makes it, plan_notes.c judges it, plan_text.c shows it. */
#ifndef PTS_PLAN_PARTS_H
#define PTS_PLAN_PARTS_H

#include "pts/plan.h"

/* Every deviation that is known before the first I/O, and the warnings. */
int pts_plan_add_notes(struct pts_plan *p, const struct dev_info *info,
		       struct err *err) MUST_CHECK;

const char *pts_wcache_word(enum dev_wcache c); /* "unknown", "none", "off", "on" */
const char *pts_dev_kind_word(enum dev_kind k); /* "file", "loop", "block", "sim" */
/* True where the write cache stands as the edition wants it. */
bool pts_cache_as_asked(const struct pts_edition *e, enum dev_wcache c);

#endif
