/*
 * eventlist.h: what happened, in order, told from the model: pools from birth to end, phases, peaks, the run's own start and
 * end. Screen 6 and `top --plain` read it.
 */
#ifndef TUI_EVENTLIST_H
#define TUI_EVENTLIST_H

#include "profiler/model/model.h"

enum event_kind {
	EVENT_START,
	EVENT_POOL,    /* begin or end */
	EVENT_DELIVER, /* the first batch */
	EVENT_PARK,
	EVENT_EXHAUST,
	EVENT_PHASE,
	EVENT_PEAK,
	EVENT_END,
	EVENT_KINDS
};

struct event {
	int64_t t_ns, id; /* id: the same after a refresh */
	enum event_kind kind;
	int process; /* index, -1 */
	char text[96], note[64];
};

struct event_list {
	struct event *events; /* by time */
	size_t count, capacity;
};

/* `list` starts as {0}. 0, or -1 when out of memory. */
int event_list_build(struct event_list *list, const struct model *m);
void event_list_release(struct event_list *list);

const char *event_kind_name(enum event_kind kind);

#endif
