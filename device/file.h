/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch files: what O_DIRECT needs, and how plateau knows its own. */
#ifndef DEVICE_FILE_H
#define DEVICE_FILE_H

#include "device/dev.h"

/* Alignment of direct I/O on an existing file. No direct I/O: EXIT_CODE_HOST, fs_type named. */
int file_direct_b(const char *path, const char *fs_type, uint32_t *ret_b,
		  struct err *err) MUST_CHECK;

/*
 * Nothing in the file is anybody's: it has one name, and either plateau's mark for exactly this
 * inode and size or no data at all. Else EXIT_CODE_SAFETY. `fd` may be read-only.
 */
int file_check_expendable(int fd, const char *path, struct err *err) MUST_CHECK;

/* Mark the file open at `fd` as plateau's. EXIT_CODE_HOST. */
int file_mark(int fd, const char *path, struct err *err) MUST_CHECK;

#endif
