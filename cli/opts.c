/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/settings.h"

#define FIELD(m)                                                                         \
	.off = offsetof(struct cli_args, m), .width = sizeof(((struct cli_args *)NULL)->m)
#define GIVEN(m)   .given_off = offsetof(struct cli_args, m)
#define TYPED_ONLY .typed_only = true

#define SEC NSEC_PER_SEC
#define DAY (86400 * NSEC_PER_SEC)

/* clang-format off */
static const struct cli_command commands[] = {
	{ CMD_LIST, "list", NULL, false, "[--sim] [--json]",
	  "drives, their identity, size and users", 
	  "Lists every whole block device of this machine: the path for --device, the ID for --erase, "
	  "what uses the drive now, and how plateau could purge it. Opens nothing for writing. With `--sim`: the "
	  "simulated drives, and the parameters that each of them takes.",
	  cmd_list },
	{ CMD_PLAN, "plan", NULL, false, "--device T --test LIST [OPTION...]",
	  "steps, duration and bytes written; touches nothing",
	  "Prints every step that `plateau run` with the same options would take, how long it would "
	  "last and how much it would write, and which deviations from the edition are known already.",
	  cmd_plan },
	{ CMD_RUN, "run", NULL, false, "--device T --test LIST --erase ID [--output DIR] [OPTION...]",
	  "run tests on a drive, and write the report",
	  "Destroys all data on T. Refused where anything uses T, where it holds signatures of a file "
	  "system, partition table or RAID, or where ID is not what `plateau list` shows for it. One "
	  "SIGINT or SIGTERM ends the run cleanly and keeps what was measured; a second one ends it at "
	  "once. SIGHUP is ignored.",
	  cmd_run },
	{ CMD_RESUME, "resume", "RUN", true, "[--continue] [--on-end COMMAND] [--paper a4|letter] [--quiet]",
	  "go on with a run after a crash, a reboot or an interrupt",
	  "The drive is found again by its identity, whatever its name is now; another drive, or one that changed its size, is "
	  "refused. What the interruption spoiled is done again: a purge, the pass of a fill, the round that was broken (and "
	  "the measurement window lies wholly after it), a write saturation from its purge on. A simulated run is "
	  "replayed up to where it broke off. Each interruption is a deviation.",
	  cmd_resume },
	{ CMD_BATCH, "batch", "FILE", true, "[--jobs N] [--dry-run] [--resume] [--output DIR] [OPTION...]",
	  "several drives, one after another or side by side",
	  "FILE has a section for each drive, named by its ID, with options of `plateau run` as key = value, and "
	  "[defaults] for all of them. In a section, device = and erase = stand for a target whose ID is not the section's "
	  "name. Every drive gets a run directory of its own, DIR/ID, and DIR/ID.log; no failure stops the others. Ends with "
	  "a table, DIR/batch.json, a comparison, and the gravest exit status.",
	  cmd_batch },
	{ CMD_REPORT, "report", "RUN", true, "[--output DIR] [--paper a4|letter] [--redact]",
	  "charts, report.html, report.pdf and CSV of a run",
	  "Works from the run directory alone: no drive, no root. A run that was cut short is reported "
	  "as incomplete.",
	  cmd_report },
	{ CMD_COMPARE, "compare", "RUN RUN...", true, "--output DIR [--strict] [--paper a4|letter] [--json]",
	  "several runs side by side: figures, ratios, charts",
	  "Takes 2 to 20 run directories, of different drives, of several drives of one model or of one drive at several "
	  "times; imported ones too. Page one names what was not taken alike; with --strict that is exit status 11. What a run "
	  "has not measured stays empty.",
	  cmd_compare },
	{ CMD_IMPORT, "import", "FILE", true, "--as RUN [--drive NAME]",
	  "the result of another program, for `plateau compare`",
	  "FILE is what CrystalDiskMark (6, 8, 9) or AS SSD saved as text, fio's JSON, or TKperf's XML. RUN becomes a run "
	  "directory that is marked as imported: it has figures and no raw data. Prints the figures.",
	  cmd_import },
	{ CMD_BUNDLE, "bundle", "RUN", true, "--output FILE",
	  "a run directory as one file that proves itself whole",
	  "Makes a gzipped tar file of all that RUN holds and of SHA256SUMS, which names every file with its SHA-256. The same "
	  "run gives the same bytes. `plateau verify FILE` checks it, and so does sha256sum -c.",
	  cmd_bundle },
	{ CMD_STEADY, "steady", "FILE|-", true, "[--rule pts|band|both] [--json]",
	  "judge any series of round values",
	  "FILE holds CSV or white-space separated lines: round value. Rounds are consecutive. Prints "
	  "the first steady window with its arithmetic, or the last window where none is steady "
	  "(exit 5).",
	  cmd_steady },
	{ CMD_STATUS, "status", "RUN", true, "[--json]",
	  "where a running or stopped run stands",
	  "Reads the run directory alone, from any terminal, while the run goes on.",
	  cmd_status },
	{ CMD_IO, "io", NULL, false, "--device T --rw PATTERN [--erase ID] [OPTION...]",
	  "the engine alone: one workload, one interval",
	  "Reading needs no more than the right to read T. Writing destroys data: it needs --erase and "
	  "goes through the same checks as `plateau run`.",
	  cmd_io },
	{ CMD_VERIFY, "verify", "RUN", true, "[--json]",
	  "recompute every verdict from the raw data",
	  "Reports what differs from the stored verdicts (exit 11), the deviations of the run and the "
	  "states of its compliance ledger.",
	  cmd_verify },
	{ CMD_HELP, "help", "COMMAND", false, "[--man]",
	  "this overview, or all about one command", NULL,
	  cmd_help },
};

