/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/manifest.h"

#include <errno.h>
#include <fts.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST_MAX_B MIB(16)

static int add_file(struct str *s, const char *path, const char *name, struct err *err)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	FILE *f = fopen(path, "re");
	unsigned char bytes[65536];
	size_t n;
	int rc = 0;

	while (f && (n = fread(bytes, 1, sizeof(bytes), f)))
		g_checksum_update(sum, bytes, (gssize)n);
	if (!f || ferror(f))
		rc = err_set(err, EXIT_CODE_HOST, errno, "cannot read %s: %s", path,
			     strerror(errno));
	else
		str_addf(s, "%s  %s\n", g_checksum_get_string(sum), name);
	if (f)
		fclose(f);
	g_checksum_free(sum);
	return rc;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A path with a newline could stand for two. */
static int add_entry(struct str *s, const FTSENT *e, size_t root_len, struct err *err)
{
	const char *name = e->fts_path + root_len + 1;

	switch (e->fts_info) {
	case FTS_D:
	case FTS_DP:
		return 0;
	case FTS_F:
		if (strchr(name, '\n'))
			break;
		return strcmp(name, ST_MANIFEST_NAME)
			       ? add_file(s, e->fts_path, name, err)
			       : 0;
	default:
		break;
	}
	return err_set(err, EXIT_CODE_HOST, EINVAL,
		       "%s is no plain file, and does not belong in a run directory",
		       e->fts_path);
}

int st_manifest_make(const char *dir, struct str *ret, struct err *err)
{
	char root[4096];
	char *roots[] = { root, NULL };
	size_t len = strlen(dir);
	int rc = 0;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (len >= sizeof(root))
		return err_set(err, EXIT_CODE_USAGE, ENAMETOOLONG,
			       "the path is too long");
	memcpy(root, dir, len);
	root[len] = '\0';
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	const FTSENT *e;

	if (!fts)
		return err_set(err, EXIT_CODE_HOST, errno, "cannot read %s: %s", dir,
			       strerror(errno));
	while (!rc && (e = fts_read(fts)))
		rc = add_entry(ret, e, len, err);
	fts_close(fts);
	if (!rc && ret->failed)
		rc = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	return rc;
}

/* The line of `in` that names the same file as `line`; NULL: none does. */
static const char *same_file(const char *in, const char *line, size_t len)
{
	for (size_t n; *in; in += n + (in[n] == '\n')) {
		n = strcspn(in, "\n");
		if (n == len && len > 66 && !memcmp(in + 66, line + 66, len - 66))
			return in;
	}
	return NULL;
}

/* Each file of `these` that `those` does not have, or has with another digest where `changed` is a word. */
static void differences(struct str *out, const char *these, const char *those,
			const char *missing, const char *changed)
{
	for (size_t n; *these; these += n + (these[n] == '\n')) {
		n = strcspn(these, "\n");
		const char *other = same_file(those, these, n);
		const char *word = !other                                ? missing
				   : changed && memcmp(other, these, 64) ? changed
									 : NULL;

		if (word && n > 66)
			str_addf(out, "%.*s %s\n", (int)(n - 66), these + 66, word);
		else if (n <= 66)
			str_addf(out, "a line of " ST_MANIFEST_NAME " makes no sense\n");
	}
}

int st_manifest_check(const char *dir, struct str *ret, struct err *err)
{
	char path[4096 + sizeof("/" ST_MANIFEST_NAME)];
	struct str stored = { 0 }, is = { 0 };
	int rc;

	snprintf(path, sizeof(path), "%s/" ST_MANIFEST_NAME, dir);
	rc = str_read_file(&stored, path, MANIFEST_MAX_B, err);
	if (!rc)
		rc = st_manifest_make(dir, &is, err);
	if (!rc) {
		differences(ret, str_text(&stored), str_text(&is), "is missing",
			    "was changed");
		differences(ret, str_text(&is), str_text(&stored), "is not listed", NULL);
	}
	str_release(&is);
	str_release(&stored);
	return rc;
}
