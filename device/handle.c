/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/sim.h"

static bool is_same(const struct dev_info *info, const struct stat *st)
{
	if (info->kind == DEV_FILE)
		return S_ISREG(st->st_mode) && st->st_dev == info->rdev &&
		       st->st_ino == info->ino &&
		       (uint64_t)st->st_size / info->lbs_b * info->lbs_b == info->size_b;
	return S_ISBLK(st->st_mode) && st->st_rdev == info->rdev;
}

static int changed(const struct dev_info *info, struct err *err)
{
	return err_set(
		err, EXIT_CODE_SAFETY, ESTALE,
		"%s is refused: it is not what it was a moment ago; look at it again with plateau list",
		info->path);
}

int handle_pin(const struct dev_info *info, int *ret_fd, struct err *err)
{
	struct stat st;
	int fd = open(info->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, EXIT_CODE_SAFETY, errno, "cannot open %s: %s",
			       info->path, strerror(errno));
	if (fstat(fd, &st) || !is_same(info, &st)) {
		close(fd);
		return changed(info, err);
	}
	*ret_fd = fd;
	return 0;
}

int handle_verify(int fd, const struct dev_info *info, struct err *err)
{
	struct stat st;
	uint64_t size_b = info->size_b;

	if (fstat(fd, &st) || !is_same(info, &st))
		return changed(info, err);
	if (info->kind != DEV_FILE && ioctl(fd, BLKGETSIZE64, &size_b))
		return err_set(err, EXIT_CODE_SAFETY, errno,
			       "cannot read the size of %s: %s", info->path,
			       strerror(errno));
	return size_b == info->size_b ? 0 : changed(info, err);
}

int handle_reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, flags | O_CLOEXEC);

	return again < 0 ? -errno : again;
}

/* Every handle is a drive of its own, fresh from the factory. */
static int open_sim(const struct dev_info *info, struct dev_handle *ret, struct err *err)
{
	struct sim_drive *sim;
	int failed = sim_new(info->path, &sim, err);

	if (!failed)
		*ret = (struct dev_handle){ .info = *info, .fd = -1, .sim = sim };
	return failed;
}

int dev_open_read(const struct dev_info *info, struct dev_handle *ret, struct err *err)
{
	int pin, fd;

	if (info->kind == DEV_SIM)
		return open_sim(info, ret, err);
	int failed = handle_pin(info, &pin, err);

	if (failed)
		return failed;
	fd = handle_reopen(pin, O_RDONLY | O_DIRECT);
	close(pin);
	if (fd < 0)
		return err_set(err, EXIT_CODE_HOST, -fd,
			       "cannot open %s for direct reading: %s", info->path,
			       strerror(-fd));
	*ret = (struct dev_handle){ .info = *info, .fd = fd };
	return 0;
}

void dev_handle_release(struct dev_handle *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	sim_free(h->sim);
	h->sim = NULL;
}

struct clock *dev_handle_clock(const struct dev_handle *h)
{
	return h->sim ? sim_clock(h->sim) : clock_system();
}
