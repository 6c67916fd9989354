/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reserve(struct str *s, size_t more)
{
	if (s->failed)
		return false;
	if (s->len + more + 1 <= s->cap)
		return true;
	size_t cap = s->cap ? s->cap * 2 : 256;

	while (cap < s->len + more + 1)
		cap *= 2;
	char *text = realloc(s->text, cap);

	if (!text) {
		s->failed = true;
		return false;
	}
	s->text = text;
	s->cap = cap;
	return true;
}

void str_add_bytes(struct str *s, const char *bytes, size_t n)
{
	if (!reserve(s, n))
		return;
	memcpy(s->text + s->len, bytes, n);
	s->len += n;
	s->text[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_add_bytes(s, text, strlen(text));
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int need = vsnprintf(NULL, 0, fmt, ap);

	va_end(ap);
	if (need < 0) {
		s->failed = true;
		return;
	}
	if (!reserve(s, (size_t)need))
		return;
	va_start(ap, fmt);
	vsnprintf(s->text + s->len, (size_t)need + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)need;
}

void str_release(struct str *s)
{
	free(s->text);
	*s = (struct str){ 0 };
}

const char *str_text(const struct str *s)
{
	return s->text ? s->text : "";
}

int str_read_file(struct str *s, const char *path, size_t max, struct err *err)
{
	char chunk[4096];
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, EXIT_CODE_HOST, errno, "cannot open %s: %s", path,
			       strerror(errno));
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		str_add_bytes(s, chunk, (size_t)got);
		if (s->len > max) {
			close(fd);
			return err_set(err, EXIT_CODE_HOST, EFBIG,
				       "%s is larger than %zu bytes", path, max);
		}
	}
	int errnum = errno;

	close(fd);
	if (got < 0)
		return err_set(err, EXIT_CODE_HOST, errnum, "cannot read %s: %s", path,
			       strerror(errnum));
	if (s->failed)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory reading %s",
			       path);
	return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t put = write(fd, text, len);

		if (put < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		text += put;
		len -= (size_t)put;
	}
	return 0;
}

/* A rename is durable only once its directory is. */
static void sync_dir_of(const char *path)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(dir, sizeof(dir), ".");
	else if ((size_t)(slash - path) + 2 > sizeof(dir))
		return;
	else
		snprintf(dir, sizeof(dir), "%.*s",
			 slash == path ? 1 : (int)(slash - path), path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
}

int str_write_file(const struct str *s, const char *path, struct err *err)
{
	char tmp[PATH_MAX];
	int ret = -ENOMEM;

	if (s->failed)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory writing %s",
			       path);
	if (snprintf(tmp, sizeof(tmp), "%s.tmp", path) >= (int)sizeof(tmp))
		return err_set(err, EXIT_CODE_HOST, ENAMETOOLONG, "path too long: %s",
			       path);
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_set(err, EXIT_CODE_HOST, errno, "cannot create %s: %s", tmp,
			       strerror(errno));
	ret = write_all(fd, str_text(s), s->len);
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		return err_set(err, EXIT_CODE_HOST, -ret, "cannot write %s: %s", path,
			       strerror(-ret));
	}
	sync_dir_of(path);
	return 0;
}
