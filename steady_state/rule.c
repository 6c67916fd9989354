/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "steady_state/ss.h"

const struct ss_rule ss_rule_pts = {
	.name = "pts",
	.clause = "2.1.24",
	.window = 5,
	.max_range_pct = 20,
	.max_excursion_pct = 10,
};

const struct ss_rule ss_rule_band = {
	.name = "band",
	.clause = "laboratory practice, no clause of the PTS",
	.window = 4,
	.line_lo_pct = 90,
	.line_hi_pct = 110,
};

static const char *const mode_words[] = {
	[SS_MODE_PTS] = "pts",
	[SS_MODE_BAND] = "band",
	[SS_MODE_BOTH] = "both",
};

int ss_mode_parse(const char *word, enum ss_mode *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(mode_words); i++) {
		if (strcmp(word, mode_words[i]) != 0)
			continue;
		*ret = (enum ss_mode)i;
		return 0;
	}
	return err_set(err, EXIT_CODE_USAGE, EINVAL,
		       "'%s' is no steady-state rule; there are pts, band and both",
		       word);
}

const char *ss_mode_word(enum ss_mode mode)
{
	return mode_words[mode];
}
