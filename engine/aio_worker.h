/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread of the libaio backend: its context, its buffers, its hot loop (aio_worker.c). What
 * be_aio.c and its workers tell each other is here, and who may touch what when:
 *
 *	A worker counts into block[current]. When the time that it reads anyway reaches boundary_ns
 *	it closes that block, goes on with the other and publishes the boundary in switched_ns. From
 *	then on the closed block is the monitor's, who merges and clears it before it publishes the
 *	next boundary. A worker whose stimulus and drain are over sets `idle`: then all of it is the
 *	monitor's until the next start.
 */
#ifndef ENGINE_AIO_WORKER_H
#define ENGINE_AIO_WORKER_H

#include <libaio.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "engine/result.h"
#include "engine/stream.h"

#define AIO_NO_BOUNDARY UINT64_MAX

/* From the monitor to all workers. */
struct aio_shared {
	_Alignas(ENG_CACHE_LINE) _Atomic uint64_t
		boundary_ns; /* strictly later than the one before */
	_Atomic bool ending; /* submit nothing more, drain; set by an error too */
	_Alignas(ENG_CACHE_LINE) sem_t event; /* posted at every switch and end */

	pthread_mutex_t lock; /* of `quit` and every worker's `go` */
	pthread_cond_t wake;
	bool quit;

	uint64_t t0_ns; /* of the stimulus */
	int fd;
};

/* What one worker counted in one interval. worst_busy_ns is its own busy time. */
struct aio_block {
	struct eng_result r;
	struct eng_asked asked;
};

struct aio_usage {
	uint64_t cpu_ns, usr_ns, sys_ns, wait_ns;
};

struct aio_worker {
	/* what each turn of the hot loop reads, made before the first `idle` */
	_Alignas(ENG_CACHE_LINE) struct aio_shared *shared;
	struct aio_ring
		*ring; /* completions as the kernel writes them; NULL: layout unknown */
	io_context_t ctx;
	struct iocb **queue; /* max_qd of each */
	struct iocb *cb;
	struct io_event *event;
	char *buf[IO_DIRS]; /* NULL: not used by this session */

	/* the hot loop's own */
	struct aio_block *block; /* the current one of `blocks` */
	uint32_t n_queued, outstanding;
	uint64_t settled_ns; /* the depth is integrated up to here */
	uint64_t submit_ns;  /* last stamp before io_submit not yet accounted; 0: none */
	uint64_t turn_ns;    /* last reap not yet followed by a submit; 0: none */
	uint64_t writes;
	uint32_t qd; /* set, like seed and stream, by the monitor for each start */
	uint32_t prompt_turns; /* in a row that found every I/O complete */
	bool stimulus;         /* more I/Os follow */
	size_t slot_b;         /* the largest block, aligned */

	struct eng_stream stream;
	uint64_t seed;

	/* to the monitor */
	_Alignas(ENG_CACHE_LINE) _Atomic uint64_t reaped_ns; /* last completion */
	_Atomic uint64_t switched_ns;
	_Atomic bool idle;

	/* set once, by the monitor */
	_Alignas(ENG_CACHE_LINE) pthread_t thread;
	uint32_t index, max_qd;
	size_t align_b;
	bool no_buffers[IO_DIRS];
	cpu_set_t cpus; /* may be empty: anywhere */

	int schedstat_fd, setup_rc; /* the worker's, before its first `idle` */
	bool go;                    /* the monitor's word to start, while idle */

	struct aio_usage usage; /* at the block's start */
	_Alignas(ENG_CACHE_LINE) struct aio_block blocks[2];
};

/* pthread start routine; `arg` is the worker. */
void *aio_worker_main(void *arg);
/* The completion ring behind a context, NULL where it is not what this program knows. */
struct aio_ring *aio_ring_of(io_context_t ctx);
/* Free what the worker made; its thread has ended. */
void aio_worker_release(struct aio_worker *w);

#endif
