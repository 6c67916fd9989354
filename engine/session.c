/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and the order of calls; the work is the backend's. */
#include <errno.h>
#include <stdlib.h>

#include "engine/backend.h"
#include "engine/payload.h"
#include "engine/stream.h"

#define IO_TIMEOUT_NS (60 * NSEC_PER_SEC)

struct eng {
	const struct dev_handle *handle;
	const struct eng_backend *be;
	void *state;
	struct eng_limits limits;
	bool running, done;
};

static int misuse(struct err *err, const char *what)
{
	return err_set(err, EXIT_CODE_INTERNAL, EINVAL, "engine: %s", what);
}

int eng_open(const struct dev_handle *handle, const struct eng_limits *limits,
	     struct eng **ret, struct err *err)
{
	struct eng *e;
	int rc;

	if (!limits->max_tc || !limits->max_qd || !limits->max_bs_b)
		return misuse(err, "a limit is 0");
	e = calloc(1, sizeof(*e));
	if (!e)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory");
	e->handle = handle;
	e->limits = *limits;
	if (!e->limits.io_timeout_ns)
		e->limits.io_timeout_ns = IO_TIMEOUT_NS;
	e->be = handle->sim ? &eng_backend_sim : &eng_backend_aio;
	rc = e->be->open(handle, &e->limits, &e->state, err);
	if (rc) {
		free(e);
		return rc;
	}
	*ret = e;
	return 0;
}

/* What is wrong with the workload; NULL: nothing. */
static const char *workload_fault(const struct eng *e, const struct eng_workload *w)
{
	const struct dev_info *info = &e->handle->info;
	uint32_t unit_b = info->lbs_b > PAYLOAD_SECTOR ? info->lbs_b : PAYLOAD_SECTOR;
	uint64_t first_b;

	if (!w->tc || w->tc > e->limits.max_tc || !w->qd || w->qd > e->limits.max_qd)
		return "threads or depth outside the session's limits";
	if (!w->bs_b || w->bs_b > e->limits.max_bs_b || w->bs_b % unit_b)
		return "block size outside the session's limits or no multiple of the sector";
	if (w->off_b > info->size_b || w->len_b > info->size_b - w->off_b)
		return "active range beyond the end of the device";
	if (!w->len_b || w->off_b % unit_b || w->len_b % unit_b || w->limit_b % unit_b)
		return "active range or limit empty or no multiple of the sector";
	if (w->read_pct > 100)
		return "read share above 100 %";
	if ((w->read_pct > 0 && e->limits.no_reads) ||
	    (w->read_pct < 100 && e->limits.no_writes))
		return "a direction that the session's limits exclude";
	if (w->pattern == IO_RAND)
		return eng_stream_blocks(w, &first_b) ? NULL
						      : "active range below one block";
	if (w->limit_b && w->read_pct % 100)
		return "a byte limit on a sequential mix";
	for (int d = 0; d < IO_DIRS; d++)
		if (w->cursor_b[d] >= w->len_b || w->cursor_b[d] % unit_b)
			return "cursor outside the active range or no multiple of the sector";
	return NULL;
}

static int start(struct eng *e, int fd, const struct eng_workload *w, struct err *err)
{
	const char *fault = e->running ? "started twice" : workload_fault(e, w);
	int rc = fault ? misuse(err, fault) : e->be->start(e->state, fd, w, err);

	if (!rc) {
		e->running = true;
		e->done = false;
	}
	return rc;
}

int eng_start_read(struct eng *e, const struct eng_workload *w, struct err *err)
{
	if (w->read_pct != 100)
		return misuse(err, "a workload that writes, started without a claim");
	return start(e, e->handle->fd, w, err);
}

int eng_start_write(struct eng *e, struct dev_claim *claim, const struct eng_workload *w,
		    struct err *err)
{
	if (dev_claim_handle(claim) != e->handle)
		return misuse(err, "the claim is another device's");
	return start(e, dev_claim_fd(claim), w, err);
}

int eng_next(struct eng *e, uint64_t dur_ns, const volatile sig_atomic_t *cancel,
	     struct eng_result *ret, struct err *err)
{
	int rc;

	if (!e->running || e->done || !dur_ns)
		return misuse(err, "an interval of nothing");
	rc = e->be->next(e->state, dur_ns, cancel, ret, err);
	e->done = rc || ret->done;
	return rc;
}

int eng_stop(struct eng *e, struct err *err)
{
	if (!e->running)
		return 0;
	e->running = false;
	return e->be->stop(e->state, err);
}

void eng_close(struct eng *e)
{
	if (!e)
		return;
	e->be->close(e->state);
	free(e);
}
