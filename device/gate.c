/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one place that makes a claim and opens a target for writing; docs/safety.md in code.
 *
 * Everything is checked before the exclusive claim, because only then can a reason be named, and
 * again under it, because only then can nobody mount or hold the device any more. The claim sits
 * on a read-only descriptor: until the last check has passed nothing is open for writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/claim.h"
#include "device/discover.h"
#include "device/file.h"
#include "device/handle.h"
#include "device/probe.h"
#include "device/sim.h"
#include "device/sysfs.h"
#include "device/use.h"

static int refuse(struct err *err, int errnum, const struct dev_info *info,
		  const char *why)
{
	return err_set(err, EXIT_CODE_SAFETY, errnum, "%s is refused: %s", info->path,
		       why);
}

static int check_nature(const struct dev_info *info, bool shared_ok, struct err *err)
{
	if (info->read_only)
		return refuse(err, EROFS, info, "it is read-only");
	if (info->zoned)
		return refuse(
			err, ENOTSUP, info,
			"it is zoned, and the workloads of the specification write anywhere");
	if (info->nvme.reservation == DEV_RESV_HELD)
		return refuse(err, EBUSY, info,
			      "a host holds a reservation on its namespace; release it "
			      "there first");
	if (info->nvme.shared && !shared_ok)
		return refuse(
			err, EBUSY, info,
			"its namespace is shared with other controllers, perhaps of other "
			"hosts; if nobody else uses it, add --shared-ok");
	return 0;
}

static int check_erase_id(const struct dev_info *info, const char *typed, struct err *err)
{
	const char *where = info->kind == DEV_SIM ? info->name : info->path;

	if (!info->erase_id[0])
		return refuse(
			err, ENODATA, info,
			"it shows no serial number and no WWID that are its own, so nothing typed "
			"could tell it from another device");
	if (!typed || !typed[0])
		return err_set(
			err, EXIT_CODE_SAFETY, EINVAL,
			"%s is refused without --erase; if everything on it may be destroyed, add "
			"--erase '%s'",
			where, info->erase_id);
	if (!strcmp(typed, info->erase_id))
		return 0;
	if (info->erase_id_shared && !strcmp(typed, info->serial))
		return err_set(
			err, EXIT_CODE_SAFETY, EINVAL,
			"%s is refused: another device here shows the serial number '%s' as well; "
			"what identifies it is its WWID '%s'",
			where, typed, info->erase_id);
	return err_set(
		err, EXIT_CODE_SAFETY, EINVAL,
		"%s is refused: --erase '%s' did not match, its id is '%s'; is it the device you "
		"mean?",
		where, typed, info->erase_id);
}

/* Every one of them is a word of `words`, "ext4, gpt"; NULL holds any. */
static bool are_among(const struct signatures *found, const char *words)
{
	for (size_t i = 0; words && i < found->n; i++) {
		size_t len = strlen(found->name[i]);
		const char *at = words;

		while (*at && (strncmp(at, found->name[i], len) != 0 ||
			       (at[len] && at[len] != ','))) {
			at += strcspn(at, ",");
			at += strspn(at, ", ");
		}
		if (!*at)
			return false;
	}
	return true;
}

/* What is on it: nothing, or only what is waived. First time round (`first`) `waived` is filled. */
static int check_content(struct dev_claim *c, const struct dev_gate_opts *first,
			 struct err *err)
{
	const struct dev_info *info = &c->handle.info;
	struct signatures found;
	const char *name;

	if (info->kind == DEV_FILE) {
		int failed = file_check_expendable(c->handle.fd, info->path, err);

		if (failed)
			return failed;
	}
	int fd = handle_reopen(c->handle.fd, O_RDONLY);

	if (fd < 0)
		return err_set(err, EXIT_CODE_SAFETY, -fd, "cannot read %s: %s",
			       info->path, strerror(-fd));
	int failed = signatures_probe(fd, info->path, &found, err);

