/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/sysfs.h"
#include "device/text.h"

struct walk {
	const struct dev_roots *roots;
	struct backing *b;
	struct err *err;
	unsigned
		depth; /* a loop device may sit in a file system on a loop device on ... */
};

enum { DEPTH_MAX = 16 };

static int walk_path(struct walk *w, const char *path);

static int undecided(struct err *err, int errnum, const char *path)
{
	return err_set(
		err, EXIT_CODE_SAFETY, errnum,
		"cannot find out which disk lies under %s: %s; what cannot be decided is refused",
		path, strerror(errnum));
}

/* The path under which the backing file was opened; it may mean another file by now. */
static int loop_path(const char *dir, char ret[PATH_MAX])
{
	ssize_t len = sysfs_bytes(dir, "loop/backing_file", ret, PATH_MAX - 1);

	if (len <= 0)
		return len ? (int)len : -ENOENT;
	ret[len] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

int backing_of_loop(const struct dev_roots *roots, const char *dir, struct statx *ret)
{
	char path[PATH_MAX], node[PATH_MAX];
	struct loop_info64 info;
	int fd = -1, missing = loop_path(dir, path);

	if (missing)
		return missing;
	if (sysfs_path(node, "%s/%s", roots->dev, strrchr(dir, '/') + 1))
		fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		int failed = ioctl(fd, LOOP_GET_STATUS64, &info) ? -errno : 0;

		close(fd);
		if (failed == -ENXIO)
			return -ENOENT;
		if (failed)
			return failed;
		bool is_block = info.lo_rdevice && info.lo_rdevice != info.lo_device;

		*ret = (struct statx){
			.stx_mode = is_block ? S_IFBLK : S_IFREG,
			.stx_ino = info.lo_inode,
			.stx_dev_major = major(info.lo_device),
			.stx_dev_minor = minor(info.lo_device),
			.stx_rdev_major = is_block ? major(info.lo_rdevice) : 0,
			.stx_rdev_minor = is_block ? minor(info.lo_rdevice) : 0,
		};
		return 0;
	}
	return statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_INO, ret) ? -ESTALE : 0;
}

