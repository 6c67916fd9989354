/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/discover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/backing.h"
#include "device/file.h"
#include "device/probe.h"
#include "device/sim.h"
#include "device/sysfs.h"
#include "device/text.h"
#include "device/use.h"

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The first attribute of the list that says anything. */
static void first_word(const char *dir, const char *const *attrs, char ret[DEV_WORD])
{
	ret[0] = '\0';
	for (; *attrs && !ret[0]; attrs++)
		sysfs_word(dir, *attrs, ret);
}

#define FIRST_WORD(dir, ret, ...)                                                        \
	first_word(dir, (const char *const[]){ __VA_ARGS__, NULL }, ret)

/* SCSI: the unit serial number page, a four-byte head and the text. */
static void vpd_serial(const char *disk, char ret[DEV_WORD])
{
	unsigned char page[256];
	ssize_t got = sysfs_bytes(disk, "device/vpd_pg80", page, sizeof(page));

	if (got < 4 || page[1] != 0x80)
		return;
	size_t len = (size_t)page[2] << 8 | page[3], have = (size_t)got - 4;

	text_clean(ret, DEV_WORD, page + 4, len < have ? len : have);
}

static void read_serial(const char *disk, char ret[DEV_WORD])
{
	FIRST_WORD(disk, ret, "device/serial", "serial");
	if (!ret[0])
		vpd_serial(disk, ret);
}

static void read_wwid(const char *disk, char ret[DEV_WORD])
{
	FIRST_WORD(disk, ret, "wwid", "device/wwid");
}

static void read_transport(const struct sysfs_node *n, const char *vendor,
			   char ret[DEV_WORD])
{
	static const struct {
		const char *in_path, *word;
	} transports[] = {
		{ "/nvme", "NVMe" },     { "/usb", "USB" },
		{ "/ata", "SATA" },      { "/end_device-", "SAS" },
		{ "/virtio", "virtio" }, { "/mmc", "MMC" },
		{ "/session", "iSCSI" }, { "/block/loop", "loop" },
		{ "/block/dm-", "dm" },  { "/block/md", "md" },
	};
	const char *word = "";

	for (size_t i = 0; i < ARRAY_LEN(transports) && !*word; i++)
		if (strstr(n->disk, transports[i].in_path))
			word = transports[i].word;
	if (!*word && !strcmp(vendor, "ATA"))
		word = "SATA";
	snprintf(ret, DEV_WORD, "%s", word);
}

/* The nearest bus device above that knows its node. */
static int read_numa_node(const char *disk)
{
	char dir[PATH_MAX], word[DEV_WORD];

	snprintf(dir, sizeof(dir), "%s", disk);
	for (char *slash; (slash = strrchr(dir, '/')) && slash != dir; *slash = '\0') {
		sysfs_word(dir, "numa_node", word);
		if (word[0])
			return atoi(word);
	}
	return -1;
}

/* "write through" of a SCSI disk is a cache switched off; elsewhere there is none to switch. */
static enum dev_wcache read_wcache(const char *disk)
{
	char word[DEV_WORD];

	sysfs_word(disk, "queue/write_cache", word);
	if (!strcmp(word, "write back"))
		return DEV_WCACHE_ON;
	if (strcmp(word, "write through"))
		return DEV_WCACHE_UNKNOWN;
	return sysfs_has(disk, "device/scsi_disk") ? DEV_WCACHE_OFF : DEV_WCACHE_NONE;
}

/* What vendors leave in place of a number identifies nothing. */
static bool is_placeholder(const char *id)
{
	return !id[strspn(id, (char[]){ id[0], '\0' })] ||
	       !strcmp(id, "0123456789ABCDEF");
}

/* Does another disk of this host show the same? One that cannot be looked at might. */
static bool is_shared(const struct dev_roots *roots, const struct sysfs_node *self,
		      const char *id,
		      void (*read_id)(const char *disk, char ret[DEV_WORD]))
{
	char dir[PATH_MAX], other[DEV_WORD];
	char **name = NULL;
	size_t n = 0;
	bool shared = false;

	if (!sysfs_path(dir, "%s/block", roots->sys) || sysfs_names(dir, &name, &n))
		return true;
	for (size_t i = 0; i < n && !shared; i++) {
		struct sysfs_node node;
		uint64_t hidden = 0;

		if (sysfs_node_by_name(roots, name[i], &node) ||
		    !strcmp(node.disk, self->disk))
			continue;
		/* The paths of an NVMe multipath device are no devices of their own. */
		if (!sysfs_u64(node.disk, "hidden", &hidden) && hidden)
			continue;
		read_id(node.disk, other);
		shared = !strcmp(other, id);
	}
	sysfs_names_free(name, n);
	return shared;
}

/* Memory, which shows nothing but its name; that is as good as a loop device's. */
static bool is_zram(const struct sysfs_node *n)
{
	return strstr(n->disk, "/virtual/block/zram") != NULL;
}

