/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all tests, and the words and look-ups that belong to the tables. */
#include "pts/tables.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static const struct pts_test *const tests[] = {
	&pts_iops_e_2_0, &pts_tput_e_2_0, &pts_lat_e_2_0, &pts_wsat_e_2_0,
	&pts_iops_c_2_0, &pts_tput_c_2_0, &pts_lat_c_2_0, &pts_wsat_c_2_0,
};

const struct pts_test *pts_test_nth(size_t i)
{
	return i < ARRAY_LEN(tests) ? tests[i] : NULL;
}

const struct pts_test *pts_test_find(const char *id, const char *edition)
{
	for (size_t i = 0; i < ARRAY_LEN(tests); i++)
		if (!strcmp(tests[i]->id, id) && !strcmp(tests[i]->edition, edition))
			return tests[i];
	return NULL;
}

const struct pts_step *pts_test_step(const struct pts_test *t, enum pts_verb verb)
{
	for (unsigned i = 0; i < t->n_steps; i++)
		if (t->step[i].verb == verb)
			return &t->step[i];
	return NULL;
}

/* @pts 7.2 (3.2): the nesting and the sequence are normative. */
unsigned pts_step_cells(const struct pts_step *s, uint32_t cycle_bs_b, uint32_t lbs_b,
			struct pts_cell ret[PTS_MAX_CELLS])
{
	unsigned n = 0;

	for (unsigned rw = 0; rw < s->n_read_pct; rw++) {
		for (unsigned b = 0; b < s->n_bs; b++) {
			uint32_t bs_b = s->bs_b[b] ? s->bs_b[b] : cycle_bs_b;

			if (bs_b % lbs_b == 0)
				ret[n++] = (struct pts_cell){ s->read_pct[rw], bs_b };
		}
	}
	return n;
}

const char *pts_metric_word(enum pts_metric m)
{
	static const char *const words[] = {
		[PTS_IOPS] = "IOPS", [PTS_MBPS] = "MB/s", [PTS_ART] = "ms"
	};

	return words[m];
}

const char *pts_conf_word(enum pts_conf c)
{
	static const char *const words[] = {
		[PTS_T] = "T", [PTS_Q] = "Q", [PTS_P] = "P", [PTS_M] = "M", [PTS_D] = "D"
	};

	return words[c];
}

const char *pts_verb_word(enum pts_verb v)
{
	static const char *const words[] = {
		[PTS_PURGE] = "purge",         [PTS_WIPC] = "wipc",
		[PTS_ROUNDS] = "rounds",       [PTS_SATURATE] = "saturation",
		[PTS_HISTOGRAM] = "histogram",
	};

	return words[v];
}

void pts_track_word(const struct pts_track *t, uint32_t cycle_bs_b, char *buf, size_t n)
{
	static const char *const names[] = { [PTS_IOPS] = "IOPS",
					     [PTS_MBPS] = "MB/s",
					     [PTS_ART] = "average response time" };
	char kib[UNITS_TEXT];

	snprintf(buf, n, "%s, %s %s KiB, RW %u/%u", names[t->metric],
		 t->metric == PTS_MBPS ? "SEQ" : "RND",
		 units_kib(t->bs_b ? t->bs_b : cycle_bs_b, kib), t->read_pct,
		 100u - t->read_pct);
}