	close(fd);
	if (failed)
		return failed;
	if (first && first->discard_signatures && are_among(&found, first->waive_only))
		c->waived = found;
	name = signatures_new(&found, &c->waived);
	if (!name)
		return 0;
	if (first && first->waive_only)
		return err_set(
			err, EXIT_CODE_SAFETY, EEXIST,
			"%s is refused: it holds %s, which was not there when the run began",
			info->path, name);
	if (first)
		return err_set(
			err, EXIT_CODE_SAFETY, EEXIST,
			"%s is refused: it holds %s; if that may be destroyed, add "
			"--discard-signatures",
			info->path, found.words);
	return err_set(err, EXIT_CODE_SAFETY, EEXIST,
		       "%s is refused: it holds %s, which was not there at the start",
		       info->path, name);
}

/* The same serial, size and number as when it was identified, on the open descriptor `fd`. */
static int check_identity(const struct dev_claim *c, int fd, struct err *err)
{
	const struct dev_info *info = &c->handle.info;
	struct dev_info now;

	if (info->kind != DEV_FILE) {
		int failed = discover_block(c->roots, info->rdev, &now, err);

		if (failed)
			return failed;
		if (strcmp(now.serial, info->serial) || strcmp(now.wwid, info->wwid) ||
		    strcmp(now.name, info->name))
			return refuse(
				err, ESTALE, info,
				"another device has taken its place since it was identified");
		if (now.read_only)
			return refuse(err, EROFS, info, "it has become read-only");
	}
	int failed = handle_verify(fd, info, err);

	return failed ? failed : probe_confirm(fd, info, err);
}

static int open_for_checks(struct dev_claim *c, const struct dev_info *info,
			   struct err *err)
{
	int failed = dev_open_read(info, &c->handle, err);

	if (failed && err && err->code == EXIT_CODE_HOST)
		err->code = EXIT_CODE_SAFETY; /* what cannot be read cannot be decided */
	return failed;
}

/* A partition is no more free than its disk: nobody may hold that exclusively. */
static int check_disk_of_partition(const struct dev_claim *c, struct err *err)
{
	const struct dev_info *info = &c->handle.info;
	struct sysfs_node self, disk;
	char path[PATH_MAX];
	struct stat st;
	dev_t dev;

	if (!info->is_partition)
		return 0;
	int failed = sysfs_node_by_dev(c->roots, info->rdev, &self);

	if (!failed)
		failed = sysfs_dev(self.disk, "dev", &dev);
	if (!failed)
		failed = sysfs_node_by_dev(c->roots, dev, &disk);
	if (!failed && !sysfs_path(path, "%s/%s", c->roots->dev, disk.name))
		failed = -ENAMETOOLONG;
	if (failed)
		return refuse(err, -failed, info,
			      "the disk that it is part of cannot be found");
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return err_set(
			err, EXIT_CODE_SAFETY, errno,
			"%s is refused: the disk that it is part of, %s, cannot be claimed: %s",
			info->path, path, strerror(errno));
	bool same = !fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;

	close(fd);
	return same ? 0
		    : refuse(err, ESTALE, info,
			     "its disk's node in /dev is not that disk");
}

/* Keep all others out for as long as the claim lives. The descriptor stays read-only. */
static int claim_exclusively(struct dev_claim *c, struct err *err)
{
	const struct dev_info *info = &c->handle.info;

	if (info->kind == DEV_FILE) {
		if (!flock(c->handle.fd, LOCK_EX | LOCK_NB))
			return 0;
		return refuse(err, errno, info,
			      errno == EWOULDBLOCK
				      ? "another plateau is using it (it is locked)"
				      : "it cannot be locked");
	}
	int failed = check_disk_of_partition(c, err);

	if (failed)
		return failed;
	int fd = handle_reopen(c->handle.fd, O_RDONLY | O_DIRECT | O_EXCL);

	if (fd == -EBUSY)
		return refuse(
			err, EBUSY, info,
			"the kernel or another program holds it exclusively (a mount, swap, RAID or "
			"another plateau); see lsblk and fuser");
	if (fd < 0)
		return err_set(err, EXIT_CODE_SAFETY, -fd, "cannot claim %s: %s",
			       info->path, strerror(-fd));
	close(c->handle.fd);
	c->handle.fd = fd;
	return 0;
}

