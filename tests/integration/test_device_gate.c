/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The safety gate on real loop devices. Needs root; every device and file is made here. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "device/dev.h"
#include "tests/lib/suite.h"

enum { SIZE_B = 32 << 20 };

static char dir[4000]; /* scratch, removed at the end */
static int loop_fd = -1;
static char loop[64], loop_name[32], backing[4096];
static struct dev_info info;
static struct err err;

/* The device goes by itself (autoclear) when this program ends, however it ends. */
static bool attach(uint32_t flags)
{
	int ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int file = open(backing, O_RDWR | O_CLOEXEC);
	bool done = false;

	for (int i = 0; i < 20 && ctl >= 0 && file >= 0 && !done; i++) {
		struct loop_config cfg = { .fd = (uint32_t)file,
					   .info.lo_flags = flags | LO_FLAGS_AUTOCLEAR };
		int n = ioctl(ctl, LOOP_CTL_GET_FREE);

		snprintf(loop_name, sizeof(loop_name), "loop%d", n);
		snprintf(loop, sizeof(loop), "/dev/loop%d", n);
		loop_fd = n < 0 ? -1 : open(loop, O_RDWR | O_CLOEXEC);
		done = loop_fd >= 0 && !ioctl(loop_fd, LOOP_CONFIGURE, &cfg);
		if (!done && loop_fd >= 0)
			close(loop_fd);
	}
	if (ctl >= 0)
		close(ctl);
	if (file >= 0)
		close(file);
	return done;
}

static bool make_backing(void)
{
	snprintf(backing, sizeof(backing), "%s/backing", dir);
	int fd = open(backing, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool made = fd >= 0 && !ftruncate(fd, SIZE_B);

	if (fd >= 0)
		close(fd);
	return made;
}

static void setup(void)
{
	ck_assert(make_backing());
	ck_assert_msg(attach(0), "no loop device: %s", strerror(errno));
}

static void teardown(void)
{
	if (loop_fd >= 0)
		close(loop_fd);
	loop_fd = -1;
	unlink(backing);
}

static void run(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void run(const char *fmt, ...)
{
	char cmd[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	ck_assert_msg(system(cmd) == 0, "failed: %s", cmd);
}

/* Sum over every byte of the backing file (FNV-1a). */
static uint64_t content(void)
{
	static unsigned char buf[1 << 20];
	uint64_t sum = 0xcbf29ce484222325ULL;
	ssize_t got;
	int fd = open(backing, O_RDONLY | O_CLOEXEC);

	fsync(loop_fd);
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < got; i++)
			sum = (sum ^ buf[i]) * 0x100000001b3ULL;
	close(fd);
	return sum;
}

static struct dev_claim *gate(const char *target, const char *id, bool discard,
			      const char *run_dir)
{
	struct dev_claim *c = NULL;
	struct dev_gate_opts opts = { .erase_id = id,
				      .discard_signatures = discard,
				      .run_dir = run_dir,
				      .roots = &dev_roots_host };

	err = (struct err){ 0 };
	ck_assert_msg(!dev_identify(&dev_roots_host, target, &info, &err), "%s",
		      err.text);
	int failed = dev_gate(&info, &opts, &c, &err);

	ck_assert_msg(!failed == !!c, "a claim exactly on success");
	return c;
}

static void refused(const char *target, const char *id, bool discard, const char *why)
{
	uint64_t before = content();
	struct dev_claim *c = gate(target, id, discard, NULL);

	ck_assert_msg(!c, "%s let through", target);
	ck_assert_msg(err.code == EXIT_CODE_SAFETY, "code %d: %s", (int)err.code,
		      err.text);
	ck_assert_msg(strstr(err.text, why), "'%s' is not in: %s", why, err.text);
	ck_assert_uint_eq(content(), before);
}

static void accepted(const char *target, const char *id, bool discard, const char *waived)
{
	struct dev_claim *c = gate(target, id, discard, NULL);

	ck_assert_msg(c, "%s", err.text);
	ck_assert_str_eq(dev_claim_waived(c), waived);
	dev_claim_free(c);
}

START_TEST(bare_loop_device_is_claimed_and_can_be_written)
{
	struct dev_claim *c = gate(loop, loop_name, false, NULL);
	void *buf, *back;

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(info.kind, DEV_LOOP);
	ck_assert_uint_eq(info.size_b, SIZE_B);
	ck_assert_str_eq(info.erase_id, loop_name);
	ck_assert_int_eq(
		posix_memalign(&buf, 4096, 4096) | posix_memalign(&back, 4096, 4096), 0);
	memset(buf, 0xa5, 4096);
	ck_assert_int_eq(pwrite(dev_claim_fd(c), buf, 4096, 8192), 4096);
	ck_assert_int_eq(pread(dev_claim_handle(c)->fd, back, 4096, 8192), 4096);
	ck_assert_mem_eq(buf, back, 4096);
	ck_assert_int_lt(pwrite(dev_claim_handle(c)->fd, buf, 4096, 0), 0);
	ck_assert_int_eq(dev_claim_recheck(c, &err), 0);
	dev_claim_free(c);
	free(buf);
	free(back);
}
END_TEST

START_TEST(nobody_can_mount_or_claim_the_device_while_the_claim_lives)
{
	run("mkfs.ext4 -q -F %s", loop);
	struct dev_claim *c = gate(loop, loop_name, true, NULL);

	ck_assert_msg(c, "%s", err.text);
	ck_assert_str_eq(dev_claim_waived(c), "ext4");
	ck_assert_int_lt(open(loop, O_RDONLY | O_EXCL | O_CLOEXEC), 0);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_int_lt(mount(loop, "/mnt", "ext4", MS_RDONLY, NULL), 0);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_ptr_null(gate(loop, loop_name, true, NULL));
	ck_assert_msg(strstr(err.text, "exclusively"), "%s", err.text);
	dev_claim_free(c);
}
END_TEST

START_TEST(wrong_empty_and_missing_id_are_refused_and_the_id_is_shown)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "'%s'", loop_name);
	refused(loop, "loop", false, "did not match");
	refused(loop, "loop", false, shown);
	refused(loop, "", false, shown);
	refused(loop, NULL, false, shown);
	snprintf(shown, sizeof(shown), "%s ", loop_name);
	refused(loop, shown, false, "did not match");
	refused(loop, loop, false, "did not match");
}
END_TEST

