/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/proc.h"
#include "tests/lib/suite.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A shell command under the given limits. */
static struct proc_result shell(const char *command, const char *input, unsigned limit_s,
				size_t max_output_b)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	const struct proc p = {
		.argv = argv,
		.package = "dash",
		.input = input,
		.limit_s = limit_s,
		.max_output_b = max_output_b,
	};
	struct proc_result r;
	struct err err;

	ck_assert_msg(!proc_run(&p, &r, &err), "%s", err.text);
	return r;
}

START_TEST(output_error_and_status_come_back)
{
	struct proc_result r = shell("echo out; echo err >&2; exit 3", NULL, 20, 1000);

	ck_assert_int_eq(r.status, 3);
	ck_assert(!r.timed_out);
	ck_assert_str_eq(str_text(&r.out), "out\n");
	ck_assert_str_eq(str_text(&r.err), "err\n");
	proc_result_release(&r);
	r = shell("kill -9 $$", NULL, 20, 1000);
	ck_assert_int_eq(r.status, 128 + SIGKILL);
	proc_result_release(&r);
}
END_TEST

START_TEST(the_program_runs_in_the_C_locale_and_its_own_group)
{
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	struct proc_result r = shell("echo $LC_ALL; cut -d' ' -f5 /proc/$$/stat; echo $$",
				     NULL, 20, 1000);
	char *line = strtok(r.out.text, "\n");

	ck_assert_str_eq(line, "C");
	char *group = strtok(NULL, "\n"), *pid = strtok(NULL, "\n");

	ck_assert_str_eq(group, pid);
	ck_assert_str_eq(getenv("LC_ALL"), "de_DE.UTF-8");
	proc_result_release(&r);
}
END_TEST

START_TEST(a_large_input_comes_through)
{
	size_t len = 3000000;
	char *input = malloc(len + 1);

	ck_assert_ptr_nonnull(input);
	for (size_t i = 0; i < len; i++)
		input[i] = (char)('a' + i % 26);
	input[len] = '\0';
	struct proc_result r = shell("cat", input, 60, len);

	ck_assert_uint_eq(r.out.len, len);
	ck_assert_int_eq(memcmp(r.out.text, input, len), 0);
	proc_result_release(&r);
	r = shell("true", input, 60, 1000);
	ck_assert_int_eq(r.status, 0);
	proc_result_release(&r);
	free(input);
}
END_TEST

START_TEST(no_input_and_an_empty_input_are_an_end_of_file)
{
	struct proc_result r = shell("cat; echo done", NULL, 20, 1000);

	ck_assert_str_eq(str_text(&r.out), "done\n");
	proc_result_release(&r);
	r = shell("cat; echo done", "", 20, 1000);
	ck_assert(!r.timed_out);
	ck_assert_str_eq(str_text(&r.out), "done\n");
	proc_result_release(&r);
}
END_TEST

START_TEST(output_beyond_the_limit_is_dropped)
{
	struct proc_result r = shell(
		"head -c 1000000 /dev/zero | tr '\\0' x; echo said >&2", NULL, 60, 1000);

	ck_assert_int_eq(r.status, 0);
	ck_assert_uint_eq(r.out.len, 1000);
	ck_assert_str_eq(str_text(&r.err), "said\n");
	proc_result_release(&r);
}
END_TEST

/* True where no such process runs; one that is dead and not yet reaped does not run. */
static bool gone(const char *pid)
{
	char path[64];
	struct str s = { 0 };
	bool dead;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	dead = str_read_file(&s, path, 4096, NULL) || strstr(str_text(&s), ") Z");
	str_release(&s);
	return dead;
}

START_TEST(after_the_time_limit_the_whole_group_is_killed)
{
	static const char *const commands[] = {
		"sleep 1000 & echo $!; sleep 1000",
		/* output closed: the program must not outlive the limit silently */
		"sleep 1000 & echo $!; exec >&- 2>&-; sleep 1000",
		"trap '' TERM INT HUP; sleep 1000 & echo $!; wait",
	};

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		struct proc_result r = shell(commands[i], NULL, 1, 1000);

		ck_assert(r.timed_out);
		ck_assert_int_eq(r.status, 128 + SIGKILL);
		char *pid = strtok(r.out.text, "\n");

		ck_assert_ptr_nonnull(pid);
		for (int k = 0; k < 1000 && !gone(pid); k++)
			usleep(10000);
		ck_assert(gone(pid));
		proc_result_release(&r);
	}
}
END_TEST

START_TEST(a_missing_program_names_its_package)
{
	const char *const argv[] = { "plateau-no-such-program", NULL };
	struct proc p = { .argv = argv, .package = "some-package", .limit_s = 10 };
	struct proc_result r;
	struct err err;

	ck_assert_int_eq(proc_run(&p, &r, &err), -ENOENT);
	ck_assert_int_eq(err.code, EXIT_CODE_HOST);
	ck_assert_str_eq(
		err.text,
		"plateau-no-such-program is not on PATH; install the package some-package");
	const char *const there[] = { "true", NULL };

	p.argv = there;
	p.cwd = "/no/such/directory";
	ck_assert_int_eq(proc_run(&p, &r, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, "/no/such/directory"), "%s", err.text);
	p.cwd = "/";
	ck_assert_int_eq(proc_run(&p, &r, &err), 0);
	proc_result_release(&r);
	const char *const no_program[] = { "/etc/passwd", NULL };

	p.argv = no_program;
	ck_assert_int_eq(proc_run(&p, &r, &err), -EACCES);
}
END_TEST

START_TEST(no_descriptor_is_left_open)
{
	int before = dup(0);

	close(before);
	for (int i = 0; i < 20; i++) {
		struct proc_result r = shell("cat", "x", 20, 10);

		proc_result_release(&r);
	}
	int after = dup(0);

	close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base_proc");
	TCase *t = tcase_create("proc");

	signal(SIGPIPE, SIG_IGN); /* as main() of the program does */
	tcase_set_timeout(t, 120);
	tcase_add_test(t, output_error_and_status_come_back);
	tcase_add_test(t, the_program_runs_in_the_C_locale_and_its_own_group);
	tcase_add_test(t, a_large_input_comes_through);
	tcase_add_test(t, no_input_and_an_empty_input_are_an_end_of_file);
	tcase_add_test(t, output_beyond_the_limit_is_dropped);
	tcase_add_test(t, after_the_time_limit_the_whole_group_is_killed);
	tcase_add_test(t, a_missing_program_names_its_package);
	tcase_add_test(t, no_descriptor_is_left_open);
	suite_add_tcase(s, t);
	return suite_run(s);
}
