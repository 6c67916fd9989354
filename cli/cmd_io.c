/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io: the engine alone. One workload, one interval, no precondition, no verdict. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/units.h"
#include "cli/cancel.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/target.h"
#include "engine/engine.h"

/* "99" .. "99.999" and the same in parts of 10^9. */
static const struct {
	const char *word;
	uint32_t ppb;
} percentiles[] = {
	{ "50", 500000000 },   { "90", 900000000 },    { "99", 990000000 },
	{ "99.9", 999000000 }, { "99.99", 999900000 }, { "99.999", 999990000 },
};

static const char *const dir_words[IO_DIRS] = {
	[IO_READ] = "read", [IO_WRITE] = "write"
};

struct job {
	struct cli_target target;
	struct eng_workload load;
	struct dev_handle handle; /* reads: ours; writes: the claim's */
	struct dev_claim *claim;
	struct eng *eng;
	struct eng_result *result;
};

static uint8_t read_share(const struct cli_args *a)
{
	if (!strcmp(a->rw, "randrw"))
		return (uint8_t)a->rwmixread;
	return strcmp(a->rw, "randread") && strcmp(a->rw, "read") ? 0 : 100;
}

static int make_workload(const struct cli_args *a, struct job *j, struct err *err)
{
	const struct dev_info *info = &j->target.info;
	char bs[UNITS_TEXT], unit[UNITS_TEXT];

	j->load = (struct eng_workload){
		.pattern = strncmp(a->rw, "rand", 4) ? IO_SEQ : IO_RAND,
		.read_pct = read_share(a),
		.bs_b = (uint32_t)a->bs_b,
		.tc = a->pts.tc ? a->pts.tc : 1,
		.qd = a->pts.qd ? a->pts.qd : 1,
		.len_b = info->size_b,
		.seed = a->pts.seed,
	};
	if (!a->pts.seed_set && getrandom(&j->load.seed, sizeof(j->load.seed), 0) < 0)
		return err_set(err, EXIT_CODE_HOST, errno, "no random seed: %s",
			       strerror(errno));
	if (a->bs_b % info->lbs_b || a->bs_b > info->size_b)
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"--bs: %s is no multiple of the block size of '%s' (%s) within its size",
			units_size(a->bs_b, bs), a->device,
			units_size(info->lbs_b, unit));
	return 0;
}

/* A file system answers a hole by itself: such reads measure no drive. */
static void warn_of_holes(const struct job *j)
{
	const struct dev_info *info = &j->target.info;
	struct stat st;

	if (info->kind != DEV_FILE || !j->load.read_pct || stat(info->path, &st) ||
	    (uint64_t)st.st_blocks * 512 >= info->size_b)
		return;
	say_info("'%s' has holes (%" PRIu64 " of %" PRIu64
		 " bytes are allocated): reading a hole never reaches the drive",
		 info->path, (uint64_t)st.st_blocks * 512, info->size_b);
}

static int open_target(const struct cli_args *a, struct job *j, struct err *err)
{
	if (j->load.read_pct == 100)
		return dev_open_read(&j->target.info, &j->handle, err);
	if (!a->erase_id)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--rw %s destroys data: plateau io needs --erase ID",
			       a->rw);
	return cli_target_claim(a, &j->target, NULL, &j->claim, err);
}

static int measure(const struct cli_args *a, struct job *j, struct err *err)
{
	const struct eng_limits limits = { .max_tc = j->load.tc,
					   .max_qd = j->load.qd,
					   .max_bs_b = j->load.bs_b,
					   .no_reads = j->load.read_pct == 0,
					   .no_writes = j->load.read_pct == 100,
					   .io_timeout_ns = a->pts.io_timeout_ns };
	const struct dev_handle *h = j->claim ? dev_claim_handle(j->claim) : &j->handle;
	int rc = eng_open(h, &limits, &j->eng, err);

	if (!rc)
		rc = j->claim ? eng_start_write(j->eng, j->claim, &j->load, err)
			      : eng_start_read(j->eng, &j->load, err);
	if (rc)
		return rc;
	rc = eng_next(j->eng, a->runtime_ns, &cli_cancel, j->result, err);
	int stopped = eng_stop(j->eng, rc ? NULL : err);

	return rc ? rc : stopped;
}

static uint64_t elapsed_ns(const struct eng_result *r)
{
	return r->t1_ns - r->t0_ns;
}

static double per_second(const struct eng_result *r, uint64_t n)
{
	return elapsed_ns(r) ? (double)n * 1e9 / (double)elapsed_ns(r) : 0;
}

static uint64_t ios(const struct eng_result *r)
{
	return r->dir[IO_READ].lat.count + r->dir[IO_WRITE].lat.count;
}

static double mean_ns(const struct hist *h)
{
	return h->count ? (double)h->sum_ns / (double)h->count : 0;
}

static double depth(const struct eng_result *r)
{
	return (double)eng_depth_milli(r) / 1000;
}

/* Integer, or null where it means nothing. */
static json_t *known(bool is, uint64_t v)
{
	return is ? json_integer((json_int_t)v) : json_null();
}

