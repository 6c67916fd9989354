/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IOPS, clause 7: random I/O over read/write mix x block size. The 2.0 profiles share every row;
 * TC and QD are the operator's choice, and each profile recommends a pair.
 */
#include "pts/tables.h"

/* clang-format off */
#define IOPS_2_0(EDITION, TC, QD) {							\
	.id = "iops", .edition = EDITION, .clause = "7",				\
	.title = "IOPS", .subtitle = "IOPS - Block Size x RW Mix Matrix",		\
	.step = {									\
		{ .verb = PTS_PURGE, .cite = T("7.2 (1)") },				\
		{ .verb = PTS_WIPC, .cite = T("7.2 (2.2)"),				\
		  .pattern = IO_SEQ, .passes = 2,					\
		  .read_pct = { 0 }, .n_read_pct = 1,					\
		  .bs_b = { KIB(128) }, .n_bs = 1,					\
		  .tc = TC, .qd = QD, .tc_qd_cite = P("7.2 (2.1)") },			\
		{ .verb = PTS_ROUNDS, .cite = T("7.2 (3.2)"),				\
		  .pattern = IO_RAND, .point_s = 60, .max_rounds = 25,			\
		  .read_pct = { 100, 95, 65, 50, 35, 5, 0 }, .n_read_pct = 7,		\
		  .bs_b = { KIB(1024), KIB(128), KIB(64), KIB(32),			\
			    KIB(16), KIB(8), KIB(4), 512 }, .n_bs = 8,			\
		  .tc = TC, .qd = QD, .tc_qd_cite = P("7.2 (3.1)") },			\
	},										\
	.n_steps = 3,									\
	.track = {									\
		{ PTS_IOPS,   0, KIB(4),    .decides = true, .cite = T("7.2 (3.2)") },	\
		{ PTS_IOPS,  65, KIB(64),   .decides = true, .cite = T("7.2 (3.2)") },	\
		{ PTS_IOPS, 100, KIB(1024), .decides = true, .cite = T("7.2 (3.2)") },	\
	},										\
	.n_track = 3,									\
	.out = {									\
		{ PTS_OUT_CONVERGENCE, Q("7.3"), .optional = false },			\
		{ PTS_OUT_WINDOW,      Q("7.3"), .optional = false },			\
		{ PTS_OUT_MATRIX,      Q("7.3"), .optional = false },			\
		{ PTS_OUT_PLOT_2D,     Q("7.3"), .optional = false },			\
		{ PTS_OUT_PLOT_3D,     Q("7.3"), .optional = false },			\
	},										\
}

const struct pts_test pts_iops_e_2_0 = IOPS_2_0("pts-e-2.0", 4, 32);
const struct pts_test pts_iops_c_2_0 = IOPS_2_0("pts-c-2.0", 2, 16);
/* clang-format on */
