/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: an attribute of sysfs. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/sysfs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char attr[16], word[DEV_WORD];
	uint64_t number;
	dev_t dev;

	if (fd < 0)
		fd = memfd_create("attribute", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(attr, sizeof(attr), "%d", fd);
	sysfs_word("/proc/self/fd", attr, word);
	fuzz_printable(word);
	if (!sysfs_u64("/proc/self/fd", attr, &number) &&
	    (data[0] < '0' || data[0] > '9'))
		abort();
	if (!sysfs_dev("/proc/self/fd", attr, &dev) && !memchr(data, ':', size))
		abort();
	return 0;
}
