/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: a mountinfo, and after a NUL a /proc/swaps. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/use.h"
#include "tests/fuzz/fuzz.h"

static char top[64], proc_dir[96], sys_dir[96], dev_dir[96];

static void remove_tree(void)
{
	char path[128];
	static const char *const files[] = { "proc/self/mountinfo", "proc/swaps" };
	static const char *const dirs[] = { "proc/self", "proc", "sys/block",
					    "sys",       "dev",  "" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", top, files[i]);
		unlink(path);
	}
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", top, dirs[i]);
		rmdir(path);
	}
}

static void make_dir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (mkdir(path, 0700))
		abort();
}

static void make_tree(void)
{
	snprintf(top, sizeof(top), "/dev/shm/plateau-fuzz.XXXXXX");
	if (!mkdtemp(top))
		abort();
	atexit(remove_tree);
	make_dir("proc");
	make_dir("proc/self");
	make_dir("sys");
	make_dir("sys/block");
	make_dir("dev");
	snprintf(proc_dir, sizeof(proc_dir), "%s/proc", top);
	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", top);
	snprintf(dev_dir, sizeof(dev_dir), "%s/dev", top);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc_dir, name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
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

	put("self/mountinfo", data, first);
	put("swaps", nul ? nul + 1 : data, nul ? size - first - 1 : 0);
	use_words(&roots, &info, words, sizeof(words));
	fuzz_printable(words);
	info.kind = DEV_BLOCK;
	use_words(&roots, &info, words, sizeof(words));
	return 0;
}
