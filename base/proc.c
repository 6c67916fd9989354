/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* Close-on-exec pipes: the parent's ends must not leak into a child. */
struct pipes {
	int in[2], out[2], err[2], exec[2];
};

static void pipes_close(struct pipes *p)
{
	int *fd[] = { p->in, p->out, p->err, p->exec };

	for (size_t i = 0; i < ARRAY_LEN(fd); i++)
		for (int k = 0; k < 2; k++)
			if (fd[i][k] >= 0)
				close(fd[i][k]);
}

static int pipes_open(struct pipes *p)
{
	int *fd[] = { p->in, p->out, p->err, p->exec };

	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	for (size_t i = 0; i < ARRAY_LEN(fd); i++)
		if (pipe2(fd[i], O_CLOEXEC))
			return -errno;
	return 0;
}

/* Only returns to the parent, through the exec pipe, what kept it: an errno, negative chdir's. */
static void child(const struct proc *p, const struct pipes *pipes)
{
	bool here = true;

	setpgid(0, 0);
	setenv("LC_ALL", "C", 1);
	if (dup2(pipes->in[0], 0) >= 0 && dup2(pipes->out[1], 1) >= 0 &&
	    dup2(pipes->err[1], 2) >= 0 && (here = !p->cwd || !chdir(p->cwd))) {
		char **argv;

		memcpy(&argv, &p->argv,
		       sizeof(argv)); /* execvp's prototype lacks const */
		execvp(argv[0], argv);
	}
	int errnum = here ? errno : -errno;
	ssize_t put = write(pipes->exec[1], &errnum, sizeof(errnum));

	(void)put;
	_exit(127);
}

/* Move what one pipe holds; returns false when it has ended. */
static bool drain(int fd, struct str *s, size_t max)
{
	char chunk[8192];
	ssize_t got = read(fd, chunk, sizeof(chunk));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (!got)
		return false;
	size_t room = s->len < max ? max - s->len : 0;

	str_add_bytes(s, chunk, (size_t)got < room ? (size_t)got : room);
	return true;
}

static void converse(const struct proc *p, struct pipes *pipes, pid_t pid,
		     uint64_t end_ns, struct proc_result *ret)
{
	const char *input = p->input ? p->input : "";
	size_t left = strlen(input);
	struct pollfd fd[3] = {
		{ .fd = pipes->out[0], .events = POLLIN },
		{ .fd = pipes->err[0], .events = POLLIN },
		{ .fd = left ? pipes->in[1] : -1, .events = POLLOUT },
	};

	while (fd[0].fd >= 0 || fd[1].fd >= 0) {
		uint64_t now = clock_mono_ns();

		if (now >= end_ns) {
			ret->timed_out = true;
			kill(-pid, SIGKILL);
			return;
		}
		if (poll(fd, 3, (int)((end_ns - now) / NSEC_PER_MSEC) + 1) < 0 &&
		    errno != EINTR)
			return;
		if (fd[0].revents && !drain(fd[0].fd, &ret->out, p->max_output_b))
			fd[0].fd = -1;
		if (fd[1].revents && !drain(fd[1].fd, &ret->err, p->max_output_b))
			fd[1].fd = -1;
		if (fd[2].fd >= 0 && fd[2].revents) {
			ssize_t put = write(fd[2].fd, input, left);

			if (put > 0) {
				input += put;
				left -= (size_t)put;
			}
			if (!left || (put < 0 && errno != EINTR && errno != EAGAIN)) {
				close(pipes->in[1]);
				pipes->in[1] = fd[2].fd = -1;
			}
		}
	}
}

int proc_run(const struct proc *p, struct proc_result *ret, struct err *err)
{
	struct pipes pipes;
	uint64_t end_ns = clock_mono_ns() + p->limit_s * NSEC_PER_SEC;
	int errnum = 0, status = 0;
	int failed = pipes_open(&pipes);

	*ret = (struct proc_result){ 0 };
	pid_t pid = failed ? -1 : fork();

	if (pid < 0) {
		errnum = failed ? -failed : errno;
		pipes_close(&pipes);
		return err_set(err, EXIT_CODE_HOST, errnum, "cannot start %s: %s",
			       p->argv[0], strerror(errnum));
	}
	if (!pid)
		child(p, &pipes);
	setpgid(pid, pid);
	close(pipes.in[0]);
	close(pipes.out[1]);
	close(pipes.err[1]);
	close(pipes.exec[1]);
	pipes.in[0] = pipes.out[1] = pipes.err[1] = pipes.exec[1] = -1;
	if (!p->input || !*p->input) {
		close(pipes.in[1]);
		pipes.in[1] = -1;
	}
	if (read(pipes.exec[0], &errnum, sizeof(errnum)) == (ssize_t)sizeof(errnum)) {
		waitpid(pid, NULL, 0);
		pipes_close(&pipes);
		if (errnum < 0)
			return err_set(err, EXIT_CODE_HOST, -errnum,
				       "cannot run %s in %s: %s", p->argv[0], p->cwd,
				       strerror(-errnum));
		if (errnum == ENOENT)
			return err_set(err, EXIT_CODE_HOST, ENOENT,
				       "%s is not on PATH; install the package %s",
				       p->argv[0], p->package);
		return err_set(err, EXIT_CODE_HOST, errnum, "cannot run %s: %s",
			       p->argv[0], strerror(errnum));
	}
	fcntl(pipes.in[1] >= 0 ? pipes.in[1] : pipes.out[0], F_SETFL, O_NONBLOCK);
	converse(p, &pipes, pid, end_ns, ret);
	/* Output may be closed before the program ends: the limit holds for that, too. */
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_mono_ns() >= end_ns) {
			ret->timed_out = true;
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			break;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	pipes_close(&pipes);
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

void proc_result_release(struct proc_result *r)
{
	str_release(&r->out);
	str_release(&r->err);
}
