/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write saturation, clause 10: random 4 KiB writes on the purged drive, no fill before. One
 * stimulus, a snapshot a minute. Steady state is sampled by the alternate method: one-minute
 * samples with 30 minutes of the same writes between them; it ends the test only after 2x user
 * capacity, because a fresh plateau passes the rule too (ours).
 */
#include "pts/tables.h"

/* clang-format off */
#define WSAT_2_0(EDITION, TC, QD) {							\
	.id = "wsat", .edition = EDITION, .clause = "10",				\
	.title = "Write Saturation", .subtitle = "Write Saturation - RND 4KiB 100% W",	\
	.step = {									\
		{ .verb = PTS_PURGE, .cite = Q("10.2") },				\
		{ .verb = PTS_SATURATE, .cite = Q("10.2"),				\
		  .pattern = IO_RAND, .point_s = 60,					\
		  .read_pct = { 0 }, .n_read_pct = 1,					\
		  .bs_b = { KIB(4) }, .n_bs = 1,					\
		  .tc = TC, .qd = QD, .tc_qd_cite = P("10.2"),				\
		  .stop_x_uc = 4, .stop_s = 21600, .stop_cite = Q("10.2"),		\
		  .ss_period = 31, .ss_offset = 31, .ss_stop_x_uc = 2,			\
		  .ss_cite = P("10.2") },						\
		{ .verb = PTS_HISTOGRAM, .cite = P("10.2.4"),				\
		  .pattern = IO_RAND, .point_s = 1200,					\
		  .read_pct = { 0 }, .n_read_pct = 1,					\
		  .bs_b = { KIB(4) }, .n_bs = 1,					\
		  .tc = TC, .qd = QD, .tc_qd_cite = P("10.2.4") },			\
	},										\
	.n_steps = 3,									\
	.track = {									\
		{ PTS_IOPS, 0, KIB(4), .decides = true, .cite = P("10.2") },		\
	},										\
	.n_track = 1,									\
	.out = {									\
		{ PTS_OUT_SAT_TIME,    P("10.3"), .optional = false },			\
		{ PTS_OUT_SAT_TGBW,    P("10.3"), .optional = false },			\
		{ PTS_OUT_SAT_FILLS,   P("10.3"), .optional = false },			\
		{ PTS_OUT_SAT_LATENCY, T("10.3"), .optional = true },			\
		{ PTS_OUT_WINDOW,      D("10.3"), .optional = true },			\
		{ PTS_OUT_HISTOGRAM,   P("10.3"), .optional = false },			\
	},										\
}

const struct pts_test pts_wsat_e_2_0 = WSAT_2_0("pts-e-2.0", 4, 32);
const struct pts_test pts_wsat_c_2_0 = WSAT_2_0("pts-c-2.0", 2, 16);
/* clang-format on */
