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

/* The speed and width in two attributes; "" where there is no link. */
static void link_words(const char *dir, const char *which, char *ret, size_t cap)
{
	char attr[32], speed[DEV_WORD], lanes[DEV_WORD];

	snprintf(attr, sizeof(attr), "%s_link_speed", which);
	sysfs_word(dir, attr, speed);
	snprintf(attr, sizeof(attr), "%s_link_width", which);
	sysfs_word(dir, attr, lanes);
	ret[0] = '\0';
	/* "Unknown" and 255 is what the kernel shows of emulated devices. */
	if (*speed && *lanes && strcmp(lanes, "0") != 0 &&
	    strncmp(speed, "Unknown", 7) != 0)
		snprintf(ret, cap, "%.40s x%.8s", speed, lanes);
}

static void read_link(const char *dir, struct dev_link *ret)
{
	link_words(dir, "current", ret->now, sizeof(ret->now));
	link_words(dir, "max", ret->best, sizeof(ret->best));
	/* Both are what the kernel says of one device: where they differ, now is less. */
	ret->below = *ret->now && *ret->best && strcmp(ret->now, ret->best) != 0;
}

static void describe_link(const char *dir, char ret[DEV_WORD])
{
	struct dev_link link;

	read_link(dir, &link);
	if (link.below)
		snprintf(ret, DEV_WORD, "%s (of %s)", link.now, link.best);
	else
		snprintf(ret, DEV_WORD, "%s", link.now);
}

/* The PCI storage controller above a block device. */
static bool find_controller(const struct dev_roots *roots, const char *name,
			    struct sysfs_node *ret)
{
	char *slash;

	if (sysfs_node_by_name(roots, name, ret))
		return false;
	while ((slash = strrchr(ret->dir, '/')) && slash != ret->dir) {
		if (is_controller(ret->dir))
			return true;
		*slash = '\0';
	}
	return false;
}

void dev_adapter(const struct dev_roots *roots, const char *name, struct dev_adapter *ret)
{
	struct sysfs_node node;

	*ret = (struct dev_adapter){ .hba = "" };
	if (!find_controller(roots, name, &node))
		return;
	describe(node.dir, ret->hba);
	describe_link(node.dir, ret->pcie);
}

void dev_pci_link(const struct dev_roots *roots, const char *name, struct dev_link *ret)
{
	struct sysfs_node node;

	if (find_controller(roots, name, &node))
		read_link(node.dir, ret);
}
