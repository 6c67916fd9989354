/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scratch file that a test may write through the engine, made and claimed the way a run does. */
#ifndef TESTS_LIB_TARGET_H
#define TESTS_LIB_TARGET_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/payload.h"
#include "tests/lib/suite.h"

struct target {
	char path[512];
	struct dev_claim *claim;
	const struct dev_handle *handle;
	uint64_t size_b;
};

/* Calls that must succeed, and say in ok_err why when they do not. */
static struct err ok_err;
#define OK(call)                                                                         \
	do {                                                                             \
		if (call)                                                                \
			ck_abort_msg("%s: %s", #call, ok_err.text);                      \
	} while (0)

static inline void target_make(struct target *t, uint64_t size_b)
{
	const char *dir = getenv("T_DIR");
	struct dev_info info;

	snprintf(t->path, sizeof(t->path), "%s/plateau-test-%ld", dir ? dir : "/var/tmp",
		 (long)getpid());
	t->size_b = size_b;
	OK(dev_file_create(t->path, size_b, &ok_err));
	OK(dev_identify(&dev_roots_host, t->path, &info, &ok_err));

	struct dev_gate_opts opts = { .erase_id = info.erase_id,
				      .roots = &dev_roots_host };

	OK(dev_gate(&info, &opts, &t->claim, &ok_err));
	t->handle = dev_claim_handle(t->claim);
}

static inline void target_remove(struct target *t)
{
	dev_claim_free(t->claim);
	unlink(t->path);
}

/* Sectors of the target that do not hold what this workload wrote there. */
static inline uint64_t target_bad_sectors(const struct target *t, uint64_t seed)
{
	const size_t len = MIB(1);
	unsigned char *buf = aligned_alloc(4096, len);
	struct payload_stamp s;
	uint64_t bad = 0;

	ck_assert_ptr_nonnull(buf);
	for (uint64_t at = 0; at < t->size_b; at += len) {
		ssize_t n = pread(t->handle->fd, buf, len, (off_t)at);

		ck_assert_int_eq(n, (long)(t->size_b - at < len ? t->size_b - at : len));
		for (uint64_t k = 0; k < (uint64_t)n; k += PAYLOAD_SECTOR)
			bad += !payload_check(buf + k, at + k, &s) || s.seed != seed;
	}
	free(buf);
	return bad;
}

static inline uint64_t result_ios(const struct eng_result *r)
{
	return r->dir[IO_READ].lat.count + r->dir[IO_WRITE].lat.count;
}

static inline uint64_t result_bytes(const struct eng_result *r)
{
	return r->dir[IO_READ].bytes + r->dir[IO_WRITE].bytes;
}

/* Short intervals up to one that has seen I/O, however slow this machine is just now. */
static inline void next_ios(struct eng *e, struct eng_result *ret)
{
	do
		OK(eng_next(e, 10 * NSEC_PER_MSEC, NULL, ret, &ok_err));
	while (!result_ios(ret));
}

#endif
