/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/sim.h"

int dev_health(const struct dev_handle *h, struct dev_health *ret, struct err *err)
{
	(void)err;
	*ret = (struct dev_health){ 0 };
	if (h->sim)
		sim_health(h->sim, ret);
	return 0;
}
