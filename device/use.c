/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/str.h"
#include "device/backing.h"
#include "device/sysfs.h"
#include "device/text.h"

/* What is looked for: one file, or a whole disk with all of its partitions. */
struct wanted {
	const struct dev_roots *roots;
	const struct dev_info *info;
	const char *run_dir;
	struct sysfs_node
		*node; /* the disk first, then its partitions; none for a file */
	size_t n_nodes;
};

static int undecided(struct err *err, int errnum, const char *what, const char *where)
{
	return err_set(err, EXIT_CODE_SAFETY, errnum,
		       "cannot find out %s: %s: %s; what cannot be decided is refused",
		       what, where, strerror(errnum));
}

static int wanted_init(struct wanted *w, const struct dev_roots *roots,
		       const struct dev_info *info, const char *run_dir, struct err *err)
{
	struct sysfs_node self;
	char **name = NULL;
	size_t n = 0;
	int failed;

	*w = (struct wanted){ .roots = roots, .info = info, .run_dir = run_dir };
	if (info->kind == DEV_FILE)
		return 0;
	failed = sysfs_node_by_dev(roots, info->rdev, &self);
	if (!failed)
		failed = sysfs_names(self.disk, &name, &n);
	if (failed)
		return undecided(err, -failed, "which partitions belong to the disk",
				 info->path);
	w->node = calloc(n + 1, sizeof(*w->node));
	if (!w->node) {
		failed = -ENOMEM;
		goto out;
	}
	failed = sysfs_dev(self.disk, "dev", &self.dev);
	if (!failed)
		failed = sysfs_node_by_dev(roots, self.dev, &w->node[w->n_nodes++]);
	for (size_t i = 0; i < n && !failed; i++) {
		char dir[PATH_MAX];
		dev_t dev;

		if (!sysfs_path(dir, "%s/%s", self.disk, name[i]) ||
		    !sysfs_has(dir, "partition"))
			continue;
		failed = sysfs_dev(dir, "dev", &dev);
		if (!failed)
			failed = sysfs_node_by_dev(roots, dev, &w->node[w->n_nodes++]);
	}
out:
	sysfs_names_free(name, n);
	if (!failed)
		return 0;
	free(w->node);
	return undecided(err, -failed, "which partitions belong to the disk", self.disk);
}

static void wanted_release(struct wanted *w)
{
	free(w->node);
}

static const struct sysfs_node *wanted_node(const struct wanted *w, dev_t dev)
{
	for (size_t i = 0; i < w->n_nodes; i++)
		if (w->node[i].dev == dev)
			return &w->node[i];
	return NULL;
}

/* "" for the target itself, else which part of the disk is meant. */
static const char *part_word(const struct wanted *w, const struct sysfs_node *n,
			     char buf[DEV_WORD + 2])
{
	buf[0] = '\0';
	if (n->dev != w->info->rdev)
		snprintf(buf, DEV_WORD + 2, "%s ", n->name);
	return buf;
}

static void found_add(struct str *found, const char *a, const char *b, const char *c)
{
	char clean[512];

	text_clean(clean, sizeof(clean), c, strlen(c));
	str_addf(found, "%s%s%s%s", found->len ? ", " : "", a, b, clean);
}

/* A file or device node met elsewhere: is it (part of) the target? */
static bool wanted_stat(const struct wanted *w, const struct statx *st,
			const struct sysfs_node **ret)
{
	*ret = NULL;
	if (w->info->kind == DEV_FILE)
		return S_ISREG(st->stx_mode) && st->stx_ino == w->info->ino &&
		       makedev(st->stx_dev_major, st->stx_dev_minor) == w->info->rdev;
	if (S_ISBLK(st->stx_mode))
		*ret = wanted_node(w, makedev(st->stx_rdev_major, st->stx_rdev_minor));
	return *ret;
}

static int stat_of(int at, const char *path, struct statx *ret)
{
	return statx(at, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		     STATX_TYPE | STATX_INO, ret)
		       ? -errno
		       : 0;
}

/* A process may end while it is looked at. */
static bool is_gone(int errnum)
{
	return errnum == ENOENT || errnum == ESRCH || errnum == EINVAL;
}

/* The disks that hold something precious. */

static bool is_under(const struct wanted *w, const struct backing *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (wanted_node(w, b->dev[i]))
			return true;
	return false;
}

static int find_system(const struct wanted *w, struct str *found, struct err *err)
{
	struct backing b = { 0 };
	int failed = backing_of_system(w->roots, &b, err);

	if (!failed && is_under(w, &b))
		found_add(found, "system disk (holds /)", "", "");
	backing_release(&b);
	return failed;
}

