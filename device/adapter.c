/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/adapter.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/sysfs.h"

#define STORAGE_CLASS "0x01" /* PCI base class 1, mass storage */

static bool is_controller(const char *dir)
{
	char class[DEV_WORD], vendor[DEV_WORD];

	sysfs_word(dir, "class", class);
	sysfs_word(dir, "vendor", vendor);
	return !strncmp(class, STORAGE_CLASS, strlen(STORAGE_CLASS)) && *vendor;
}

static void driver_of(const char *dir, char ret[DEV_WORD])
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name = "no driver";
	ssize_t n = -1;

	if (sysfs_path(path, "%s/driver", dir))
		n = readlink(path, target, sizeof(target) - 1);
	if (n > 0) {
		target[n] = '\0';
		name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	}
	snprintf(ret, DEV_WORD, "%.40s", name);
}

static void describe(const char *dir, char ret[DEV_WORD])
{
	char vendor[DEV_WORD], device[DEV_WORD], driver[DEV_WORD];

	sysfs_word(dir, "vendor", vendor); /* 0x8086 */
	sysfs_word(dir, "device", device);
	driver_of(dir, driver);
	snprintf(ret, DEV_WORD, "%.40s, PCI %.8s:%.8s at %.40s", driver,
		 vendor + 2 * !strncmp(vendor, "0x", 2),
		 device + 2 * !strncmp(device, "0x", 2), strrchr(dir, '/') + 1);
}

static void describe_link(const char *dir, char ret[DEV_WORD])
{
	char now[DEV_WORD], lanes[DEV_WORD], most[DEV_WORD], most_lanes[DEV_WORD];

	sysfs_word(dir, "current_link_speed", now);
	sysfs_word(dir, "current_link_width", lanes);
	sysfs_word(dir, "max_link_speed", most);
	sysfs_word(dir, "max_link_width", most_lanes);
	if (!*now || !*lanes || !strcmp(lanes, "0"))
		return;
	if (!*most || !*most_lanes || (!strcmp(now, most) && !strcmp(lanes, most_lanes)))
		snprintf(ret, DEV_WORD, "%.40s x%.8s", now, lanes);
	else
		snprintf(ret, DEV_WORD, "%.40s x%.8s (of %.40s x%.8s)", now, lanes, most,
			 most_lanes);
}

void dev_adapter(const struct dev_roots *roots, const char *name, struct dev_adapter *ret)
{
	struct sysfs_node node;
	char *slash;

	*ret = (struct dev_adapter){ .hba = "" };
	if (sysfs_node_by_name(roots, name, &node))
		return;
	while ((slash = strrchr(node.dir, '/')) && slash != node.dir) {
		if (is_controller(node.dir)) {
			describe(node.dir, ret->hba);
			describe_link(node.dir, ret->pcie);
			return;
		}
		*slash = '\0';
	}
}
