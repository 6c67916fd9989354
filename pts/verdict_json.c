/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts as JSON: what the journal stores and pts_verify() compares. */
#include <math.h>

#include "pts/judge.h"

static json_t *integer(uint64_t v)
{
	return json_integer((json_int_t)v);
}

/* JSON has no NaN; null says "no number". */
static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *window_json(const struct ss_verdict *v)
{
	json_t *o = json_object(), *values = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(values, real(v->window[i]));
	json_object_set_new(o, "rule", json_string(v->rule->name));
	json_object_set_new(o, "steady", json_boolean(v->steady));
	json_object_set_new(o, "judged", json_boolean(v->judged));
	json_object_set_new(o, "first", integer(v->first));
	json_object_set_new(o, "round", integer(v->round));
	json_object_set_new(o, "window", values);
	json_object_set_new(o, "average", real(v->average));
	json_object_set_new(o, "range", real(v->range));
	json_object_set_new(o, "range_pct", real(v->range_pct));
	json_object_set_new(o, "slope", real(v->slope));
	json_object_set_new(o, "intercept", real(v->intercept));
	json_object_set_new(o, "excursion", real(v->excursion));
	json_object_set_new(o, "excursion_pct", real(v->excursion_pct));
	json_object_set_new(o, "line_low_pct", real(v->line_low_pct));
	json_object_set_new(o, "line_high_pct", real(v->line_high_pct));
	json_object_set_new(o, "r", real(v->r));
	json_object_set_new(o, "reason", json_string(v->reason));
	return o;
}

static void set_decision(json_t *o, const struct ss_decision *d)
{
	json_object_set_new(o, "steady", json_boolean(d->steady));
	json_object_set_new(o, "stop", json_boolean(d->stop));
	json_object_set_new(o, "mode", json_string(ss_mode_word(d->mode)));
	json_object_set_new(o, "rule",
			    d->deciding ? json_string(d->deciding->name) : json_null());
	json_object_set_new(o, "round", integer(d->round));
	json_object_set_new(o, "pts_first", integer(d->pts_first));
	json_object_set_new(o, "band_first", integer(d->band_first));
	json_object_set_new(o, "later", integer(d->later));
	json_object_set_new(o, "later_failed", integer(d->later_failed));
	json_object_set_new(o, "reason", json_string(d->reason));
}

static json_t *track_json(const struct pts_track *t, uint32_t loop_bs_b,
			  const struct ss_decision *d, size_t series)
{
	json_t *o = json_object();
	char word[96];

	pts_track_word(t, loop_bs_b, word, sizeof(word));
	json_object_set_new(o, "track", json_string(word));
	json_object_set_new(o, "unit", json_string(pts_metric_word(t->metric)));
	json_object_set_new(o, "decides", json_boolean(t->decides));
	json_object_set_new(o, "pts", window_json(&d->pts[series]));
	json_object_set_new(o, "band", window_json(&d->band[series]));
	return o;
}

json_t *pts_verdict_json(const struct pts_rounds *r, const struct pts_verdict *v)
{
	json_t *o = json_object(), *tracks = json_array();

	json_object_set_new(o, "rounds", integer(r->n_rounds));
	json_object_set_new(o, "first", integer(v->first));
	json_object_set_new(o, "last", integer(v->last));
	set_decision(o, &v->decision);
	for (size_t i = 0; i < v->decision.n_series; i++)
		json_array_append_new(tracks, track_json(&r->test->track[v->track_of[i]],
							 r->loop_bs_b, &v->decision, i));
	for (unsigned i = 0; i < v->n_extra; i++)
		json_array_append_new(tracks, track_json(&r->test->track[v->extra_of[i]],
							 r->loop_bs_b, &v->extra[i], 0));
	json_object_set_new(o, "tracks", tracks);
	return o;
}

json_t *pts_sat_verdict_json(const struct pts_sat_verdict *v)
{
	json_t *o = json_object(), *samples = json_array();
	size_t kept =
		v->samples < ARRAY_LEN(v->sample) ? v->samples : ARRAY_LEN(v->sample);

	for (size_t i = 0; i < kept; i++)
		json_array_append_new(samples, json_pack("{s:I,s:o}", "minute",
							 (json_int_t)v->sample_minute[i],
							 "iops", real(v->sample[i])));
	json_object_set_new(o, "ended_by", json_string(pts_sat_stop_word(v->stop)));
	json_object_set_new(o, "minutes", integer(v->minutes));
	json_object_set_new(o, "written_b", integer(v->written_b));
	json_object_set_new(o, "n_samples", integer(v->samples));
	json_object_set_new(o, "samples", samples);
	json_object_set_new(o, "held_minute", integer(v->held_minute));
	set_decision(o, &v->decision);
	json_object_set_new(o, "pts", window_json(&v->decision.pts[0]));
	json_object_set_new(o, "band", window_json(&v->decision.band[0]));
	return o;
}