static void choose_erase_id(const struct dev_roots *roots, const struct sysfs_node *n,
			    struct dev_info *info)
{
	const char *id = "";

	if (info->kind == DEV_LOOP || is_zram(n)) {
		id = info->name;
	} else {
		info->erase_id_shared =
			info->serial[0] && is_shared(roots, n, info->serial, read_serial);
		if (info->serial[0] && !info->erase_id_shared &&
		    !is_placeholder(info->serial))
			id = info->serial;
		else if (info->wwid[0] && !is_placeholder(info->wwid) &&
			 !is_shared(roots, n, info->wwid, read_wwid))
			id = info->wwid;
	}
	snprintf(info->erase_id, sizeof(info->erase_id), "%s", id);
}

/* Numbers without which nothing can be done with a block device. */
static int read_geometry(const struct sysfs_node *n, struct dev_info *info,
			 struct err *err)
{
	uint64_t sectors, lbs = 512, pbs, ro, disk_ro, rotational = 0;
	char zoned[DEV_WORD];
	const char *attr = "size";
	int failed = sysfs_u64(n->dir, attr, &sectors);

	if (!failed)
		failed = sysfs_u64(n->dir, attr = "ro", &ro);
	if (!failed)
		failed = sysfs_u64(n->disk, attr, &disk_ro);
	if (!failed)
		failed = sysfs_u64(n->disk, attr = "queue/logical_block_size", &lbs);
	if (!failed &&
	    (lbs < 512 || lbs > 65536 || (lbs & (lbs - 1)) || sectors > UINT64_MAX / 512))
		failed = -EINVAL;
	if (failed)
		return err_set(err, EXIT_CODE_HOST, -failed,
			       "cannot read %s of %s in sysfs: %s", attr, n->name,
			       strerror(-failed));
	info->size_b = sectors * 512; /* whatever the logical block is */
	info->read_only = ro || disk_ro;
	info->lbs_b = (uint32_t)lbs;
	info->pbs_b =
		sysfs_u64(n->disk, "queue/physical_block_size", &pbs) || pbs > 1 << 30
			? info->lbs_b
			: (uint32_t)pbs;
	sysfs_word(n->disk, "queue/zoned", zoned);
	info->zoned = zoned[0] && strcmp(zoned, "none");
	info->rotational =
		!sysfs_u64(n->disk, "queue/rotational", &rotational) && rotational;
	return 0;
}

int discover_block(const struct dev_roots *roots, dev_t dev, struct dev_info *ret,
		   struct err *err)
{
	struct dev_info info = { .kind = DEV_BLOCK, .rdev = dev };
	struct sysfs_node n;
	uint64_t discard = 0;
	int failed = sysfs_node_by_dev(roots, dev, &n);

	if (failed)
		return err_set(err, EXIT_CODE_DEVICE, ENODEV,
			       "the kernel knows no such block device: %s",
			       strerror(-failed));
	failed = read_geometry(&n, &info, err);
	if (failed)
		return failed;
	snprintf(info.path, sizeof(info.path), "%s/%s", roots->dev, n.name);
	strcpy(info.name, n.name);
	if (starts(strrchr(n.disk, '/'), "/loop"))
		info.kind = DEV_LOOP;
	info.is_partition = n.is_partition;
	sysfs_word(n.disk, "device/vendor", info.vendor);
	if (starts(info.vendor, "0x")) /* the number of a bus, not a name */
		info.vendor[0] = '\0';
	FIRST_WORD(n.disk, info.model, "device/model", "device/name");
	FIRST_WORD(n.disk, info.firmware, "device/firmware_rev", "device/rev",
		   "device/fwrev");
	read_serial(n.disk, info.serial);
	read_wwid(n.disk, info.wwid);
	read_transport(&n, info.vendor, info.transport);
	info.numa_node = read_numa_node(n.disk);
	info.wcache = read_wcache(n.disk);
	choose_erase_id(roots, &n, &info);
	info.serial_placeholder = info.serial[0] && is_placeholder(info.serial);
	uint64_t nsid = 0;

	if (!sysfs_u64(n.disk, "nsid", &nsid) && nsid <= UINT32_MAX)
		info.nvme.nsid = (uint32_t)nsid;
	probe_controllers(roots, strrchr(n.disk, '/') + 1, info.nvme.controller);
	if (!sysfs_u64(n.disk, "queue/discard_max_bytes", &discard) && discard)
		strcpy(info.purge_methods, "discard, none");
	else
		strcpy(info.purge_methods, "none");
	*ret = info;
	return 0;
}

