/*
 * events.c: each writer takes a sequence number and with it a row of its own; the row's seq is zero
 * while it is being filled.
 */
#include "inject/events.h"

#include "inject/self.h"
#include "inject/text.h"

void event_emit(const struct event *event)
{
	struct loopmem_segment *segment = self_segment;
	uint64_t seq = __atomic_add_fetch(&segment->event_seq, 1, __ATOMIC_ACQ_REL);
	struct loopmem_event *row = &segment->events[(seq - 1) % LOOPMEM_EVENTS];

	__atomic_store_n(&row->seq, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	row->time_ns = self_now_ns();
	row->kind = event->kind;
	row->pool_id = event->pool_id;
	row->value = event->value;
	row->value2 = event->value2;
	text_copy(row->text, sizeof(row->text), event->text);
	__atomic_store_n(&row->seq, seq, __ATOMIC_RELEASE);
}
