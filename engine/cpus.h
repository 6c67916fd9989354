/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where worker threads may run. */
#ifndef ENGINE_CPUS_H
#define ENGINE_CPUS_H

#include <sched.h>

/*
 * The CPUs of the NUMA node (-1: any) that this process is allowed to use; all that it is
 * allowed to use where the node has none of them or is unknown. Empty where that is unknown.
 */
void eng_cpus_near(int node, cpu_set_t *ret);
/* "0-3,8,10-11" as the kernel writes it; CPUs beyond a cpu_set_t are left out. */
void eng_cpus_parse(const char *list, cpu_set_t *ret);

#endif
