/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a run directory. Every record is parsed back from its own line before it goes to disk, so
 * what stands in memory is what a reader will find; it counts only once it is synced.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/record.h"

struct st_writer {
	struct st_run run;
	char path[4096 + sizeof("/" ST_JOURNAL_NAME)];
	int dir_fd; /* holds the lock */
	int journal_fd;
	off_t len_b;        /* of the journal's whole records, or of what was compared */
	off_t stored_b;     /* up to here records are compared rather than written */
	struct str waiting; /* whole records that the file did not take yet */
	size_t n_synced;    /* records on disk */
};

static int sync_dir(int at_fd, const char *name)
{
	int fd = openat(at_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int rc = fsync(fd) ? -errno : 0;

	close(fd);
	return rc;
}

/* 0, -ENOTEMPTY, or why it cannot be told. */
static int dir_empty(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	int rc = d ? 0 : -errno;
	const struct dirent *e;

	while (!rc && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = -ENOTEMPTY;
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return rc;
}

/* Whose fault it is that a directory cannot be made or used. */
static enum exit_code dir_code(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case EPERM:
	case ENAMETOOLONG:
	case EEXIST:
	case ELOOP:
	case EINVAL:
		return EXIT_CODE_USAGE;
	default:
		return EXIT_CODE_HOST;
	}
}

static int lock(const struct st_writer *w, struct err *err)
{
	return flock(w->dir_fd, LOCK_EX | LOCK_NB)
		       ? err_set(err, EXIT_CODE_USAGE, errno,
				 "the run directory %s is in use by another plateau",
				 w->run.dir)
		       : 0;
}

/* Make the directory or take an empty one; *ret_made says which. */
static int dir_open(struct st_writer *w, bool *ret_made, struct err *err)
{
	const char *dir = w->run.dir;

	*ret_made = !mkdir(dir, 0777);
	if (!*ret_made && errno != EEXIST)
		return err_set(err, dir_code(errno), errno,
			       "cannot make the output directory %s: %s", dir,
			       strerror(errno));
	w->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir_fd < 0)
		return err_set(err, dir_code(errno), errno,
			       "cannot use the output directory %s: %s", dir,
			       strerror(errno));
	int rc = lock(w, err);

	if (rc)
		return rc;
	rc = dir_empty(w->dir_fd);

	if (rc == -ENOTEMPTY)
		return err_set(err, EXIT_CODE_USAGE, ENOTEMPTY,
			       "output directory %s is not empty", dir);
	return rc ? err_set(err, dir_code(-rc), -rc,
			    "cannot look into the output directory %s: %s", dir,
			    strerror(-rc))
		  : 0;
}

