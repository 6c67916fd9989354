/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch files on a real file system: which ones may be destroyed. Needs no root. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "device/dev.h"
#include "tests/lib/suite.h"

enum { SIZE_B = 4 << 20 };

static char dir[4000], path[4096];
static struct dev_info info;
static struct err err;

static void setup(void)
{
	const char *t_dir = getenv("T_DIR");

	snprintf(dir, sizeof(dir), "%s/file.XXXXXX", t_dir ? t_dir : "/var/tmp");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/scratch", dir);
}

static void run(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void run(const char *fmt, ...)
{
	char cmd[9000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	ck_assert_msg(system(cmd) == 0, "failed: %s", cmd);
}

static void teardown(void)
{
	run("rm -rf '%s'", dir);
}

static struct dev_claim *gate(const char *target, const char *id)
{
	struct dev_claim *c = NULL;
	const struct dev_gate_opts opts = { .erase_id = id,
					    .discard_signatures = true,
					    .run_dir = dir,
					    .roots = &dev_roots_host };

	err = (struct err){ 0 };
	ck_assert_msg(!dev_identify(&dev_roots_host, target, &info, &err), "%s",
		      err.text);
	ck_assert_int_eq(!dev_gate(&info, &opts, &c, &err), !!c);
	return c;
}

static void refused(const char *target, const char *id, const char *why)
{
	struct stat before, after;

	ck_assert_int_eq(stat(target, &before), 0);
	ck_assert_msg(!gate(target, id), "%s let through", target);
	ck_assert_msg(err.code == EXIT_CODE_SAFETY, "code %d: %s", (int)err.code,
		      err.text);
	ck_assert_msg(strstr(err.text, why), "'%s' is not in: %s", why, err.text);
	ck_assert_int_eq(stat(target, &after), 0);
	/* Neither data nor attributes were touched. */
	ck_assert_mem_eq(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	ck_assert_mem_eq(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim));
}

static void accepted(const char *target, const char *id)
{
	struct dev_claim *c = gate(target, id);

	ck_assert_msg(c, "%s", err.text);
	dev_claim_free(c);
}

static void fill(const char *file, size_t size_b)
{
	static const char text[] = "three years of work\n";
	FILE *f = fopen(file, "w");

	ck_assert_ptr_nonnull(f);
	for (size_t n = 0; n < size_b; n += sizeof(text) - 1)
		fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(created_file_has_the_size_is_all_holes_marked_and_private)
{
	struct stat st;

	ck_assert_int_eq(dev_file_create(path, GIB(1) + KIB(88), &err), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 1073831936);
	ck_assert_int_eq(st.st_blocks * 512 < 65536, 1);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_gt(getxattr(path, "user.plateau", NULL, 0), 0);
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(info.kind, DEV_FILE);
	ck_assert_uint_eq(info.size_b, 1073831936);
	ck_assert_str_eq(info.path, path);
	ck_assert_uint_ge(info.lbs_b, 512);
	ck_assert(info.fs_type[0]);
	dev_claim_free(c);
}
END_TEST

START_TEST(existing_file_or_link_is_never_created_over)
{
	char other[4200];

	snprintf(other, sizeof(other), "%s/link", dir);
	fill(path, 100);
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), -EEXIST);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_eq(symlink("scratch", other), 0);
	ck_assert_int_eq(dev_file_create(other, SIZE_B, &err), -EEXIST);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(dev_file_create(other, SIZE_B, &err), -EEXIST);
	ck_assert_int_ne(access(path, F_OK), 0);
	snprintf(other, sizeof(other), "%s/no/such/folder", dir);
	ck_assert_int_ne(dev_file_create(other, SIZE_B, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_ne(dev_file_create(path, 0, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_int_ne(dev_file_create(path, UINT64_MAX, &err), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(file_system_without_direct_io_or_attributes_is_named_and_left_clean)
{
	char file[64];
	struct statfs fs;

	/* Recent kernels give tmpfs one, the other or both: then the file must work. */
	if (statfs("/dev/shm", &fs) || fs.f_type != 0x01021994)
		return;
	snprintf(file, sizeof(file), "/dev/shm/plateau-test-%d", (int)getpid());
	int failed = dev_file_create(file, SIZE_B, &err);

	if (!failed) {
		accepted(file, strrchr(file, '/') + 1);
		unlink(file);
		return;
	}
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_msg(strstr(err.text, "tmpfs") || strstr(err.text, "attribute"), "%s",
		      err.text);
	ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

START_TEST(somebodys_file_is_refused_however_small_or_large)
{
	static const size_t sizes[] = { 1, 20, 511, 512, 5000, 3 << 20 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		fill(path, sizes[i]);
		refused(path, "scratch", "plateau did not make it");
	}
}
END_TEST

START_TEST(file_of_holes_is_accepted_and_known_again_when_it_is_full)
{
	run("truncate -s %d '%s'", SIZE_B, path);
	struct dev_claim *c = gate(path, "scratch");
	void *buf;

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(posix_memalign(&buf, 4096, 4096), 0);
	memset(buf, 0x5a, 4096);
	ck_assert_int_eq(pwrite(dev_claim_fd(c), buf, 4096, 0), 4096);
	free(buf);
	ck_assert_int_eq(dev_claim_recheck(c, &err), 0);
	dev_claim_free(c);
	accepted(path, "scratch");
}
END_TEST

START_TEST(one_byte_in_a_file_of_holes_refuses_it)
{
	run("truncate -s %d '%s' && printf x | dd of='%s' bs=1 seek=%d conv=notrunc status=none",
	    SIZE_B, path, path, SIZE_B - 1);
	refused(path, "scratch", "plateau did not make it");
}
END_TEST

START_TEST(mark_does_not_outlive_what_it_was_put_on)
{
	char copy[4200];

	snprintf(copy, sizeof(copy), "%s/copy", dir);
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	fill(copy, 100);
	run("cat '%s' >'%s'", copy, path);
	refused(path, "scratch", "changed or copied");
	unlink(path);
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	run("head -c %d /dev/zero | tr '\\0' x | dd of='%s' conv=notrunc status=none",
	    SIZE_B, path);
	accepted(path, "scratch"); /* a scratch file's content is nobody's */
	run("cp -a '%s' '%s'", path, copy);
	refused(copy, "copy", "changed or copied");
}
END_TEST

START_TEST(file_with_a_second_name_is_refused)
{
	char other[4200];

	snprintf(other, sizeof(other), "%s/other", dir);
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	ck_assert_int_eq(link(path, other), 0);
	refused(path, "scratch", "2 names");
	unlink(other);
	accepted(path, "scratch");
}
END_TEST

START_TEST(file_in_use_by_another_plateau_is_refused)
{
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_msg(c, "%s", err.text);
	ck_assert_ptr_null(gate(path, "scratch"));
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_msg(strstr(err.text, "another plateau"), "%s", err.text);
	dev_claim_free(c);
	accepted(path, "scratch");
}
END_TEST

START_TEST(id_of_a_file_is_its_base_name)
{
	char link[4200];

	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink(path, link), 0);
	refused(path, "", "without --erase");
	refused(path, path, "did not match");
	refused(link, "link", "'scratch'"); /* the file's own, not the link's */
	accepted(link, "scratch");
}
END_TEST

START_TEST(file_replaced_between_look_and_gate_is_refused)
{
	const struct dev_gate_opts opts = { .erase_id = "scratch",
					    .roots = &dev_roots_host };
	struct dev_claim *c = NULL;
	char other[4200];

	snprintf(other, sizeof(other), "%s/other", dir);
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	ck_assert_int_eq(dev_file_create(other, SIZE_B, &err), 0);
	ck_assert_int_eq(dev_identify(&dev_roots_host, path, &info, &err), 0);
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_int_ne(dev_gate(&info, &opts, &c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_ne(dev_gate(&info, &opts, &c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_ptr_null(c);
}
END_TEST

START_TEST(file_that_grows_under_the_claim_is_refused_before_the_next_stage)
{
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(truncate(path, 2 * SIZE_B), 0);
	ck_assert_int_ne(dev_claim_recheck(c, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	dev_claim_free(c);
}
END_TEST

START_TEST(read_only_file_is_refused)
{
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	ck_assert_int_eq(chmod(path, 0400), 0);
	if (geteuid() != 0) /* root may write all the same */
		refused(path, "scratch", "read-only");
	else
		accepted(path, "scratch");
}
END_TEST

START_TEST(swap_file_in_use_is_refused)
{
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	run("head -c %d /dev/zero | dd of='%s' conv=notrunc,fsync status=none", SIZE_B,
	    path);
	if (system("command -v mkswap >/dev/null") || geteuid() != 0)
		return;
	run("mkswap '%s' >/dev/null 2>&1", path);
	if (swapon(path, 0))
		return; /* not on this file system */
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_int_eq(swapoff(path), 0);
	ck_assert_ptr_null(c);
	ck_assert_msg(strstr(err.text, "in use as swap"), "%s", err.text);
}
END_TEST

START_TEST(purge_gives_the_blocks_back_and_reads_as_zero)
{
	struct dev_purge_result r;
	struct stat st;
	char byte = 1;

	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	run("head -c %d /dev/urandom | dd of='%s' conv=notrunc,fsync status=none", SIZE_B,
	    path);
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_eq(
		dev_purge(c, DEV_PURGE_NONE, info.size_b, clock_system(), NULL, &r, &err),
		0);
	ck_assert_uint_eq(r.bytes, 0);
	ck_assert_str_eq(r.words, "none");
	ck_assert_int_eq(dev_purge(c, DEV_PURGE_DISCARD, info.size_b, clock_system(),
				   NULL, &r, &err),
			 0);
	ck_assert_uint_eq(r.bytes, SIZE_B);
	ck_assert(!r.is_pts_purge);
	dev_claim_free(c);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, SIZE_B);
	ck_assert_int_lt(st.st_blocks * 512, 65536);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(pread(fd, &byte, 1, SIZE_B / 2), 1);
	ck_assert_int_eq(byte, 0);
	close(fd);
}
END_TEST

/* Whatever is wanted of the drive's own cache: the page cache is never part of a measurement. */
START_TEST(both_descriptors_of_a_claim_go_past_the_page_cache)
{
	ck_assert_int_eq(dev_file_create(path, SIZE_B, &err), 0);
	struct dev_claim *c = gate(path, "scratch");

	ck_assert_msg(c, "%s", err.text);
	ck_assert_int_ne(fcntl(dev_claim_fd(c), F_GETFL) & O_DIRECT, 0);
	ck_assert_int_ne(fcntl(dev_claim_handle(c)->fd, F_GETFL) & O_DIRECT, 0);
	dev_claim_free(c);
}
END_TEST

START_TEST(read_handle_cannot_write)
{
	struct dev_handle h;

	fill(path, 8192);
	ck_assert_int_eq(dev_identify(&dev_roots_host, path, &info, &err), 0);
	ck_assert_int_eq(dev_open_read(&info, &h, &err), 0);
	ck_assert_int_eq(fcntl(h.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_ne(fcntl(h.fd, F_GETFL) & O_DIRECT, 0);
	ck_assert_ptr_eq(dev_handle_clock(&h), clock_system());
	dev_handle_release(&h);
	ck_assert_int_eq(h.fd, -1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_ne(dev_open_read(&info, &h, &err), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("file");
	TCase *tc = tcase_create("file");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, created_file_has_the_size_is_all_holes_marked_and_private);
	tcase_add_test(tc, existing_file_or_link_is_never_created_over);
	tcase_add_test(
		tc, file_system_without_direct_io_or_attributes_is_named_and_left_clean);
	tcase_add_test(tc, somebodys_file_is_refused_however_small_or_large);
	tcase_add_test(tc, file_of_holes_is_accepted_and_known_again_when_it_is_full);
	tcase_add_test(tc, one_byte_in_a_file_of_holes_refuses_it);
	tcase_add_test(tc, mark_does_not_outlive_what_it_was_put_on);
	tcase_add_test(tc, file_with_a_second_name_is_refused);
	tcase_add_test(tc, file_in_use_by_another_plateau_is_refused);
	tcase_add_test(tc, id_of_a_file_is_its_base_name);
	tcase_add_test(tc, file_replaced_between_look_and_gate_is_refused);
	tcase_add_test(tc,
		       file_that_grows_under_the_claim_is_refused_before_the_next_stage);
	tcase_add_test(tc, read_only_file_is_refused);
	tcase_add_test(tc, swap_file_in_use_is_refused);
	tcase_add_test(tc, purge_gives_the_blocks_back_and_reads_as_zero);
	tcase_add_test(tc, both_descriptors_of_a_claim_go_past_the_page_cache);
	tcase_add_test(tc, read_handle_cannot_write);
	suite_add_tcase(s, tc);

	return suite_run(s);
}