static json_t *dir_json(const struct eng_dir *d)
{
	const struct hist *h = &d->lat;
	json_t *pct = json_object();

	for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
		json_object_set_new(
			pct, percentiles[i].word,
			known(hist_beyond(h, percentiles[i].ppb) >= HIST_MIN_BEYOND,
			      hist_quantile_ns(h, percentiles[i].ppb)));
	return json_pack("{s:I, s:I, s:{s:o, s:o, s:o, s:o}}", "ios",
			 (json_int_t)h->count, "bytes", (json_int_t)d->bytes, "lat_ns",
			 "min", known(h->count, h->min_ns), "mean",
			 h->count ? json_real(mean_ns(h)) : json_null(), "max",
			 known(h->count, h->max_ns), "percentile", pct);
}

static json_t *per_io(const struct eng_result *r, uint64_t ns)
{
	return r->host.known && ios(r) ? json_real((double)ns / (double)ios(r))
				       : json_null();
}

static bool is_simulated(const struct job *j)
{
	return j->target.info.kind == DEV_SIM;
}

static enum exit_code print_json(const struct job *j)
{
	const struct eng_result *r = j->result;
	uint64_t bytes = r->dir[IO_READ].bytes + r->dir[IO_WRITE].bytes;

	return cli_print_json(json_pack(
		"{s:b, s:f, s:f, s:I, s:o, s:o, s:I, s:o, s:o, s:f, s:b}", "simulated",
		is_simulated(j), "iops", per_second(r, ios(r)), "bytes_per_s",
		per_second(r, bytes), "elapsed_ns", (json_int_t)elapsed_ns(r), "read",
		dir_json(&r->dir[IO_READ]), "write", dir_json(&r->dir[IO_WRITE]),
		"errors", (json_int_t)r->errors, "usr_ns_per_io",
		per_io(r, r->host.usr_ns), "sys_ns_per_io", per_io(r, r->host.sys_ns),
		"achieved_qd", depth(r), "host_limited", r->host_limited));
}

static void print_dir(const struct eng_result *r, enum io_dir dir)
{
	const struct eng_dir *d = &r->dir[dir];
	const struct hist *h = &d->lat;

	if (!h->count)
		return;
	printf("%-6s %11.0f %10.1f %11.1f %11.1f %11.1f", dir_words[dir],
	       per_second(r, h->count), per_second(r, d->bytes) / 1e6,
	       (double)h->min_ns / 1e3, mean_ns(h) / 1e3, (double)h->max_ns / 1e3);
	for (size_t i = 2; i < ARRAY_LEN(percentiles); i++) {
		if (hist_beyond(h, percentiles[i].ppb) < HIST_MIN_BEYOND)
			printf(" %10s", "n/a");
		else
			printf(" %10.1f",
			       (double)hist_quantile_ns(h, percentiles[i].ppb) / 1e3);
	}
	putchar('\n');
}

static void print_text(const struct cli_args *a, const struct job *j)
{
	const struct eng_result *r = j->result;
	char bs[UNITS_TEXT], dur[UNITS_TEXT];

	printf("%s%s %s, TC %u, QD %u, %s, seed %" PRIu64 "\n\n",
	       is_simulated(j) ? "SIMULATED " : "", a->rw, units_size(j->load.bs_b, bs),
	       j->load.tc, j->load.qd, units_dur(elapsed_ns(r), dur), j->load.seed);
	printf("%-6s %11s %10s %11s %11s %11s %10s %10s %10s %10s\n", "", "IOPS", "MB/s",
	       "min us", "mean us", "max us", "p99 us", "p99.9", "p99.99", "p99.999");
	print_dir(r, IO_READ);
	print_dir(r, IO_WRITE);
	printf("\nerrors %" PRIu64 ", outstanding I/Os %.2f of %u", r->errors, depth(r),
	       j->load.tc * j->load.qd);
	if (r->host.known && ios(r))
		printf(", CPU %" PRIu64 " ns an I/O", r->host.cpu_ns / ios(r));
	puts(r->host_limited ? ", the host was the limit" : "");
}

/* What the interval was worth, once it has been printed. */
static enum exit_code outcome(const struct job *j)
{
	const struct eng_result *r = j->result;

	if (r->errors) {
		const struct eng_error *e = &r->error[0];

		say("'%s' failed a %s of %" PRIu32 " bytes at byte %" PRIu64 ": %s%s",
		    j->target.info.path, dir_words[e->dir], e->len_b, e->off_b,
		    e->res < 0 ? strerror((int)-e->res) : "short transfer",
		    r->device_lost ? "; the device is gone" : "");
		return EXIT_CODE_DEVICE;
	}
	if (!cli_cancel)
		return EXIT_CODE_COMPLETE;
	say("interrupted");
	return EXIT_CODE_INTERRUPTED;
}

enum exit_code cmd_io(const struct cli_args *a)
{
	struct job j = { .handle.fd = -1, .result = calloc(1, sizeof(*j.result)) };
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct err err;
	int rc;

	cli_cancel_on_signals();
	rc = j.result ? cli_target_find(a, &j.target, &err)
		      : err_set(&err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	if (!rc)
		rc = make_workload(a, &j, &err);
	if (!rc)
		rc = open_target(a, &j, &err);
	if (rc)
		cli_target_unmake(&j.target);
	if (!rc) {
		warn_of_holes(&j);
		rc = measure(a, &j, &err);
	}
	if (rc) {
		code = say_err(&err);
	} else {
		if (a->json)
			code = print_json(&j);
		else
			print_text(a, &j);
		code = exit_code_graver(code, outcome(&j));
	}
	eng_close(j.eng);
	if (j.claim)
		dev_claim_free(j.claim);
	else
		dev_handle_release(&j.handle);
	free(j.result);
	return code;
}