START_TEST(mounted_device_is_refused_whatever_is_waived)
{
	char at[4096], why[5000];

	snprintf(at, sizeof(at), "%s/mount point", dir);
	run("mkfs.ext4 -q -F %s", loop);
	ck_assert_int_eq(mkdir(at, 0700), 0);
	ck_assert_int_eq(mount(loop, at, "ext4", MS_RDONLY, NULL), 0);
	snprintf(why, sizeof(why), "mounted on %s; unmount it first", at);
	refused(loop, loop_name, true, why);
	ck_assert_msg(strstr(info.who, "mounted on"), "%s", info.who);

	/* Detached lazily, but something in it is open: only the kernel knows. */
	int fd = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_eq(umount2(at, MNT_DETACH), 0);
	refused(loop, loop_name, true, "exclusively");
	close(fd);
	ck_assert_int_eq(rmdir(at), 0);
}
END_TEST

/* A process that does `what` (NULL: nothing) and then waits to be killed. */
static pid_t other_process(void (*what)(void))
{
	int ready[2];
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();

	if (!pid) {
		close(loop_fd);
		what();
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void mount_in_own_namespace(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(loop, "/mnt", "ext4", MS_RDONLY, NULL))
		_exit(1);
}

START_TEST(device_mounted_in_another_mount_namespace_is_refused)
{
	run("mkfs.ext4 -q -F %s", loop);
	pid_t pid = other_process(mount_in_own_namespace);

	refused(loop, loop_name, true, "mounted on /mnt");
	end_process(pid);
}
END_TEST

static void open_for_reading(void)
{
	if (open(loop, O_RDONLY) < 0)
		_exit(1);
}

START_TEST(device_opened_by_another_process_is_refused_by_its_name)
{
	pid_t pid = other_process(open_for_reading);
	char why[64];

	snprintf(why, sizeof(why), "(pid %d)", (int)pid);
	refused(loop, loop_name, true, why);
	end_process(pid);
	accepted(loop, loop_name, false, "");
}
END_TEST

START_TEST(swap_in_use_is_refused)
{
	run("mkswap %s >/dev/null 2>&1 && swapon %s", loop, loop);
	struct dev_claim *c = gate(loop, loop_name, true, NULL);

	run("swapoff %s", loop);
	ck_assert_ptr_null(c);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_msg(strstr(err.text, "in use as swap"), "%s", err.text);
	refused(loop, loop_name, false, "it holds swap");
	accepted(loop, loop_name, true, "swap");
}
END_TEST

static void add_partition(int number, long long start_b, long long len_b)
{
	struct blkpg_partition part = { .start = start_b,
					.length = len_b,
					.pno = number };
	struct blkpg_ioctl_arg arg = { .op = BLKPG_ADD_PARTITION,
				       .datalen = sizeof(part),
				       .data = &part };

	ck_assert_int_eq(ioctl(loop_fd, BLKPG, &arg), 0);
}

static void drop_partition(int number)
{
	struct blkpg_partition part = { .pno = number };
	struct blkpg_ioctl_arg arg = { .op = BLKPG_DEL_PARTITION,
				       .datalen = sizeof(part),
				       .data = &part };

	ck_assert_int_eq(ioctl(loop_fd, BLKPG, &arg), 0);
}

START_TEST(partition_in_use_refuses_the_disk_and_its_other_partitions)
{
	char p1[80], p2[80], p2_name[40], why[80];

	snprintf(p1, sizeof(p1), "%sp1", loop);
	snprintf(p2, sizeof(p2), "%sp2", loop);
	snprintf(p2_name, sizeof(p2_name), "%sp2", loop_name);
	add_partition(1, 1 << 20, 8 << 20);
	add_partition(2, 16 << 20, 8 << 20);
	accepted(p2, p2_name, false, "");
	run("mkfs.ext4 -q -F %s", p1);
	ck_assert_int_eq(mount(p1, "/mnt", "ext4", MS_RDONLY, NULL), 0);
	snprintf(why, sizeof(why), "%sp1 mounted on /mnt", loop_name);
	refused(loop, loop_name, true, why);
	refused(p2, p2_name, true, why);
	refused(p1, p2_name, true, "mounted on /mnt");

	int fd = open("/mnt", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_eq(umount2("/mnt", MNT_DETACH), 0);
	refused(p2, p2_name, true, "cannot be claimed");
	refused(loop, loop_name, true, "exclusively");
	close(fd);
	accepted(p2, p2_name, false, "");
	drop_partition(1);
	drop_partition(2);
}
END_TEST

static const struct {
	const char *make, *shown;
} contents[] = {
	{ "mkfs.ext4 -q -F %s", "ext4" },
	{ "mkfs.ext2 -q -F %s", "ext2" },
	{ "printf 'label: gpt\\n,8M\\n' | sfdisk -q --no-reread %s 2>/dev/null", "gpt" },
	{ "printf 'label: dos\\n,8M\\n' | sfdisk -q --no-reread %s 2>/dev/null", "dos" },
	{ "pvcreate -q -q -y --config 'devices { use_devicesfile=0 }' %s >/dev/null 2>&1",
	  "LVM2_member" },
};

START_TEST(signature_on_an_unused_device_is_refused_unless_waived)
{
	char cmd[256], words[64];

	snprintf(words, sizeof(words), "it holds %s;", contents[_i].shown);
	const char *at = strstr(contents[_i].make, "%s");

	snprintf(cmd, sizeof(cmd), "%.*s%s%s", (int)(at - contents[_i].make),
		 contents[_i].make, loop, at + 2);
	run("%s", cmd);
	refused(loop, loop_name, false, words);
	refused(loop, "wrong", true, "did not match");
	accepted(loop, loop_name, true, contents[_i].shown);
}
END_TEST

/* Linux MD superblock 1.2: magic, version, and what libblkid checks (offset and checksum). */
START_TEST(md_member_is_refused_unless_waived)
{
	uint32_t sb[64] = { 0xa92b4efc, 1 };
	uint64_t sum = 0;

	sb[128 / 4 + 4] = 8; /* super_offset, in sectors */
	for (size_t i = 0; i < 64; i++)
		sum += sb[i];
	sb[216 / 4] = (uint32_t)((sum & 0xffffffff) + (sum >> 32));
	ck_assert_int_eq(pwrite(loop_fd, sb, sizeof(sb), 4096), sizeof(sb));
	fsync(loop_fd);
	refused(loop, loop_name, false, "it holds linux_raid_member");
	accepted(loop, loop_name, true, "linux_raid_member");
}
END_TEST

START_TEST(signature_that_appears_under_the_claim_is_refused_before_the_next_stage)
{
	static const char zero[4096];

	run("mkfs.ext4 -q -F %s", loop);
	struct dev_claim *c = gate(loop, loop_name, true, NULL);

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(dev_claim_recheck(c, &err), 0);
	/* The first page of a swap area in the file system's place. */
	ck_assert_int_eq(pwrite(loop_fd, zero, sizeof(zero), 0), sizeof(zero));
	ck_assert_int_eq(pwrite(loop_fd, "SWAPSPACE2", 10, 4096 - 10), 10);
	ck_assert_int_eq(pwrite(loop_fd, "\1\0\0\0\xff\x1f", 6, 1024), 6);
	fsync(loop_fd);
	ck_assert_int_ne(dev_claim_recheck(c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_msg(strstr(err.text, "swap, which was not there"), "%s", err.text);
	ck_assert_int_eq(pwrite(loop_fd, zero, sizeof(zero), 0), sizeof(zero));
	fsync(loop_fd);
	ck_assert_int_eq(dev_claim_recheck(c, &err), 0);
	dev_claim_free(c);
}
END_TEST

START_TEST(opener_that_appears_under_the_claim_is_refused_before_the_next_stage)
{
	struct dev_claim *c = gate(loop, loop_name, false, NULL);

	ck_assert_msg(c, "%s", err.text);
	pid_t pid = other_process(open_for_reading);

	ck_assert_int_ne(dev_claim_recheck(c, &err), 0);
	ck_assert_msg(strstr(err.text, "opened by"), "%s", err.text);
	end_process(pid);
	ck_assert_int_eq(dev_claim_recheck(c, &err), 0);
	dev_claim_free(c);
}
END_TEST

START_TEST(random_data_is_no_signature)
{
	static uint64_t buf[1 << 17];
	struct rng rng;

	rng_seed(&rng, 1);
	for (off_t off = 0; off < SIZE_B; off += (off_t)sizeof(buf)) {
		for (size_t i = 0; i < ARRAY_LEN(buf); i++)
			buf[i] = rng_next(&rng);
		ck_assert_int_eq(pwrite(loop_fd, buf, sizeof(buf), off), sizeof(buf));
	}
	fsync(loop_fd);
	accepted(loop, loop_name, false, "");
}
END_TEST

START_TEST(read_only_device_is_refused)
{
	close(loop_fd);
	ck_assert(attach(LO_FLAGS_READ_ONLY));
	refused(loop, loop_name, true, "read-only");
}
END_TEST

START_TEST(device_replaced_between_look_and_gate_is_refused)
{
	struct dev_gate_opts opts = { .erase_id = loop_name, .roots = &dev_roots_host };
	struct dev_claim *c = NULL;

	ck_assert_int_eq(dev_identify(&dev_roots_host, loop, &info, &err), 0);
	ck_assert_int_eq(truncate(backing, SIZE_B / 2), 0);
	ck_assert_int_eq(ioctl(loop_fd, LOOP_SET_CAPACITY), 0);
	ck_assert_int_ne(dev_gate(&info, &opts, &c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_msg(strstr(err.text, "not what it was"), "%s", err.text);

	/* A path that now leads elsewhere: a link put in the node's place. */
	char node[4096];

	snprintf(node, sizeof(node), "%s/node", dir);
	ck_assert_int_eq(mknod(node, S_IFBLK | 0600, info.rdev), 0);
	ck_assert_int_eq(dev_identify(&dev_roots_host, node, &info, &err), 0);
	ck_assert_str_eq(info.name, loop_name);
	ck_assert_int_eq(unlink(node), 0);
	ck_assert_int_eq(symlink("/dev/loop0", node), 0);
	ck_assert_int_ne(dev_gate(&info, &opts, &c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	unlink(node);
}
END_TEST

START_TEST(link_to_a_device_is_that_device)
{
	char link[4096];

	snprintf(link, sizeof(link), "%s/by-id", dir);
	ck_assert_int_eq(symlink(loop, link), 0);
	accepted(link, loop_name, false, "");
	ck_assert_str_eq(info.path, loop);
	unlink(link);
}
END_TEST

START_TEST(system_disk_is_refused)
{
	struct stat st;
	char path[64], real[4096];

	ck_assert_int_eq(stat("/", &st), 0);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	if (!realpath(path, real))
		return; /* / is on no block device here */
	snprintf(path, sizeof(path), "/dev/%s", strrchr(real, '/') + 1);
	ck_assert_int_eq(dev_identify(&dev_roots_host, path, &info, &err), 0);
	ck_assert_msg(strstr(info.who, "system disk"), "%s", info.who);
	refused(path, info.erase_id, true, "system disk");
}
END_TEST

START_TEST(disk_that_holds_the_run_directory_is_refused)
{
	run("mkfs.ext4 -q -F %s", loop);
	ck_assert_int_eq(mount(loop, "/mnt", "ext4", MS_RDONLY, NULL), 0);
	struct dev_claim *c = gate(loop, loop_name, true, "/mnt/not/yet/there");

	ck_assert_int_eq(umount("/mnt"), 0);
	ck_assert_ptr_null(c);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_msg(strstr(err.text, "holds the run directory"), "%s", err.text);
}
END_TEST

START_TEST(what_is_behind_a_loop_device_is_refused)
{
	refused(backing, "backing", true, "behind loop");

	/* A loop device on this one: attached by hand, since nothing claims what is below. */
	int under = loop_fd;
	char lower[64], lower_name[32];

	strcpy(lower, loop);
	strcpy(lower_name, loop_name);
	unlink(backing);
	ck_assert_int_eq(symlink(lower, backing), 0);
	ck_assert(attach(0));
	struct dev_claim *c = gate(lower, lower_name, true, NULL);

	close(loop_fd);
	loop_fd = under;
	ck_assert_ptr_null(c);
	ck_assert_msg(strstr(err.text, "behind loop"), "%s", err.text);
}
END_TEST

START_TEST(what_the_kernel_does_not_tell_is_refused)
{
	static const char *const missing[] = { "proc", "sys" };
	char root[2][4096];

	for (size_t i = 0; i < 2; i++) {
		snprintf(root[i], sizeof(root[i]), "%s/%s", dir, missing[i]);
		ck_assert_int_eq(mkdir(root[i], 0700), 0);
	}
	const struct dev_roots no_proc = { .sys = "/sys",
					   .proc = root[0],
					   .dev = "/dev" };
	const struct dev_roots no_sys = { .sys = root[1],
					  .proc = "/proc",
					  .dev = "/dev" };
	const struct dev_roots *roots[] = { &no_proc, &no_sys };

	ck_assert_int_eq(dev_identify(&dev_roots_host, loop, &info, &err), 0);
	for (size_t i = 0; i < 2; i++) {
		struct dev_gate_opts opts = { .erase_id = loop_name, .roots = roots[i] };
		struct dev_claim *c = NULL;

		ck_assert_int_ne(dev_gate(&info, &opts, &c, &err), 0);
		ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
		ck_assert_msg(strstr(err.text, "cannot"), "%s", err.text);
		rmdir(root[i]);
	}
}
END_TEST

START_TEST(discard_empties_the_device_and_is_no_purge_of_the_specification)
{
	enum dev_purge_method method;
	struct dev_purge_result r;
	volatile sig_atomic_t cancel = 0;
	static unsigned char byte[SIZE_B];

	memset(byte, 0xa5, sizeof(byte));
	ck_assert_int_eq(pwrite(loop_fd, byte, sizeof(byte), 0), sizeof(byte));
	fsync(loop_fd);
	struct dev_claim *c = gate(loop, loop_name, false, NULL);

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(dev_purge_choose(&info, NULL, &method, &err), 0);
	ck_assert_int_eq(method, DEV_PURGE_DISCARD);
	cancel = 1;
	ck_assert_int_eq(
		dev_purge(c, method, info.size_b, clock_system(), &cancel, &r, &err),
		-EINTR);
	ck_assert_int_eq(err.code, EXIT_CODE_INTERRUPTED);
	cancel = 0;
	ck_assert_int_eq(
		dev_purge(c, method, info.size_b / 2, clock_system(), &cancel, &r, &err),
		0);
	ck_assert_uint_eq(r.bytes, SIZE_B / 2);
	ck_assert(!r.is_pts_purge);
	ck_assert_int_eq(pread(loop_fd, byte, sizeof(byte), 0), sizeof(byte));
	for (size_t i = 0; i < SIZE_B; i++)
		if (byte[i] != (i < SIZE_B / 2 ? 0 : 0xa5))
			ck_abort_msg("byte %zu is %02x", i, byte[i]);
	ck_assert_int_ne(dev_purge(c, method, info.size_b + 512, clock_system(), &cancel,
				   &r, &err),
			 0);
	ck_assert_int_eq(err.code, EXIT_CODE_PURGE);
	dev_claim_free(c);
}
END_TEST

int main(void)
{
	const char *t_dir = getenv("T_DIR");

	setbuf(stdout, NULL);
	snprintf(dir, sizeof(dir), "%s",
		 t_dir ? t_dir : "/var/tmp/test_device_gate.XXXXXX");
	if (!t_dir && !mkdtemp(dir))
		return 1;
	bool can = geteuid() == 0 && make_backing() && attach(0);

	teardown();
	if (!can) {
		puts("needs root and loop devices");
		return 77;
	}
	/* Private mounts, and undone with this process. */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		puts("needs a mount namespace of its own");
		return 77;
	}

	Suite *s = suite_create("gate");
	TCase *tc = tcase_create("loop");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, bare_loop_device_is_claimed_and_can_be_written);
	tcase_add_test(tc, nobody_can_mount_or_claim_the_device_while_the_claim_lives);
	tcase_add_test(tc, wrong_empty_and_missing_id_are_refused_and_the_id_is_shown);
	tcase_add_test(tc, mounted_device_is_refused_whatever_is_waived);
	tcase_add_test(tc, device_mounted_in_another_mount_namespace_is_refused);
	tcase_add_test(tc, device_opened_by_another_process_is_refused_by_its_name);
	tcase_add_test(tc, swap_in_use_is_refused);
	tcase_add_test(tc, partition_in_use_refuses_the_disk_and_its_other_partitions);
	tcase_add_loop_test(tc, signature_on_an_unused_device_is_refused_unless_waived, 0,
			    ARRAY_LEN(contents));
	tcase_add_test(tc, md_member_is_refused_unless_waived);
	tcase_add_test(
		tc,
		signature_that_appears_under_the_claim_is_refused_before_the_next_stage);
	tcase_add_test(
		tc, opener_that_appears_under_the_claim_is_refused_before_the_next_stage);
	tcase_add_test(tc, random_data_is_no_signature);
	tcase_add_test(tc, read_only_device_is_refused);
	tcase_add_test(tc, device_replaced_between_look_and_gate_is_refused);
	tcase_add_test(tc, link_to_a_device_is_that_device);
	tcase_add_test(tc, system_disk_is_refused);
	tcase_add_test(tc, disk_that_holds_the_run_directory_is_refused);
	tcase_add_test(tc, what_is_behind_a_loop_device_is_refused);
	tcase_add_test(tc, what_the_kernel_does_not_tell_is_refused);
	tcase_add_test(tc,
		       discard_empties_the_device_and_is_no_purge_of_the_specification);
	suite_add_tcase(s, tc);

	int failed = suite_run(s);

	if (!t_dir)
		rmdir(dir);
	return failed;
}