#define TARGET (CMD_PLAN | CMD_RUN | CMD_IO)
#define TESTS (CMD_PLAN | CMD_RUN)

/* @pts 5: what no machine can find out of the report's header. */
#define LAB(name, member, words) \
	{ "lab-" name, NULL, CLI_WORD, "TEXT", 0, 0, CMD_RUN, 0, FIELD(pts.lab.member), \
	  .help = "For the report's header: " words "." }

static const struct cli_option options[] = {
	{ "device", "filename", CLI_WORD, "T", 0, 0, TARGET, TARGET, FIELD(device),
	  .help = "The target: a block device (any path that leads to one), a regular file that plateau "
		  "made or that is all holes, or a simulated drive sim:NAME[,key=value...]." },
	{ "size", NULL, CLI_SIZE, "SIZE", MIB(1), INT64_MAX, CMD_RUN | CMD_IO, 0, FIELD(size_b),
	  .help = "Make the target a new scratch file of SIZE bytes where it does not exist." },
	{ "test", NULL, CLI_WORD, "LIST", 0, 0, TESTS, TESTS, FIELD(pts.tests),
	  .help = "Tests to run, separated by commas, in this order: iops, tp, lat, wsat." },
	{ "erase", NULL, CLI_WORD, "ID", 0, 0, CMD_RUN | CMD_IO, CMD_RUN, FIELD(erase_id), TYPED_ONLY,
	  .help = "Consent to destroy all data on the target. ID is what `plateau list` shows for it: the "
		  "serial number (or WWID) of a drive, the base name of a loop device or file, the name of a simulated drive." },
	{ "as", NULL, CLI_WORD, "RUN", 0, 0, CMD_IMPORT, CMD_IMPORT, FIELD(import_as),
	  .help = "The run directory that is made." },
	{ "drive", NULL, CLI_WORD, "NAME", 0, 0, CMD_IMPORT, 0, FIELD(import_drive),
	  .help = "The drive's model, where the file does not name it, or not always alike: results of one NAME are one drive's." },
	{ "strict", NULL, CLI_FLAG, NULL, 0, 0, CMD_COMPARE, 0, FIELD(strict),
	  .help = "Exit with 11 where the runs were not taken alike." },
	{ "redact", NULL, CLI_FLAG, NULL, 0, 0, CMD_REPORT, 0, FIELD(redact),
	  .help = "Replace serial numbers, WWIDs and host names by a hash that is the same in every report, for showing it to others. "
		  "Needs --output." },
	{ "output", NULL, CLI_WORD, "DIR", 0, 0, CMD_RUN | CMD_REPORT | CMD_BATCH | CMD_BUNDLE | CMD_COMPARE, CMD_BUNDLE | CMD_COMPARE, FIELD(output),
	  .help = "run: the run directory to make (default: target, tests and UTC time in the current "
		  "directory). report: where charts and report go (default: the run directory). "
		  "batch: where the run directories go (default: the file's name without its ending)." },
	{ "jobs", NULL, CLI_COUNT, "N", 1, 1024, CMD_BATCH, 0, FIELD(jobs),
	  .help = "Run N drives at a time (default 1: drives side by side share links, processors and heat)." },
	{ "dry-run", NULL, CLI_FLAG, NULL, 0, 0, CMD_BATCH, 0, FIELD(dry_run),
	  .help = "Say how long every drive takes and what is written to it; touch nothing." },
	{ "continue", NULL, CLI_FLAG, NULL, 0, 0, CMD_RESUME, 0, FIELD(continue_saturation),
	  .help = "Go on with a write saturation where it was interrupted, though the drive has rested: a deviation. "
		  "Without it the saturation begins again with the purge." },
	{ "resume", NULL, CLI_FLAG, NULL, 0, 0, CMD_BATCH, 0, FIELD(resume),
	  .help = "Go on with a batch: resume what was interrupted, start what was not, leave alone what has ended." },
	{ "paper", NULL, CLI_CHOICE, "a4|letter", 0, 0, CMD_RUN | CMD_RESUME | CMD_REPORT | CMD_COMPARE, 0, FIELD(paper),
	  .help = "Paper of report.pdf (default a4)." },
	{ "edition", NULL, CLI_WORD, "NAME", 0, 0, TESTS, 0, FIELD(pts.edition),
	  .help = "Edition of the specification: pts-e-2.0 (Enterprise 2.0.2, the default) or pts-c-2.0 "
		  "(Client)." },
	{ "rw", NULL, CLI_CHOICE, "randread|randwrite|randrw|read|write", 0, 0, CMD_IO, CMD_IO, FIELD(rw),
	  .help = "The pattern: random or sequential; reads, writes or a random mix." },
	{ "bs", NULL, CLI_SIZE, "SIZE", 512, MIB(64), CMD_IO, 0, FIELD(bs_b),
	  .help = "Block size of every I/O (default 4k)." },
	{ "tc", "numjobs", CLI_COUNT, "N", 1, 1024, TARGET, 0, FIELD(pts.tc),
	  .help = "Thread count (default: the edition's; io: 1)." },
	{ "qd", "iodepth", CLI_COUNT, "N", 1, 65536, TARGET, 0, FIELD(pts.qd),
	  .help = "Queue depth: outstanding I/Os of each thread (default: the edition's; io: 1)." },
	{ "runtime", NULL, CLI_DUR, "DUR", 10 * NSEC_PER_MSEC, 366 * DAY, CMD_IO, 0, FIELD(runtime_ns),
	  .help = "Length of the interval (default 10s)." },
	{ "rwmixread", NULL, CLI_COUNT, "PCT", 0, 100, CMD_IO, 0, FIELD(rwmixread),
	  .help = "Share of reads in randrw (default 50)." },
	{ "active-range", NULL, CLI_COUNT, "PCT", 1, 100, TESTS, 0, FIELD(pts.active_range_pct),
	  .help = "Share of the capacity that the tests touch." },
	{ "capacity", NULL, CLI_SIZE, "SIZE", MIB(1), INT64_MAX, TESTS, 0, FIELD(pts.capacity_b),
	  .help = "Use only the first SIZE of the target, as its whole user capacity." },
	{ "round-time", NULL, CLI_DUR, "DUR", 10 * NSEC_PER_MSEC, DAY, TESTS, 0, FIELD(pts.round_ns),
	  .help = "Length of each test point of a round, and of each minute of write saturation." },
	{ "max-rounds", NULL, CLI_COUNT, "N", 1, 10000, TESTS, 0, FIELD(pts.max_rounds),
	  .help = "Stop after N rounds where steady state is not attained before." },
	{ "wipc-passes", NULL, CLI_COUNT, "N", 0, 1000, TESTS, 0, FIELD(pts.wipc_passes),
	  GIVEN(pts.wipc_passes_set),
	  .help = "Fill with N times the user capacity before the rounds; 0 leaves the fill out." },
	{ "purge", NULL, CLI_WORD, "METHOD", 0, 0, TESTS, 0, FIELD(pts.purge),
	  .help = "How to purge, as `plateau list` names it; none leaves it out." },
	{ "write-cache", NULL, CLI_CHOICE, "on|off|keep", 0, 0, TESTS, 0, FIELD(pts.write_cache),
	  .help = "State of the drive's volatile write cache (default: the edition's)." },
	{ "duration", NULL, CLI_DUR, "DUR", 10 * NSEC_PER_MSEC, 366 * DAY, TESTS, 0,
	  FIELD(pts.duration_ns),
	  .help = "Write saturation: this long, in place of the edition's time cap and its stop after 4 "
		  "capacities." },
	{ "no-steady-stop", NULL, CLI_FLAG, NULL, 0, 0, TESTS, 0, FIELD(pts.no_steady_stop),
	  .help = "Write saturation: go on after steady state." },
	{ "steady-rule", NULL, CLI_CHOICE, "pts|band|both", 0, 0, TESTS, 0, FIELD(rule),
	  .help = "Which rule ends the rounds: the specification's, the 90 % to 110 % band, or both (the "
		  "default; if the band is never attained, the specification's rule decides)." },
	{ "rule", NULL, CLI_CHOICE, "pts|band|both", 0, 0, CMD_STEADY, 0, FIELD(rule),
	  .help = "Which rule judges the series (default both)." },
	{ "seed", "randseed", CLI_COUNT, "N", 0, UINT64_MAX, TARGET, 0, FIELD(pts.seed),
	  GIVEN(pts.seed_set),
	  .help = "Seed of every random choice (default: a new one; the run records it)." },
	{ "io-timeout", NULL, CLI_DUR, "DUR", SEC, DAY, TARGET, 0, FIELD(pts.io_timeout_ns),
	  .help = "Give up on a drive that completes nothing for so long (default 60s)." },
	{ "fill-rate-from", NULL, CLI_WORD, "RUN", 0, 0, TESTS, 0, FIELD(fill_rate_from),
	  .help = "Estimate with the rate at which the fills of RUN, an earlier run on the same drive, went (default: "
		  "500 MB/s is assumed; a simulated drive is filled in virtual time)." },
	{ "endurance-tbw", NULL, CLI_COUNT, "TB", 1, 1000000, TESTS, 0, FIELD(endurance_tb),
	  .help = "The drive's rated endurance in terabytes written, of which the plan then says the share." },
	{ "keep-cpu-latency", NULL, CLI_FLAG, NULL, 0, 0, TESTS, 0, FIELD(pts.keep_cpu_latency),
	  .help = "Leave /dev/cpu_dma_latency alone; without this it is held at 0 while measuring." },
	{ "discard-signatures", NULL, CLI_FLAG, NULL, 0, 0, TARGET, 0, FIELD(pts.discard_signatures), TYPED_ONLY,
	  .help = "Waive file-system, partition-table and RAID signatures on a target that nobody uses "
		  "(recorded). Nothing waives a target in use." },
	{ "shared-ok", NULL, CLI_FLAG, NULL, 0, 0, TARGET, 0, FIELD(pts.shared_ok), TYPED_ONLY,
	  .help = "Test an NVMe namespace that other controllers, perhaps of other hosts, reach too (recorded)." },
	LAB("sponsor", sponsor, "test sponsor"),
	LAB("tested-by", tested_by, "who ran the test"),
	LAB("auditor", auditor, "auditor"),
	LAB("platform", platform, "reference test platform"),
	LAB("hba", hba, "host bus adapter"),
	LAB("pcie", pcie, "PCIe generation and lanes"),
	LAB("form-factor", form_factor, "form factor of the drive"),
	LAB("nand", nand, "NAND type of the drive"),
	{ "limits", NULL, CLI_WORD, "FILE", 0, 0, CMD_RUN | CMD_REPORT, 0, FIELD(limits),
	  .help = "Hold the run to the limits in FILE, a line each, such as `iops.4KiB.0/100 >= 180k`, "
		  "`lat.4KiB.100/0.p99.999 <= 800us`, `wsat.floor >= 0.9`, `health.media_errors == 0`. Exit 6 and a page of the "
		  "report where one fails, junit.xml in the run directory. report: in place of the run's own limits." },
	{ "on-end", NULL, CLI_WORD, "COMMAND", 0, 0, CMD_RUN | CMD_RESUME, 0, FIELD(end_command),
	  .help = "Give COMMAND to the shell when the run has ended, however it has; PLATEAU_VERDICT, PLATEAU_EXIT_CODE, "
		  "PLATEAU_RUN and PLATEAU_DEVICE in its environment say how." },
	{ "config", NULL, CLI_WORD, "FILE", 0, 0, TESTS | CMD_BATCH, 0, FIELD(config), TYPED_ONLY,
	  .help = "Take settings from FILE alone, and not from ~/.config/plateau/config and /etc/plateau.conf." },
	{ "sim", NULL, CLI_FLAG, NULL, 0, 0, CMD_LIST, 0, FIELD(sim),
	  .help = "List the simulated drives instead." },
	{ "json", NULL, CLI_FLAG, NULL, 0, 0,
	  CMD_LIST | CMD_PLAN | CMD_BATCH | CMD_STEADY | CMD_STATUS | CMD_IO | CMD_VERIFY | CMD_COMPARE, 0, FIELD(json),
	  .help = "Print the result as JSON." },
	{ "quiet", NULL, CLI_FLAG, NULL, 0, 0, CMD_RUN | CMD_RESUME | CMD_BATCH | CMD_IO, 0, FIELD(quiet),
	  .help = "No progress and no remarks on stderr; what is wrong is still said." },
	{ "man", NULL, CLI_FLAG, NULL, 0, 0, CMD_HELP, 0, FIELD(man),
	  .help = "Fill in the manual page whose template is on stdin." },
	{ "help", NULL, CLI_FLAG, NULL, 0, 0, CMD_ALL, 0, FIELD(help), TYPED_ONLY,
	  .help = "All about the command." },
};

