/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening exactly the thing that was identified. */
#ifndef DEVICE_HANDLE_H
#define DEVICE_HANDLE_H

#include "device/dev.h"

/*
 * Pin the node or file at info->path (O_PATH: the device itself is not opened) and make sure
 * that it still is what `info` says. EXIT_CODE_SAFETY where it is not.
 */
int handle_pin(const struct dev_info *info, int *ret_fd, struct err *err) MUST_CHECK;
/* Is the open `fd` still the device or file of `info`, of the same size? EXIT_CODE_SAFETY. */
int handle_verify(int fd, const struct dev_info *info, struct err *err) MUST_CHECK;
/* Open what `fd` refers to once more: no path is walked, so nothing can be swapped. -errno. */
int handle_reopen(int fd, int flags);

#endif
