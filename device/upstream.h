/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two drives share on their way to the processor. */
#ifndef DEVICE_UPSTREAM_H
#define DEVICE_UPSTREAM_H

#include "device/dev.h"

/* The PCI address of the port, switch or adapter nearest to two block devices (by kernel name) that both
 * go through; false where there is none: no PCI, another root port, or not known. */
bool dev_shared_link(const struct dev_roots *roots, const char *a, const char *b,
		     char ret[DEV_WORD]);

#endif