static const struct cli_exit exits[] = {
	{ EXIT_CODE_COMPLETE, "Complete: steady where the test asks for it, within limits." },
	{ EXIT_CODE_INTERNAL, "Internal error." },
	{ EXIT_CODE_USAGE, "Wrong usage or settings." },
	{ EXIT_CODE_SAFETY, "Refused for safety; nothing was changed." },
	{ EXIT_CODE_PURGE, "Purge or preconditioning failed." },
	{ EXIT_CODE_NOT_STEADY, "Finished, steady state not attained." },
	{ EXIT_CODE_LIMITS, "Limits failed." },
	{ EXIT_CODE_DEVICE, "Device error, or device lost." },
	{ EXIT_CODE_HOST, "Host problem: aio-max-nr, memory, disk full, missing program, damaged run directory." },
	{ EXIT_CODE_INTERRUPTED, "Interrupted; what was measured is kept." },
	{ EXIT_CODE_INVALID, "Finished but invalid." },
	{ EXIT_CODE_DIFFERS, "Differs: stored and recomputed verdicts." },
};
/* clang-format on */

const struct cli_command *cli_command_nth(size_t i)
{
	return i < ARRAY_LEN(commands) ? &commands[i] : NULL;
}

const struct cli_option *cli_option_nth(size_t i)
{
	return i < ARRAY_LEN(options) ? &options[i] : NULL;
}

