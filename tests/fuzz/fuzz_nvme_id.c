/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: Identify Controller, Identify Namespace and the descriptor list, cut off anywhere. */
#include "device/nvme_id.h"
#include "device/remark.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nvme_id_ctrl ctrl;
	static struct nvme_id_ns ns;
	static unsigned char descs[NVME_IDENTIFY_DATA_SIZE];
	struct dev_info info = { .kind = DEV_BLOCK };
	json_t *o = json_object();

	size_t used = fuzz_take(&ns, sizeof(ns), data, size);

	used += fuzz_take(&ctrl, sizeof(ctrl), data + used, size - used);
	fuzz_take(descs, sizeof(descs), data + used, size - used);
	nvme_id_parse(&ctrl, &ns, descs, &info.nvme);
	info.nvme.known = true;
	info.nvme.nsid = 1;
	fuzz_printable(info.nvme.serial);
	fuzz_printable(info.nvme.model);
	fuzz_printable(info.nvme.firmware);
	if (dev_details_json(&info, o))
		abort();
	json_decref(o);
	return 0;
}
