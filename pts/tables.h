/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every table of the specification; tests.c lists them. */
#ifndef PTS_TABLES_H
#define PTS_TABLES_H

#include "base/compiler.h"
#include "pts/pts_test.h"

/* Where a value stands in the text, and how sure we are of it. */
#define T(clause)                                                                        \
	{                                                                                \
		clause, PTS_T                                                            \
	}
#define Q(clause)                                                                        \
	{                                                                                \
		clause, PTS_Q                                                            \
	}
#define P(clause)                                                                        \
	{                                                                                \
		clause, PTS_P                                                            \
	}
#define M(clause)                                                                        \
	{                                                                                \
		clause, PTS_M                                                            \
	}
#define D(clause)                                                                        \
	{                                                                                \
		clause, PTS_D                                                            \
	}

extern const struct pts_test pts_iops_e_2_0, pts_iops_c_2_0;
extern const struct pts_test pts_tput_e_2_0, pts_tput_c_2_0;
extern const struct pts_test pts_lat_e_2_0, pts_lat_c_2_0;
extern const struct pts_test pts_wsat_e_2_0, pts_wsat_c_2_0;

#endif