const struct cli_exit *cli_exit_nth(size_t i)
{
	return i < ARRAY_LEN(exits) ? &exits[i] : NULL;
}

/* Edits (insert, drop, replace, swap neighbours) from a to b; words longer than the rows are far. */
#define NEAREST_LEN 32
static size_t edits(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), row[3][NEAREST_LEN + 1];

	if (n > NEAREST_LEN || m > NEAREST_LEN)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m];
}

const char *cli_nearest(const char *typed, const char *const *words, size_t n)
{
	size_t near = strlen(typed) / 3 + 1;
	const char *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = edits(typed, words[i]);

		if (d <= near && (!best || d < near)) {
			near = d;
			best = words[i];
		}
	}
	return best;
}

static bool option_is(const struct cli_option *o, const char *name, size_t len)
{
	return (strlen(o->name) == len && !strncmp(o->name, name, len)) ||
	       (o->alias && strlen(o->alias) == len && !strncmp(o->alias, name, len));
}

const struct cli_command *cli_command_find(const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(commands)];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		names[i] = commands[i].name;
	}
	const char *near = cli_nearest(name, names, ARRAY_LEN(names));

	err_set(err, EXIT_CODE_USAGE, EINVAL, "unknown command '%s'; %s%s%s", name,
		near ? "did you mean '" : "`plateau help` lists them", near ? near : "",
		near ? "'?" : "");
	return NULL;
}

