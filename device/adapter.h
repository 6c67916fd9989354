/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI storage controller that a block device hangs on: an HBA, or the NVMe drive itself. */
#ifndef DEVICE_ADAPTER_H
#define DEVICE_ADAPTER_H

#include "device/dev.h"

struct dev_adapter {
	char hba[DEV_WORD]; /* "nvme, PCI 8086:0a54 at 0000:01:00.0"; "" where there is none */
	char pcie
		[DEV_WORD]; /* "8.0 GT/s PCIe x4", and what it could do where that is more; "" = not PCIe */
};

/* Of a block device, by its kernel name. */
void dev_adapter(const struct dev_roots *roots, const char *name,
		 struct dev_adapter *ret);

/* The link of the drive itself where it is a PCI device (NVMe); else left alone. */
void dev_pci_link(const struct dev_roots *roots, const char *name, struct dev_link *ret);

#endif
