/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the identify structures of an NVMe drive mean. Their contents are foreign data. */
#ifndef DEVICE_NVME_ID_H
#define DEVICE_NVME_ID_H

#include "device/dev.h"
#include "device/nvme.h"

/* From the structures alone; descs (NVME_IDENTIFY_DATA_SIZE bytes) may be NULL. */
void nvme_id_parse(const struct nvme_id_ctrl *ctrl, const struct nvme_id_ns *ns,
		   const unsigned char *descs, struct dev_nvme *ret);

/* Ask for all of it. What older drives do not know stays 0; ret->nsid and controller are kept. */
int nvme_id_read(struct nvme_link *link, struct dev_nvme *ret,
		 struct err *err) MUST_CHECK;

#endif
