/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/say.h"

#define LIVE_NS   (NSEC_PER_SEC / 5)
#define MINUTE_NS (60 * NSEC_PER_SEC)

static void add_where(struct str *s, const struct pts_progress *p)
{
	char bs[UNITS_TEXT];

	str_add(s, p->test);
	if (p->loop_bs_b)
		str_addf(s, " %s", units_size(p->loop_bs_b, bs));
	switch (p->verb) {
	case PTS_PURGE:
	case PTS_WIPC:
		str_addf(s, " %s", p->verb == PTS_PURGE ? "purge" : "fill");
		if (p->total_b)
			str_addf(s, " %.0f %%",
				 100.0 * (double)p->done_b / (double)p->total_b);
		return;
	case PTS_ROUNDS:
		str_addf(s, " round %u/%u point %u/%u", p->round, p->max_rounds, p->point,
			 p->n_points);
		break;
	case PTS_SATURATE:
		str_addf(s, " minute %u/%u", p->round, p->max_rounds);
		break;
	case PTS_HISTOGRAM:
		str_add(s, " histogram");
		break;
	}
	str_addf(s, ": %s %u/%u", units_size(p->bs_b, bs), p->read_pct,
		 100u - p->read_pct);
}

const char *cli_roughly(uint64_t dur_ns, char buf[UNITS_TEXT])
{
	uint64_t s = (dur_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC;

	return units_dur((s ? s : 1) * NSEC_PER_SEC, buf);
}

void cli_progress_line(const struct pts_progress *p, char *buf, size_t n)
{
	char best[UNITS_TEXT], worst[UNITS_TEXT];
	struct str s = { 0 };

	add_where(&s, p);
	if (p->iops > 0)
		str_addf(&s, ", %.0f IOPS, %.1f MB/s, mean %.3f ms", p->iops, p->mb_per_s,
			 p->lat_mean_ms);
	if (p->iops > 0 && p->lat_p9999_known)
		str_addf(&s, ", p99.99 %.2f ms", p->lat_p9999_ms);
	if (p->eta_worst_ns) {
		cli_roughly(p->eta_best_ns, best);
		cli_roughly(p->eta_worst_ns, worst);
		str_addf(&s, strcmp(best, worst) ? ", %s to %s left" : ", %s left", best,
			 worst);
	}
	snprintf(buf, n, "%s", str_text(&s));
	str_release(&s);
}

/* The newest line, for the signal handler; the other is being written. */
static char newest[2][257] = { "plateau: nothing is measured yet\n" };
static volatile sig_atomic_t at;

static void on_signal(int sig)
{
	int kept = errno;

	(void)sig;
	(void)!write(STDERR_FILENO, newest[at], strlen(newest[at]));
	errno = kept;
}

void cli_progress_on_signal(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &act, NULL);
}

void cli_progress_show(void *arg, const struct pts_progress *p)
{
	struct cli_progress *state = arg;
	uint64_t now = clock_mono_ns(), every = say_is_tty() ? LIVE_NS : MINUTE_NS;
	char line[256];

	cli_progress_line(p, line, sizeof(line));
	snprintf(newest[!at], sizeof(newest[0]), "%s\n", line);
	at = !at;
	if (!state->shown_ns && !say_is_tty())
		state->shown_ns = now;
	if (state->shown_ns && now - state->shown_ns < every)
		return;
	state->shown_ns = now;
	if (say_is_tty())
		say_live(line);
	else
		say_info("%s", line);
}
