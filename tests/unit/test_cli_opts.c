/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts.h"
#include "tests/lib/suite.h"

/* Split a line at blanks and parse it; "" stands for an empty word. */
static char line_copy[512];
static char *words[64];
static struct cli_args args;
static struct err err;

static int parse(const char *line)
{
	int n = 0;

	snprintf(line_copy, sizeof(line_copy), "%s", line);
	for (char *at = line_copy, *word; (word = strsep(&at, " "));)
		words[n++] = strcmp(word, "\"\"") ? word : word + 2;
	err = (struct err){ 0 };
	return cli_parse(n, words, &args, &err);
}

static void refuses(const char *line, const char *text)
{
	ck_assert_msg(parse(line) != 0, "'%s' was accepted", line);
	ck_assert_int_eq(err.code, EXIT_CODE_USAGE);
	ck_assert_str_eq(err.text, text);
}

START_TEST(every_value_reaches_its_member)
{
	ck_assert_int_eq(
		parse("plateau run --device /dev/x --test iops,tp --erase S1 --size=1G"
		      " --output out --edition pts-c-2.0 --tc 2 --qd 16"
		      " --active-range 75 --capacity 512M --round-time 300ms"
		      " --max-rounds 6 --wipc-passes 0 --purge none --write-cache keep"
		      " --duration 90m --no-steady-stop --steady-rule pts"
		      " --seed 18446744073709551615 --io-timeout 30s --keep-cpu-latency"
		      " --discard-signatures --quiet --fill-rate-from r1"
		      " --endurance-tbw 600"),
		0);
	ck_assert(args.command->run == cmd_run);
	ck_assert_str_eq(args.device, "/dev/x");
	ck_assert_str_eq(args.erase_id, "S1");
	ck_assert_str_eq(args.output, "out");
	ck_assert_uint_eq(args.size_b, 1073741824);
	ck_assert_str_eq(args.pts.tests, "iops,tp");
	ck_assert_str_eq(args.pts.edition, "pts-c-2.0");
	ck_assert_uint_eq(args.pts.tc, 2);
	ck_assert_uint_eq(args.pts.qd, 16);
	ck_assert_uint_eq(args.pts.active_range_pct, 75);
	ck_assert_uint_eq(args.pts.capacity_b, 536870912);
	ck_assert_uint_eq(args.pts.round_ns, 300000000);
	ck_assert_uint_eq(args.pts.max_rounds, 6);
	ck_assert_uint_eq(args.pts.wipc_passes, 0);
	ck_assert(args.pts.wipc_passes_set && args.pts.seed_set &&
		  args.pts.no_steady_stop);
	ck_assert_str_eq(args.pts.purge, "none");
	ck_assert_str_eq(args.pts.write_cache, "keep");
	ck_assert_uint_eq(args.pts.duration_ns, 5400000000000);
	ck_assert_int_eq(args.pts.mode, SS_MODE_PTS);
	ck_assert_uint_eq(args.pts.seed, UINT64_MAX);
	ck_assert_uint_eq(args.pts.io_timeout_ns, 30000000000);
	ck_assert_str_eq(args.fill_rate_from, "r1");
	ck_assert_uint_eq(args.endurance_tb, 600);
	ck_assert(args.pts.keep_cpu_latency && args.pts.discard_signatures && args.quiet);
}
END_TEST

START_TEST(what_is_not_said_keeps_its_default)
{
	ck_assert_int_eq(parse("plateau io --device f --rw randread"), 0);
	ck_assert_uint_eq(args.bs_b, 4096);
	ck_assert_uint_eq(args.runtime_ns, 10000000000);
	ck_assert_uint_eq(args.rwmixread, 50);
	ck_assert_uint_eq(args.pts.tc, 0);
	ck_assert(!args.pts.seed_set && !args.pts.wipc_passes_set && !args.json);
	ck_assert_int_eq(args.pts.mode, SS_MODE_BOTH);
	ck_assert_ptr_null(args.erase_id);
}
END_TEST

START_TEST(fios_words_mean_the_same)
{
	ck_assert_int_eq(
		parse("plateau io --filename=f --rw read --iodepth 8 --numjobs 3 --randseed 7"),
		0);
	ck_assert_str_eq(args.device, "f");
	ck_assert_uint_eq(args.pts.qd, 8);
	ck_assert_uint_eq(args.pts.tc, 3);
	ck_assert_uint_eq(args.pts.seed, 7);
	refuses("plateau io --device f --filename f --rw read",
		"--device is given twice");
}
END_TEST

START_TEST(an_empty_erase_reaches_the_gate)
{
	ck_assert_int_eq(parse("plateau run --device d --test lat --erase \"\""), 0);
	ck_assert_str_eq(args.erase_id, "");
}
END_TEST