static int unknown_option(const struct cli_command *c, const char *name, size_t len,
			  struct err *err)
{
	const char *names[2 * ARRAY_LEN(options)];
	char typed[64];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct cli_option *o = &options[i];

		if (option_is(o, name, len))
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "'plateau %s' takes no option --%s", c->name,
				       o->name);
		if (!(o->cmds & c->bit))
			continue;
		names[n++] = o->name;
		if (o->alias)
			names[n++] = o->alias;
	}
	snprintf(typed, sizeof(typed), "%.*s", (int)len, name);
	const char *near = cli_nearest(typed, names, n);

	return err_set(err, EXIT_CODE_USAGE, EINVAL, "unknown option '--%s'; %s%s%s%s",
		       typed, near ? "did you mean '--" : "see `plateau help ",
		       near ? near : c->name, near ? "'" : "`", near ? "?" : "");
}

static bool choice_has(const char *words, const char *typed)
{
	size_t len = strlen(typed);

	for (const char *at = words;; at++) {
		const char *end = strchrnul(at, '|');

		if ((size_t)(end - at) == len && len && !strncmp(at, typed, len))
			return true;
		if (!*end)
			return false;
		at = end;
	}
}

/* Between the option's bounds, else the sentence that names them. */
static int check_bounds(const struct cli_option *o, const char *what, const char *text,
			uint64_t value, struct err *err)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];

	if (value >= o->min && value <= o->max)
		return 0;
	if (o->kind == CLI_SIZE)
		return err_set(err, EXIT_CODE_USAGE, ERANGE,
			       "%s: '%s' is not from %s to %s", what, text,
			       units_size(o->min, lo), units_size(o->max, hi));
	return err_set(err, EXIT_CODE_USAGE, ERANGE, "%s: '%s' is not from %s to %s",
		       what, text, units_dur(o->min, lo), units_dur(o->max, hi));
}

