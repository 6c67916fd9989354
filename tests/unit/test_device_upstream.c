/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which ports and adapters drives share, in a device tree made here the way the kernel lays it out. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/upstream.h"
#include "tests/lib/suite.h"

static char sys_dir[PATH_MAX];
static struct dev_roots roots;

static void make_path(char *path)
{
	for (char *c = path + 1; (c = strchr(c, '/')); *c++ = '/') {
		*c = '\0';
		ck_assert(!mkdir(path, 0700) || errno == EEXIST);
	}
}

/* A disk below sys/devices/AT, its number in `dev`, and the link that /sys/block has to it. */
static void put_disk(const char *at, int minor)
{
	char path[PATH_MAX], link[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%.2000s/devices/%s/dev", sys_dir, at);
	make_path(path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "259:%d\n", minor);
	fclose(f);
	*strrchr(path, '/') = '\0';
	snprintf(link, sizeof(link), "%.2000s/block%s", sys_dir, strrchr(path, '/'));
	make_path(link);
	ck_assert_int_eq(symlink(path, link), 0);
}

#define ROOT   "pci0000:3a/0000:3a:00.0/0000:3b:00.0/" /* a port, and a switch below it */
#define DIRECT "pci0000:00/"

static void make_tree(void)
{
	const char *t_dir = getenv("T_DIR");

	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", t_dir ? t_dir : ".");
	roots = (struct dev_roots){ sys_dir, "/nowhere", "/nowhere" };
	if (!access(sys_dir, F_OK))
		return;
	put_disk(ROOT "0000:3c:00.0/0000:3d:00.0/nvme/nvme0/nvme0n1", 0);
	put_disk(ROOT "0000:3c:01.0/0000:3e:00.0/nvme/nvme1/nvme1n1", 1);
	put_disk(DIRECT "0000:00:01.1/0000:01:00.0/nvme/nvme2/nvme2n1", 2);
	put_disk(DIRECT "0000:00:01.2/0000:02:00.0/nvme/nvme3/nvme3n1", 3);
	put_disk(DIRECT "0000:00:01.2/0000:02:00.0/nvme/nvme3/nvme3n2", 4);
	put_disk(DIRECT "0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda", 5);
	put_disk(DIRECT "0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sdb", 6);
	put_disk("virtual/block/loop0", 7);
	put_disk("virtual/block/loop1", 8);
}

static void share(const char *a, const char *b, const char *want)
{
	char link[DEV_WORD] = "";

	make_tree();
	ck_assert_msg(dev_shared_link(&roots, a, b, link) == !!*want, "%s %s: '%s'", a, b,
		      link);
	ck_assert_str_eq(link, want);
	ck_assert(dev_shared_link(&roots, b, a, link) == !!*want);
	ck_assert_str_eq(link, want);
}

START_TEST(drives_behind_one_switch_share_its_upstream_port)
{
	share("nvme0n1", "nvme1n1", "0000:3b:00.0");
}
END_TEST

START_TEST(drives_on_ports_of_their_own_share_nothing)
{
	share("nvme2n1", "nvme3n1", "");
	share("nvme0n1", "nvme2n1", "");
	share("nvme2n1", "sda", "");
}
END_TEST

START_TEST(disks_on_one_adapter_and_namespaces_of_one_controller_share_it)
{
	share("sda", "sdb", "0000:00:17.0");
	share("nvme3n1", "nvme3n2", "0000:02:00.0");
}
END_TEST

START_TEST(what_has_no_link_shares_none)
{
	share("loop0", "loop1", "");
	share("nvme0n1", "nowhere", "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("upstream");
	TCase *tc = tcase_create("upstream");

	tcase_add_test(tc, drives_behind_one_switch_share_its_upstream_port);
	tcase_add_test(tc, drives_on_ports_of_their_own_share_nothing);
	tcase_add_test(tc,
		       disks_on_one_adapter_and_namespaces_of_one_controller_share_it);
	tcase_add_test(tc, what_has_no_link_shares_none);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
