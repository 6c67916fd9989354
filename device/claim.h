/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a claim, for the few files of this folder that make and use one. */
#ifndef DEVICE_CLAIM_H
#define DEVICE_CLAIM_H

#include "device/dev.h"
#include "device/signature.h"

struct dev_claim {
	struct dev_handle handle; /* its fd holds the exclusive claim (O_EXCL or flock) */
	int fd;                   /* for writing, direct */
	const struct dev_roots *roots;
	char *run_dir; /* NULL: none */
	struct signatures waived;
};

#endif
