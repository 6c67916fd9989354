/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/upstream.h"

#include <stdio.h>
#include <string.h>

#include "device/sysfs.h"

/* "0000:3b:00.0" of so many bytes; not "pci0000:3a", the host bridge, which everything shares. */
static bool is_pci_address(const char *part, size_t len)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (len != strlen(form))
		return false;
	for (size_t i = 0; i < len; i++)
		if (form[i] == 'x' ? !strchr("0123456789abcdef", part[i])
				   : part[i] != form[i])
			return false;
	return true;
}

bool dev_shared_link(const struct dev_roots *roots, const char *a, const char *b,
		     char ret[DEV_WORD])
{
	struct sysfs_node node[2];
	bool found = false;

	if (sysfs_node_by_name(roots, a, &node[0]) ||
	    sysfs_node_by_name(roots, b, &node[1]))
		return false;
	/* As far as the two paths are the same, the last address counts. */
	for (const char *x = node[0].dir, *y = node[1].dir; *x && *y;) {
		size_t len = strcspn(x, "/");

		if (len != strcspn(y, "/") || strncmp(x, y, len) != 0)
			break;
		if (is_pci_address(x, len)) {
			snprintf(ret, DEV_WORD, "%.*s", (int)len, x);
			found = true;
		}
		x += len + (x[len] == '/');
		y += len + (y[len] == '/');
	}
	return found;
}
