/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keep the CPUs out of deep idle states while measuring: waking from one costs 100 us and more. */
#ifndef ENGINE_CPULATENCY_H
#define ENGINE_CPULATENCY_H

#include "base/err.h"

/*
 * Hold /dev/cpu_dma_latency at 0 as long as the descriptor returned is open (close() ends it).
 * Negative where the host does not allow it, with a sentence fit for a note (EXIT_CODE_HOST).
 */
int eng_cpulatency_hold(struct err *err) MUST_CHECK;

#endif
