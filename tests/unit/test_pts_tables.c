/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables, read back as one line a step, against lines typed from the specification's
 * reference (its parameter table), not from the tables.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "pts/pts_test.h"
#include "tests/lib/suite.h"

static void add_list(struct str *s, const struct pts_step *step)
{
	char kib[UNITS_TEXT];

	str_add(s, " | RW");
	for (unsigned i = 0; i < step->n_read_pct; i++)
		str_addf(s, " %u", step->read_pct[i]);
	str_add(s, " | BS");
	for (unsigned i = 0; i < step->n_bs; i++)
		str_addf(s, " %s",
			 step->bs_b[i] ? units_kib(step->bs_b[i], kib) : "cycle");
	str_addf(s, " | %u/%u%s", step->tc, step->qd, step->tc_qd_fixed ? " fixed" : "");
}

static void add_step(struct str *s, const struct pts_step *step)
{
	str_addf(s, "%s", pts_verb_word(step->verb));
	if (step->verb != PTS_PURGE) {
		str_addf(s, " | %s", io_pattern_word(step->pattern));
		add_list(s, step);
	}
	if (step->passes)
		str_addf(s, " | %ux", step->passes);
	if (step->point_s)
		str_addf(s, " | %u s", step->point_s);
	if (step->max_rounds)
		str_addf(s, " | max %u", step->max_rounds);
	if (step->verb == PTS_SATURATE)
		str_addf(s, " | stop %ux %u s steady %u+%un after %ux", step->stop_x_uc,
			 step->stop_s, step->ss_offset, step->ss_period,
			 step->ss_stop_x_uc);
	str_add(s, "\n");
}

static void add_test(struct str *s, const struct pts_test *t)
{
	char kib[UNITS_TEXT];

	for (unsigned i = 0; i < t->n_cycles; i++)
		str_addf(s, "%s%s", i ? " " : "cycles ",
			 units_kib(t->cycle_bs_b[i], kib));
	if (t->n_cycles)
		str_add(s, "\n");
	for (unsigned i = 0; i < t->n_steps; i++)
		add_step(s, &t->step[i]);
	for (unsigned i = 0; i < t->n_track; i++)
		str_addf(s, "%s %s at %u/%u %s\n",
			 t->track[i].decides ? "decides" : "shows",
			 pts_metric_word(t->track[i].metric), t->track[i].read_pct,
			 100u - t->track[i].read_pct,
			 t->track[i].bs_b ? units_kib(t->track[i].bs_b, kib) : "cycle");
}

static void expect(const char *id, const char *edition, const char *text)
{
	const struct pts_test *t = pts_test_find(id, edition);
	struct str s = { 0 };

	ck_assert_ptr_nonnull(t);
	add_test(&s, t);
	ck_assert_str_eq(str_text(&s), text);
	str_release(&s);
}

START_TEST(iops_has_56_points_and_three_tracking_variables)
{
	expect("iops", "pts-e-2.0",
	       "purge\n"
	       "wipc | SEQ | RW 0 | BS 128 | 4/32 | 2x\n"
	       "rounds | RND | RW 100 95 65 50 35 5 0 | BS 1024 128 64 32 16 8 4 0.5 | 4/32 | 60 s | max 25\n"
	       "decides IOPS at 0/100 4\n"
	       "decides IOPS at 65/35 64\n"
	       "decides IOPS at 100/0 1024\n");
	expect("iops", "pts-c-2.0",
	       "purge\n"
	       "wipc | SEQ | RW 0 | BS 128 | 2/16 | 2x\n"
	       "rounds | RND | RW 100 95 65 50 35 5 0 | BS 1024 128 64 32 16 8 4 0.5 | 2/16 | 60 s | max 25\n"
	       "decides IOPS at 0/100 4\n"
	       "decides IOPS at 65/35 64\n"
	       "decides IOPS at 100/0 1024\n");
}
END_TEST

START_TEST(throughput_runs_its_own_block_size_from_fill_to_rounds)
{
	static const char both[] =
		"cycles 1024 128\n"
		"purge\n"
		"wipc | SEQ | RW 0 | BS cycle | 1/32 | 2x\n"
		"rounds | SEQ | RW 100 0 | BS cycle | 1/32 | 60 s | max 25\n"
		"decides MB/s at 0/100 cycle\n"
		"shows MB/s at 100/0 cycle\n";

	expect("tp", "pts-e-2.0", both);
	expect("tp", "pts-c-2.0", both);
}
END_TEST

START_TEST(latency_is_random_at_one_thread_and_depth_one)
{
	static const char both[] =
		"purge\n"
		"wipc | SEQ | RW 0 | BS 128 | 1/1 fixed | 2x\n"
		"rounds | RND | RW 100 65 0 | BS 8 4 0.5 | 1/1 fixed | 60 s | max 25\n"
		"histogram | RND | RW 0 | BS 4 | 1/1 fixed | 1200 s\n"
		"decides ms at 0/100 4\n";

	expect("lat", "pts-e-2.0", both);
	expect("lat", "pts-c-2.0", both);
}
END_TEST

