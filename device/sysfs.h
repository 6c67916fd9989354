/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the kernel's view of block devices: below a prefix, so that recorded trees serve too. */
#ifndef DEVICE_SYSFS_H
#define DEVICE_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/dev.h"

/* Where a block device lives in sysfs; of a whole disk both directories are the same. */
struct sysfs_node {
	char dir[PATH_MAX];  /* resolved: .../block/sda/sda1 */
	char disk[PATH_MAX]; /* .../block/sda */
	char name[DEV_WORD]; /* kernel name: sda1 */
	dev_t dev;
	bool is_partition;
};

/* snprintf into a path; false (and "") where it does not fit. */
bool sysfs_path(char ret[PATH_MAX], const char *fmt, ...) PRINTF_LIKE(2, 3) MUST_CHECK;

/* Bytes of DIR/ATTR, at most cap; -errno. */
ssize_t sysfs_bytes(const char *dir, const char *attr, void *ret, size_t cap) MUST_CHECK;
/* DIR/ATTR trimmed and printable; "" where it is missing or unreadable. */
void sysfs_word(const char *dir, const char *attr, char ret[DEV_WORD]);
int sysfs_u64(const char *dir, const char *attr, uint64_t *ret) MUST_CHECK;
/* "8:0" in DIR/ATTR. */
int sysfs_dev(const char *dir, const char *attr, dev_t *ret) MUST_CHECK;
bool sysfs_has(const char *dir, const char *attr);

/* -ENOENT: the kernel does not know such a block device. */
int sysfs_node_by_dev(const struct dev_roots *roots, dev_t dev,
		      struct sysfs_node *ret) MUST_CHECK;
int sysfs_node_by_name(const struct dev_roots *roots, const char *name,
		       struct sysfs_node *ret) MUST_CHECK;

/* Names in a directory, sorted, without the dotted; free with sysfs_names_free(). -errno. */
int sysfs_names(const char *dir, char ***ret, size_t *ret_n) MUST_CHECK;
void sysfs_names_free(char **names, size_t n);

#endif
