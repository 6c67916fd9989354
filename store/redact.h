/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as it may be shown to others. */
#ifndef STORE_REDACT_H
#define STORE_REDACT_H

#include "store/store.h"

/*
 * Replace what identifies one drive or one host - serial numbers, WWIDs, host names - wherever it stands in run.json
 * and in the records, also inside of paths, arguments and sentences, by "x" and twelve hexadecimal digits of its SHA-256:
 * the same drive is the same word in every report. In memory; the files stay. -ENOMEM: EXIT_CODE_HOST.
 */
int st_run_redact(struct st_run *run, struct err *err) MUST_CHECK;

#endif