static int push(struct backing *b, dev_t dev)
{
	dev_t *more = reallocarray(b->dev, b->n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	b->dev = more;
	b->dev[b->n++] = dev;
	return 0;
}

static int walk_dev(struct walk *w, dev_t dev);

static int walk_slaves(struct walk *w, const struct sysfs_node *n)
{
	char dir[PATH_MAX], slave[PATH_MAX];
	char **name = NULL;
	size_t names = 0;
	int failed = sysfs_path(dir, "%s/slaves", n->dir)
			     ? sysfs_names(dir, &name, &names)
			     : -ENAMETOOLONG;

	if (failed == -ENOENT && n->is_partition)
		failed = 0;
	if (failed)
		failed = undecided(w->err, -failed, dir);
	for (size_t i = 0; i < names && !failed; i++) {
		dev_t dev;

		if (!sysfs_path(slave, "%s/%s", dir, name[i]))
			failed = -ENAMETOOLONG;
		else
			failed = sysfs_dev(slave, "dev", &dev);
		failed = failed ? undecided(w->err, -failed, slave) : walk_dev(w, dev);
	}
	sysfs_names_free(name, names);
	return failed;
}

static int walk_loop(struct walk *w, const struct sysfs_node *n)
{
	struct statx st = { 0 };
	char path[PATH_MAX];
	int failed = backing_of_loop(w->roots, n->disk, &st);

	if (failed == -ENOENT)
		return 0;
	if (failed)
		return undecided(w->err, -failed, n->name);
	if (S_ISBLK(st.stx_mode))
		return walk_dev(w, makedev(st.stx_rdev_major, st.stx_rdev_minor));
	if (st.stx_dev_major)
		return walk_dev(w, makedev(st.stx_dev_major, st.stx_dev_minor));
	failed = loop_path(n->disk, path);
	return failed ? undecided(w->err, -failed, n->name) : walk_path(w, path);
}

static int walk_dev(struct walk *w, dev_t dev)
{
	struct sysfs_node n;
	char number[32];
	dev_t disk;

	for (size_t i = 0; i < w->b->n; i++)
		if (w->b->dev[i] == dev)
			return 0;
	int failed = push(w->b, dev);

	if (!failed)
		failed = sysfs_node_by_dev(w->roots, dev, &n);
	snprintf(number, sizeof(number), "block device %u:%u", major(dev), minor(dev));
	if (failed)
		return undecided(w->err, -failed, number);
	if (n.is_partition) {
		failed = sysfs_dev(n.disk, "dev", &disk);
		failed = failed ? undecided(w->err, -failed, n.disk) : walk_dev(w, disk);
	}
	if (!failed)
		failed = walk_slaves(w, &n);
	if (!failed)
		failed = walk_loop(w, &n);
	return failed;
}

/* The layers of an overlay may lie on several disks. */
static int walk_overlay(struct walk *w, struct libmnt_fs *fs)
{
	static const char *const options[] = { "lowerdir", "lowerdir+", "datadir+",
					       "upperdir" };
	const char *opts = mnt_fs_get_fs_options(fs);
	char *copy = strdup(opts ? opts : ""), *next = copy, *name, *value;
	size_t name_len, value_len, layers = 0;
	int failed = copy ? 0 : undecided(w->err, ENOMEM, "an overlay");

	while (!failed &&
	       !mnt_optstr_next_option(&next, &name, &name_len, &value, &value_len)) {
		bool is_layer = false;

		for (size_t i = 0; i < ARRAY_LEN(options); i++)
			is_layer |= strlen(options[i]) == name_len &&
				    !memcmp(options[i], name, name_len);
		if (!is_layer || !value)
			continue;
		char *list = strndup(value, value_len), *rest = list, *layer;

		if (!list)
			failed = undecided(w->err, ENOMEM, "an overlay");
		while (!failed && list && (layer = strsep(&rest, ":"))) {
			if (!*layer)
				continue;
			layers++;
			failed = *layer == '/' && !access(layer, F_OK)
					 ? walk_path(w, layer)
					 : undecided(w->err, ENOENT, layer);
		}
		free(list);
	}
	free(copy);
	if (!failed && !layers)
		failed = undecided(w->err, ENODATA, "an overlay");
	return failed;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static int walk_fs(struct walk *w, struct libmnt_fs *fs)
{
	static const char *const diskless[] = { "tmpfs", "ramfs", "rootfs",   "devtmpfs",
						"nfs",   "nfs4",  "9p",       "cifs",
						"smb3",  "ceph",  "virtiofs", NULL };
	/* Several devices, each held exclusively by the kernel: the exclusive open refuses them. */
	static const char *const exclusive[] = { "btrfs", "bcachefs", "zfs", NULL };
	const char *type = mnt_fs_get_fstype(fs), *source = mnt_fs_get_source(fs);
	dev_t dev = mnt_fs_get_devno(fs);
	struct stat st;

	if (major(dev))
		return walk_dev(w, dev);
	if (source && source[0] == '/' && !stat(source, &st) && S_ISBLK(st.st_mode))
		return walk_dev(w, st.st_rdev);
	if (type && !strcmp(type, "overlay"))
		return walk_overlay(w, fs);
	if (type && (is_one_of(type, diskless) || is_one_of(type, exclusive)))
		return 0;
	return err_set(
		w->err, EXIT_CODE_SAFETY, ENOTSUP,
		"cannot find out which disk lies under %s (file system %s); what cannot be "
		"decided is refused",
		mnt_fs_get_target(fs), type ? type : "unknown");
}

static int on_parse_error(struct libmnt_table *tb, const char *file, int line)
{
	(void)tb, (void)file, (void)line;
	return -EBADMSG;
}

int backing_mounts(const char *mountinfo, struct libmnt_table **ret)
{
	struct libmnt_table *tb = mnt_new_table();

	if (!tb)
		return -ENOMEM;
	mnt_table_set_parser_errcb(tb, on_parse_error);
	int failed = mnt_table_parse_file(tb, mountinfo);

	if (failed) {
		mnt_unref_table(tb);
		return failed;
	}
	*ret = tb;
	return 0;
}

/* The mount that holds an existing path, by its id; NULL where the kernel does not tell. */
static struct libmnt_fs *mount_of(struct libmnt_table *tb, const struct statx *st)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (it && !found && (st->stx_mask & STATX_MNT_ID) &&
	       !mnt_table_next_fs(tb, it, &fs))
		if ((uint64_t)mnt_fs_get_id(fs) == st->stx_mnt_id)
			found = fs;
	mnt_free_iter(it);
	if (!found)
		found = mnt_table_find_devno(
			tb, makedev(st->stx_dev_major, st->stx_dev_minor),
			MNT_ITER_BACKWARD);
	return found;
}

static int self_mounts(const struct dev_roots *roots, struct libmnt_table **ret)
{
	char path[PATH_MAX];

	if (!sysfs_path(path, "%s/self/mountinfo", roots->proc))
		return -ENAMETOOLONG;
	return backing_mounts(path, ret);
}

static int walk_path(struct walk *w, const char *path)
{
	struct libmnt_table *tb = NULL;
	struct statx st;

	if (w->depth >= DEPTH_MAX)
		return undecided(w->err, ELOOP, path);
	if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_MNT_ID, &st))
		return undecided(w->err, errno, path);
	if (st.stx_dev_major)
		return walk_dev(w, makedev(st.stx_dev_major, st.stx_dev_minor));
	int failed = self_mounts(w->roots, &tb);

	if (failed)
		return undecided(w->err, -failed, path);
	struct libmnt_fs *fs = mount_of(tb, &st);

	w->depth++;
	failed = fs ? walk_fs(w, fs) : undecided(w->err, ENODATA, path);
	w->depth--;
	mnt_unref_table(tb);
	return failed;
}

