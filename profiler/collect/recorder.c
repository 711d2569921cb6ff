/* Notes, clock and tally: see the header. */
#include "profiler/collect/recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "profiler/collect/clock.h"

int64_t recorder_now(const struct recorder *r)
{
	return clock_monotonic_ns() - r->clock_ns;
}

int64_t recorder_time(const struct recorder *r, uint64_t monotonic_ns)
{
	return monotonic_ns && monotonic_ns <= INT64_MAX ? (int64_t)monotonic_ns - r->clock_ns
							 : SESSION_NULL;
}

int64_t recorder_past(const struct recorder *r, uint64_t monotonic_ns)
{
	int64_t t_ns = recorder_time(r, monotonic_ns), now_ns = recorder_now(r);

	return t_ns == SESSION_NULL || t_ns > now_ns ? now_ns : t_ns;
}

static void remember(struct recorder *r, const char *level, const char *text)
{
	struct recorder_note *n = r->notes;

	for (; n < r->notes + r->note_count; n++)
		if (!strcmp(n->text, text)) {
			n->count++;
			return;
		}
	if (r->note_count == RECORDER_NOTES)
		return;
	n->text = strdup(text);
	if (!n->text)
		return;
	n->count = 1;
	snprintf(n->level, sizeof(n->level), "%s", level);
	r->note_count++;
}

void recorder_note(struct recorder *r, const char *level, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	remember(r, level, text);
	session_note(r->session, level, 1, recorder_now(r), text);
}

void recorder_put_overhead(struct recorder *r, int64_t started_cpu_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	session_put_int(r->session, "collector_cpu_ns", clock_cpu_ns() - started_cpu_ns);
	session_put_int(r->session, "collector_wall_ns", recorder_now(r));
	session_put_int(r->session, "collector_memory_bytes", (int64_t)usage.ru_maxrss * 1024);
	session_put_int(r->session, "samples", r->rounds);
	session_put_int(r->session, "skipped", r->skipped);
	session_put_int(r->session, "dropped_events", r->dropped_events);
	session_put_int(r->session, "lost_rows", session_lost_rows(r->session));
	session_put_int(r->session, "walks", r->walks);
	session_put_int(r->session, "walk_wall_ns", r->walk_wall_ns);
}

void recorder_release(struct recorder *r)
{
	for (size_t i = 0; i < r->note_count; i++)
		free(r->notes[i].text);
	r->note_count = 0;
}
