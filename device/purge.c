/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "device/claim.h"
#include "device/sim.h"

/* One name a method: for --purge, the plan and the run directory. */
static const char *const words[] = {
	[DEV_PURGE_NONE] = "none",
	[DEV_PURGE_DISCARD] = "discard",
	[DEV_PURGE_SIM] = "sim",
};

const char *dev_purge_word(enum dev_purge_method m)
{
	return words[m];
}

/* purge_methods is a list of words: "discard, none". */
static bool is_possible(const struct dev_info *info, enum dev_purge_method m)
{
	size_t len = strlen(words[m]);

	for (const char *p = info->purge_methods; *p;) {
		size_t n = strcspn(p, ",");

		if (n == len && !memcmp(p, words[m], n))
			return true;
		p += n;
		p += strspn(p, ", ");
	}
	return false;
}

int dev_purge_choose(const struct dev_info *info, const char *name,
		     enum dev_purge_method *ret, struct err *err)
{
	enum dev_purge_method by_default =
		info->kind == DEV_SIM ? DEV_PURGE_SIM : DEV_PURGE_DISCARD;

	if (!name) {
		if (!is_possible(info, by_default))
			return err_set(
				err, EXIT_CODE_USAGE, EOPNOTSUPP,
				"%s cannot be purged by %s; --purge none runs without a purge, which "
				"is recorded as a deviation",
				info->path, words[by_default]);
		*ret = by_default;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(words[i], name) ||
		    !is_possible(info, (enum dev_purge_method)i))
			continue;
		*ret = (enum dev_purge_method)i;
		return 0;
	}
	return err_set(err, EXIT_CODE_USAGE, EOPNOTSUPP,
		       "--purge %s is not possible on %s, but: %s", name, info->path,
		       info->purge_methods);
}

static int discard_range(const struct dev_claim *c, uint64_t off_b, uint64_t len_b)
{
	uint64_t range[2] = { off_b, len_b };

	if (c->handle.sim) {
		sim_trim(c->handle.sim, off_b, len_b);
		return 0;
	}
	if (c->handle.info.kind == DEV_FILE)
		return fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				 (off_t)off_b, (off_t)len_b)
			       ? -errno
			       : 0;
	return ioctl(c->fd, BLKDISCARD, range) ? -errno : 0;
}

static int discard(const struct dev_claim *c, uint64_t size_b,
		   const volatile sig_atomic_t *cancel, uint64_t *ret_b, struct err *err)
{
	const char *path = c->handle.info.path;

	for (*ret_b = 0; *ret_b < size_b;) {
		uint64_t left_b = size_b - *ret_b,
			 len_b = left_b < GIB(1) ? left_b : GIB(1);

		if (cancel && *cancel)
			return err_set(err, EXIT_CODE_INTERRUPTED, EINTR,
				       "the purge of %s was interrupted", path);
		int failed = discard_range(c, *ret_b, len_b);

		if (failed == -EINTR)
			continue;
		if (failed)
			return err_set(err, EXIT_CODE_PURGE, -failed,
				       "discarding %ju bytes at %ju of %s failed: %s",
				       (uintmax_t)len_b, (uintmax_t)*ret_b, path,
				       strerror(-failed));
		*ret_b += len_b;
	}
	return 0;
}

int dev_purge(struct dev_claim *c, enum dev_purge_method method, uint64_t size_b,
	      struct clock *clk, const volatile sig_atomic_t *cancel,
	      struct dev_purge_result *ret, struct err *err)
{
	const struct dev_info *info = &c->handle.info;
	struct dev_purge_result r = { .method = method };
	uint64_t t0_ns = clk->now_ns(clk);
	int failed = 0;

	if (size_b > info->size_b || size_b % info->lbs_b)
		return err_set(
			err, EXIT_CODE_PURGE, EINVAL,
			"%ju bytes of %s cannot be purged: it has %ju in blocks of %u",
			(uintmax_t)size_b, info->path, (uintmax_t)info->size_b,
			info->lbs_b);
	switch (method) {
	case DEV_PURGE_NONE:
		strcpy(r.words, "none");
		break;
	case DEV_PURGE_DISCARD:
		strcpy(r.words, info->kind == DEV_FILE ? "discard (holes punched)"
						       : "discard (TRIM)");
		failed = discard(c, size_b, cancel, &r.bytes, err);
		break;
	case DEV_PURGE_SIM:
		strcpy(r.words, "simulated block erase");
		sim_purge(c->handle.sim);
		r.is_pts_purge = true;
		r.bytes = info->size_b;
		break;
	}
	if (failed)
		return failed;
	r.dur_ns = clk->now_ns(clk) - t0_ns;
	*ret = r;
	return 0;
}
