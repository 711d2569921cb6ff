/*
 * events.h: the ring of edges in the segment. Lock-free; any thread.
 */
#ifndef INJECT_EVENTS_H
#define INJECT_EVENTS_H

#include <stdint.h>

#include "inject/segment.h"

/* `text` may be NULL; it is cut. */
struct event {
	enum loopmem_event_kind kind;
	uint32_t pool_id;
	int64_t value;
	int64_t value2;
	const char *text;
};

void event_emit(const struct event *event);

#endif
