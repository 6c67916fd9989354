/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/notify.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

void notify(const char *fmt, ...)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char text[512];
	va_list ap;
	int fd;

	if (!path || (*path != '/' && *path != '@') ||
	    strlen(path) >= sizeof(to.sun_path))
		return;
	strcpy(to.sun_path, path);
	if (*path == '@') /* an abstract address */
		to.sun_path[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that does not listen is no reason to end a run. */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
	close(fd);
}

void notify_alive(void)
{
	static uint64_t last_ns;
	const char *usec = getenv("WATCHDOG_USEC");
	uint64_t every_ns = usec ? strtoull(usec, NULL, 10) * NSEC_PER_USEC / 2 : 0;
	uint64_t now_ns = clock_mono_ns();

	if (!every_ns || now_ns - last_ns < every_ns)
		return;
	last_ns = now_ns;
	notify("WATCHDOG=1");
}

int notify_inhibit_sleep(void)
{
	int hold[2]; /* never closed: cat ends when this process does */
	pid_t pid;

	if (pipe2(hold, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

		setpgid(0, 0);
		dup2(hold[0], STDIN_FILENO);
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		execlp("systemd-inhibit", "systemd-inhibit", "--what=sleep",
		       "--who=plateau", "--why=Drives are being measured", "--mode=block",
		       "cat", (char *)NULL);
		_exit(127);
	}
	close(hold[0]);
	return pid;
}