static int find_run_dir(const struct wanted *w, struct str *found, struct err *err)
{
	struct backing b = { 0 };
	int failed = w->run_dir ? backing_of_path(w->roots, w->run_dir, &b, err) : 0;

	if (!failed && is_under(w, &b))
		found_add(found, "it holds the run directory ", "", w->run_dir);
	backing_release(&b);
	return failed;
}

/* Mounts. */

/* Not every device of a file system shows in its st_dev: then the source does. */
static const struct sysfs_node *mounted_node(const struct wanted *w, struct libmnt_fs *fs)
{
	const struct sysfs_node *n = wanted_node(w, mnt_fs_get_devno(fs));
	const char *source = mnt_fs_get_source(fs);
	struct statx st;

	if (!n && source && source[0] == '/' && !stat_of(AT_FDCWD, source, &st))
		(void)wanted_stat(w, &st, &n);
	return n;
}

static bool is_in_text(const struct str *s, const char *word)
{
	return strstr(str_text(s), word);
}

static int mounts_in(const struct wanted *w, const char *mountinfo, struct str *found)
{
	struct libmnt_table *tb = NULL;
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int failed = it ? backing_mounts(mountinfo, &tb) : -ENOMEM;

	while (!failed && !mnt_table_next_fs(tb, it, &fs)) {
		const struct sysfs_node *n = mounted_node(w, fs);
		char part[DEV_WORD + 2], words[DEV_WORD + 32];
		const char *target = mnt_fs_get_target(fs);

		if (!n)
			continue;
		/* Other mount namespaces repeat the same mounts. */
		struct str one = { 0 };

		snprintf(words, sizeof(words), "%smounted on ", part_word(w, n, part));
		found_add(&one, words, "", target ? target : "?");
		if (!is_in_text(found, str_text(&one)))
			found_add(found, str_text(&one), "", "");
		str_release(&one);
	}
	mnt_free_iter(it);
	mnt_unref_table(tb);
	return failed;
}

static bool is_pid(const char *name)
{
	return name[0] && !name[strspn(name, "0123456789")];
}

struct seen {
	ino_t *ns;
	size_t n;
};

/* Is this the first process of its mount namespace? One that does not tell counts as one. */
static bool is_new_ns(const char *proc, const char *pid, struct seen *seen)
{
	char path[PATH_MAX];
	struct stat st;

	if (!sysfs_path(path, "%s/%s/ns/mnt", proc, pid) || stat(path, &st))
		return true;
	for (size_t i = 0; i < seen->n; i++)
		if (seen->ns[i] == st.st_ino)
			return false;
	ino_t *more = reallocarray(seen->ns, seen->n + 1, sizeof(*more));

	if (more) {
		seen->ns = more;
		seen->ns[seen->n++] = st.st_ino;
	}
	return true;
}

static int find_mounts(const struct wanted *w, struct str *found, struct err *err)
{
	static const char what[] = "where it is mounted";
	char path[PATH_MAX];
	char **pid = NULL;
	size_t n = 0;
	struct seen seen = { 0 };
	int failed = sysfs_names(w->roots->proc, &pid, &n);

	if (failed)
		return undecided(err, -failed, what, w->roots->proc);
	if (!sysfs_path(path, "%s/self/mountinfo", w->roots->proc))
		failed = -ENAMETOOLONG;
	else
		failed = mounts_in(w, path, found);
	(void)is_new_ns(w->roots->proc, "self", &seen);
	for (size_t i = 0; i < n && !failed; i++) {
		if (!is_pid(pid[i]) || !is_new_ns(w->roots->proc, pid[i], &seen))
			continue;
		if (!sysfs_path(path, "%s/%s/mountinfo", w->roots->proc, pid[i]))
			failed = -ENAMETOOLONG;
		else
			failed = mounts_in(w, path, found);
		if (is_gone(-failed))
			failed = 0;
	}
	sysfs_names_free(pid, n);
	free(seen.ns);
	return failed ? undecided(err, -failed, what, path) : 0;
}

/* A mounted btrfs spans devices that no mountinfo names. */
static int find_btrfs(const struct wanted *w, struct str *found, struct err *err)
{
	char root[PATH_MAX], link[PATH_MAX], part[DEV_WORD + 2];
	char **fs = NULL;
	size_t n = 0;

	if (!sysfs_path(root, "%s/fs/btrfs", w->roots->sys))
		return undecided(err, ENAMETOOLONG, "which devices btrfs uses",
				 w->roots->sys);
	int failed = sysfs_names(root, &fs, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < w->n_nodes; k++)
			if (sysfs_path(link, "%s/%s/devices/%s", root, fs[i],
				       w->node[k].name) &&
			    !access(link, F_OK))
				found_add(found, part_word(w, &w->node[k], part),
					  "part of mounted btrfs ", fs[i]);
	sysfs_names_free(fs, n);
	if (failed && failed != -ENOENT)
		return undecided(err, -failed, "which devices btrfs uses", root);
	return 0;
}

