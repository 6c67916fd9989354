/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: where a run stands, from its directory alone. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "pts/runner.h"

struct standing {
	const char *state;           /* "running", "stopped", "finished" */
	const json_t *end;           /* NULL while there is none */
	const struct st_point *last; /* NULL before the first */
	size_t n_points;
	bool simulated, resumable;
	int64_t wall_ns; /* of the last record */
};

static struct standing find_standing(const struct st_run *run)
{
	struct standing s = { .end = st_run_end(run),
			      .simulated = st_run_simulated(run) };

	s.resumable = pts_is_resumable(run);
	s.state = !s.resumable             ? "finished"
		  : st_is_locked(run->dir) ? "running"
					   : "stopped";
	for (size_t i = 0; i < run->n; i++) {
		s.wall_ns = run->rec[i].wall_ns;
		if (run->rec[i].kind != ST_POINT)
			continue;
		s.last = run->rec[i].point;
		s.n_points++;
	}
	return s;
}

static void print_point(const struct st_point *p)
{
	char bs[UNITS_TEXT], dur[UNITS_TEXT];

	printf("last point: %s", p->test);
	if (p->loop_bs_b)
		printf(" %s", units_size(p->loop_bs_b, bs));
	printf(", %s %u", st_phase_word(p->phase), p->round);
	if (p->phase == ST_ROUND)
		printf(", point %u", p->index + 1);
	printf(": %s %s, RW %u/%u, TC %u, QD %u\n", io_pattern_word(p->pattern),
	       units_size(p->bs_b, bs), p->read_pct, 100u - p->read_pct, p->tc, p->qd);
	printf("            %.0f IOPS, %.1f MB/s, mean %.3f ms, %s after the start\n",
	       st_point_iops(p), st_point_bytes_per_s(p) / 1e6,
	       st_point_lat_mean_ns(p) / 1e6, units_dur(p->t1_ns, dur));
}

static void print_text(const struct st_run *run, const struct standing *s)
{
	char utc[UNITS_TEXT];

	printf("%s: %s", run->dir, s->state);
	if (s->end)
		printf(", %s (exit %d)",
		       json_string_value(json_object_get(s->end, "exit")),
		       (int)json_integer_value(json_object_get(s->end, "exit_code")));
	if (s->simulated)
		printf(", SIMULATED");
	if (!strcmp(s->state, "stopped"))
		printf("; to go on: plateau resume %s", run->dir);
	printf("\n%zu points, last record %s\n", s->n_points, units_utc(s->wall_ns, utc));
	if (s->last)
		print_point(s->last);
}

static json_t *point_json(const struct st_point *p)
{
	if (!p)
		return json_null();
	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:I}",
		"test", p->test, "phase", st_phase_word(p->phase), "loop_bs_bytes",
		(json_int_t)p->loop_bs_b, "round", (json_int_t)p->round, "index",
		(json_int_t)p->index, "pattern", io_pattern_word(p->pattern), "bs_bytes",
		(json_int_t)p->bs_b, "read_pct", (json_int_t)p->read_pct, "tc",
		(json_int_t)p->tc, "qd", (json_int_t)p->qd, "iops", st_point_iops(p),
		"bytes_per_s", st_point_bytes_per_s(p), "lat_mean_ns",
		st_point_lat_mean_ns(p), "t1_ns", (json_int_t)p->t1_ns);
}

static enum exit_code print_json(const struct standing *s)
{
	char utc[UNITS_TEXT];

	return cli_print_json(json_pack("{s:s, s:b, s:O?, s:O?, s:O?, s:I, s:s, s:o}",
					"state", s->state, "simulated", s->simulated,
					"exit_code", json_object_get(s->end, "exit_code"),
					"exit", json_object_get(s->end, "exit"), "reason",
					json_object_get(s->end, "reason"), "points",
					(json_int_t)s->n_points, "last_record",
					units_utc(s->wall_ns, utc), "last_point",
					point_json(s->last)));
}

enum exit_code cmd_status(const struct cli_args *a)
{
	enum exit_code code = EXIT_CODE_COMPLETE;
	struct st_run run = { 0 };
	struct err err;

	if (st_run_read(a->operand[0], &run, &err))
		return say_err(&err);
	struct standing s = find_standing(&run);

	if (a->json)
		code = print_json(&s);
	else
		print_text(&run, &s);
	st_run_release(&run);
	return code;
}