static int identify_file(const struct dev_roots *roots, const char *path,
			 const struct stat *st, struct dev_info *ret, struct err *err)
{
	struct dev_info info = { .kind = DEV_FILE,
				 .rdev = st->st_dev,
				 .ino = st->st_ino,
				 .numa_node = -1,
				 .transport = "file",
				 .purge_methods = "discard, none" };
	const char *base = strrchr(path, '/') + 1;

	strcpy(info.path, path);
	text_clean(info.name, sizeof(info.name), base, strlen(base));
	strcpy(info.erase_id, info.name);
	backing_fs_type(roots, path, info.fs_type);
	info.read_only = access(path, W_OK);
	int failed = file_direct_b(path, info.fs_type, &info.lbs_b, err);

	if (failed)
		return failed;
	info.pbs_b = (uint32_t)st->st_blksize > info.lbs_b ? (uint32_t)st->st_blksize
							   : info.lbs_b;
	info.size_b = (uint64_t)st->st_size / info.lbs_b * info.lbs_b;
	*ret = info;
	return 0;
}

static const char *type_word(mode_t mode)
{
	return S_ISDIR(mode)    ? "a directory"
	       : S_ISCHR(mode)  ? "a character device"
	       : S_ISFIFO(mode) ? "a pipe"
	       : S_ISSOCK(mode) ? "a socket"
				: "of an unknown type";
}

/* A character device may be the controller of what is meant. */
static int refuse_node(const struct dev_roots *roots, const char *target,
		       const struct stat *st, struct err *err)
{
	char link[PATH_MAX], dir[PATH_MAX], names[DEV_WORD];
	const char *base;

	if (S_ISCHR(st->st_mode) &&
	    sysfs_path(link, "%s/dev/char/%u:%u", roots->sys, major(st->st_rdev),
		       minor(st->st_rdev)) &&
	    realpath(link, dir) && starts(base = strrchr(dir, '/') + 1, "nvme")) {
		probe_namespaces(roots, base, names);
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"%s is an NVMe controller; its namespaces are %s, and one of "
			"them is what --device takes",
			target, names[0] ? names : "none");
	}
	return err_set(
		err, EXIT_CODE_USAGE, EINVAL,
		"%s is %s; --device takes a block device, a regular file or sim:NAME",
		target, type_word(st->st_mode));
}

int dev_identify(const struct dev_roots *roots, const char *target, struct dev_info *ret,
		 struct err *err)
{
	char path[PATH_MAX];
	struct dev_info info;
	struct stat st;
	int failed;

	if (sim_is(target))
		return sim_identify(target, ret, err);
	if (!realpath(target, path) || stat(path, &st))
		return err_set(err, EXIT_CODE_USAGE, errno,
			       "%s: %s; --device takes a block device, a "
			       "regular file or sim:NAME",
			       target, strerror(errno));
	if (S_ISBLK(st.st_mode)) {
		failed = discover_block(roots, st.st_rdev, &info, err);
		if (!failed) {
			strcpy(info.path, path);
			probe_drive(roots, &info);
		}
	} else if (S_ISREG(st.st_mode)) {
		failed = identify_file(roots, path, &st, &info, err);
	} else {
		failed = refuse_node(roots, target, &st, err);
	}
	/* A file smaller than a block is not empty: somebody's, and the gate says so. */
	if (!failed && !info.size_b && (info.kind != DEV_FILE || !st.st_size))
		failed = err_set(err, EXIT_CODE_USAGE, ENOMEDIUM,
				 "%s is empty: there is nothing to test", target);
	if (failed)
		return failed;
	use_words(roots, &info, info.who, sizeof(info.who));
	*ret = info;
	return 0;
}

/* 1 when the name stands for a device worth listing, 0 when not, -errno. */
static int list_one(const struct dev_roots *roots, const char *name, struct dev_info *ret,
		    struct err *err)
{
	struct sysfs_node n;
	uint64_t hidden = 0, sectors = 0;

	if (starts(name, "zram") || starts(name, "ram") ||
	    sysfs_node_by_name(roots, name, &n))
		return 0; /* hidden paths of a multipath device have no number and no node */
	if ((!sysfs_u64(n.dir, "hidden", &hidden) && hidden) ||
	    sysfs_u64(n.dir, "size", &sectors) || !sectors)
		return 0;
	int failed = discover_block(roots, n.dev, ret, err);

	if (failed)
		return failed;
	probe_drive(roots, ret);
	use_words(roots, ret, ret->who, sizeof(ret->who));
	return 1;
}

int dev_list(const struct dev_roots *roots, struct dev_info **ret, size_t *ret_n,
	     struct err *err)
{
	char dir[PATH_MAX];
	char **name = NULL;
	size_t n = 0, found = 0;
	struct dev_info *list = NULL;
	int failed = sysfs_path(dir, "%s/block", roots->sys) ? sysfs_names(dir, &name, &n)
							     : -ENAMETOOLONG;

	if (failed)
		return err_set(err, EXIT_CODE_HOST, -failed,
			       "cannot list block devices in %s: %s", dir,
			       strerror(-failed));
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		failed = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	for (size_t i = 0; i < n && failed >= 0; i++) {
		failed = list_one(roots, name[i], &list[found], err);
		if (failed > 0)
			found++;
	}
	sysfs_names_free(name, n);
	if (failed < 0) {
		free(list);
		return failed;
	}
	*ret = list;
	*ret_n = found;
	return 0;
}
