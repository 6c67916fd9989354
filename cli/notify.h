/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a service manager wants to hear (sd_notify(3)), and a hold on the machine's sleep. */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

#include "base/compiler.h"

/* "READY=1", "STATUS=..." as a datagram to $NOTIFY_SOCKET; nothing happens without one. */
void notify(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Call often: tells the manager's watchdog that all is well, twice as often as it asks. */
void notify_alive(void);

/* Keep the machine from falling asleep, through systemd-inhibit(1), for as long as this process lives.
 * The pid of that program, which ends at once where nobody grants it; -1 where it could not be started. */
int notify_inhibit_sleep(void);

#endif