static int parse_value(const struct cli_option *o, const char *text, struct cli_args *a,
		       struct err *err)
{
	char what[64], *at = (char *)a + o->off;
	uint64_t value = 0;
	int rc = 0;

	snprintf(what, sizeof(what), "--%s", o->name);
	switch (o->kind) {
	case CLI_FLAG:
		memcpy(at, &(bool){ true }, sizeof(bool));
		break;
	case CLI_CHOICE:
		if (!choice_has(o->arg, text))
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "%s: '%s' is not one of %s", what, text, o->arg);
		memcpy(at, &text, sizeof(text));
		break;
	case CLI_WORD:
		/* An empty ID is the gate's to refuse. */
		if (!*text && o->off != offsetof(struct cli_args, erase_id))
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "%s needs a value: %s %s", what, what, o->arg);
		memcpy(at, &text, sizeof(text));
		break;
	case CLI_SIZE:
		rc = units_parse_size(what, text, &value, err);
		break;
	case CLI_DUR:
		rc = units_parse_dur(what, text, &value, err);
		break;
	case CLI_COUNT:
		rc = units_parse_uint(what, text, o->min, o->max, &value, err);
		break;
	}
	if (rc)
		return rc;
	if (o->kind == CLI_SIZE || o->kind == CLI_DUR)
		rc = check_bounds(o, what, text, value, err);
	if (o->kind == CLI_SIZE || o->kind == CLI_DUR || o->kind == CLI_COUNT) {
		uint32_t narrow = (uint32_t)value;

		memcpy(at, o->width == sizeof(value) ? (void *)&value : (void *)&narrow,
		       o->width);
	}
	if (o->given_off)
		memcpy((char *)a + o->given_off, &(bool){ true }, sizeof(bool));
	return rc;
}

