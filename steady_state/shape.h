/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a write saturation: how long the drive is fresh, where it falls, and the level at
 * which it ends. A description of the curve beside the verdict, never a verdict.
 *
 * Over the values of its minutes, in order:
 *   fresh plateau  the minutes before the cliff;
 *   cliff          the first of three minutes in a row that all lie below 80 % of the mean of the
 *                  minutes before them; fewer in a row are a stall. There is none where the tail
 *                  still averages 80 % or more of the fresh plateau;
 *   tail           the newest third of all minutes, at least five. It is settled where its
 *                  least-squares line rises or falls by no more than 5 % of its average;
 *   floor          where the tail is settled: from the minute after the last two in a row that
 *                  lie more than 5 % of the tail's average outside its lowest and highest value;
 *   transition     the minutes from the cliff to the floor;
 *   oscillation    the floor's highest less its lowest value, in per cent of its average. Where
 *                  that exceeds 10 %, its period: twice the mean distance between crossings of the
 *                  average, counted only where the value has swung past a quarter of the way out.
 */
#ifndef STEADY_STATE_SHAPE_H
#define STEADY_STATE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#define SS_SHAPE_MIN 10 /* minutes; fewer have no shape */

struct ss_shape {
	bool judged; /* SS_SHAPE_MIN or more usable values */
	bool cliff;  /* it falls */
	bool settled; /* it has a floor; of a drive without a cliff: one level throughout */
	size_t fresh_n; /* values of the fresh plateau; all of them where there is no cliff */
	double fresh; /* their average */
	size_t floor_from,
		tail_n; /* index of the floor's first value; values of the tail */
	double floor;   /* average from there on */
	double lowest;  /* of all values from the cliff on */
	size_t lowest_at;
	double swing_pct; /* oscillation of the floor */
	double period;    /* in values; 0: none */
};

/* Values that are not finite or negative make a series that is not judged. */
void ss_shape(const double *y, size_t n, struct ss_shape *ret);

#endif
