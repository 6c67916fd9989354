/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: a mountinfo, and after a NUL a /proc/swaps. */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/use.h"
#include "tests/fuzz/fuzz.h"

static char top[64], proc_dir[96], sys_dir[96], dev_dir[96];

/* A machine with one process and one disk, 1:1. */
static const char *const dirs[] = { "proc",
				    "proc/1",
				    "dev",
				    "sys",
				    "sys/block",
				    "sys/dev",
				    "sys/dev/block",
				    "sys/disk",
				    "sys/disk/holders",
				    "sys/disk/slaves" };
static const struct {
	const char *at, *to;
} links[] = { { "proc/self", "1" },
	      { "sys/block/disk", "../disk" },
	      { "sys/dev/block/1:1", "../../disk" } };

static char *below_top(const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void remove_tree(void)
{
	static const char *const files[] = { "proc/1/mountinfo", "proc/swaps",
					     "sys/disk/dev" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		unlink(below_top(files[i]));
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		unlink(below_top(links[i].at));
	for (size_t i = ARRAY_LEN(dirs); i--;)
		rmdir(below_top(dirs[i]));
	rmdir(top);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	FILE *f = fopen(below_top(name), "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static void make_tree(void)
{
	snprintf(top, sizeof(top), "/dev/shm/plateau-fuzz.XXXXXX");
	if (!mkdtemp(top))
		abort();
	atexit(remove_tree);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mkdir(below_top(dirs[i]), 0700))
			abort();
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (symlink(links[i].to, below_top(links[i].at)))
			abort();
	snprintf(proc_dir, sizeof(proc_dir), "%s/proc", top);
	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", top);
	snprintf(dev_dir, sizeof(dev_dir), "%s/dev", top);
	put("sys/disk/dev", (const uint8_t *)"1:1\n", 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t first = nul ? (size_t)(nul - data) : size;
	struct dev_info info = { .kind = DEV_FILE, .path = "/nowhere/file" };
	char words[256];

	if (!top[0])
		make_tree();
	struct dev_roots roots = { .sys = sys_dir, .proc = proc_dir, .dev = dev_dir };

	put("proc/1/mountinfo", data, first);
	put("proc/swaps", nul ? nul + 1 : data, nul ? size - first - 1 : 0);
	use_words(&roots, &info, words, sizeof(words));
	fuzz_printable(words);
	info.kind = DEV_BLOCK;
	info.rdev = makedev(1, 1);
	use_words(&roots, &info, words, sizeof(words));
	fuzz_printable(words);
	return 0;
}
