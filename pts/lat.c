/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency, clause 9: one thread, one outstanding I/O. The fill runs at TC 1, QD 1 too: that is
 * the strict reading of "same TC and QD in preconditioning and loop", and it is open.
 */
#include "pts/tables.h"

/* clang-format off */
#define LAT_2_0(EDITION) {								\
	.id = "lat", .edition = EDITION, .clause = "9",					\
	.title = "Latency", .subtitle = "Response Time - Block Size x RW Mix Matrix",	\
	.step = {									\
		{ .verb = PTS_PURGE, .cite = P("9.2") },				\
		{ .verb = PTS_WIPC, .cite = P("9.2"),					\
		  .pattern = IO_SEQ, .passes = 2,					\
		  .read_pct = { 0 }, .n_read_pct = 1,					\
		  .bs_b = { KIB(128) }, .n_bs = 1,					\
		  .tc = 1, .qd = 1, .tc_qd_fixed = true, .tc_qd_cite = P("9.2") },	\
		{ .verb = PTS_ROUNDS, .cite = T("9.2"),					\
		  .pattern = IO_RAND, .point_s = 60, .max_rounds = 25,			\
		  .read_pct = { 100, 65, 0 }, .n_read_pct = 3,				\
		  .bs_b = { KIB(8), KIB(4), 512 }, .n_bs = 3,				\
		  .tc = 1, .qd = 1, .tc_qd_fixed = true, .tc_qd_cite = T("9.2") },	\
		{ .verb = PTS_HISTOGRAM, .cite = P("9.2 (3.3)"),			\
		  .pattern = IO_RAND, .point_s = 1200,					\
		  .read_pct = { 0 }, .n_read_pct = 1,					\
		  .bs_b = { KIB(4) }, .n_bs = 1,					\
		  .tc = 1, .qd = 1, .tc_qd_fixed = true, .tc_qd_cite = P("9.2 (3.3)") },\
	},										\
	.n_steps = 4,									\
	.track = {									\
		{ PTS_ART, 0, KIB(4), .decides = true, .cite = Q("9.2") },		\
	},										\
	.n_track = 1,									\
	.out = {									\
		{ PTS_OUT_CONVERGENCE,     P("9.3"), .optional = false },		\
		{ PTS_OUT_CONVERGENCE_MAX, P("9.3"), .optional = false },		\
		{ PTS_OUT_WINDOW,          P("9.3"), .optional = false },		\
		{ PTS_OUT_MATRIX,          T("9.3"), .optional = false },		\
		{ PTS_OUT_PLOT_2D,         T("9.3"), .optional = false },		\
		{ PTS_OUT_PLOT_3D,         T("9.3"), .optional = false },		\
		{ PTS_OUT_PLOT_3D_MAX,     P("9.3"), .optional = false },		\
		{ PTS_OUT_HISTOGRAM,       P("9.3"), .optional = false },		\
	},										\
}

const struct pts_test pts_lat_e_2_0 = LAT_2_0("pts-e-2.0");
const struct pts_test pts_lat_c_2_0 = LAT_2_0("pts-c-2.0");
/* clang-format on */
