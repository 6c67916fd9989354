/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recompute every stored verdict from the raw points and name each member that differs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pts/judge.h"

#define TOLERANCE 1e-9

struct differences {
	struct str *text;
	unsigned n;
};

static void differs(struct differences *d, const char *where, const json_t *stored,
		    const json_t *fresh)
{
	char *a = stored ? json_dumps(stored, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	char *b = fresh ? json_dumps(fresh, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	str_addf(d->text, "%s: stored %s, recomputed %s\n", where, a ? a : "nothing",
		 b ? b : "nothing");
	d->n++;
	free(a);
	free(b);
}

static bool numbers_equal(const json_t *a, const json_t *b)
{
	double x = json_number_value(a), y = json_number_value(b);

	if (json_is_integer(a) && json_is_integer(b))
		return json_integer_value(a) == json_integer_value(b);
	return fabs(x - y) <= TOLERANCE * fmax(fabs(x), fabs(y));
}

static void compare(struct differences *d, const char *where, const json_t *stored,
		    const json_t *fresh);

static void compare_objects(struct differences *d, const char *where, json_t *stored,
			    json_t *fresh)
{
	const char *name;
	char inner[512];
	json_t *value;

	json_object_foreach(fresh, name, value)
	{
		/* Words follow from the figures, and may be put better by a later version. */
		if (!strcmp(name, "reason"))
			continue;
		snprintf(inner, sizeof(inner), "%s.%s", where, name);
		compare(d, inner, json_object_get(stored, name), value);
	}
	json_object_foreach(stored, name, value)
	{
		snprintf(inner, sizeof(inner), "%s.%s", where, name);
		if (!json_object_get(fresh, name))
			differs(d, inner, value, NULL);
	}
}

static void compare_arrays(struct differences *d, const char *where, const json_t *stored,
			   const json_t *fresh)
{
	size_t n = json_array_size(fresh), m = json_array_size(stored);
	char inner[512];

	for (size_t i = 0; i < (n > m ? n : m); i++) {
		snprintf(inner, sizeof(inner), "%s[%zu]", where, i);
		compare(d, inner, json_array_get(stored, i), json_array_get(fresh, i));
	}
}

static void compare(struct differences *d, const char *where, const json_t *stored,
		    const json_t *fresh)
{
	bool numbers = json_is_number(stored) && json_is_number(fresh);

	if (!stored || !fresh || (!numbers && json_typeof(stored) != json_typeof(fresh)))
		differs(d, where, stored, fresh);
	else if (json_is_object(fresh))
		compare_objects(d, where, (json_t *)(uintptr_t)stored,
				(json_t *)(uintptr_t)fresh);
	else if (json_is_array(fresh))
		compare_arrays(d, where, stored, fresh);
	else if (numbers ? !numbers_equal(stored, fresh) : !json_equal(stored, fresh))
		differs(d, where, stored, fresh);
}

static int fresh_verdict(const struct st_run *run, const struct pts_run_opts *opts,
			 const struct pts_test *test, uint32_t loop_bs_b, json_t **ret,
			 struct err *err)
{
	struct pts_sat_verdict sat;
	struct pts_verdict v;
	struct pts_rounds r;
	int rc;

	if (pts_test_step(test, PTS_SATURATE)) {
		rc = pts_judge_saturation(run, test, opts, &sat, err);
		*ret = rc ? NULL : pts_sat_verdict_json(&sat);
		return rc;
	}
	rc = pts_rounds_collect(run, test, loop_bs_b, &r, err);
	if (rc)
		return rc;
	pts_judge_rounds(&r, opts->mode, &v);
	*ret = pts_verdict_json(&r, &v);
	pts_rounds_release(&r);
	return 0;
}

static int verify_stage(const struct st_run *run, const struct pts_run_opts *opts,
			const struct st_record *rec, struct differences *d,
			struct err *err)
{
	const json_t *stored = json_object_get(rec->body, "verdict");
	const char *id = json_string_value(json_object_get(rec->body, "test"));
	json_int_t bs = json_integer_value(json_object_get(rec->body, "loop_bs_b"));
	const struct pts_test *test = id ? pts_test_find(id, opts->edition->id) : NULL;
	json_t *fresh = NULL;
	char where[96];

	if (!stored)
		return 0;
	if (!test || bs < 0 || bs > UINT32_MAX)
		return err_set(err, EXIT_CODE_HOST, 0,
			       "record %" PRIu64 ": a verdict of no known test",
			       rec->seq);
	int rc = fresh_verdict(run, opts, test, (uint32_t)bs, &fresh, err);

	if (rc)
		return rc;
	snprintf(where, sizeof(where), "record %" PRIu64 ", %s", rec->seq, id);
	compare(d, where, stored, fresh);
	json_decref(fresh);
	return 0;
}

int pts_verify(const struct st_run *run, struct str *ret_text, unsigned *ret_differs,
	       struct err *err)
{
	struct differences d = { .text = ret_text };
	const struct st_record *rec;
	struct pts_run_opts opts;
	int rc = pts_run_opts_read(run->run, &opts, err);

	for (size_t i = 0; !rc && (rec = st_run_nth(run, ST_STAGE, i)); i++)
		rc = verify_stage(run, &opts, rec, &d, err);
	*ret_differs = d.n;
	return rc;
}
