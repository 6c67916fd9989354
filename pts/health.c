/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the drive says of itself between points, and whether it has throttled. */
#include <inttypes.h>

#include "pts/walk.h"

#define LOOK_EVERY_NS (10 * NSEC_PER_SEC)
#define MINUTE_NS     (60 * NSEC_PER_SEC)

static int throttled(struct walk *w, const struct dev_health *h, struct err *err)
{
	w->health.throttled = true;
	return record_invalid(
		w, "throttled", "4", w->step->test->id, err,
		"the drive throttled, seen in minute %" PRIu64 " of the run at %d C",
		(walk_now_ns(w) - w->base_ns) / MINUTE_NS + 1, h->temperature_c);
}

int health_begin(struct walk *w, struct err *err)
{
	return dev_health(w->dev, &w->health.last, err);
}

int health_look(struct walk *w, struct err *err)
{
	struct dev_health now, was = w->health.last;
	int rc;

	if (!was.known || walk_now_ns(w) < w->health.next_ns)
		return 0;
	w->health.next_ns = walk_now_ns(w) + LOOK_EVERY_NS;
	rc = dev_health(w->dev, &now, err);
	if (rc)
		return rc;
	w->health.last = now;
	rc = record(w, ST_HEALTH,
		    json_pack("{s:s,s:I,s:i,s:I,s:I}", "test", w->step->test->id, "t_ns",
			      (json_int_t)(walk_now_ns(w) - w->base_ns), "temperature_c",
			      now.temperature_c, "throttle_events",
			      (json_int_t)now.throttle_events, "throttled_ns",
			      (json_int_t)now.throttled_ns),
		    err);
	if (rc || w->health.throttled ||
	    (now.throttle_events == was.throttle_events &&
	     now.throttled_ns == was.throttled_ns))
		return rc;
	return throttled(w, &now, err);
}
