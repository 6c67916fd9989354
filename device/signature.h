/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libblkid recognises on a device: file systems, RAID, LVM, encryption, partition tables. */
#ifndef DEVICE_SIGNATURE_H
#define DEVICE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { SIGNATURES_MAX = 16 };

struct signatures {
	char name[SIGNATURES_MAX][32]; /* "ext4", "LVM2_member", "gpt"; each once */
	size_t n;
	char words[256]; /* "ext4, gpt" */
};

/* `fd` is open for buffered reading. Unreadable: EXIT_CODE_SAFETY. */
int signatures_probe(int fd, const char *path, struct signatures *ret,
		     struct err *err) MUST_CHECK;
/* The first of `now` that is not in `before`; NULL when there is none. */
const char *signatures_new(const struct signatures *now, const struct signatures *before);

#endif
