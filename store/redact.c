/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/redact.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Members of run.json's device and host that identify. A short one is part of too many words: only alone it is replaced. */
static const char *const telling[][2] = {
	{ "device", "serial" }, { "device", "wwid" },       { "device", "erase_id" },
	{ "device", "eui64" },  { "device", "nguid" },      { "device", "uuid" },
	{ "host", "name" },     { "host", "board_serial" },
};
#define SHORTEST 4

struct secret {
	char *text; /* owned */
	char word[16];
};

struct secrets {
	struct secret list[ARRAY_LEN(telling)];
	size_t n;
};

static void hide(struct secrets *s, const json_t *run, const char *group,
		 const char *name)
{
	const json_t *device = json_object_get(run, "device");
	const char *text =
		json_string_value(json_object_get(json_object_get(run, group), name));
	const char *own = json_string_value(json_object_get(device, "name"));

	/* A file's or a loop device's id is its name, and a name is not secret. */
	if (!text || !*text || (own && !strcmp(own, text)))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].text, text))
			return;
	char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	struct secret *add = &s->list[s->n];

	add->text = strdup(text);
	snprintf(add->word, sizeof(add->word), "x%.12s", sum);
	g_free(sum);
	s->n += add->text != NULL;
}

/* Longer ones first: one may be part of another. */
static int by_length(const void *a, const void *b)
{
	size_t x = strlen(((const struct secret *)a)->text),
	       y = strlen(((const struct secret *)b)->text);

	return (x < y) - (x > y);
}

static bool begins(const char *at, const char *all, const char *secret)
{
	size_t len = strlen(secret);

	return len < SHORTEST ? at == all && !strcmp(all, secret)
			      : !strncmp(at, secret, len);
}

static void replace_all(struct str *out, const char *all, const struct secrets *s)
{
	const char *text = all;

	while (*text) {
		const struct secret *hit = NULL;

		for (size_t i = 0; i < s->n && !hit; i++)
			if (begins(text, all, s->list[i].text))
				hit = &s->list[i];
		if (hit)
			str_add(out, hit->word);
		else
			str_add_bytes(out, text, 1);
		text += hit ? strlen(hit->text) : 1;
	}
}

static bool redact(json_t *v, const struct secrets *s)
{
	const char *key;
	json_t *member;
	size_t i;
	bool ok = true;

	if (json_is_string(v)) {
		struct str out = { 0 };

		replace_all(&out, json_string_value(v), s);
		ok = !out.failed && !json_string_set(v, str_text(&out));
		str_release(&out);
	}
	json_object_foreach(v, key, member) ok = ok && redact(member, s);
	json_array_foreach(v, i, member) ok = ok && redact(member, s);
	return ok;
}

int st_run_redact(struct st_run *run, struct err *err)
{
	struct secrets s = { 0 };
	bool ok;

	for (size_t i = 0; i < ARRAY_LEN(telling); i++)
		hide(&s, run->run, telling[i][0], telling[i][1]);
	qsort(s.list, s.n, sizeof(s.list[0]), by_length);
	ok = redact(run->run, &s);
	for (size_t i = 0; i < run->n && ok; i++)
		ok = redact(run->rec[i].body, &s);
	for (size_t i = 0; i < s.n; i++)
		free(s.list[i].text);
	return ok ? 0 : err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
}
