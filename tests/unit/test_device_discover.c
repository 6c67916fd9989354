/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identity and users of devices from device trees: one recorded, others made here file by file. */
#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/adapter.h"
#include "device/dev.h"
#include "device/use.h"
#include "tests/lib/suite.h"

static char top[2000]; /* the tree being made */
static char sys_dir[2100], proc_dir[2100], dev_dir[2100];
static struct dev_roots roots;
static struct dev_info *list;
static size_t n_list;
static struct err err;

/* Making a tree. */

static void put_path(const char *path)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *c = part + 1; (c = strchr(c, '/')); *c++ = '/') {
		*c = '\0';
		ck_assert(!mkdir(part, 0700) || errno == EEXIST);
	}
}

static void put_bytes(const char *text, size_t n, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void put_bytes(const char *text, size_t n, const char *fmt, ...)
{
	char rest[2000], path[PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", top, rest);
	put_path(path);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

#define PUT(text, ...) put_bytes(text, strlen(text), __VA_ARGS__)

/* A link from below `top` to an absolute place below `top`. */
static void put_link(const char *to, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put_link(const char *to, const char *fmt, ...)
{
	char rest[2000], path[PATH_MAX], target[PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", top, rest);
	snprintf(target, sizeof(target), "%s/%s", top, to);
	put_path(path);
	ck_assert_int_eq(symlink(target, path), 0);
}

/* `at`: its place below sys/devices, the last part its name. */
static void put_block(const char *at, const char *number, const char *sectors,
		      bool is_disk)
{
	char dir[1000];
	const char *name = strrchr(at, '/') + 1;

	snprintf(dir, sizeof(dir), "sys/devices/%s", at);
	put_link(dir, "sys/dev/block/%s", number);
	PUT(number, "%s/dev", dir);
	PUT(sectors, "%s/size", dir);
	PUT("0\n", "%s/ro", dir);
	PUT("", "%s/holders/.keep", dir);
	if (!is_disk) {
		PUT("1\n", "%s/partition", dir);
		return;
	}
	put_link(dir, "sys/block/%s", name);
	PUT("", "%s/slaves/.keep", dir);
	PUT("512\n", "%s/queue/logical_block_size", dir);
	PUT("4096\n", "%s/queue/physical_block_size", dir);
	PUT("0\n", "%s/queue/rotational", dir);
	PUT("none\n", "%s/queue/zoned", dir);
	PUT("write through\n", "%s/queue/write_cache", dir);
	PUT("2147450880\n", "%s/queue/discard_max_bytes", dir);
}

static void setup(void)
{
	const char *t_dir = getenv("T_DIR");

	snprintf(top, sizeof(top), "%s/tree.XXXXXX", t_dir ? t_dir : "/var/tmp");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", top);
	snprintf(proc_dir, sizeof(proc_dir), "%s/proc", top);
	snprintf(dev_dir, sizeof(dev_dir), "%s/dev", top);
	roots = (struct dev_roots){ .sys = sys_dir, .proc = proc_dir, .dev = dev_dir };
	/* The machine itself: / on a virtio disk. */
	put_block("pci0/virtio0/block/vda", "254:0", "2097152\n", true);
	PUT("root-disk", "sys/devices/pci0/virtio0/block/vda/serial");
	PUT("Filename\tType\tSize\tUsed\tPriority\n", "proc/swaps");
	PUT("27 1 254:0 / / rw - ext4 /dev/vda rw\n", "proc/self/mountinfo");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void teardown(void)
{
	free(list);
	list = NULL;
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const struct dev_info *listed(const char *name)
{
	if (!list)
		ck_assert_msg(!dev_list(&roots, &list, &n_list, &err), "%s", err.text);
	for (size_t i = 0; i < n_list; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

static const char *erase_id(const char *name)
{
	const struct dev_info *d = listed(name);

	ck_assert_ptr_nonnull(d);
	return d->erase_id;
}

static const char *who(const char *name)
{
	const struct dev_info *d = listed(name);

	ck_assert_ptr_nonnull(d);
	return d->who;
}

/* The recorded machine. */

START_TEST(recorded_machine_is_listed_as_lsblk_shows_it)
{
	static const struct dev_info want[] = {
		{ .kind = DEV_LOOP,
		  .name = "loop0",
		  .erase_id = "loop0",
		  .transport = "loop",
		  .size_b = 10485760,
		  .rotational = true,
		  .purge_methods = "discard, none" },
		{ .kind = DEV_BLOCK,
		  .name = "nvme0n1",
		  .model = "KINGSTON SKC1000240G",
		  .serial = "64219E591826766A",
		  .erase_id = "64219E591826766A",
		  .transport = "NVMe",
		  .size_b = 240057409536,
		  .purge_methods = "discard, none" },
		{ .kind = DEV_BLOCK,
		  .name = "sda",
		  .vendor = "ATA",
		  .model = "KINGSTON SH103S3",
		  .firmware = "BBF0",
		  .serial = "32798A251C28B1AB",
		  .erase_id = "32798A251C28B1AB",
		  .transport = "SATA",
		  .size_b = 240057409536,
		  .purge_methods = "discard, none" },
		{ .kind = DEV_BLOCK,
		  .name = "sdb",
		  .vendor = "ATA",
		  .model = "WDC WD800JD-00MS",
		  .firmware = "1E01",
		  .serial = "WD-YPAN7XB90479",
		  .erase_id = "WD-YPAN7XB90479",
		  .transport = "SATA",
		  .size_b = 80026361856,
		  .rotational = true,
		  .purge_methods = "none" },
	};
	const char *src = getenv("PLATEAU_TOP");
	static char at[3][PATH_MAX];
	static const char *const parts[] = { "sys", "proc", "dev" };

	for (size_t i = 0; i < 3; i++)
		snprintf(at[i], sizeof(at[i]), "%s/fixtures/sysfs/simple-lvm/%s",
			 src ? src : ".", parts[i]);
	roots = (struct dev_roots){ .sys = at[0], .proc = at[1], .dev = at[2] };
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct dev_info *d = listed(want[i].name);

		ck_assert_msg(d, "%s is not listed", want[i].name);
		ck_assert_int_eq(d->kind, want[i].kind);
		ck_assert_str_eq(d->vendor, want[i].vendor);
		ck_assert_str_eq(d->model, want[i].model);
		ck_assert_str_eq(d->serial, want[i].serial);
		ck_assert_str_eq(d->erase_id, want[i].erase_id);
		ck_assert_str_eq(d->transport, want[i].transport);
		ck_assert_str_eq(d->purge_methods, want[i].purge_methods);
		ck_assert_uint_eq(d->size_b, want[i].size_b);
		ck_assert_uint_eq(d->lbs_b, 512);
		ck_assert_uint_eq(d->pbs_b, 512);
		ck_assert_int_eq(d->rotational, want[i].rotational);
		ck_assert(!d->read_only && !d->zoned && !d->is_partition);
		/* The recording lacks holders/: nobody seen is not nobody there. */
		ck_assert_str_eq(d->who, "cannot be found out");
	}
	ck_assert_uint_eq(n_list, 8); /* and loop1..3, dm-0 */
	for (size_t i = 1; i < n_list; i++)
		ck_assert_int_lt(strverscmp(list[i - 1].name, list[i].name), 0);
	ck_assert_str_eq(listed("nvme0n1")->wwid,
			 "nvme.1987-35303032364237323832303336303144-"
			 "4b494e4753544f4e20534b433130303032343047-00000001");
}
END_TEST

/* Identity. */

START_TEST(four_kilobyte_sectors_do_not_multiply_the_size)
{
	put_block("pci0/nvme/nvme0/nvme0n1", "259:0", "3907029168\n", true);
	PUT("4096\n", "sys/devices/pci0/nvme/nvme0/nvme0n1/queue/logical_block_size");
	PUT("write back\n", "sys/devices/pci0/nvme/nvme0/nvme0n1/queue/write_cache");
	PUT("1\n", "sys/devices/pci0/numa_node");
	const struct dev_info *d = listed("nvme0n1");

	ck_assert_uint_eq(d->size_b, 2000398934016); /* 2 TB by IDEMA */
	ck_assert_uint_eq(d->lbs_b, 4096);
	ck_assert_int_eq(d->wcache, DEV_WCACHE_ON);
	ck_assert_int_eq(listed("vda")->wcache, DEV_WCACHE_NONE);
	ck_assert_int_eq(d->numa_node, 1);
}
END_TEST

START_TEST(serial_with_line_feed_and_escape_is_shown_printable)
{
	put_block("pci0/nvme/nvme0/nvme0n1", "259:0", "2048\n", true);
	put_bytes("\nS3\x1b[2J \n", 9,
		  "sys/devices/pci0/nvme/nvme0/nvme0n1/device/serial");
	ck_assert_str_eq(erase_id("nvme0n1"), "S3\\x1b[2J");
}
END_TEST

/* A SCSI disk: with a unit serial number page and an identifier, each may be missing. */
static void put_scsi(const char *name, const char *number, const char *serial,
		     const char *wwid)
{
	char at[200], page[64] = { 0, (char)0x80, 0, (char)strlen(serial) };

	snprintf(at, sizeof(at), "usb1/host0/block/%s", name);
	put_block(at, number, "2048\n", true);
	memcpy(page + 4, serial, strlen(serial));
	if (serial[0])
		put_bytes(page, 4 + strlen(serial), "sys/devices/%s/device/vpd_pg80", at);
	if (wwid[0])
		PUT(wwid, "sys/devices/%s/device/wwid", at);
}

START_TEST(shared_empty_and_placeholder_serials_give_way_to_the_wwid)
{
	put_scsi("sda", "8:0", "0000000000CA", "naa.5000000000000001\n");
	put_scsi("sdb", "8:16", "0000000000CA", "naa.5000000000000002\n");
	put_scsi("sdc", "8:32", "", "naa.5000000000000003\n");
	put_scsi("sdd", "8:48", "000000000000", "naa.5000000000000004\n");
	put_scsi("sde", "8:64", "0123456789ABCDEF", "");
	put_scsi("sdf", "8:80", "MINE", "");
	put_scsi("sdg", "8:96", "", "");
	put_scsi("sdh", "8:112", "TWOPATHS", "naa.5000000000000008\n");
	put_scsi("sdi", "8:128", "TWOPATHS", "naa.5000000000000008\n");
	ck_assert_str_eq(erase_id("sda"), "naa.5000000000000001");
	ck_assert_str_eq(erase_id("sdb"), "naa.5000000000000002");
	ck_assert(listed("sda")->erase_id_shared && listed("sdb")->erase_id_shared);
	ck_assert_str_eq(erase_id("sdc"), "naa.5000000000000003");
	ck_assert_str_eq(erase_id("sdd"), "naa.5000000000000004");
	ck_assert_str_eq(erase_id("sde"), "");
	ck_assert_str_eq(erase_id("sdf"), "MINE");
	ck_assert(!listed("sdf")->erase_id_shared);
	ck_assert_str_eq(erase_id("sdg"), "");
	/* Two paths to one drive, or two drives that say the same: nobody can tell. */
	ck_assert_str_eq(erase_id("sdh"), "");
	ck_assert_str_eq(erase_id("sdi"), "");
	ck_assert_str_eq(listed("sda")->transport, "USB");
}
END_TEST

START_TEST(serial_page_is_believed_only_as_far_as_it_goes)
{
	put_scsi("sda", "8:0", "", "");
	put_bytes("\0\x80\0\xff"
		  "SHORT   ",
		  12, "sys/devices/usb1/host0/block/sda/device/vpd_pg80");
	put_scsi("sdb", "8:16", "", "");
	put_bytes("\0\x83\0\4"
		  "OTHER",
		  9, "sys/devices/usb1/host0/block/sdb/device/vpd_pg80");
	put_scsi("sdc", "8:32", "", "");
	put_bytes("\0\x80", 2, "sys/devices/usb1/host0/block/sdc/device/vpd_pg80");
	put_scsi("sdd", "8:48", "", "");
	put_bytes("\0\x80\0\4"
		  "LONGER",
		  10, "sys/devices/usb1/host0/block/sdd/device/vpd_pg80");
	ck_assert_str_eq(erase_id("sda"), "SHORT");
	ck_assert_str_eq(erase_id("sdb"), "");
	ck_assert_str_eq(erase_id("sdc"), "");
	ck_assert_str_eq(erase_id("sdd"), "LONG");
}
END_TEST

START_TEST(namespaces_of_one_controller_are_told_apart_and_hidden_paths_are_not_devices)
{
	char wwid[2][160];

	/* The longest name NVMe makes: 40 digits of serial, 80 of model, only the end differs. */
	for (int i = 0; i < 2; i++) {
		snprintf(wwid[i], sizeof(wwid[i]), "nvme.144d-%040d-%080d-0000000%d", 5,
			 6, i + 1);
		ck_assert_uint_eq(strlen(wwid[i]), 140);
	}
	put_block("pci0/nvme/nvme0/nvme0n1", "259:0", "2048\n", true);
	put_block("pci0/nvme/nvme0/nvme0n2", "259:1", "2048\n", true);
	put_block("pci0/nvme/nvme1/nvme1c0n1", "259:2", "2048\n", true);
	put_block("pci0/nvme/nvme1/nvme1n1", "259:3", "2048\n", true);
	PUT("1\n", "sys/devices/pci0/nvme/nvme1/nvme1c0n1/hidden");
	PUT("SAME", "sys/devices/pci0/nvme/nvme0/nvme0n1/device/serial");
	PUT("SAME", "sys/devices/pci0/nvme/nvme0/nvme0n2/device/serial");
	PUT("OWN", "sys/devices/pci0/nvme/nvme1/nvme1c0n1/device/serial");
	PUT("OWN", "sys/devices/pci0/nvme/nvme1/nvme1n1/device/serial");
	PUT(wwid[0], "sys/devices/pci0/nvme/nvme0/nvme0n1/wwid");
	PUT(wwid[1], "sys/devices/pci0/nvme/nvme0/nvme0n2/wwid");
	ck_assert_str_eq(erase_id("nvme0n1"), wwid[0]);
	ck_assert_str_eq(erase_id("nvme0n2"), wwid[1]);
	ck_assert_str_eq(erase_id("nvme1n1"), "OWN");
	ck_assert_ptr_null(listed("nvme1c0n1"));
}
END_TEST

/*
 * The kernel numbers controllers and namespaces apart: nvme1n1 is a namespace of a subsystem that
 * nvme1 and nvme2 reach, and nvme0n1 has the id 7.
 */
START_TEST(controller_and_namespace_id_come_from_the_kernel_not_from_the_name)
{
	struct dev_info info;

	put_block("pci0/nvme/nvme5/nvme0n1", "259:0", "2048\n", true);
	put_block("virtual/nvme-subsystem/nvme-subsys1/nvme1n1", "259:3", "2048\n", true);
	put_block("pci1/nvme/nvme1/nvme1c1n1", "259:2", "2048\n", true);
	PUT("1\n", "sys/devices/pci1/nvme/nvme1/nvme1c1n1/hidden");
	put_link("sys/devices/pci0/nvme/nvme5",
		 "sys/devices/pci0/nvme/nvme5/nvme0n1/device");
	put_link("sys/devices/pci1/nvme/nvme1",
		 "sys/devices/pci1/nvme/nvme1/nvme1c1n1/device");
	put_link("sys/devices/virtual/nvme-subsystem/nvme-subsys1",
		 "sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1/device");
	put_link("sys/devices/pci1/nvme/nvme1",
		 "sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1");
	PUT("", "sys/devices/pci2/nvme/nvme2/.keep");
	put_link("sys/devices/pci2/nvme/nvme2",
		 "sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme2");
	PUT("7\n", "sys/devices/pci0/nvme/nvme5/nvme0n1/nsid");
	PUT("1\n", "sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1/nsid");
	ck_assert_uint_eq(listed("nvme0n1")->nvme.nsid, 7);
	ck_assert_str_eq(listed("nvme0n1")->nvme.controller, "nvme5");
	ck_assert_str_eq(listed("nvme1n1")->nvme.controller, "nvme1, nvme2");
	/* No node in the tree's /dev: nothing is asked, and it says so. */
	ck_assert(!listed("nvme0n1")->nvme.known);
	ck_assert_ptr_nonnull(strstr(listed("nvme0n1")->unread, "cannot open it"));

	/* /dev/null plays the controller's node. */
	put_link("sys/devices/pci2/nvme/nvme2", "sys/dev/char/1:3");
	ck_assert_int_ne(dev_identify(&roots, "/dev/null", &info, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_ptr_nonnull(
		strstr(err.text, "controller; its namespaces are nvme1n1,"));
}
END_TEST

START_TEST(zoned_and_read_only_devices_say_so)
{
	put_scsi("sda", "8:0", "A", "");
	put_scsi("sdb", "8:16", "B", "");
	PUT("host-managed\n", "sys/devices/usb1/host0/block/sda/queue/zoned");
	PUT("1\n", "sys/devices/usb1/host0/block/sdb/ro");
	ck_assert(listed("sda")->zoned && !listed("sda")->read_only);
	ck_assert(listed("sdb")->read_only && !listed("sdb")->zoned);
}
END_TEST

START_TEST(memory_disks_and_empty_devices_are_not_listed)
{
	put_block("virtual/block/zram0", "253:0", "2048\n", true);
	put_block("virtual/block/ram0", "1:0", "2048\n", true);
	put_block("virtual/block/loop0", "7:0", "0\n", true);
	ck_assert_ptr_nonnull(listed("vda"));
	ck_assert_uint_eq(n_list, 1);
}
END_TEST

START_TEST(geometry_that_makes_no_sense_is_an_error)
{
	static const char *const sizes[] = { "0\n",    "1000\n", "131072\n",
					     "-512\n", "512x\n", "" };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct dev_info *none = NULL;
		size_t n = 0;

		PUT(sizes[i],
		    "sys/devices/pci0/virtio0/block/vda/queue/logical_block_size");
		ck_assert_int_ne(dev_list(&roots, &none, &n, &err), 0);
		ck_assert_int_eq(err.code, EXIT_CODE_HOST);
		ck_assert_ptr_null(none);
	}
}
END_TEST

/* Who uses it. */

static void put_partitioned(void)
{
	put_scsi("sda", "8:0", "A", "");
	put_block("usb1/host0/block/sda/sda1", "8:1", "1024\n", false);
	put_block("usb1/host0/block/sda/sda2", "8:2", "1024\n", false);
}

START_TEST(nobody_uses_a_bare_disk_and_the_root_disk_is_the_system_disk)
{
	put_partitioned();
	ck_assert_str_eq(who("sda"), "");
	ck_assert_str_eq(who("vda"), "system disk (holds /), mounted on /");
}
END_TEST

START_TEST(mounts_of_every_namespace_count_once_and_odd_names_are_printable)
{
	put_partitioned();
	PUT("27 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "30 27 8:1 / /mnt/with\\040blank\\011tab rw - ext4 /dev/sda1 rw\n",
	    "proc/self/mountinfo");
	PUT("27 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "30 27 8:1 / /mnt/with\\040blank\\011tab rw - ext4 /dev/sda1 rw\n"
	    "31 27 8:0 / /elsewhere rw - xfs /dev/sda rw\n",
	    "proc/77/mountinfo");
	ck_assert_str_eq(
		who("sda"),
		"sda1 mounted on /mnt/with blank\\x09tab, mounted on /elsewhere");
}
END_TEST

START_TEST(swap_of_another_namespace_is_known_by_its_name)
{
	put_partitioned();
	PUT("Filename\tType\tSize\tUsed\tPriority\n"
	    "/nowhere/to/be/seen/sda2 partition\t1024\t0\t-2\n",
	    "proc/swaps");
	ck_assert_str_eq(who("sda"), "sda2 in use as swap");
}
END_TEST

START_TEST(holders_of_a_partition_are_named)
{
	put_partitioned();
	put_block("virtual/block/dm-0", "252:0", "1024\n", true);
	PUT("vg0-data\n", "sys/devices/virtual/block/dm-0/dm/name");
	put_link("sys/devices/virtual/block/dm-0",
		 "sys/devices/usb1/host0/block/sda/sda1/holders/dm-0");
	ck_assert_str_eq(who("sda"), "sda1 held by dm-0 (vg0-data)");
}
END_TEST

START_TEST(system_disk_is_found_below_device_mapper_and_raid)
{
	put_partitioned();
	put_scsi("sdb", "8:16", "B", "");
	put_block("virtual/block/md0", "9:0", "1024\n", true);
	put_block("virtual/block/dm-0", "252:0", "1024\n", true);
	put_link("sys/devices/virtual/block/md0",
		 "sys/devices/virtual/block/dm-0/slaves/md0");
	put_link("sys/devices/usb1/host0/block/sda/sda2",
		 "sys/devices/virtual/block/md0/slaves/sda2");
	put_link("sys/devices/usb1/host0/block/sdb",
		 "sys/devices/virtual/block/md0/slaves/sdb");
	PUT("27 1 252:0 / / rw - ext4 /dev/mapper/root rw\n", "proc/self/mountinfo");
	ck_assert_str_eq(who("sda"), "system disk (holds /)");
	ck_assert_str_eq(who("sdb"), "system disk (holds /)");
	ck_assert_str_eq(who("vda"), "");
}
END_TEST

START_TEST(root_of_process_1_counts_where_this_process_sees_another)
{
	put_partitioned();
	PUT("27 1 8:2 / / rw - ext4 /dev/sda2 rw\n", "proc/1/mountinfo");
	ck_assert_str_eq(who("sda"), "system disk (holds /), sda2 mounted on /");
}
END_TEST

START_TEST(every_device_of_a_mounted_btrfs_is_used)
{
	put_partitioned();
	PUT("", "sys/fs/btrfs/features/.keep");
	PUT("", "sys/fs/btrfs/0b-uuid/devices/sda2/.keep");
	ck_assert_str_eq(who("sda"), "sda2 part of mounted btrfs 0b-uuid");
}
END_TEST

static const struct {
	const char *root;
	bool is_decided;
} root_mounts[] = {
	{ "27 1 0:30 / / rw - tmpfs none rw\n", true },
	{ "27 1 0:30 / / rw - nfs4 server:/export rw\n", true },
	{ "27 1 0:30 / / rw - zfs rpool/ROOT rw\n", true },
	{ "27 1 0:30 / / rw - overlay overlay rw,lowerdir=/nowhere/l1:/nowhere/l2,upperdir=/nowhere/u\n",
	  false },
	{ "27 1 0:30 / / rw - overlay overlay rw\n", false },
	{ "27 1 0:30 / / rw - overlay overlay rw,lowerdir=relative\n", false },
	{ "27 1 0:30 / / rw - fuse.new /dev/fuse rw\n", false },
	{ "27 1 99:9 / / rw - ext4 /dev/unknown rw\n", false },
	{ "no mountinfo\n", false },
};

START_TEST(root_that_lies_on_an_unknown_disk_leaves_nothing_decided)
{
	put_partitioned();
	PUT(root_mounts[_i].root, "proc/self/mountinfo");
	ck_assert_str_eq(who("sda"),
			 root_mounts[_i].is_decided ? "" : "cannot be found out");
}
END_TEST

static const char *const needed[] = { "proc/swaps", "proc/self/mountinfo",
				      "sys/devices/usb1/host0/block/sda/holders/.keep",
				      "sys/dev/block/8:2" };

START_TEST(missing_view_of_the_kernel_leaves_nothing_decided)
{
	char path[PATH_MAX];

	put_partitioned();
	ck_assert_str_eq(who("sda"), "");
	free(list);
	list = NULL;
	snprintf(path, sizeof(path), "%s/%s", top, needed[_i]);
	ck_assert_int_eq(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	(void)rmdir(path);
	ck_assert_str_eq(who("sda"), "cannot be found out");
}
END_TEST

START_TEST(refusal_says_what_to_do)
{
	static const struct {
		const char *mountinfo, *text;
	} cases[] = {
		{ "27 1 8:2 / / rw - ext4 /dev/sda2 rw\n",
		  "/dev/sda is refused: system disk (holds /); plateau never writes to it, choose "
		  "another drive" },
		{ "27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 8:1 / /mnt rw - ext4 /dev/sda1 rw\n",
		  "/dev/sda is refused: sda1 mounted on /mnt; unmount it first" },
	};

	put_partitioned();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct dev_info info = *listed("sda");

		strcpy(info.path, "/dev/sda");
		PUT(cases[i].mountinfo, "proc/self/mountinfo");
		ck_assert_int_eq(use_refuse(&roots, &info, NULL, &err), -EBUSY);
		ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
		ck_assert_str_eq(err.text, cases[i].text);
	}
}
END_TEST

/* Targets and purge methods. */

START_TEST(what_is_no_target_is_a_usage_error)
{
	static const struct {
		const char *target, *why;
	} wrong[] = {
		{ "/dev/null", "a character device" },
		{ "/", "a directory" },
		{ "/nowhere/at/all", "No such file or directory" },
		{ "", "No such file or directory" },
		{ "/dev/null/x", "Not a directory" },
	};
	struct dev_info info = { .name = "untouched" };

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		ck_assert_int_ne(
			dev_identify(&dev_roots_host, wrong[i].target, &info, &err), 0);
		ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
		ck_assert_msg(strstr(err.text, wrong[i].why), "%s", err.text);
		ck_assert_str_eq(info.name, "untouched");
	}
}
END_TEST

START_TEST(purge_is_discard_where_possible_and_none_only_by_name)
{
	struct dev_info can = { .path = "/dev/a", .purge_methods = "discard, none" };
	struct dev_info cannot = { .path = "/dev/b", .purge_methods = "none" };
	enum dev_purge_method m = DEV_PURGE_SIM;

	ck_assert_int_eq(dev_purge_choose(&can, NULL, &m, &err), 0);
	ck_assert_int_eq(m, DEV_PURGE_DISCARD);
	ck_assert_int_eq(dev_purge_choose(&can, "none", &m, &err), 0);
	ck_assert_int_eq(m, DEV_PURGE_NONE);
	ck_assert_int_eq(dev_purge_choose(&can, "discard", &m, &err), 0);
	ck_assert_int_eq(dev_purge_choose(&cannot, "none", &m, &err), 0);
	ck_assert_int_ne(dev_purge_choose(&cannot, NULL, &m, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_msg(strstr(err.text, "--purge none"), "%s", err.text);
	ck_assert_int_ne(dev_purge_choose(&cannot, "discard", &m, &err), 0);
	ck_assert_int_ne(dev_purge_choose(&can, "", &m, &err), 0);
	ck_assert_int_ne(dev_purge_choose(&can, "disc", &m, &err), 0);
	ck_assert_int_ne(dev_purge_choose(&can, "sim", &m, &err), 0);
	ck_assert_int_eq(m, DEV_PURGE_NONE);
}
END_TEST

#define NVME "pci0000:00/0000:00:01.0/0000:01:00.0"

static void put_controller(const char *at, const char *class, const char *driver)
{
	char target[1000];

	PUT(class, "sys/devices/%s/class", at);
	PUT("0x8086\n", "sys/devices/%s/vendor", at);
	PUT("0x0a54\n", "sys/devices/%s/device", at);
	snprintf(target, sizeof(target), "sys/bus/pci/drivers/%s", driver);
	put_link(target, "sys/devices/%s/driver", at);
}

static struct dev_adapter adapter_of(const char *name)
{
	struct dev_adapter a;

	dev_adapter(&roots, name, &a);
	return a;
}

START_TEST(controller_and_its_link_are_those_next_to_the_drive)
{
	put_block(NVME "/nvme/nvme0/nvme0n1", "259:0", "2048\n", true);
	put_controller("pci0000:00/0000:00:01.0", "0x060400\n",
		       "pcieport"); /* a bridge */
	put_controller(NVME, "0x010802\n", "nvme");
	PUT("8.0 GT/s PCIe\n", "sys/devices/" NVME "/current_link_speed");
	PUT("4\n", "sys/devices/" NVME "/current_link_width");
	PUT("8.0 GT/s PCIe\n", "sys/devices/" NVME "/max_link_speed");
	PUT("4\n", "sys/devices/" NVME "/max_link_width");
	ck_assert_str_eq(adapter_of("nvme0n1").hba,
			 "nvme, PCI 8086:0a54 at 0000:01:00.0");
	ck_assert_str_eq(adapter_of("nvme0n1").pcie, "8.0 GT/s PCIe x4");
	PUT("16.0 GT/s PCIe\n", "sys/devices/" NVME "/max_link_speed");
	ck_assert_str_eq(adapter_of("nvme0n1").pcie,
			 "8.0 GT/s PCIe x4 (of 16.0 GT/s PCIe x4)");
}
END_TEST

START_TEST(drive_without_controller_or_link_has_none)
{
	put_block("pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda",
		  "8:0", "2048\n", true);
	put_controller("pci0000:00/0000:00:1f.2", "0x010601\n", "ahci");
	ck_assert_str_eq(adapter_of("sda").hba, "ahci, PCI 8086:0a54 at 0000:00:1f.2");
	ck_assert_str_eq(adapter_of("sda").pcie, "");
	ck_assert_str_eq(adapter_of("vda").hba, "");
	ck_assert_str_eq(adapter_of("no-such-drive").hba, "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("discover");
	TCase *tc = tcase_create("trees");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, recorded_machine_is_listed_as_lsblk_shows_it);
	tcase_add_test(tc, four_kilobyte_sectors_do_not_multiply_the_size);
	tcase_add_test(tc, serial_with_line_feed_and_escape_is_shown_printable);
	tcase_add_test(tc, shared_empty_and_placeholder_serials_give_way_to_the_wwid);
	tcase_add_test(tc, serial_page_is_believed_only_as_far_as_it_goes);
	tcase_add_test(
		tc,
		namespaces_of_one_controller_are_told_apart_and_hidden_paths_are_not_devices);
	tcase_add_test(
		tc, controller_and_namespace_id_come_from_the_kernel_not_from_the_name);
	tcase_add_test(tc, zoned_and_read_only_devices_say_so);
	tcase_add_test(tc, memory_disks_and_empty_devices_are_not_listed);
	tcase_add_test(tc, geometry_that_makes_no_sense_is_an_error);
	tcase_add_test(tc, nobody_uses_a_bare_disk_and_the_root_disk_is_the_system_disk);
	tcase_add_test(tc,
		       mounts_of_every_namespace_count_once_and_odd_names_are_printable);
	tcase_add_test(tc, swap_of_another_namespace_is_known_by_its_name);
	tcase_add_test(tc, holders_of_a_partition_are_named);
	tcase_add_test(tc, system_disk_is_found_below_device_mapper_and_raid);
	tcase_add_test(tc, root_of_process_1_counts_where_this_process_sees_another);
	tcase_add_test(tc, every_device_of_a_mounted_btrfs_is_used);
	tcase_add_loop_test(tc, root_that_lies_on_an_unknown_disk_leaves_nothing_decided,
			    0, ARRAY_LEN(root_mounts));
	tcase_add_loop_test(tc, missing_view_of_the_kernel_leaves_nothing_decided, 0,
			    ARRAY_LEN(needed));
	tcase_add_test(tc, refusal_says_what_to_do);
	tcase_add_test(tc, what_is_no_target_is_a_usage_error);
	tcase_add_test(tc, purge_is_discard_where_possible_and_none_only_by_name);
	tcase_add_test(tc, controller_and_its_link_are_those_next_to_the_drive);
	tcase_add_test(tc, drive_without_controller_or_link_has_none);
	suite_add_tcase(s, tc);

	return suite_run(s);
}