static const struct cli_option *find_setting(const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(options)];
	size_t n = 0;

	for (size_t k = 0; k < ARRAY_LEN(options); k++) {
		if (!(options[k].cmds & CMD_RUN))
			continue;
		if (option_is(&options[k], name, strlen(name)))
			return &options[k];
		names[n++] = options[k].name;
	}
	const char *near = cli_nearest(name, names, n);

	err_set(err, EXIT_CODE_USAGE, EINVAL, "unknown key '%s'; %s%s%s", name,
		near ? "did you mean '" : "`plateau help run` lists the options",
		near ? near : "", near ? "'?" : "");
	return NULL;
}

static int check_setting(const struct cli_option *o, const char *value, struct err *err)
{
	struct cli_args scratch = { 0 };

	if (o->kind == CLI_FLAG && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "%s is yes or no, not '%s'",
			       o->name, value);
	return parse_value(o, value, &scratch, err);
}

const char *cli_setting_check(const char *name, const char *value, struct err *err)
{
	const struct cli_option *o = find_setting(name, err);

	return o && !check_setting(o, value, err) ? o->name : NULL;
}

int cli_setting(struct cli_args *a, const char *name, const char *value,
		const struct cli_seen *stronger, struct err *err)
{
	const struct cli_option *o = find_setting(name, err);
	int rc = o ? check_setting(o, value, err) : -EINVAL;
	size_t k = o ? (size_t)(o - options) : 0;
	char *kept;

	if (rc)
		return rc;
	if (o->typed_only)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "--%s is for the command line alone", o->name);
	if (stronger->option[k] || !(o->cmds & a->command->bit))
		return 0;
	if (a->seen.option[k])
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "%s is given twice",
			       o->name);
	a->seen.option[k] = true;
	if (o->kind == CLI_FLAG && !strcmp(value, "no"))
		return 0;
	kept = strdup(value);
	if (!kept)
		return err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	a->kept[a->n_kept++] = kept;
	return parse_value(o, kept, a, err);
}

