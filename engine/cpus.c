/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cpus.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

#define MAX_LIST_B 4096

void eng_cpus_parse(const char *list, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	for (const char *at = list; *at;) {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (end == at)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, ret);
		at = *end == ',' ? end + 1 : end;
	}
}

void eng_cpus_near(int node, cpu_set_t *ret)
{
	struct str list = { 0 };
	cpu_set_t allowed, near;
	char path[64];

	CPU_ZERO(&allowed);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	*ret = allowed;
	if (node < 0)
		return;
	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		       node);
	if (!str_read_file(&list, path, MAX_LIST_B, NULL)) {
		eng_cpus_parse(str_text(&list), &near);
		CPU_AND(&near, &near, &allowed);
		if (CPU_COUNT(&near))
			*ret = near;
	}
	str_release(&list);
}
