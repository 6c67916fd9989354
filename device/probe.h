/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only the drive itself can tell, beyond what the kernel shows in sysfs. */
#ifndef DEVICE_PROBE_H
#define DEVICE_PROBE_H

#include "device/dev.h"
#include "device/nvme.h"

/* The controllers through which a block device is reached, "nvme0, nvme1"; "" = no NVMe. */
void probe_controllers(const struct dev_roots *roots, const char *name,
		       char ret[DEV_WORD]);
/* The namespaces of a controller, by its kernel name, "nvme0n1, nvme0n2"; "" = none. */
void probe_namespaces(const struct dev_roots *roots, const char *controller,
		      char ret[DEV_WORD]);

/* Ask a drive and add to `info`. Its silence is no error: info->unread says why. */
void probe_drive(const struct dev_roots *roots, struct dev_info *info);

/*
 * On the open descriptor: the same NVMe namespace of the same drive, not reserved meanwhile.
 * Anything else is EXIT_CODE_SAFETY. A device that is no NVMe passes.
 */
int probe_confirm(int fd, const struct dev_info *info, struct err *err) MUST_CHECK;
/* The same over a link that is there already. */
int probe_confirm_nvme(struct nvme_link *link, const struct dev_info *info,
		       struct err *err) MUST_CHECK;

#endif