static int open_for_writing(struct dev_claim *c, struct err *err)
{
	const struct dev_info *info = &c->handle.info;
	int fd = handle_reopen(c->handle.fd, O_RDWR | O_DIRECT);

	if (fd < 0)
		return err_set(err, EXIT_CODE_SAFETY, -fd,
			       "cannot open %s for writing: %s", info->path,
			       strerror(-fd));
	c->fd = fd;
	int failed = check_identity(c, fd, err);

	/* What was accepted because it was empty must be known again when it no longer is. */
	if (!failed && info->kind == DEV_FILE)
		failed = file_mark(fd, info->path, err);
	return failed;
}

static struct dev_claim *claim_new(const struct dev_gate_opts *opts)
{
	struct dev_claim *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->fd = c->handle.fd = -1;
	c->roots = opts->roots;
	if (opts->run_dir && !(c->run_dir = strdup(opts->run_dir))) {
		free(c);
		return NULL;
	}
	return c;
}

static int gate_sim(struct dev_claim *c, const struct dev_info *info,
		    const struct dev_gate_opts *opts, struct err *err)
{
	int failed = check_erase_id(info, opts->erase_id, err);

	return failed ? failed : dev_open_read(info, &c->handle, err);
}

static int gate_real(struct dev_claim *c, const struct dev_info *info,
		     const struct dev_gate_opts *opts, struct err *err)
{
	int failed = check_nature(info, opts->shared_ok, err);

	if (!failed)
		failed = use_refuse(c->roots, info, c->run_dir, err);
	if (!failed)
		failed = check_erase_id(info, opts->erase_id, err);
	if (!failed)
		failed = open_for_checks(c, info, err);
	if (!failed)
		failed = check_content(c, opts, err);
	if (!failed)
		failed = claim_exclusively(c, err);
	if (!failed)
		failed = dev_claim_recheck(c, err);
	if (!failed)
		failed = open_for_writing(c, err);
	return failed;
}

int dev_gate(const struct dev_info *info, const struct dev_gate_opts *opts,
	     struct dev_claim **ret, struct err *err)
{
	struct dev_claim *c = claim_new(opts);

	if (!c)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	int failed = info->kind == DEV_SIM ? gate_sim(c, info, opts, err)
					   : gate_real(c, info, opts, err);

	if (failed) {
		dev_claim_free(c);
		return failed;
	}
	*ret = c;
	return 0;
}

static int recheck_sim(const struct dev_claim *c, struct err *err)
{
	if (!sim_lost(c->handle.sim))
		return 0;
	return err_set(err, EXIT_CODE_DEVICE, ENODEV, "%s is gone", c->handle.info.path);
}

int dev_claim_recheck(struct dev_claim *c, struct err *err)
{
	const struct dev_info *info = &c->handle.info;

	if (info->kind == DEV_SIM)
		return recheck_sim(c, err);
	int failed = check_identity(c, c->handle.fd, err);

	if (!failed)
		failed = use_refuse(c->roots, info, c->run_dir, err);
	if (!failed)
		failed = check_content(c, NULL, err);
	return failed;
}

const struct dev_handle *dev_claim_handle(const struct dev_claim *c)
{
	return &c->handle;
}

int dev_claim_fd(const struct dev_claim *c)
{
	return c->fd;
}

const char *dev_claim_waived(const struct dev_claim *c)
{
	return c->waived.words;
}

void dev_claim_free(struct dev_claim *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	dev_handle_release(&c->handle);
	free(c->run_dir);
	free(c);
}