/* Swap. */

static int find_swap(const struct wanted *w, struct str *found, struct err *err)
{
	char path[PATH_MAX], part[DEV_WORD + 2];
	struct libmnt_table *tb = mnt_new_table();
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int failed = tb && it ? 0 : -ENOMEM;

	if (!sysfs_path(path, "%s/swaps", w->roots->proc))
		failed = -ENAMETOOLONG;
	if (!failed)
		failed = mnt_table_parse_swaps(tb, path);
	while (!failed && !mnt_table_next_fs(tb, it, &fs)) {
		const char *source = mnt_fs_get_source(fs);
		const struct sysfs_node *n = NULL;
		struct statx st;

		if (!source)
			continue;
		/*
		 * A swap area that cannot be seen from here: a device is known by its name; the
		 * kernel itself lets nobody write to an active swap file.
		 */
		if (!stat_of(AT_FDCWD, source, &st)) {
			if (!wanted_stat(w, &st, &n))
				continue;
		} else {
			const char *base = strrchr(source, '/');

			for (size_t i = 0; i < w->n_nodes && base; i++)
				if (!strcmp(base + 1, w->node[i].name))
					n = &w->node[i];
			if (!n)
				continue;
		}
		found_add(found, n ? part_word(w, n, part) : "", "in use as swap", "");
	}
	mnt_free_iter(it);
	mnt_unref_table(tb);
	return failed ? undecided(err, -failed, "what is in use as swap", path) : 0;
}

/* Holders: device mapper, md, bcache. */

static int find_holders(const struct wanted *w, struct str *found, struct err *err)
{
	char dir[PATH_MAX], part[DEV_WORD + 2], words[2 * DEV_WORD], name[DEV_WORD];

	for (size_t i = 0; i < w->n_nodes; i++) {
		char **holder = NULL;
		size_t n = 0;
		int failed = sysfs_path(dir, "%s/holders", w->node[i].dir)
				     ? sysfs_names(dir, &holder, &n)
				     : -ENAMETOOLONG;

		if (failed)
			return undecided(err, -failed, "what is built on it", dir);
		for (size_t k = 0; k < n; k++) {
			struct sysfs_node h;

			name[0] = '\0';
			if (!sysfs_node_by_name(w->roots, holder[k], &h))
				sysfs_word(h.dir, "dm/name", name);
			snprintf(words, sizeof(words), "%sheld by ",
				 part_word(w, &w->node[i], part));
			found_add(found, words, "", holder[k]);
			if (name[0])
				str_addf(found, " (%s)", name);
		}
		sysfs_names_free(holder, n);
	}
	return 0;
}

/* Loop devices on top of it. */

static int find_loops(const struct wanted *w, struct str *found, struct err *err)
{
	char dir[PATH_MAX], path[PATH_MAX], part[DEV_WORD + 2];
	char **name = NULL;
	size_t n = 0;
	int failed = sysfs_path(dir, "%s/block", w->roots->sys)
			     ? sysfs_names(dir, &name, &n)
			     : -ENAMETOOLONG;

	for (size_t i = 0; i < n && !failed; i++) {
		const struct sysfs_node *node = NULL;
		struct statx st = { 0 };

		if (!sysfs_path(path, "%s/%s", dir, name[i]))
			failed = -ENAMETOOLONG;
		else
			failed = backing_of_loop(w->roots, path, &st);
		/* A deleted or hidden file is not the scratch file in hand, which has one name. */
		if (failed == -ENOENT ||
		    (failed == -ESTALE && w->info->kind == DEV_FILE)) {
			failed = 0;
			continue;
		}
		if (!failed && wanted_stat(w, &st, &node))
			found_add(found, node ? part_word(w, node, part) : "", "behind ",
				  name[i]);
	}
	sysfs_names_free(name, n);
	return failed ? undecided(err, -failed, "what loop devices are backed by", path)
		      : 0;
}

/* Other processes. */

static int openers_in(const struct wanted *w, const char *pid, struct str *found)
{
	char dir[PATH_MAX], comm[DEV_WORD], part[DEV_WORD + 2];
	int failed = 0;

	if (!sysfs_path(dir, "%s/%s/fd", w->roots->proc, pid))
		return -ENAMETOOLONG;
	DIR *d = opendir(dir);

	if (!d)
		return -errno;
	for (;;) {
		const struct sysfs_node *n;
		struct statx st;

		errno = 0;
		struct dirent *e = readdir(d);

		if (!e) {
			failed = -errno;
			break;
		}
		if (e->d_name[0] == '.' || stat_of(dirfd(d), e->d_name, &st) ||
		    !wanted_stat(w, &st, &n))
			continue;
		*strrchr(dir, '/') = '\0';
		sysfs_word(dir, "comm", comm);
		found_add(found, n ? part_word(w, n, part) : "", "opened by ", comm);
		str_addf(found, " (pid %s)", pid);
		break;
	}
	closedir(d);
	return failed;
}

