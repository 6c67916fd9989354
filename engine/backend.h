/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a way of driving I/O must offer. One file, one table; engine/session.c checks the
 * arguments and the order of calls, so a backend may rely on them.
 */
#ifndef ENGINE_BACKEND_H
#define ENGINE_BACKEND_H

#include "engine/engine.h"

struct eng_backend {
	const char *name;
	/* *ret is the backend's own state, handed back to every other call. */
	int (*open)(const struct dev_handle *h, const struct eng_limits *limits,
		    void **ret, struct err *err);
	/* fd is the descriptor to use (-1: simulated); the workload has been checked. */
	int (*start)(void *state, int fd, const struct eng_workload *w, struct err *err);
	int (*next)(void *state, uint64_t dur_ns, const volatile sig_atomic_t *cancel,
		    struct eng_result *ret, struct err *err);
	int (*stop)(void *state, struct err *err);
	void (*close)(void *state);
};

extern const struct eng_backend eng_backend_aio;
extern const struct eng_backend eng_backend_sim;

#endif
