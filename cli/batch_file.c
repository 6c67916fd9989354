/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the batch file and turns a section back into the words of a command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "cli/batch.h"
#include "cli/opts.h"

static int out_of_memory(struct err *err)
{
	return err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
}

static const char *find(const struct batch_settings *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name))
			return s->at[i].value;
	return NULL;
}

const char *batch_value(const struct batch *b, const struct batch_drive *d,
			const char *name)
{
	const char *own = find(&d->own, name);

	return own ? own : find(&b->defaults, name);
}

static int add_drive(struct batch *b, const char *name, struct err *err)
{
	if (strchr(name, '/') || *name == '.' || *name == '-' || !*name)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "[%s] cannot name a directory; take another name and "
			       "say device = and erase =",
			       name);
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->drive[i].name, name))
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "section [%s] stands twice", name);
	struct batch_drive *more = reallocarray(b->drive, b->n + 1, sizeof(*more));

	if (!more)
		return out_of_memory(err);
	b->drive = more;
	b->drive[b->n] = (struct batch_drive){ .name = strdup(name) };
	return b->drive[b->n++].name ? 0 : out_of_memory(err);
}

static int add_setting(struct batch_settings *s, const char *name, const char *value,
		       struct err *err)
{
	struct batch_setting *more = reallocarray(s->at, s->n + 1, sizeof(*more));

	if (!more)
		return out_of_memory(err);
	s->at = more;
	more += s->n++;
	*more = (struct batch_setting){ strdup(name), strdup(value) };
	return more->name && more->value ? 0 : out_of_memory(err);
}

static bool one_of(const char *name, const char *const *words)
{
	while (*words && strcmp(*words, name) != 0)
		words++;
	return *words;
}

static int on_line(void *arg, const char *section, const char *key, const char *value,
		   struct err *err)
{
	static const char *const batchs[] = { "output", "config", "help", "quiet", NULL };
	static const char *const a_drives[] = { "device", "erase", "size",
						"discard-signatures", NULL };
	struct batch *b = arg;
	bool defaults = !strcmp(section, "defaults");
	struct batch_settings *s = &b->defaults;

	if (!*section)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "'%s' stands above all sections; what holds for all "
			       "drives stands below [defaults]",
			       key);
	if (!key)
		return defaults ? 0 : add_drive(b, section, err);
	if (!defaults)
		s = &b->drive[b->n - 1].own;
	key = cli_setting_check(key, value, err);
	if (!key)
		return -EINVAL;
	if (one_of(key, batchs))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "'%s' is for the command line of `plateau batch`", key);
	if (defaults && one_of(key, a_drives))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "'%s' stands in the section of the drive it is meant for",
			       key);
	if (find(s, key))
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "%s is given twice", key);
	return add_setting(s, key, value, err);
}

int batch_read(const char *path, struct batch *ret, struct err *err)
{
	int rc = ini_read(path, on_line, ret, err);

	if (rc && err->code == EXIT_CODE_HOST)
		err->code = EXIT_CODE_USAGE;
	if (!rc && !ret->n)
		rc = err_set(err, EXIT_CODE_USAGE, EINVAL,
			     "%s names no drive; a section is needed for each", path);
	for (size_t i = 0; i < ret->n && !rc; i++)
		if (!batch_value(ret, &ret->drive[i], "test"))
			rc = err_set(err, EXIT_CODE_USAGE, EINVAL,
				     "%s: [%s] has no test, and [defaults] has none",
				     path, ret->drive[i].name);
	return rc;
}

static void release(struct batch_settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].name);
		free(s->at[i].value);
	}
	free(s->at);
}

void batch_release(struct batch *b)
{
	release(&b->defaults);
	for (size_t i = 0; i < b->n; i++) {
		release(&b->drive[i].own);
		free(b->drive[i].name);
		free(b->drive[i].dir);
		free(b->drive[i].log);
	}
	free(b->drive);
	*b = (struct batch){ 0 };
}

static void add_word(struct batch_words *w, const char *name, const char *value)
{
	if (value)
		str_addf(&w->text, "--%s=%s", name, value);
	else
		str_add(&w->text, name);
	str_add_bytes(&w->text, "", 1);
	w->argc++;
}

static void add_option(struct batch_words *w, const struct cli_option *o,
		       const char *value)
{
	char flag[64];

	if (o->kind != CLI_FLAG) {
		add_word(w, o->name, value);
	} else if (strcmp(value, "no") != 0) {
		snprintf(flag, sizeof(flag), "--%s", o->name);
		add_word(w, flag, NULL);
	}
}

int batch_words(const struct batch *b, const struct batch_drive *d,
		const struct cli_command *command, const struct cli_args *a,
		struct batch_words *ret, struct err *err)
{
	const struct cli_option *o;

	*ret = (struct batch_words){ 0 };
	add_word(ret, "plateau", NULL);
	add_word(ret, command->name, NULL);
	for (size_t i = 0; (o = cli_option_nth(i)); i++) {
		const char *value = batch_value(b, d, o->name);

		if (!strcmp(o->name, "device"))
			value = d->device;
		else if (!strcmp(o->name, "erase") && !value)
			value = d->name;
		else if (!strcmp(o->name, "output"))
			value = d->dir;
		else if (!strcmp(o->name, "config"))
			value = a->config;
		if (value && o->cmds & command->bit)
			add_option(ret, o, value);
	}
	if (command->operand)
		add_word(ret, d->dir, NULL);
	ret->argv = calloc((size_t)ret->argc + 1, sizeof(*ret->argv));
	if (!ret->argv || ret->text.failed) {
		batch_words_release(ret);
		return out_of_memory(err);
	}
	char *at = ret->text.text;

	for (int i = 0; i < ret->argc; i++, at += strlen(at) + 1)
		ret->argv[i] = at;
	return 0;
}

void batch_words_release(struct batch_words *w)
{
	str_release(&w->text);
	free(w->argv);
	*w = (struct batch_words){ 0 };
}