START_TEST(operands_and_options_mix)
{
	ck_assert_int_eq(parse("plateau steady --json - --rule band"), 0);
	ck_assert_str_eq(args.operand[0], "-");
	ck_assert_int_eq(args.pts.mode, SS_MODE_BAND);
	ck_assert_int_eq(parse("plateau report -- --odd-name"), 0);
	ck_assert_str_eq(args.operand[0], "--odd-name");
	ck_assert_int_eq(parse("plateau run --help"), 0);
	ck_assert(args.help);
}
END_TEST

START_TEST(wrong_use_is_one_clear_sentence)
{
	refuses("plateau", "which command? `plateau help` lists them");
	refuses("plateau rnu", "unknown command 'rnu'; did you mean 'run'?");
	refuses("plateau frobnicate",
		"unknown command 'frobnicate'; `plateau help` lists them");
	refuses("plateau io --iodpeth 3",
		"unknown option '--iodpeth'; did you mean '--iodepth'?");
	refuses("plateau io --xyzzy", "unknown option '--xyzzy'; see `plateau help io`");
	refuses("plateau run --rwmixread 3", "'plateau run' takes no option --rwmixread");
	refuses("plateau run -h", "unknown option '-h'; options have two dashes");
	refuses("plateau run --device d --erase e", "plateau run needs --test LIST");
	refuses("plateau run --device d --test lat", "plateau run needs --erase ID");
	refuses("plateau report", "plateau report needs RUN");
	refuses("plateau report a b",
		"'plateau report' takes one RUN; 'b' is one too many");
	refuses("plateau list a", "'plateau list' does not take 'a'");
	refuses("plateau list --json=1", "--json takes no value");
	refuses("plateau io --qd", "--qd needs a value: --qd N");
	refuses("plateau report r --output \"\"", "--output needs a value: --output DIR");
	refuses("plateau io --qd 0", "--qd: '0' is not a whole number from 1 to 65536");
	refuses("plateau io --qd 1 --qd 2", "--qd is given twice");
	refuses("plateau io --rw randwrit",
		"--rw: 'randwrit' is not one of randread|randwrite|randrw|read|write");
	refuses("plateau run --write-cache \"\"",
		"--write-cache: '' is not one of on|off|keep");
	refuses("plateau run --size 1Q",
		"--size: '1Q' is not a size; write it like 4k, 128KiB, 0.5k or 1G");
	refuses("plateau io --bs 100", "--bs: '100' is not from 0.5 KiB to 64 MiB");
	refuses("plateau io --runtime 1ms",
		"--runtime: '1ms' is not from 10 ms to 366 d 0 h");
	refuses("plateau steady --rule ptz -",
		"--rule: 'ptz' is not one of pts|band|both");
}
END_TEST

START_TEST(the_table_is_sound)
{
	const struct cli_option *o, *other;

	for (size_t i = 0; (o = cli_option_nth(i)); i++) {
		ck_assert_msg(o->cmds && o->help[0] && !(o->needed_by & ~o->cmds), "%s",
			      o->name);
		ck_assert_msg((o->kind == CLI_FLAG) == !o->arg, "%s", o->name);
		ck_assert_msg(o->kind < CLI_SIZE || o->min < o->max, "%s", o->name);
		for (size_t k = 0; k < i && (other = cli_option_nth(k)); k++) {
			ck_assert_str_ne(o->name, other->name);
			ck_assert_msg(!other->alias || strcmp(o->name, other->alias) != 0,
				      "%s", o->name);
		}
	}
}
END_TEST

START_TEST(the_nearest_word_is_near)
{
	static const char *const some[] = { "report", "resume", "run" };

	ck_assert_str_eq(cli_nearest("reprot", some, 3), "report");
	ck_assert_str_eq(cli_nearest("rum", some, 3), "run");
	ck_assert_ptr_null(cli_nearest("zzz", some, 3));
	ck_assert_ptr_null(
		cli_nearest("a-word-that-is-longer-than-any-option-we-have", some, 3));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli_opts");
	TCase *t = tcase_create("all");

	tcase_add_test(t, every_value_reaches_its_member);
	tcase_add_test(t, what_is_not_said_keeps_its_default);
	tcase_add_test(t, fios_words_mean_the_same);
	tcase_add_test(t, an_empty_erase_reaches_the_gate);
	tcase_add_test(t, operands_and_options_mix);
	tcase_add_test(t, wrong_use_is_one_clear_sentence);
	tcase_add_test(t, the_table_is_sound);
	tcase_add_test(t, the_nearest_word_is_near);
	suite_add_tcase(s, t);
	return suite_run(s);
}