static int find_openers(const struct wanted *w, struct str *found, struct err *err)
{
	static const char what[] =
		"who else has it open (root may look into every process)";
	char self[32];
	char **pid = NULL;
	size_t n = 0, i;
	int failed = sysfs_names(w->roots->proc, &pid, &n);

	if (failed)
		return undecided(err, -failed, what, w->roots->proc);
	snprintf(self, sizeof(self), "%d", (int)getpid());
	for (i = 0; i < n && !failed; i++) {
		if (!is_pid(pid[i]) || !strcmp(pid[i], self))
			continue;
		failed = openers_in(w, pid[i], found);
		/* A scratch file of one's own needs no root: nothing precious is in it. */
		if (is_gone(-failed) || (failed == -EACCES && w->info->kind == DEV_FILE))
			failed = 0;
	}
	if (failed)
		failed = undecided(err, -failed, what, pid[i - 1]);
	sysfs_names_free(pid, n);
	return failed;
}

/* All of it, in the order in which a refusal names them. */

static const struct use {
	int (*find)(const struct wanted *w, struct str *found, struct err *err);
	const char *todo;
	bool for_files; /* a file has no mounts or holders of its own */
	bool in_list;
	bool passes; /* may be over in a moment: udev and monitors look at disks briefly */
} uses[] = {
	{ .find = find_system,
	  .todo = "plateau never writes to it, choose another drive",
	  .in_list = true },
	{ .find = find_run_dir, .todo = "put the run on another disk with --output" },
	{ .find = find_mounts, .todo = "unmount it first", .in_list = true },
	{ .find = find_btrfs, .todo = "unmount it first", .in_list = true },
	{ .find = find_swap,
	  .todo = "swapoff it first",
	  .for_files = true,
	  .in_list = true },
	{ .find = find_holders,
	  .todo = "remove what is built on it first (LVM, dm, md, bcache)",
	  .in_list = true },
	{ .find = find_loops,
	  .todo = "detach the loop device first (losetup -d)",
	  .for_files = true,
	  .in_list = true },
	{ .find = find_openers,
	  .todo = "end that program first",
	  .for_files = true,
	  .passes = true },
};

static int refuse_one(const struct wanted *w, const struct use *u, struct err *err)
{
	enum { TRIES = 5 };
	struct clock *clk = clock_system();
	struct str found = { 0 };
	int failed = 0;

	for (int i = 0; i < (u->passes ? TRIES : 1); i++) {
		if (i)
			clk->sleep_until_ns(clk, clk->now_ns(clk) + 200 * NSEC_PER_MSEC);
		str_release(&found);
		failed = u->find(w, &found, err);
		if (failed || (!found.len && !found.failed))
			break;
	}
	if (!failed && found.failed)
		failed = undecided(err, ENOMEM, "who uses it", w->info->path);
	if (!failed && found.len)
		failed = err_set(err, EXIT_CODE_SAFETY, EBUSY, "%s is refused: %s; %s",
				 w->info->path, str_text(&found), u->todo);
	str_release(&found);
	return failed;
}

int use_refuse(const struct dev_roots *roots, const struct dev_info *info,
	       const char *run_dir, struct err *err)
{
	struct wanted w;
	int failed = wanted_init(&w, roots, info, run_dir, err);

	if (failed)
		return failed;
	for (size_t i = 0; i < ARRAY_LEN(uses) && !failed; i++)
		if (uses[i].for_files || info->kind != DEV_FILE)
			failed = refuse_one(&w, &uses[i], err);
	wanted_release(&w);
	return failed;
}

void use_words(const struct dev_roots *roots, const struct dev_info *info, char *ret,
	       size_t cap)
{
	struct wanted w;
	struct str found = { 0 };
	int failed = wanted_init(&w, roots, info, NULL, NULL);

	if (!failed) {
		for (size_t i = 0; i < ARRAY_LEN(uses) && !failed; i++)
			if (uses[i].in_list &&
			    (uses[i].for_files || info->kind != DEV_FILE))
				failed = uses[i].find(&w, &found, NULL);
		wanted_release(&w);
	}
	if (failed || found.failed)
		snprintf(ret, cap, "cannot be found out");
	else
		snprintf(ret, cap, "%s", str_text(&found));
	str_release(&found);
}
