/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cpulatency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define CPU_DMA_LATENCY "/dev/cpu_dma_latency"

int eng_cpulatency_hold(struct err *err)
{
	const int32_t limit_us = 0;
	int e, fd = open(CPU_DMA_LATENCY, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, &limit_us, sizeof(limit_us)) == sizeof(limit_us))
		return fd;
	e = errno;
	if (fd >= 0)
		close(fd);
	return err_set(err, EXIT_CODE_HOST, e,
		       CPU_DMA_LATENCY
		       " cannot be held at 0: %s; CPUs may sleep deeply between I/Os",
		       strerror(e));
}
