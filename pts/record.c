/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pts/walk.h"

/* Takes `body` over. */
int record(struct walk *w, enum st_kind kind, json_t *body, struct err *err)
{
	int rc;

	if (!body)
		return err_set(err, EXIT_CODE_INTERNAL, ENOMEM,
			       "out of memory, or text that is not UTF-8, in a record");
	rc = st_append(w->r->store, kind, w->clk->wall_ns(w->clk), body, err);
	w->store_failed = w->store_failed || rc;
	json_decref(body);
	return rc;
}

/* Takes `more` over; NULL: nothing more. */
int record_stage(struct walk *w, const char *stage, json_t *more, struct err *err)
{
	json_t *body = json_pack("{s:s,s:s,s:s,s:I,s:I,s:I}", "stage", stage, "test",
				 w->step->test->id, "verb", pts_verb_word(w->step->verb),
				 "loop_bs_b", (json_int_t)w->step->loop_bs_b, "step",
				 (json_int_t)w->at, "t_ns",
				 (json_int_t)(walk_now_ns(w) - w->base_ns));

	if (body && more && json_object_update(body, more)) {
		json_decref(body);
		body = NULL;
	}
	json_decref(more);
	return record(w, ST_STAGE, body, err);
}

json_t *record_words(const char *text)
{
	json_t *words = json_string(text);
	char *copy = words ? NULL : strdup(text);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	if (copy)
		words = json_string(copy);
	free(copy);
	return words;
}

static int record_text(struct walk *w, const char *code, const char *clause,
		       const char *test, bool invalid, const char *text, struct err *err)
{
	return record(w, ST_EVENT,
		      json_pack("{s:s,s:s,s:s,s:s,s:o,s:o*}", "event", "deviation",
				"code", code, "clause", clause, "test", test, "text",
				record_words(text), "invalid",
				invalid ? json_true() : NULL),
		      err);
}

int record_deviation(struct walk *w, const char *code, const char *clause,
		     const char *test, struct err *err, const char *fmt, ...)
{
	char text[240];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return record_text(w, code, clause, test, false, text, err);
}

int record_invalid(struct walk *w, const char *code, const char *clause, const char *test,
		   struct err *err, const char *fmt, ...)
{
	char text[sizeof(w->invalid)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!w->invalid[0])
		strcpy(w->invalid, text);
	w->earned = exit_code_graver(w->earned, EXIT_CODE_INVALID);
	return record_text(w, code, clause, test, true, text, err);
}
