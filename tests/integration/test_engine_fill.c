/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fill, seen at the system call and on the disk: every sector, exactly as often as asked. */
#include <libaio.h>
#include <stdatomic.h>

#include "tests/lib/target.h"

/* wrap: io_submit */
int __real_io_submit(io_context_t ctx, long n, struct iocb *ios[]);
int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[]);

static atomic_uchar *written; /* times, by sector */
static atomic_uint_fast64_t outside, submitted;
static uint64_t sectors;

int __wrap_io_submit(io_context_t ctx, long n, struct iocb *ios[])
{
	/* Look before: after the call an iocb may be in use again. */
	for (long i = 0; i < n; i++) {
		uint64_t first = (uint64_t)ios[i]->u.c.offset / PAYLOAD_SECTOR;
		uint64_t end = first + ios[i]->u.c.nbytes / PAYLOAD_SECTOR;

		submitted++;
		for (uint64_t s = first; s < end; s++)
			if (ios[i]->aio_lio_opcode == IO_CMD_PWRITE && s < sectors)
				written[s]++;
			else
				outside++;
	}
	int rc = __real_io_submit(ctx, n, ios);

	if (rc !=
	    n) /* never on a file with room in the ring; the counts would be wrong */
		abort();
	return rc;
}

static const struct {
	uint64_t size_b;
	uint32_t tc, qd, bs_b;
	uint64_t num, den; /* limit as a share of the size */
} fills[] = {
	{ GIB(1) + KIB(88), 1, 32, KIB(128), 2, 1 },
	{ GIB(1) + KIB(88), 4, 8, KIB(128), 2, 1 },
	{ MIB(16) + KIB(88), 3, 5, KIB(128), 2, 1 },
	{ MIB(16), 4, 32, KIB(128), 2, 1 },
	{ MIB(16) + 4096, 2, 16, MIB(1), 3, 1 },
	{ KIB(256), 4, 32, KIB(128), 2, 1 }, /* fewer I/Os than slots */
	{ MIB(48), 2, 16, KIB(128), 8, 3 },  /* ends within a pass */
};

START_TEST(a_fill_writes_every_sector_exactly_as_often_as_asked)
{
	struct eng_workload w = {
		.pattern = IO_SEQ,
		.bs_b = fills[_i].bs_b,
		.tc = fills[_i].tc,
		.qd = fills[_i].qd,
		.len_b = fills[_i].size_b,
		.limit_b = fills[_i].size_b * fills[_i].num / fills[_i].den,
		.seed = 4711,
	};
	struct eng_limits limits = { .max_tc = 4, .max_qd = 32, .max_bs_b = MIB(1) };
	static struct eng_result r;
	uint64_t bad = 0, rest, per_pass = (w.len_b + w.bs_b - 1) / w.bs_b;
	struct target t;
	struct eng *e;

	target_make(&t, w.len_b);
	sectors = w.len_b / PAYLOAD_SECTOR;
	written = calloc(sectors, 1);
	ck_assert_ptr_nonnull(written);
	OK(eng_open(t.handle, &limits, &e, &ok_err));
	OK(eng_start_write(e, t.claim, &w, &ok_err));
	OK(eng_next(e, 3600 * NSEC_PER_SEC, NULL, &r, &ok_err));
	OK(eng_stop(e, &ok_err));
	eng_close(e);

	ck_assert(r.done);
	ck_assert_uint_eq(r.errors, 0);
	ck_assert_uint_eq(outside, 0);
	ck_assert_uint_eq(result_bytes(&r), w.limit_b);
	ck_assert_uint_eq(result_ios(&r), submitted);
	/* this many sectors from the start have been written once more than the others */
	rest = w.limit_b % w.len_b / PAYLOAD_SECTOR;
	for (uint64_t s = 0; s < sectors; s++)
		bad += written[s] != w.limit_b / w.len_b + (s < rest);
	ck_assert_uint_eq(bad, 0);
	ck_assert_uint_eq(r.cursor_b[IO_WRITE], w.limit_b % w.len_b);
	if (!rest)
		ck_assert_uint_eq(submitted, w.limit_b / w.len_b * per_pass);
	ck_assert_uint_eq(target_bad_sectors(&t, w.seed), 0);
	free(written);
	target_remove(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("engine_fill");
	TCase *t = tcase_create("fill");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, a_fill_writes_every_sector_exactly_as_often_as_asked, 0,
			    (int)ARRAY_LEN(fills));
	suite_add_tcase(s, t);
	return suite_run(s);
}
