/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a backend puts a result together; what the rest of the program sees is in engine.h. */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "engine/engine.h"

/* What a workload asked for while its stimulus lasted (a fill's final drain left out). */
struct eng_asked {
	uint32_t qd;
	uint64_t depth_ns; /* asked outstanding I/Os, integrated over the time */
	uint64_t got_ns;   /* the same of the real ones */
};

/* Count an error; the earliest ENG_ERRORS_KEPT are kept, in order of time. */
void eng_result_add_error(struct eng_result *r, const struct eng_error *e);
/* Sums; worst_busy_ns is the caller's: workers of an interval and intervals differ there. */
void eng_host_merge(struct eng_host *into, const struct eng_host *from);
/* Was it the host that set the pace? The rule of design.md section 7. */
bool eng_host_limited(const struct eng_result *r, const struct eng_asked *asked);

#endif
