/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch.h"
#include "cli/say.h"
#include "device/upstream.h"
#include "store/store.h"

/* The file's name without folder and ending. */
static int name_dir(const struct cli_args *a, struct str *dir)
{
	const char *base = strrchr(a->operand[0], '/');

	base = base ? base + 1 : a->operand[0];
	if (a->output)
		str_add(dir, a->output);
	else
		str_add_bytes(dir, base, strcspn(base, "."));
	if (!a->output && dir->len == strlen(base))
		str_add(dir, ".batch"); /* the file itself has that name */
	return dir->failed ? -ENOMEM : 0;
}

static int name_paths(struct batch *b, const char *dir)
{
	for (size_t i = 0; i < b->n; i++) {
		struct batch_drive *d = &b->drive[i];

		if (asprintf(&d->dir, "%s/%s", dir, d->name) < 0)
			d->dir = NULL;
		if (asprintf(&d->log, "%s/%s.log", dir, d->name) < 0)
			d->log = NULL;
		if (!d->dir || !d->log)
			return -ENOMEM;
	}
	return 0;
}

static void warn_of_links(const struct batch *b, const struct dev_info *info)
{
	char link[DEV_WORD];

	for (size_t i = 0; i < b->n; i++)
		for (size_t k = i + 1; k < b->n; k++)
			if (info[i].kind == DEV_BLOCK && info[k].kind == DEV_BLOCK &&
			    dev_shared_link(&dev_roots_host, info[i].name, info[k].name,
					    link))
				say_info(
					"warning: '%s' and '%s' share the PCIe port or adapter "
					"%s: measured side by side, each slows the other down",
					b->drive[i].name, b->drive[k].name, link);
}

static const char *path_of(const struct dev_info *dev, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(dev[i].erase_id, id))
			return dev[i].path;
	return "";
}

int batch_find_drives(struct batch *b, struct err *err)
{
	struct dev_info *here = NULL, *info = calloc(b->n, sizeof(*info));
	size_t n = 0;
	int rc = info ? dev_list(&dev_roots_host, &here, &n, err)
		      : err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");

	for (size_t i = 0; i < b->n && !rc; i++) {
		struct batch_drive *d = &b->drive[i];
		const char *device = batch_value(b, d, "device");

		snprintf(d->device, sizeof(d->device), "%s",
			 device ? device : path_of(here, n, d->name));
		if (dev_identify(&dev_roots_host, d->device, &info[i], NULL))
			info[i].kind = DEV_FILE; /* its own run says what is wrong */
	}
	if (!rc)
		warn_of_links(b, info);
	free(here);
	free(info);
	return rc;
}

/* A drive that failed has ended: nobody is there to say that it is worth another night. `plateau resume` tries
 * again. A damaged run is its drive's failure alone. */
static void look_at_run(struct batch_drive *d)
{
	struct st_run run = { 0 };
	const json_t *end = NULL;
	struct err err;

	if (st_run_read(d->dir, &run, &err)) {
		d->state = BATCH_ENDED;
		d->code = err.code;
		snprintf(d->reason, sizeof(d->reason), "%s", err.text);
		return;
	}
	end = st_run_end(&run);
	d->code = (enum exit_code)json_integer_value(json_object_get(end, "exit_code"));
	d->resume = !end || d->code == EXIT_CODE_INTERRUPTED || d->code == EXIT_CODE_HOST;
	if (!d->resume) {
		const char *reason = json_string_value(json_object_get(end, "reason"));

		d->state = BATCH_KEPT;
		snprintf(d->reason, sizeof(d->reason), "%s", reason ? reason : "");
	}
	st_run_release(&run);
}

/* A directory without run.json is one that a crash left while the run was being made. */
static int look_at_runs(const struct cli_args *a, struct batch *b, struct err *err)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < b->n; i++) {
		struct batch_drive *d = &b->drive[i];

		if (snprintf(path, sizeof(path), "%s/run.json", d->dir) >=
			    (int)sizeof(path) ||
		    access(path, F_OK))
			continue;
		if (!a->resume)
			return err_set(err, EXIT_CODE_USAGE, EEXIST,
				       "'%s' is there already; --resume goes on with it, "
				       "--output names another directory",
				       d->dir);
		look_at_run(d);
	}
	return 0;
}

/* Held while the batch lives, so that no second one takes the same drives up. */
static int lock_dir(const char *dir, int *ret_fd, struct err *err)
{
	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, EXIT_CODE_USAGE, errno, "cannot make '%s': %s", dir,
			       strerror(errno));
	*ret_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd >= 0 && !flock(*ret_fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return err_set(err, EXIT_CODE_USAGE, errno,
			       "another batch is running in '%s'", dir);
	return err_set(err, EXIT_CODE_HOST, errno, "cannot lock '%s': %s", dir,
		       strerror(errno));
}

static int prepare(const struct cli_args *a, struct batch *b, struct str *dir,
		   struct err *err)
{
	int rc = batch_read(a->operand[0], b, err);

	if (!rc && (name_dir(a, dir) || name_paths(b, dir->text)))
		rc = err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	return rc ? rc : batch_find_drives(b, err);
}

enum exit_code cmd_batch(const struct cli_args *a)
{
	struct batch b = { 0 };
	struct str dir = { 0 };
	enum exit_code code;
	struct err err;
	int lock = -1, rc = prepare(a, &b, &dir, &err);

	if (!rc && a->dry_run) {
		code = batch_dry_run(a, &b);
		goto out;
	}
	if (!rc)
		rc = lock_dir(dir.text, &lock, &err);
	if (!rc)
		rc = look_at_runs(a, &b, &err);
	if (rc) {
		code = say_err(&err);
		goto out;
	}
	batch_run(a, &b);
	code = batch_sum_up(a, &b, dir.text);
out:
	if (lock >= 0)
		close(lock);
	str_release(&dir);
	batch_release(&b);
	return code;
}