int backing_of_path(const struct dev_roots *roots, const char *path, struct backing *ret,
		    struct err *err)
{
	struct walk w = { .roots = roots, .b = ret, .err = err };
	char at[PATH_MAX];

	/* An absolute path ends at /, which is there; a relative one at the current directory. */
	if (!sysfs_path(at, "%s%s", path[0] == '/' ? "" : "./", path))
		return undecided(err, ENAMETOOLONG, path);
	while (access(at, F_OK)) {
		char *slash = strrchr(at, '/');

		if (errno != ENOENT || !slash)
			return undecided(err, errno, path);
		slash[slash == at] = '\0';
	}
	return walk_path(&w, at);
}

/* / as a mountinfo shows it, which it need not in a chroot. */
static int walk_root_in(struct walk *w, const char *mountinfo, bool *ret_shown)
{
	struct libmnt_table *tb = NULL;
	int failed = backing_mounts(mountinfo, &tb);

	if (failed)
		return undecided(w->err, -failed, "/");
	struct libmnt_fs *fs = mnt_table_find_target(tb, "/", MNT_ITER_BACKWARD);

	*ret_shown = fs;
	if (fs)
		failed = walk_fs(w, fs);
	mnt_unref_table(tb);
	return failed;
}

int backing_of_system(const struct dev_roots *roots, struct backing *ret, struct err *err)
{
	struct walk w = { .roots = roots, .b = ret, .err = err };
	char self[PATH_MAX], init[PATH_MAX];
	bool shown = false;

	if (!sysfs_path(self, "%s/self/mountinfo", roots->proc) ||
	    !sysfs_path(init, "%s/1/mountinfo", roots->proc))
		return undecided(err, ENAMETOOLONG, "/");
	int failed = walk_root_in(&w, self, &shown);

	if (!failed && !shown)
		failed = walk_path(&w, "/");
	if (!failed && !access(init, F_OK))
		failed = walk_root_in(&w, init, &shown);
	return failed;
}

void backing_release(struct backing *b)
{
	free(b->dev);
	*b = (struct backing){ 0 };
}

void backing_fs_type(const struct dev_roots *roots, const char *path, char ret[DEV_WORD])
{
	struct libmnt_table *tb = NULL;
	struct statx st;

	ret[0] = '\0';
	if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_MNT_ID, &st) ||
	    self_mounts(roots, &tb))
		return;
	struct libmnt_fs *fs = mount_of(tb, &st);
	const char *type = fs ? mnt_fs_get_fstype(fs) : NULL;

	if (type)
		text_clean(ret, DEV_WORD, type, strlen(type));
	mnt_unref_table(tb);
}
