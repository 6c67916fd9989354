/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wrap: fsync */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/str.h"
#include "tests/unit/store_fixture.h"

#define POINTS  4
#define RECORDS (POINTS + 2)

/* A sound run, its records as written, and the bytes of its journal; made once, before the cases. */
static struct {
	struct st_writer *w;
	const struct st_run *run;
	struct str text;
	size_t start[RECORDS + 1]; /* of each line; the last: the end */
} sound;

static void set_text(const char *name, const char *bytes, size_t len)
{
	FILE *f = fopen(path_of(name), "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

static void setup(void)
{
	struct rng r;
	struct err err;
	size_t n = 0;

	max_samples = 20; /* every byte is tried */
	rng_seed(&r, 102);
	sound.w = create("sound");
	append(sound.w, ST_START,
	       json_pack("{s:s}", "drive", "\xc3\xa9t\xc3\xa9 \xe7\xa3\x81\xe7\x9b\xa4"));
	for (int i = 0; i < POINTS; i++) {
		struct st_point p = random_point(&r);

		ck_assert_msg(!st_append_point(sound.w, i, &p, &err), "%s", err.text);
	}
	append(sound.w, ST_END, json_pack("{s:s}", "reason", "\xc3\xa9t\xc3\xa9"));
	sound.run = st_writer_run(sound.w);
	ck_assert(!str_read_file(&sound.text, path_of("sound/journal.jsonl"), MIB(1),
				 &err));
	for (size_t i = 0; i < sound.text.len; i++)
		if (!i || sound.text.text[i - 1] == '\n')
			sound.start[n++] = i;
	ck_assert_uint_eq(n, RECORDS);
	sound.start[n] = sound.text.len;
	ck_assert_int_eq(mkdir(path_of("hurt"), 0755), 0);
	set_text("hurt/run.json", "{\"schema\":1}", 12);
}

static int read_journal(const char *bytes, size_t len, struct st_run *run,
			struct err *err)
{
	unlink(path_of(
		"hurt/journal.jsonl")); /* truncated instead, ext4 would flush it each time */
	set_text("hurt/journal.jsonl", bytes, len);
	return st_run_read(path_of("hurt"), run, err);
}

/* The first n records, and nothing else. */
static void assert_first(const struct st_run *run, size_t n)
{
	ck_assert_uint_eq(run->n, n);
	for (size_t i = 0; i < n; i++) {
		const struct st_record *a = &run->rec[i], *b = &sound.run->rec[i];

		ck_assert(a->kind == b->kind && a->seq == b->seq &&
			  a->wall_ns == b->wall_ns);
		if (a->point)
			assert_same(a->point, b->point);
		else
			ck_assert(json_equal(a->body, b->body));
	}
}

static void assert_left(const char *bytes, size_t len, size_t n, size_t dropped_b)
{
	struct st_run run;
	struct err err;

	ck_assert_msg(!read_journal(bytes, len, &run, &err), "%s", err.text);
	assert_first(&run, n);
	ck_assert_uint_eq(run.dropped_b, dropped_b);
	st_run_release(&run);
}

static void assert_refused(const char *bytes, size_t len, size_t line, const char *why)
{
	struct st_run run;
	struct err err;
	char where[64];

	ck_assert_int_lt(read_journal(bytes, len, &run, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	snprintf(where, sizeof(where), "journal.jsonl line %zu", line);
	ck_assert_msg(strstr(err.text, where) && strstr(err.text, why),
		      "wanted '%s' '%s', got: %s", where, why, err.text);
	ck_assert_uint_eq(run.n, 0);
}

START_TEST(a_journal_cut_at_any_byte_of_its_last_two_records_keeps_the_whole_ones)
{
	for (size_t cut = sound.start[RECORDS - 2]; cut <= sound.text.len; cut++) {
		size_t n = RECORDS - 2;

		while (n < RECORDS && sound.start[n + 1] <= cut)
			n++;
		assert_left(sound.text.text, cut, n, cut - sound.start[n]);
	}
}
END_TEST

START_TEST(an_empty_journal_is_a_run_without_records)
{
	assert_left("", 0, 0, 0);
	assert_left("{", 1, 0, 1);
}
END_TEST

START_TEST(one_flipped_bit_before_the_last_line_is_an_error_that_names_the_line)
{
	struct str hurt = { 0 };
	size_t line = 0, end = sound.start[RECORDS - 1] - 1;

	str_add_bytes(&hurt, sound.text.text, sound.text.len);
	for (size_t i = 0; i < end; i++) {
		if (i == sound.start[line + 1])
			line++;
		hurt.text[i] ^= (char)(1 << i % 8);
		assert_refused(hurt.text, hurt.len, line + 1, "");
		hurt.text[i] = sound.text.text[i];
	}
	str_release(&hurt);
}
END_TEST

START_TEST(a_flipped_bit_in_the_last_line_drops_that_line)
{
	struct str hurt = { 0 };

	str_add_bytes(&hurt, sound.text.text, sound.text.len);
	for (size_t i = sound.start[RECORDS - 1]; i < hurt.len; i++) {
		hurt.text[i] ^= 1;
		assert_left(hurt.text, hurt.len, RECORDS - 1,
			    hurt.len - sound.start[RECORDS - 1]);
		hurt.text[i] = sound.text.text[i];
	}
	str_release(&hurt);
}
END_TEST

START_TEST(zeros_behind_the_last_record_are_dropped_and_between_records_are_damage)
{
	struct str hurt = { 0 };
	static const char zeros[4096];

	str_add_bytes(&hurt, sound.text.text, sound.text.len);
	str_add_bytes(&hurt, zeros, sizeof(zeros));
	assert_left(hurt.text, hurt.len, RECORDS, sizeof(zeros));
	str_add_bytes(&hurt, "\n", 1);
	assert_left(hurt.text, hurt.len, RECORDS, sizeof(zeros) + 1);
	str_add_bytes(&hurt, "\n", 1);
	assert_refused(hurt.text, hurt.len, RECORDS + 1, "checksum");
	hurt.len = sound.text.len;
	memset(hurt.text + sound.start[3] + 5, 0, 7);
	assert_refused(hurt.text, hurt.len, 4, "checksum");
	str_release(&hurt);
}
END_TEST

START_TEST(a_very_long_line_is_no_trouble)
{
	size_t len = MIB(40);
	char *text = malloc(len);

	ck_assert_ptr_nonnull(text);
	memset(text, '[', len);
	assert_left(text, len, 0, len);
	text[len - 2] = '\n';
	assert_refused(text, len, 1, "checksum");
	free(text);
}
END_TEST

/* A line whose checksum fits what it says. */
static void add_line(struct str *s, const char *body)
{
	str_addf(s, "%s,\"crc32\":\"%08lx\"}\n", body,
		 crc32(0, (const unsigned char *)body, (unsigned)strlen(body)));
}

static const struct {
	const char *body, *why;
} senseless[] = {
	{ "[1", "no JSON object" },
	{ "{\"kind\":\"stage\",\"seq\":1,\"wall_ns\":1,\"a\":1e999", "no JSON object" },
	{ "{\"kind\":\"stage\",\"seq\":1,\"wall_ns\":1,\"a\":99999999999999999999",
	  "no JSON object" },
	{ "{\"kind\":\"stage\",\"seq\":1,\"wall_ns\":1,\"a\":1,\"a\":2",
	  "no JSON object" },
	{ "{\"kind\":\"stage\",\"seq\":1,\"wall_ns\":1,\"a\":\"\xff\"",
	  "no JSON object" },
	{ "{\"kind\":\"novel\",\"seq\":1,\"wall_ns\":1", "unknown kind" },
	{ "{\"kind\":3,\"seq\":1,\"wall_ns\":1", "unknown kind" },
	{ "{\"seq\":1,\"wall_ns\":1", "unknown kind" },
	{ "{\"kind\":\"stage\",\"seq\":-1,\"wall_ns\":1", "seq or wall_ns" },
	{ "{\"kind\":\"stage\",\"seq\":1.0,\"wall_ns\":1", "seq or wall_ns" },
	{ "{\"kind\":\"stage\",\"seq\":1", "seq or wall_ns" },
	{ "{\"kind\":\"stage\",\"seq\":0,\"wall_ns\":1",
	  "record 0 stands where record 1 belongs" },
	{ "{\"kind\":\"stage\",\"seq\":2,\"wall_ns\":1",
	  "record 2 stands where record 1 belongs" },
	{ "{\"kind\":\"start\",\"schema\":2,\"seq\":1,\"wall_ns\":1",
	  "schema 2 is not known" },
	{ "{\"kind\":\"start\",\"seq\":1,\"wall_ns\":1", "schema 0 is not known" },
	{ "{\"kind\":\"point\",\"seq\":1,\"wall_ns\":1", "the point's test" },
};

START_TEST(a_whole_line_that_makes_no_sense_is_an_error_even_as_the_last)
{
	struct str text = { 0 };

	add_line(&text, "{\"kind\":\"start\",\"schema\":1,\"seq\":0,\"wall_ns\":0");
	add_line(&text, senseless[_i].body);
	assert_refused(text.text, text.len, 2, senseless[_i].why);
	str_release(&text);
}
END_TEST

/* Each member of a sound point changed once; `why` is the name that the sentence must have. */
static const struct {
	const char *from, *to, *why;
} points[] = {
	/* clang-format off */
	{ "\"test\":\"iops\"", "\"test\":\"sixteen-letters-\"", "test" },
	{ "\"phase\":\"round\"", "\"phase\":\"lap\"", "phase" },
	{ "\"pattern\":\"RND\"", "\"pattern\":\"rnd\"", "pattern" },
	{ "00000000000000ff", "00000000000000FF", "seed" },
	{ "00000000000000ff", "0xff", "seed" },
	{ "\"read_pct\":65", "\"read_pct\":101", "read_pct" },
	{ "\"read_pct\":65", "\"read_pct\":256", "read_pct" },
	{ "\"qd\":16", "\"qd\":4294967296", "qd" },
	{ "\"qd\":16", "\"qd\":16.0", "qd" },
	{ "\"qd\":16,", "", "qd" },
	{ "\"t0_ns\":100", "\"t0_ns\":301", "t1_ns" },
	{ "\"errors\":0", "\"errors\":null", "errors" },
	{ "[5,6]", "[5]", "cursor_b" },
	{ "[5,6]", "[5,-6]", "cursor_b" },
	{ "\"ios\":3", "\"ios\":4", "cells" },
	{ "[7,1,3,2]", "[7,1,3]", "cells" },
	{ "[7,1,3,2]", "[7,1,0,2]", "cells" },
	{ "[7,1,3,2]", "[7,3,3,0]", "cells" },
	{ "[7,1,3,2]", "[7,1,-3,2]", "cells" },
	{ "[7,1,3,2]", "[7,1,4,2]", "cells" },
	{ "[7,1,3,2]", "[7,1,4473,2]", "cells" },
	{ "[7,1,3,2]", "[7,1,9223372036854775807,2]", "cells" },
	{ "[7,1,3,2]", "[7,9223372036854775807,3,9223372036854775807]", "cells" },
	{ "[7,1,3,2]", "{}", "cells" },
	{ "\"min_ns\":7", "\"min_ns\":11", "cells" },
	{ "\"write\":{", "\"wrote\":{", "bytes" },
	{ "\"dir\":\"read\"", "\"dir\":\"up\"", "first_errors" },
	{ "\"res\":-5", "\"res\":\"EIO\"", "first_errors" },
	{ "\"host\":null", "\"host\":{}", "cpu_ns" },
	{ "\"host_limited\":false", "\"host_limited\":0", "host_limited" },
	{ "\"complete\":true", "\"complete\":1", "complete" },
	/* clang-format on */
};

static const char sound_point[] =
	"{\"kind\":\"point\",\"seq\":0,\"wall_ns\":1,\"test\":\"iops\",\"phase\":\"round\",\"pattern\":\"RND\","
	"\"seed\":\"00000000000000ff\",\"loop_bs_b\":0,\"round\":1,\"index\":2,\"bs_b\":4096,\"read_pct\":65,\"tc\":2,"
	"\"qd\":16,\"off_b\":0,\"len_b\":1048576,\"t0_ns\":100,\"t1_ns\":300,\"gap_ns\":0,\"depth_ns\":9,\"errors\":0,"
	"\"cursor_b\":[5,6],\"read\":{\"bytes\":12288,\"ios\":3,\"sum_ns\":27,\"min_ns\":7,\"max_ns\":10,"
	"\"cells\":[7,1,3,2]},\"write\":{\"bytes\":0,\"ios\":0,\"sum_ns\":0,\"min_ns\":0,\"max_ns\":0,\"cells\":[]},"
	"\"first_errors\":[{\"off_b\":1,\"len_b\":2,\"t_ns\":3,\"dir\":\"read\",\"res\":-5}],\"host\":null,"
	"\"host_limited\":false,\"complete\":true,\"from_the_future\":[1,2]";

START_TEST(a_point_with_one_senseless_member_is_refused_by_name)
{
	struct str text = { 0 }, body = { 0 };
	const char *at = strstr(sound_point, points[_i].from);
	struct st_run run;
	struct err err;

	ck_assert_ptr_nonnull(at);
	add_line(&text, sound_point);
	ck_assert_msg(!read_journal(text.text, text.len, &run, &err), "%s", err.text);
	ck_assert_uint_eq(run.rec[0].point->dir[IO_READ].lat.cell[1].index, 10);
	ck_assert_uint_eq(run.rec[0].point->dir[IO_READ].lat.cell[1].count, 2);
	ck_assert_uint_eq(run.rec[0].point->seed, 255);
	st_run_release(&run);
	str_release(&text);

	str_add_bytes(&body, sound_point, (size_t)(at - sound_point));
	str_add(&body, points[_i].to);
	str_add(&body, at + strlen(points[_i].from));
	add_line(&text, body.text);
	assert_refused(text.text, text.len, 1, points[_i].why);
	str_release(&text);
	str_release(&body);
}
END_TEST

/* Some bytes changed, cut out, doubled or moved. */
static void mutate(struct rng *r, struct str *s)
{
	static const char grist[] = "\n\n{}[],:\"0123456789-+.eE\\\x00\x80\xff";
	uint64_t changes = 1 + rng_below(r, 4);

	while (changes-- && s->len > 1) {
		size_t at = rng_below(r, s->len), n = rng_below(r, s->len - at) % 200;

		switch (rng_below(r, 4)) {
		case 0:
			s->text[at] = grist[rng_below(r, sizeof(grist) - 1)];
			break;
		case 1:
			memmove(s->text + at, s->text + at + n, s->len - at - n);
			s->len -= n;
			break;
		case 2: {
			struct str tail = { 0 };

			str_add_bytes(&tail, s->text + at, s->len - at);
			s->len = at + n;
			str_add_bytes(s, str_text(&tail), tail.len);
			str_release(&tail);
			break;
		}
		default:
			s->text[at] ^= (char)(1 << rng_below(r, 8));
		}
	}
}

START_TEST(a_mutated_journal_gives_an_error_or_a_sound_beginning)
{
	struct rng r;
	unsigned refused = 0, kept = 0;

	rng_seed(&r, 1000);
	for (int k = 0; k < 3000; k++) {
		struct str hurt = { 0 };
		struct st_run run;
		struct err err;

		str_add_bytes(&hurt, sound.text.text, sound.text.len);
		mutate(&r, &hurt);
		if (read_journal(hurt.text, hurt.len, &run, &err)) {
			ck_assert_int_eq(err.code, EXIT_CODE_HOST);
			refused++;
		} else {
			assert_first(&run, run.n);
			st_run_release(&run);
			kept++;
		}
		str_release(&hurt);
	}
	ck_assert_uint_gt(refused, 500);
	ck_assert_uint_gt(kept, 10);
}
END_TEST

/* What stands behind a right checksum is not trusted either. */
START_TEST(a_mutated_line_with_a_right_checksum_does_no_harm)
{
	struct rng r;

	rng_seed(&r, 1001);
	for (int k = 0; k < 5000; k++) {
		struct str body = { 0 }, text = { 0 };
		struct st_run run;
		struct err err;

		str_add(&body, sound_point);
		mutate(&r, &body);
		body.text[body.len] = '\0';
		for (char *nl; (nl = strchr(body.text, '\n'));)
			*nl = ' ';
		add_line(&text, body.text);
		if (!read_journal(text.text, text.len, &run, &err)) {
			ck_assert_uint_le(run.n, 1);
			st_run_release(&run);
		} else {
			ck_assert_int_eq(err.code, EXIT_CODE_HOST);
		}
		str_release(&body);
		str_release(&text);
	}
}
END_TEST

static void assert_run_refused(const char *why)
{
	struct st_run run;
	struct err err;

	ck_assert_int_lt(st_run_read(path_of("half"), &run, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_msg(strstr(err.text, why), "wanted '%s', got: %s", why, err.text);
}

START_TEST(a_directory_that_holds_no_sound_run_is_refused_in_words)
{
	assert_run_refused("is no run directory");
	ck_assert_int_eq(mkdir(path_of("half"), 0755), 0);
	assert_run_refused("is no run directory");
	set_text("half/run.json", "", 0);
	assert_run_refused("run.json is damaged");
	set_text("half/run.json", "{\"schema\":1", 11);
	assert_run_refused("run.json is damaged");
	set_text("half/run.json", "[1]", 3);
	assert_run_refused("no JSON object");
	set_text("half/run.json", "{\"schema\":1}\0", 13);
	assert_run_refused("run.json is damaged");
	set_text("half/run.json", "{}", 2);
	assert_run_refused("schema 0 is not known");
	set_text("half/run.json", "{\"schema\":7}", 12);
	assert_run_refused("schema 7 is not known");
	set_text("half/run.json", "{\"schema\":\"1\"}", 14);
	assert_run_refused("is not known");
	set_text("half/run.json", "{\"schema\":1}", 12);
	assert_run_refused("journal.jsonl");
	ck_assert_int_eq(mkdir(path_of("half/journal.jsonl"), 0755), 0);
	assert_run_refused("journal.jsonl");
}
END_TEST

static void limit_files(rlim_t size_b)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size_b;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/*
 * Points until one is refused for want of room; how many went in. The limit is on during the
 * append alone: libcheck writes a file of its own.
 */
static size_t fill_up(struct st_writer *w, struct rng *r, rlim_t limit_b, int expect)
{
	struct err err;
	size_t n = 0;

	for (;; n++) {
		struct st_point p = random_point(r);

		limit_files(limit_b);
		int rc = st_append_point(w, 0, &p, &err);

		limit_files(RLIM_INFINITY);
		ck_assert_ptr_null(p.dir[0].lat.cell);
		if (!rc)
			continue;
		ck_assert_int_eq(rc, -expect);
		ck_assert_int_eq(err.code, EXIT_CODE_HOST);
		ck_assert_msg(strstr(err.text, "journal.jsonl") &&
				      strstr(err.text, strerror(expect)),
			      "%s", err.text);
		return n;
	}
}

/* What is on disk is the beginning of what is in memory; how many records. */
static size_t assert_prefix(const char *dir, const struct st_run *memory)
{
	struct st_run run;
	struct err err;
	size_t n;

	ck_assert_msg(!st_run_read(dir, &run, &err), "%s", err.text);
	ck_assert_uint_eq(run.dropped_b, 0);
	ck_assert_uint_le(run.n, memory->n);
	n = run.n;
	for (size_t i = 0; i < run.n; i++)
		if (run.rec[i].point)
			assert_same(run.rec[i].point, memory->rec[i].point);
	st_run_release(&run);
	return n;
}

static void assert_whole(const char *dir, const struct st_run *memory)
{
	ck_assert_uint_eq(assert_prefix(dir, memory), memory->n);
}

/* Some are on disk, the others wait, and no more than a mebibyte of them. */
static void assert_waiting(const char *dir, const struct st_writer *w)
{
	size_t on_disk = assert_prefix(dir, st_writer_run(w));

	ck_assert_uint_gt(on_disk, 2);
	ck_assert_uint_lt(on_disk, st_writer_run(w)->n);
	ck_assert_uint_gt(st_waiting_b(w), ST_WAITING_MAX_B / 2);
	ck_assert_uint_le(st_waiting_b(w), ST_WAITING_MAX_B);
}

START_TEST(a_write_that_fails_half_way_is_cut_off_and_can_be_tried_again)
{
	struct rng r;
	struct st_writer *w = create("limited");

	rng_seed(&r, 103);
	append(w, ST_START, NULL);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_uint_gt(fill_up(w, &r, 50001, EFBIG), 2);
	assert_waiting(path_of("limited"), w);
	ck_assert_uint_eq(fill_up(w, &r, 50001, EFBIG), 0);
	assert_waiting(path_of("limited"), w);
	append(w, ST_END, NULL);
	assert_whole(path_of("limited"), st_writer_run(w));
	st_writer_close(w);
}
END_TEST

static int sync_errno; /* what fsync is to fail with; 0 = the real one */
static unsigned syncs;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	syncs++;
	errno = sync_errno;
	return sync_errno ? -1 : __real_fsync(fd);
}

START_TEST(a_record_that_is_not_synced_waits_and_the_last_one_cannot)
{
	struct st_writer *w = create("synced");
	struct err err;

	append(w, ST_START, NULL);
	syncs = 0;
	append(w, ST_STAGE, NULL);
	ck_assert_uint_eq(syncs, 1);
	sync_errno = EIO;
	append(w, ST_STAGE, NULL);
	ck_assert_uint_gt(st_waiting_b(w), 0);
	ck_assert_uint_eq(assert_prefix(path_of("synced"), st_writer_run(w)), 2);
	ck_assert_int_eq(st_append(w, ST_END, 0, NULL, &err), -EIO);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_uint_eq(st_writer_run(w)->n, 3);
	sync_errno = 0;
	append(w, ST_END, NULL);
	ck_assert_uint_eq(st_waiting_b(w), 0);
	ck_assert_uint_eq(st_writer_run(w)->n, 4);
	assert_whole(path_of("synced"), st_writer_run(w));
	st_writer_close(w);
}
END_TEST

/* In a mount name space of this case's own process: nothing is left behind. */
START_TEST(a_full_file_system_leaves_the_journal_whole)
{
	struct rng r;
	struct err err;
	struct st_writer *w;
	static char zeros[MIB(1)];

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir(path_of("small"), 0755) ||
	    mount("tmpfs", path_of("small"), "tmpfs", 0, "size=1m"))
		return; /* takes root; the case before this one does not */
	rng_seed(&r, 104);
	w = create("small/run");
	append(w, ST_START, NULL);
	ck_assert_uint_gt(fill_up(w, &r, RLIM_INFINITY, ENOSPC), 10);
	assert_waiting(path_of("small/run"), w);
	st_writer_close(w);

	/* full from the start: nothing is made */
	int fd = open(path_of("small/ballast"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	ck_assert_int_ge(fd, 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
	json_t *run = json_pack("{s:s}", "edition", "pts-e-2.0");

	ck_assert_int_eq(st_create(path_of("small/other"), run, &w, &err), -ENOSPC);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_int_ne(access(path_of("small/other"), F_OK), 0);
	json_decref(run);
}
END_TEST

/* A child's: no ck_assert, which would talk over the parent. */
static void write_for_ever(int fd)
{
	json_t *run = json_object();
	struct st_writer *w;
	int n = 0;

	if (st_create(path_of("killed"), run, &w, NULL))
		_exit(1);
	for (;;) {
		struct st_point p = { .test = "iops", .round = (unsigned)n };

		if (st_append_point(w, 0, &p, NULL))
			_exit(1);
		n++;
		if (write(fd, &n, sizeof(n)) < 0)
			_exit(1);
	}
}

START_TEST(a_killed_writer_leaves_what_it_had_appended)
{
	struct st_run run;
	struct err err;
	int ends[2], n;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();

	if (!pid)
		write_for_ever(ends[1]);
	for (int k = 0; k < 20; k++)
		ck_assert_int_eq(read(ends[0], &n, sizeof(n)), sizeof(n));
	ck_assert(st_is_locked(path_of("killed")));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(ends[1]);
	while (read(ends[0], &n, sizeof(n)) > 0)
		;
	ck_assert(!st_is_locked(path_of("killed")));
	ck_assert_msg(!st_run_read(path_of("killed"), &run, &err), "%s", err.text);
	ck_assert_uint_ge(run.n, (size_t)n);
	ck_assert_uint_le(run.n, (size_t)n + 1);
	ck_assert_ptr_null(st_run_end(&run));
	st_run_release(&run);
	close(ends[0]);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("damage");

	tcase_add_unchecked_fixture(t, setup, NULL);
	tcase_add_test(
		t,
		a_journal_cut_at_any_byte_of_its_last_two_records_keeps_the_whole_ones);
	tcase_add_test(t, an_empty_journal_is_a_run_without_records);
	tcase_add_test(
		t, one_flipped_bit_before_the_last_line_is_an_error_that_names_the_line);
	tcase_add_test(t, a_flipped_bit_in_the_last_line_drops_that_line);
	tcase_add_test(
		t,
		zeros_behind_the_last_record_are_dropped_and_between_records_are_damage);
	tcase_add_test(t, a_very_long_line_is_no_trouble);
	tcase_add_loop_test(t,
			    a_whole_line_that_makes_no_sense_is_an_error_even_as_the_last,
			    0, (int)ARRAY_LEN(senseless));
	tcase_add_loop_test(t, a_point_with_one_senseless_member_is_refused_by_name, 0,
			    (int)ARRAY_LEN(points));
	tcase_add_test(t, a_mutated_journal_gives_an_error_or_a_sound_beginning);
	tcase_add_test(t, a_mutated_line_with_a_right_checksum_does_no_harm);
	tcase_add_test(t, a_directory_that_holds_no_sound_run_is_refused_in_words);
	tcase_add_test(t, a_write_that_fails_half_way_is_cut_off_and_can_be_tried_again);
	tcase_add_test(t, a_record_that_is_not_synced_waits_and_the_last_one_cannot);
	tcase_add_test(t, a_full_file_system_leaves_the_journal_whole);
	tcase_add_test(t, a_killed_writer_leaves_what_it_had_appended);
	return run_cases(t);
}
