/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help: the tables as an overview, as the help of one command, or inside the manual's template. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts.h"
#include "cli/say.h"
#include "device/sim.h"

#define WIDTH  80
#define INDENT 24

/* Print text, broken at blanks, from column `at`; later lines begin at column `indent`. */
static void print_wrapped(const char *text, size_t at, size_t indent)
{
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > indent && at + 1 + word > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)word, text);
		at += word;
		text += word + (text[word] == ' ');
	}
	putchar('\n');
}

static void print_option(const struct cli_option *o)
{
	int at = printf("  --%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");

	if (o->alias)
		at += printf(", --%s", o->alias);
	if (at > INDENT - 2) {
		putchar('\n');
		at = 0;
	}
	printf("%*s", INDENT - at, "");
	print_wrapped(o->help, INDENT, INDENT);
}

static void print_synopsis(const struct cli_command *c)
{
	printf("plateau %s", c->name);
	if (c->operand)
		printf(c->operand_needed ? " %s" : " [%s]", c->operand);
	printf(" %s\n", c->synopsis);
}

static enum exit_code print_command(const char *name)
{
	struct err err;
	const struct cli_command *c = cli_command_find(name, &err);
	const struct cli_option *o;

	if (!c)
		return say_err(&err);
	printf("usage: ");
	print_synopsis(c);
	if (c->text) {
		putchar('\n');
		print_wrapped(c->text, 0, 0);
	}
	printf("\noptions:\n");
	for (size_t i = 0; (o = cli_option_nth(i)); i++)
		if (o->cmds & c->bit)
			print_option(o);
	return EXIT_CODE_COMPLETE;
}

static enum exit_code print_overview(void)
{
	const struct cli_command *c;
	const struct cli_exit *e;

	printf("plateau " PLATEAU_VERSION
	       " - SNIA SSD Performance Test Specification harness\n\n"
	       "usage: plateau COMMAND [OPTION...]\n\ncommands:\n");
	for (size_t i = 0; (c = cli_command_nth(i)); i++)
		printf("  %-10s %s\n", c->name, c->summary);
	printf("\nexit status:\n");
	for (size_t i = 0; (e = cli_exit_nth(i)); i++) {
		printf("  %2d  ", e->code);
		print_wrapped(e->meaning, 6, 6);
	}
	printf("\n`plateau help COMMAND` says all about one; plateau(8) is the manual.\n"
	       "Sizes are binary (4k, 128KiB, 1G), durations like 250ms, 90s, 60m, 24h.\n");
	return EXIT_CODE_COMPLETE;
}

/* Text as roff: no character of it is a request or an escape; what stands in backquotes is bold. */
static void roff(const char *text)
{
	bool bold = false;

	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '`')
			fputs((bold = !bold) ? "\\fB" : "\\fR", stdout);
		else if (*text == '\'')
			fputs("\\(cq", stdout);
		else
			putchar(*text);
	}
}

static void roff_line(const char *before, const char *text, const char *after)
{
	fputs(before, stdout);
	roff(text);
	fputs(after, stdout);
}

static void man_synopsis(void)
{
	const struct cli_command *c;

	for (size_t i = 0; (c = cli_command_nth(i)); i++) {
		roff_line(".B plateau ", c->name, "\n");
		if (c->operand)
			roff_line(c->operand_needed ? "" : "[", c->operand,
				  c->operand_needed ? "\n" : "]\n");
		roff_line("", c->synopsis, cli_command_nth(i + 1) ? "\n.br\n" : "\n");
	}
}

static void man_commands(void)
{
	const struct cli_command *c;
	const struct cli_option *o;

	for (size_t i = 0; (c = cli_command_nth(i)); i++) {
		roff_line(".TP\n.B ", c->name, "\n");
		printf("%c", toupper((unsigned char)c->summary[0]));
		roff_line("", c->summary + 1, ".\n");
		if (c->text)
			roff_line("", c->text, "\n");
		printf("Options:");
		for (size_t k = 0, n = 0; (o = cli_option_nth(k)); k++)
			if (o->cmds & c->bit)
				roff_line(n++ ? ", \\fB\\-\\-" : " \\fB\\-\\-", o->name,
					  "\\fR");
		puts(".");
	}
}

