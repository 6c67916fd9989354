/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of dev_identify() that the gate and the list need as well. */
#ifndef DEVICE_DISCOVER_H
#define DEVICE_DISCOVER_H

#include "device/dev.h"

/* What the block device `dev` is, from sysfs alone; not who uses it. -ENODEV: it is gone. */
int discover_block(const struct dev_roots *roots, dev_t dev, struct dev_info *ret,
		   struct err *err) MUST_CHECK;

#endif