void cli_args_release(struct cli_args *a)
{
	while (a->n_kept)
		free(a->kept[--a->n_kept]);
}

/* One "--name", "--name=value" or "--name value"; *i moves on where the value is the next word. */
static int parse_option(struct cli_args *ret, int *i, struct err *err)
{
	const char *name = ret->argv[*i] + 2, *value = strchr(name, '=');
	size_t len = value ? (size_t)(value - name) : strlen(name);

	for (size_t k = 0; k < ARRAY_LEN(options); k++) {
		const struct cli_option *o = &options[k];

		if (!(o->cmds & ret->command->bit) || !option_is(o, name, len))
			continue;
		if (ret->seen.option[k])
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "--%s is given twice", o->name);
		ret->seen.option[k] = true;
		if (o->kind == CLI_FLAG && value)
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "--%s takes no value", o->name);
		if (value)
			value++;
		else if (o->kind != CLI_FLAG)
			value = *i + 1 < ret->argc ? ret->argv[++*i] : NULL;
		if (o->kind != CLI_FLAG && !value)
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "--%s needs a value: --%s %s", o->name, o->name,
				       o->arg);
		return parse_value(o, value, ret, err);
	}
	return unknown_option(ret->command, name, len, err);
}

static int parse_operand(struct cli_args *ret, const char *word, struct err *err)
{
	if (!ret->command->operand)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "'plateau %s' does not take '%s'", ret->command->name,
			       word);
	if (ret->n_operands == (ret->command->bit == CMD_COMPARE ? CLI_MAX_OPERANDS : 1))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "'plateau %s' takes one %s; '%s' is one too many",
			       ret->command->name, ret->command->operand, word);
	ret->operand[ret->n_operands++] = word;
	return 0;
}

static int check_complete(const struct cli_args *a, struct err *err)
{
	const struct cli_command *c = a->command;

	if (c->operand_needed && !a->n_operands)
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "plateau %s needs %s",
			       c->name, c->operand);
	for (size_t k = 0; k < ARRAY_LEN(options); k++)
		if (options[k].needed_by & c->bit && !a->seen.option[k])
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "plateau %s needs --%s %s", c->name,
				       options[k].name, options[k].arg);
	return 0;
}

static bool takes_settings(const struct cli_command *c)
{
	for (size_t k = 0; k < ARRAY_LEN(options); k++)
		if (options[k].off == offsetof(struct cli_args, config))
			return options[k].cmds & c->bit;
	return false;
}

int cli_parse(int argc, char *const argv[], struct cli_args *ret, struct err *err)
{
	bool words_only = false;
	int rc = 0;

	_Static_assert(ARRAY_LEN(options) <= CLI_MAX_OPTIONS, "a place an option");
	*ret = (struct cli_args){ .argc = argc,
				  .argv = argv,
				  .pts.mode = SS_MODE_BOTH,
				  .jobs = 1,
				  .bs_b = KIB(4),
				  .runtime_ns = 10 * SEC,
				  .rwmixread = 50 };
	if (argc < 2)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "which command? `plateau help` lists them");
	ret->command = cli_command_find(argv[1], err);
	if (!ret->command)
		return -EINVAL;
	for (int i = 2; i < argc && !rc; i++) {
		if (words_only || argv[i][0] != '-' || !argv[i][1])
			rc = parse_operand(ret, argv[i], err);
		else if (!strcmp(argv[i], "--"))
			words_only = true;
		else if (argv[i][1] != '-')
			rc = err_set(err, EXIT_CODE_USAGE, EINVAL,
				     "unknown option '%s'; options have two dashes",
				     argv[i]);
		else
			rc = parse_option(ret, &i, err);
	}
	if (!rc && !ret->help && takes_settings(ret->command))
		rc = cli_settings_read(ret, err);
	if (!rc && ret->rule)
		rc = ss_mode_parse(ret->rule, &ret->pts.mode, err);
	return rc || ret->help ? rc : check_complete(ret, err);
}