START_TEST(write_saturation_has_no_fill_and_three_stop_rules)
{
	expect("wsat", "pts-e-2.0",
	       "purge\n"
	       "saturation | RND | RW 0 | BS 4 | 4/32 | 60 s | stop 4x 21600 s steady 31+31n after 2x\n"
	       "histogram | RND | RW 0 | BS 4 | 4/32 | 1200 s\n"
	       "decides IOPS at 0/100 4\n");
	expect("wsat", "pts-c-2.0",
	       "purge\n"
	       "saturation | RND | RW 0 | BS 4 | 2/16 | 60 s | stop 4x 21600 s steady 31+31n after 2x\n"
	       "histogram | RND | RW 0 | BS 4 | 2/16 | 1200 s\n"
	       "decides IOPS at 0/100 4\n");
}
END_TEST

START_TEST(enterprise_is_cache_off_and_whole_range_client_is_cache_on_and_75_percent)
{
	const struct pts_edition *e = pts_edition_find("pts-e-2.0"),
				 *c = pts_edition_find("pts-c-2.0");

	ck_assert_ptr_eq(pts_edition_nth(0), e); /* the default */
	ck_assert_int_eq(e->cache, PTS_WCD);
	ck_assert_uint_eq(e->active_range_pct, 100);
	ck_assert_int_eq(c->cache, PTS_WCE);
	ck_assert_uint_eq(c->active_range_pct, 75);
	ck_assert_ptr_null(pts_edition_find("pts-e-9.9"));
	ck_assert_ptr_null(pts_test_find("hir", "pts-e-2.0"));
	ck_assert_ptr_null(pts_test_find("iops", "pts-e-9.9"));
}
END_TEST

static void check_cite(const struct pts_cite *c)
{
	ck_assert_ptr_nonnull(c->clause);
	ck_assert_int_ge(c->clause[0], '1');
	ck_assert_int_le(c->clause[0], '9');
}

START_TEST(every_row_names_its_clause)
{
	const struct pts_test *t;
	size_t n = 0;

	for (; (t = pts_test_nth(n)); n++) {
		ck_assert_ptr_eq(pts_test_find(t->id, t->edition), t);
		ck_assert_ptr_nonnull(pts_edition_find(t->edition));
		if (t->n_cycles)
			check_cite(&t->cycle_cite);
		for (unsigned i = 0; i < t->n_steps; i++) {
			check_cite(&t->step[i].cite);
			if (t->step[i].tc)
				check_cite(&t->step[i].tc_qd_cite);
			if (t->step[i].verb == PTS_SATURATE) {
				check_cite(&t->step[i].stop_cite);
				check_cite(&t->step[i].ss_cite);
			}
		}
		for (unsigned i = 0; i < t->n_track; i++)
			check_cite(&t->track[i].cite);
		for (unsigned i = 0; i < PTS_MAX_OUT && t->out[i].what; i++)
			check_cite(&t->out[i].cite);
	}
	ck_assert_uint_eq(n, 8);
}
END_TEST

START_TEST(half_a_kib_is_left_out_on_a_drive_of_4_kib_blocks)
{
	struct pts_cell cell[PTS_MAX_CELLS];
	const struct pts_step *iops =
		pts_test_step(pts_test_find("iops", "pts-e-2.0"), PTS_ROUNDS);
	const struct pts_step *lat =
		pts_test_step(pts_test_find("lat", "pts-e-2.0"), PTS_ROUNDS);

	ck_assert_uint_eq(pts_step_cells(iops, 0, 512, cell), 56);
	ck_assert_uint_eq(cell[7].bs_b, 512);
	ck_assert_uint_eq(pts_step_cells(iops, 0, 4096, cell), 49);
	ck_assert_uint_eq(cell[7].read_pct, 95);
	ck_assert_uint_eq(cell[7].bs_b, 1048576);
	ck_assert_uint_eq(pts_step_cells(lat, 0, 512, cell), 9);
	ck_assert_uint_eq(pts_step_cells(lat, 0, 4096, cell), 6);
}
END_TEST

START_TEST(a_tracking_variable_is_put_in_words)
{
	const struct pts_test *iops = pts_test_find("iops", "pts-e-2.0"),
			      *tp = pts_test_find("tp", "pts-e-2.0");
	char word[96];

	pts_track_word(&iops->track[1], 0, word, sizeof(word));
	ck_assert_str_eq(word, "IOPS, RND 64 KiB, RW 65/35");
	pts_track_word(&tp->track[0], 131072, word, sizeof(word));
	ck_assert_str_eq(word, "MB/s, SEQ 128 KiB, RW 0/100");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pts tables");
	TCase *t = tcase_create("tables");

	tcase_add_test(t, iops_has_56_points_and_three_tracking_variables);
	tcase_add_test(t, throughput_runs_its_own_block_size_from_fill_to_rounds);
	tcase_add_test(t, latency_is_random_at_one_thread_and_depth_one);
	tcase_add_test(t, write_saturation_has_no_fill_and_three_stop_rules);
	tcase_add_test(
		t,
		enterprise_is_cache_off_and_whole_range_client_is_cache_on_and_75_percent);
	tcase_add_test(t, every_row_names_its_clause);
	tcase_add_test(t, half_a_kib_is_left_out_on_a_drive_of_4_kib_blocks);
	tcase_add_test(t, a_tracking_variable_is_put_in_words);
	suite_add_tcase(s, t);
	return suite_run(s);
}
