/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/text.h"

const struct dev_roots dev_roots_host = { .sys = "/sys", .proc = "/proc", .dev = "/dev" };

bool sysfs_path(char ret[PATH_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(ret, PATH_MAX, fmt, ap);

	va_end(ap);
	if (len >= 0 && len < PATH_MAX)
		return true;
	ret[0] = '\0';
	return false;
}

ssize_t sysfs_bytes(const char *dir, const char *attr, void *ret, size_t cap)
{
	char path[PATH_MAX];

	if (!sysfs_path(path, "%s/%s", dir, attr))
		return -ENAMETOOLONG;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ssize_t got = read(fd, ret, cap);

	if (got < 0)
		got = -errno;
	close(fd);
	return got;
}

void sysfs_word(const char *dir, const char *attr, char ret[DEV_WORD])
{
	char raw[256];
	ssize_t got = sysfs_bytes(dir, attr, raw, sizeof(raw));

	text_clean(ret, DEV_WORD, raw, got > 0 ? (size_t)got : 0);
}

int sysfs_u64(const char *dir, const char *attr, uint64_t *ret)
{
	char word[32], *end;
	ssize_t got = sysfs_bytes(dir, attr, word, sizeof(word) - 1);

	if (got < 0)
		return (int)got;
	word[got] = '\0';
	if (word[0] < '0' || word[0] > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(word, &end, 10);
	return errno || (*end && *end != '\n') ? -EINVAL : 0;
}

int sysfs_dev(const char *dir, const char *attr, dev_t *ret)
{
	char word[32];
	unsigned maj, min;
	ssize_t got = sysfs_bytes(dir, attr, word, sizeof(word) - 1);

	if (got < 0)
		return (int)got;
	word[got] = '\0';
	if (sscanf(word, "%u:%u", &maj, &min) != 2)
		return -EINVAL;
	*ret = makedev(maj, min);
	return 0;
}

bool sysfs_has(const char *dir, const char *attr)
{
	char path[PATH_MAX];

	return sysfs_path(path, "%s/%s", dir, attr) && !access(path, F_OK);
}

static int node_of_link(const char *link, struct sysfs_node *ret)
{
	struct sysfs_node n = { 0 };

	if (!realpath(link, n.dir))
		return -errno;
	int failed = sysfs_dev(n.dir, "dev", &n.dev);

	if (failed)
		return failed;
	const char *base = strrchr(n.dir, '/') + 1;

	text_clean(n.name, sizeof(n.name), base, strlen(base));
	/* A slash in a kernel name ("cciss/c0d0") is spelt ! in sysfs. */
	for (char *c = n.name; *c; c++)
		if (*c == '!')
			*c = '/';
	strcpy(n.disk, n.dir);
	n.is_partition = sysfs_has(n.dir, "partition");
	if (n.is_partition)
		*strrchr(n.disk, '/') = '\0';
	*ret = n;
	return 0;
}

int sysfs_node_by_dev(const struct dev_roots *roots, dev_t dev, struct sysfs_node *ret)
{
	char link[PATH_MAX];

	if (!sysfs_path(link, "%s/dev/block/%u:%u", roots->sys, major(dev), minor(dev)))
		return -ENAMETOOLONG;
	return node_of_link(link, ret);
}

int sysfs_node_by_name(const struct dev_roots *roots, const char *name,
		       struct sysfs_node *ret)
{
	char link[PATH_MAX];

	if (!sysfs_path(link, "%s/block/%s", roots->sys, name))
		return -ENAMETOOLONG;
	return node_of_link(link, ret);
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strverscmp(*x, *y);
}

int sysfs_names(const char *dir, char ***ret, size_t *ret_n)
{
	char **names = NULL;
	size_t n = 0;
	int failed = 0;
	DIR *d = opendir(dir);

	if (!d)
		return -errno;
	for (;;) {
		errno = 0;
		struct dirent *e = readdir(d);

		if (!e) {
			failed = -errno;
			break;
		}
		if (e->d_name[0] == '.')
			continue;
		char **more = reallocarray(names, n + 1, sizeof(*names));

		if (more)
			names = more;
		if (!more || !(names[n] = strdup(e->d_name))) {
			failed = -ENOMEM;
			break;
		}
		n++;
	}
	closedir(d);
	if (failed) {
		sysfs_names_free(names, n);
		return failed;
	}
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	*ret = names;
	*ret_n = n;
	return 0;
}

void sysfs_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}