/* run.json comes last and whole: where it stands, a journal stands too. */
static int files_create(struct st_writer *w, struct err *err)
{
	char path[sizeof(w->run.dir) + sizeof("/" ST_RUN_NAME)];
	struct str s = { 0 };

	w->journal_fd = openat(w->dir_fd, ST_JOURNAL_NAME,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (w->journal_fd < 0)
		return err_set(err, EXIT_CODE_HOST, errno, "cannot create %s: %s",
			       w->path, strerror(errno));
	char *text = json_dumps(w->run.run, JSON_INDENT(2));

	if (!text)
		return err_set(err, EXIT_CODE_INTERNAL, EINVAL,
			       ST_RUN_NAME " cannot be composed");
	str_add(&s, text);
	str_add(&s, "\n");
	free(text);
	snprintf(path, sizeof(path), "%s/" ST_RUN_NAME, w->run.dir);
	int rc = str_write_file(&s, path, err);

	str_release(&s);
	if (!rc && (sync_dir(w->dir_fd, ".") || sync_dir(w->dir_fd, "..")))
		rc = err_set(err, EXIT_CODE_HOST, errno,
			     "cannot sync the output directory %s: %s", w->run.dir,
			     strerror(errno));
	return rc;
}

/* The run's own members behind the schema. */
static json_t *with_schema(json_t *run)
{
	json_t *o = json_pack("{s:i}", "schema", ST_SCHEMA);

	if (o && json_object_update_missing(o, run)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static int new_writer(const char *dir, struct st_writer **ret, struct err *err)
{
	struct st_writer *w;

	*ret = NULL;
	if (strlen(dir) >= sizeof(w->run.dir))
		return err_set(err, EXIT_CODE_USAGE, ENAMETOOLONG,
			       "the run directory's path is too long");
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	w->dir_fd = w->journal_fd = -1;
	snprintf(w->run.dir, sizeof(w->run.dir), "%s", dir);
	snprintf(w->path, sizeof(w->path), "%s/" ST_JOURNAL_NAME, dir);
	*ret = w;
	return 0;
}

int st_create(const char *dir, json_t *run, struct st_writer **ret, struct err *err)
{
	struct st_writer *w;
	bool made = false;
	int rc = new_writer(dir, &w, err);

	if (rc)
		return rc;
	w->run.run = with_schema(run);
	if (!w->run.run) {
		rc = err_set(err, EXIT_CODE_INTERNAL, EINVAL,
			     ST_RUN_NAME " cannot be composed");
		goto fail;
	}
	rc = dir_open(w, &made, err);
	if (rc)
		goto fail;
	rc = files_create(w, err);
	if (rc) {
		unlinkat(w->dir_fd, ST_RUN_NAME, 0);
		unlinkat(w->dir_fd, ST_JOURNAL_NAME, 0);
		goto fail;
	}
	*ret = w;
	return 0;
fail:
	if (made)
		rmdir(dir);
	st_writer_close(w);
	return rc;
}

/* Bytes of the journal that a replay has to reproduce: up to the first record that was cut short. */
static int replayed_b(const struct st_run *run, const char *path, off_t *ret_b,
		      struct err *err)
{
	struct str text = { 0 };
	size_t keep = 0;
	int rc = str_read_file(&text, path, JOURNAL_MAX_B, err);

	while (keep < run->n && !st_is_cut(&run->rec[keep]))
		keep++;
	*ret_b = 0;
	for (const char *at = str_text(&text); !rc && keep; keep--) {
		at = strchr(at, '\n') + 1;
		*ret_b = at - text.text;
	}
	str_release(&text);
	return rc;
}

static int open_locked(struct st_writer *w, struct err *err)
{
	w->dir_fd = open(w->run.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir_fd < 0)
		return err_set(err, dir_code(errno), errno, "cannot use %s: %s",
			       w->run.dir, strerror(errno));
	int rc = lock(w, err);

	if (rc)
		return rc;
	w->journal_fd = openat(w->dir_fd, ST_JOURNAL_NAME, O_RDWR | O_CLOEXEC);
	return w->journal_fd < 0
		       ? err_set(err, EXIT_CODE_HOST, errno,
				 "cannot go on writing %s: %s", w->path, strerror(errno))
		       : 0;
}

int st_reopen(const char *dir, bool replay, struct st_writer **ret, struct err *err)
{
	struct st_run run = { 0 };
	struct st_writer *w;
	struct stat st;
	int rc = new_writer(dir, &w, err);

	if (!rc)
		rc = open_locked(w, err);
	if (!rc)
		rc = st_run_read(dir, &run, err);
	if (rc)
		goto fail;
	if (fstat(w->journal_fd, &st)) {
		rc = err_set(err, EXIT_CODE_HOST, errno, "cannot read %s: %s", w->path,
			     strerror(errno));
		goto fail;
	}
	w->len_b = st.st_size - (off_t)run.dropped_b;
	if (replay)
		rc = replayed_b(&run, w->path, &w->len_b, err);
	if (rc)
		goto fail;
	if (ftruncate(w->journal_fd, w->len_b)) {
		rc = err_set(err, EXIT_CODE_HOST, errno,
			     "cannot cut the torn end off %s: %s", w->path,
			     strerror(errno));
		goto fail;
	}
	if (replay) {
		w->stored_b = w->len_b;
		w->len_b = 0;
		w->run.run = json_incref(run.run);
		st_run_release(&run);
	} else {
		w->run = run;
		w->n_synced = run.n;
	}
	*ret = w;
	return 0;
fail:
	st_run_release(&run);
	st_writer_close(w);
	return rc;
}

size_t st_waiting_b(const struct st_writer *w)
{
	return w->waiting.len;
}

const struct st_run *st_writer_run(const struct st_writer *w)
{
	return &w->run;
}

static int write_at(int fd, const char *bytes, size_t len, off_t at)
{
	while (len) {
		ssize_t put = pwrite(fd, bytes, len, at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		bytes += put;
		at += put;
		len -= (size_t)put;
	}
	return fsync(fd) ? -errno : 0;
}

/* The stored record in this place must be the same. */
static int line_compare(struct st_writer *w, const struct str *line, struct err *err)
{
	char *stored = malloc(line->len);
	bool same =
		stored &&
		pread(w->journal_fd, stored, line->len, w->len_b) == (ssize_t)line->len &&
		!memcmp(stored, line->text, line->len);

	free(stored);
	if (!same)
		return err_set(
			err, EXIT_CODE_HOST, EINVAL,
			"%s line %zu is not what this version's simulation gives; the run cannot be gone on with",
			w->path, w->run.n + 1);
	w->len_b += (off_t)line->len;
	return 0;
}

/* To disk, all or nothing. */
static int lines_sync(struct st_writer *w, const struct str *lines, struct err *err)
{
	struct stat st;

	if (!fstat(w->journal_fd, &st) && !st.st_nlink)
		return err_set(
			err, EXIT_CODE_HOST, ENOENT,
			"%s was deleted while the run went on; what it held is lost",
			w->path);
	int rc = write_at(w->journal_fd, lines->text, lines->len, w->len_b);

	if (!rc) {
		w->len_b += (off_t)lines->len;
		return 0;
	}
	/* Where this fails too a reader leaves the half line out, and the next write covers it. */
	(void)!ftruncate(w->journal_fd, w->len_b);
	return err_set(
		err, EXIT_CODE_HOST, -rc,
		"cannot write %zu bytes to %s: %s; it holds %zu records, all whole",
		lines->len, w->path, strerror(-rc), w->n_synced);
}

/* On disk, or waiting for it. */
static int put(struct st_writer *w, const struct str *line, bool is_last, struct err *err)
{
	if (w->len_b < w->stored_b)
		return line_compare(w, line, err);
	size_t before_b = w->waiting.len;

	str_add_bytes(&w->waiting, line->text, line->len);
	if (w->waiting.failed)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	int rc = lines_sync(w, &w->waiting, err);

	if (rc && rc != -ENOENT && !is_last && w->waiting.len <= ST_WAITING_MAX_B)
		return 0;
	if (rc) {
		w->waiting.len = before_b;
		return rc;
	}
	str_release(&w->waiting);
	w->n_synced = w->run.n + 1;
	return 0;
}

int st_append(struct st_writer *w, enum st_kind kind, int64_t wall_ns, const json_t *body,
	      struct err *err)
{
	struct st_record rec = { 0 };
	struct str line = { 0 };
	struct err why;
	int rc = st_line_write(&line, kind, w->run.n, wall_ns, body, err);

	if (rc)
		goto out;
	rc = st_line_parse(line.text, line.len - 1, &rec, &why);
	if (rc) {
		rc = err_set(err, EXIT_CODE_INTERNAL, -rc, "a record for %s is wrong: %s",
			     w->path, why.text);
		goto out;
	}
	rc = put(w, &line, kind == ST_END, err);
	if (!rc && !st_run_add(&w->run, &rec))
		rc = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	if (rc)
		st_record_release(&rec);
out:
	str_release(&line);
	return rc;
}

int st_append_point(struct st_writer *w, int64_t wall_ns, struct st_point *p,
		    struct err *err)
{
	json_t *body = NULL;
	int rc = st_point_to_json(p, &body, err);

	if (!rc)
		rc = st_append(w, ST_POINT, wall_ns, body, err);
	json_decref(body);
	for (int dir = 0; dir < IO_DIRS; dir++)
		hist_sparse_release(&p->dir[dir].lat);
	return rc;
}

void st_writer_close(struct st_writer *w)
{
	if (!w)
		return;
	if (w->journal_fd >= 0)
		close(w->journal_fd);
	if (w->dir_fd >= 0)
		close(w->dir_fd);
	str_release(&w->waiting);
	st_run_release(&w->run);
	free(w);
}

bool st_is_locked(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	close(fd);
	return locked;
}
