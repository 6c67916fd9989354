/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundle: a run directory as one file that proves itself whole; and how verify looks into one. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "store/manifest.h"
#include "store/store.h"

#define TAR_LIMIT_S 600

/* A program that must succeed; what it complains of is the reason. */
static int run(const char *const argv[], const char *what, struct err *err)
{
	const struct proc p = { .argv = argv,
				.package = "tar",
				.limit_s = TAR_LIMIT_S,
				.max_output_b = 65536 };
	struct proc_result r = { 0 };
	int rc = proc_run(&p, &r, err);

	if (!rc && (r.status || r.timed_out)) {
		const char *why = str_text(&r.err);

		why = r.timed_out ? "no end in ten minutes" : why + strspn(why, "\n");
		rc = err_set(err, EXIT_CODE_HOST, EIO, "%s: %.*s", what,
			     (int)strcspn(why, "\n"), why);
	}
	proc_result_release(&r);
	return rc;
}

static int make_tmp(struct str *ret, struct err *err)
{
	const char *where = getenv("TMPDIR");

	str_addf(ret, "%s/plateau-bundle.XXXXXX", where && *where ? where : "/tmp");
	if (ret->failed || !mkdtemp(ret->text)) {
		int rc = err_set(err, EXIT_CODE_HOST, errno,
				 "cannot make a directory for the bundle in %s: %s",
				 where ? where : "/tmp", strerror(errno));

		str_release(ret);
		return rc;
	}
	return 0;
}

void bundle_remove(const struct str *tmp)
{
	const char *const argv[] = { "rm", "-rf", "--", str_text(tmp), NULL };
	struct err err;

	if (tmp->len && run(argv, "rm", &err))
		say("%s is left behind: %s", str_text(tmp), err.text);
}

/* The only directory in `tmp`. */
static int only_dir(const struct str *tmp, const char *file, struct str *ret,
		    struct err *err)
{
	DIR *d = opendir(str_text(tmp));
	const struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !n++)
			str_addf(ret, "%s/%s", str_text(tmp), e->d_name);
	if (d)
		closedir(d);
	return n == 1 ? 0
		      : err_set(err, EXIT_CODE_HOST, EINVAL,
				"%s is no bundle: it holds %zu things, not one run", file,
				n);
}

int bundle_unpack(const char *file, struct str *ret_tmp, struct str *ret_dir,
		  struct err *err)
{
	int rc = make_tmp(ret_tmp, err);
	const char *const argv[] = {
		"tar", "--force-local",   "-xzf", file, "--no-same-owner",
		"-C",  str_text(ret_tmp), NULL
	};

	if (!rc)
		rc = run(argv, file, err);
	return rc ? rc : only_dir(ret_tmp, file, ret_dir, err);
}

/* RUN's files, and its manifest from beside it: the run directory is not written to. */
static int pack(const char *parent, const char *name, const struct str *tmp,
		const char *file, struct err *err)
{
	struct str out = { 0 }, manifest = { 0 }, own = { 0 };
	int rc;

	str_addf(&out, "%s.part", file);
	str_addf(&manifest, "%s/" ST_MANIFEST_NAME, name);
	str_addf(&own, "--exclude=%s", str_text(&manifest));
	const char *const argv[] = { "tar",
				     "--force-local", /* a colon is no host */
				     "--sort=name",
				     "--format=gnu",
				     "--owner=0",
				     "--group=0",
				     "--numeric-owner",
				     "--mode=u=rwX,go=rX",
				     "--mtime=@0",
				     "-I",
				     "gzip -n",
				     "-cf",
				     str_text(&out),
				     "-C",
				     str_text(tmp),
				     str_text(&manifest),
				     "-C",
				     parent,
				     str_text(&own),
				     name,
				     NULL };

	rc = out.failed || manifest.failed || own.failed
		     ? err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory")
		     : run(argv, file, err);
	if (!rc && rename(str_text(&out), file))
		rc = err_set(err, EXIT_CODE_HOST, errno, "cannot make %s: %s", file,
			     strerror(errno));
	if (rc)
		unlink(str_text(&out));
	str_release(&out);
	str_release(&manifest);
	str_release(&own);
	return rc;
}

static int write_manifest(const char *dir, const char *name, const struct str *tmp,
			  struct err *err)
{
	struct str sums = { 0 }, path = { 0 };
	int rc = st_manifest_make(dir, &sums, err);

	str_addf(&path, "%s/%s", str_text(tmp), name);
	if (!rc && mkdir(str_text(&path), 0777))
		rc = err_set(err, EXIT_CODE_HOST, errno, "cannot make %s: %s",
			     str_text(&path), strerror(errno));
	str_add(&path, "/" ST_MANIFEST_NAME);
	if (!rc)
		rc = str_write_file(&sums, str_text(&path), err);
	str_release(&path);
	str_release(&sums);
	return rc;
}

static bool is_tar_gz(const char *file)
{
	const char *const ends[] = { ".tar.gz", ".tgz" };
	size_t len = strlen(file);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (len > strlen(ends[i]) &&
		    !strcmp(file + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static int bundle(const char *operand, const char *file, struct err *err)
{
	char *dir = realpath(operand, NULL), *parent = dir ? strdup(dir) : NULL;
	struct str tmp = { 0 };
	struct st_run run = { 0 };
	int rc = st_run_read(operand, &run, err);

	if (rc)
		goto out;
	if (!parent) {
		rc = err_set(err, EXIT_CODE_HOST, errno, "%s: %s", operand,
			     strerror(errno));
		goto out;
	}
	if (st_is_locked(operand)) {
		rc = err_set(err, EXIT_CODE_USAGE, EBUSY,
			     "%s is still running; bundle it when it has ended", operand);
		goto out;
	}
	if (!is_tar_gz(file)) {
		rc = err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"%s: a bundle is a compressed tar file, its name ends in .tar.gz or .tgz",
			file);
		goto out;
	}
	if (!access(file, F_OK)) {
		rc = err_set(err, EXIT_CODE_USAGE, EEXIST,
			     "%s is there already; --output names a new file", file);
		goto out;
	}
	rc = make_tmp(&tmp, err);
	if (!rc)
		rc = write_manifest(dir, basename(dir), &tmp, err);
	if (!rc)
		rc = pack(dirname(parent), basename(dir), &tmp, file, err);
	bundle_remove(&tmp);
out:
	st_run_release(&run);
	str_release(&tmp);
	free(parent);
	free(dir);
	return rc;
}

enum exit_code cmd_bundle(const struct cli_args *a)
{
	struct str file = { 0 };
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct err err;

	str_add(&file, a->output);
	if (file.failed || bundle(a->operand[0], str_text(&file), &err))
		code = file.failed ? EXIT_CODE_HOST : say_err(&err);
	else
		puts(str_text(&file));
	str_release(&file);
	return code;
}
