/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/signature.h"

#include <blkid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/text.h"

static bool has(const struct signatures *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name))
			return true;
	return false;
}

static void add(struct signatures *s, blkid_probe pr, const char *what)
{
	const char *value;
	size_t len = 0, at = strlen(s->words);

	if (blkid_probe_lookup_value(pr, what, &value, &len) || s->n == SIGNATURES_MAX)
		return;
	char *name = s->name[s->n];

	text_clean(name, sizeof(s->name[0]), value, len);
	if (!name[0] || has(s, name))
		return;
	s->n++;
	snprintf(s->words + at, sizeof(s->words) - at, "%s%s", at ? ", " : "", name);
}

int signatures_probe(int fd, const char *path, struct signatures *ret, struct err *err)
{
	struct signatures found = { .n = 0 };
	blkid_probe pr = blkid_new_probe();
	int rc = -1;

	/* Damaged ones count: what nearly is a file system was somebody's. */
	if (pr && !blkid_probe_set_device(pr, fd, 0, 0) &&
	    !blkid_probe_enable_superblocks(pr, 1) &&
	    !blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE |
							   BLKID_SUBLKS_BADCSUM) &&
	    !blkid_probe_enable_partitions(pr, 1) &&
	    !blkid_probe_set_partitions_flags(pr, BLKID_PARTS_FORCE_GPT))
		while (!(rc = blkid_do_probe(pr))) {
			add(&found, pr, "TYPE");
			add(&found, pr, "PTTYPE");
		}
	blkid_free_probe(pr);
	if (rc < 0)
		return err_set(
			err, EXIT_CODE_SAFETY, EIO,
			"cannot find out what is on %s: reading it failed; what cannot be decided "
			"is refused",
			path);
	*ret = found;
	return 0;
}

const char *signatures_new(const struct signatures *now, const struct signatures *before)
{
	for (size_t i = 0; i < now->n; i++)
		if (!has(before, now->name[i]))
			return now->name[i];
	return NULL;
}
