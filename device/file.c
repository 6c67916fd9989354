/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "device/backing.h"

#define MARK "user.plateau"

/*
 * The mark names inode and size: copied with the file (cp -a) or kept by a file that was filled
 * with something else (cp thesis scratch), it holds no longer.
 */
static void mark_text(const struct stat *st, char ret[96])
{
	snprintf(ret, 96, "1 ino=%ju size_b=%jd", (uintmax_t)st->st_ino,
		 (intmax_t)st->st_size);
}

static int no_direct(const char *path, const char *fs_type, struct err *err)
{
	return err_set(
		err, EXIT_CODE_HOST, EOPNOTSUPP,
		"%s: the file system (%s) has no direct I/O, so nothing can be measured there; put "
		"the file on ext4, xfs or btrfs",
		path, fs_type[0] ? fs_type : "unknown");
}

/* Kernels before 6.1 do not tell: then a direct read of 512 bytes does. */
static int probe_direct_b(const char *path, const char *fs_type, uint32_t *ret_b,
			  struct err *err)
{
	void *buf = NULL;
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		return errno == EINVAL
			       ? no_direct(path, fs_type, err)
			       : err_set(err, EXIT_CODE_HOST, errno, "cannot open %s: %s",
					 path, strerror(errno));
	if (posix_memalign(&buf, 4096, 4096)) {
		close(fd);
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	}
	*ret_b = pread(fd, buf, 512, 0) >= 0 ? 512 : 4096;
	free(buf);
	close(fd);
	return 0;
}

int file_direct_b(const char *path, const char *fs_type, uint32_t *ret_b, struct err *err)
{
	struct statx st;

	if (statx(AT_FDCWD, path, 0, STATX_DIOALIGN, &st) ||
	    !(st.stx_mask & STATX_DIOALIGN))
		return probe_direct_b(path, fs_type, ret_b, err);
	if (!st.stx_dio_offset_align)
		return no_direct(path, fs_type, err);
	*ret_b = st.stx_dio_offset_align > 512 ? st.stx_dio_offset_align : 512;
	return 0;
}

static bool is_marked(int fd, const struct stat *st)
{
	char want[96], have[96];

	mark_text(st, want);
	ssize_t len = fgetxattr(fd, MARK, have, sizeof(have));

	return len == (ssize_t)strlen(want) && !memcmp(have, want, (size_t)len);
}

/* A file system that cannot tell holes says "all data". */
static bool is_all_holes(int fd)
{
	return lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;
}

int file_check_expendable(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, EXIT_CODE_SAFETY, errno, "cannot look at %s: %s",
			       path, strerror(errno));
	if (st.st_nlink != 1)
		return err_set(
			err, EXIT_CODE_SAFETY, EMLINK,
			"%s is refused: it has %ju names (hard links), and what the others are for "
			"cannot be seen; use a file of its own",
			path, (uintmax_t)st.st_nlink);
	if (is_marked(fd, &st) || is_all_holes(fd))
		return 0;
	return err_set(
		err, EXIT_CODE_SAFETY, EEXIST,
		"%s is refused: it holds data and plateau did not make it (or it was changed or "
		"copied since); name a new file and let --size SIZE create it",
		path);
}

int file_mark(int fd, const char *path, struct err *err)
{
	char text[96];
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, EXIT_CODE_HOST, errno, "cannot look at %s: %s", path,
			       strerror(errno));
	mark_text(&st, text);
	if (fsetxattr(fd, MARK, text, strlen(text), 0))
		return err_set(
			err, EXIT_CODE_HOST, errno,
			"cannot mark %s as plateau's with the extended attribute " MARK
			": %s; use a file system that has them, such as ext4 or xfs",
			path, strerror(errno));
	return 0;
}

/* A path where no file can be is wrong use; anything else is the host's trouble. */
static enum exit_code create_code(int errnum)
{
	static const int usage[] = { EEXIST,       ENOENT, ENOTDIR, EISDIR,
				     ENAMETOOLONG, ELOOP,  EACCES,  EPERM };

	for (size_t i = 0; i < ARRAY_LEN(usage); i++)
		if (errnum == usage[i])
			return EXIT_CODE_USAGE;
	return EXIT_CODE_HOST;
}

int dev_file_create(const char *path, uint64_t size_b, struct err *err)
{
	char fs_type[DEV_WORD];
	uint32_t direct_b;

	if (!size_b || size_b > INT64_MAX)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "%s: a file of %ju bytes cannot be made", path,
			       (uintmax_t)size_b);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(err, create_code(errno), errno, "cannot create %s: %s",
			       path, strerror(errno));
	int failed = ftruncate(fd, (off_t)size_b)
			     ? err_set(err, EXIT_CODE_HOST, errno,
				       "cannot make %s %ju bytes large: %s", path,
				       (uintmax_t)size_b, strerror(errno))
			     : file_mark(fd, path, err);

	if (!failed) {
		backing_fs_type(&dev_roots_host, path, fs_type);
		failed = file_direct_b(path, fs_type, &direct_b, err);
	}
	close(fd);
	if (failed)
		unlink(path);
	return failed;
}