static void man_options(void)
{
	const struct cli_option *o;
	const struct cli_command *c;

	for (size_t i = 0; (o = cli_option_nth(i)); i++) {
		roff_line(".TP\n.BR \\-\\-", o->name, "");
		if (o->arg)
			roff_line(" \\ \\fI", o->arg, "\\fR");
		if (o->alias)
			roff_line(" \", \" \\-\\-", o->alias, "");
		putchar('\n');
		roff_line("", o->help, "\n");
		if (o->cmds == CMD_ALL) {
			puts("(every command)");
			continue;
		}
		for (size_t k = 0, n = 0; (c = cli_command_nth(k)); k++)
			if (o->cmds & c->bit)
				printf("%s%s%s", n++ ? ", " : "(", c->name,
				       o->needed_by & c->bit ? ": needed" : "");
		puts(")");
	}
}

static void man_exits(void)
{
	const struct cli_exit *e;

	for (size_t i = 0; (e = cli_exit_nth(i)); i++) {
		printf(".TP\n.B %d\n", e->code);
		roff_line("", e->meaning, "\n");
	}
}

/* A long word may be broken after its commas. */
static void roff_settings(const char *text)
{
	char part[128];

	for (size_t n; *text; text += n) {
		n = strcspn(text, ",");
		n += text[n] == ',';
		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		roff_line("", part, text[n] ? "\\:" : "\n");
	}
}

static void man_simulated(void)
{
	const struct sim_model *m;

	for (size_t i = 0; (m = sim_nth(i)); i++) {
		roff_line(".TP\n.B sim:", m->name, "\n");
		roff_line("", m->about, i ? "; short for\n" : ":\n");
		printf(".B ");
		if (i)
			roff_line("", sim_nth(0)->name, ",\\:");
		roff_settings(m->settings);
	}
}

static void man_parameters(void)
{
	const struct sim_param *p;

	for (size_t i = 0; (p = sim_param_nth(i)); i++) {
		roff_line(".TP\n.BI ", p->name, "");
		roff_line("= ", p->form, "\n");
		roff_line("", p->about, "\n");
	}
}

/* Copy stdin to stdout; a line that is a word of the table below becomes what it stands for. */
static enum exit_code fill_manual(void)
{
	static const struct {
		const char *word;
		void (*put)(void);
	} fills[] = {
		{ "@SYNOPSIS@\n", man_synopsis },     { "@COMMANDS@\n", man_commands },
		{ "@OPTIONS@\n", man_options },       { "@SIMULATED@\n", man_simulated },
		{ "@PARAMETERS@\n", man_parameters }, { "@EXIT_STATUS@\n", man_exits },
	};
	char *line = NULL;
	size_t cap = 0;

	puts(".TH PLATEAU 8 \"\" \"plateau " PLATEAU_VERSION
	     "\" \"System Administration\"");
	while (getline(&line, &cap, stdin) >= 0) {
		size_t i = 0;

		while (i < ARRAY_LEN(fills) && strcmp(line, fills[i].word) != 0)
			i++;
		if (i < ARRAY_LEN(fills))
			fills[i].put();
		else
			fputs(line, stdout);
	}
	free(line);
	if (!ferror(stdin))
		return EXIT_CODE_COMPLETE;
	say("cannot read the manual's template from standard input: %s", strerror(errno));
	return EXIT_CODE_HOST;
}

enum exit_code cmd_help(const struct cli_args *a)
{
	if (a->man)
		return fill_manual();
	if (a->n_operands)
		return print_command(a->operand[0]);
	return a->help ? print_command("help") : print_overview();
}
