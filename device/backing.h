/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which block devices lie under a path: down through partitions, device mapper, md, loop
 * devices and the file systems of their backing files, overlays and btrfs.
 */
#ifndef DEVICE_BACKING_H
#define DEVICE_BACKING_H

#include <libmount.h>
#include <sys/stat.h>

#include "device/dev.h"

struct backing {
	dev_t *dev; /* every device met, disks and partitions; none for a file system without one */
	size_t n;
};

/* `path` need not exist yet: then its nearest parent that does. EXIT_CODE_SAFETY if undecidable. */
int backing_of_path(const struct dev_roots *roots, const char *path, struct backing *ret,
		    struct err *err) MUST_CHECK;
/* The same of / as this process and as process 1 see it. */
int backing_of_system(const struct dev_roots *roots, struct backing *ret,
		      struct err *err) MUST_CHECK;
void backing_release(struct backing *b);

/*
 * What the loop device with sysfs directory `dir` is made of: type, device and inode.
 * -ENOENT: no loop device, or empty. -ESTALE: its backing file cannot be seen from here.
 */
int backing_of_loop(const struct dev_roots *roots, const char *dir,
		    struct statx *ret) MUST_CHECK;

/* The type of the file system that holds `path` ("ext4"); "" where unknown. */
void backing_fs_type(const struct dev_roots *roots, const char *path, char ret[DEV_WORD]);

/* A mountinfo file; anything in it that is not understood is an error. */
int backing_mounts(const char *mountinfo, struct libmnt_table **ret) MUST_CHECK;

#endif
