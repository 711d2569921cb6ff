/* Events from the model; see eventlist.h. */
#include "tui/eventlist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/chart.h"
#include "profiler/view/format.h"

#define SECOND INT64_C(1000000000)

/* A peak is told when nothing higher comes for this long. */
#define PEAK_STANDS (60 * SECOND)

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[EVENT_KINDS] = {
		[EVENT_START] = "start", [EVENT_POOL] = "pool",       [EVENT_DELIVER] = "deliver",
		[EVENT_PARK] = "park",   [EVENT_EXHAUST] = "exhaust", [EVENT_PHASE] = "phase",
		[EVENT_PEAK] = "peak",   [EVENT_END] = "end",
	};

	return names[kind];
}

/* NULL when out of memory. The id is what it is about: kind, which of its kind, and the subject's number. */
static struct event *add(struct event_list *list, int64_t t_ns, enum event_kind kind,
			 int64_t subject)
{
	struct event *event;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 64;
		struct event *events = reallocarray(list->events, capacity, sizeof(*events));

		if (!events)
			return NULL;
		list->events = events;
		list->capacity = capacity;
	}
	event = &list->events[list->count++];
	memset(event, 0, sizeof(*event));
	event->t_ns = t_ns;
	event->kind = kind;
	event->id = subject * EVENT_KINDS * 4 + kind * 4;
	event->process = -1;
	return event;
}

static void say(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(char *out, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out, size, format, args);
	va_end(args);
}

#define TEXT(event, ...) say((event)->text, sizeof((event)->text), __VA_ARGS__)
#define NOTE(event, ...) say((event)->note, sizeof((event)->note), __VA_ARGS__)

/* Other pools of the owner that live at t and deliver nothing, "val #3, #4 alive": what makes a birth worth a note. */
static void note_alive(const struct model *m, size_t pool, struct event *event)
{
	char *to = event->note;
	size_t size = sizeof(event->note), at = 0;

	for (size_t i = 0; i < pool; i++) {
		const struct model_pool *other = &m->pools[i];
		enum model_state state = model_pool_state(other, event->t_ns);

		if (other->owner != m->pools[pool].owner || state < MODEL_PARKED ||
		    state == MODEL_ENDED || at + 24 > size)
			continue;
		if (at)
			at += (size_t)snprintf(to + at, size - at, ", #%lld",
					       (long long)other->number);
		else
			at += (size_t)snprintf(to, size - 8, "%s #%lld",
					       chart_stage_brief(other->stage),
					       (long long)other->number);
	}
	if (at && at < size)
		snprintf(to + at, size - at, " alive");
}

static int add_begin(struct event_list *list, const struct model *m, size_t i)
{
	const struct model_pool *pool = &m->pools[i];
	struct event *event = add(list, pool->begin_ns, EVENT_POOL, pool->number);

	if (!event)
		return -1;
	event->process = pool->owner;
	if (pool->workers)
		TEXT(event, "%s forked, %lld workers", pool->name, (long long)pool->workers);
	else
		TEXT(event, "%s built, no workers", pool->name);
	note_alive(m, i, event);
	return 0;
}

static int add_first_batch(struct event_list *list, const struct model_pool *pool)
{
	struct event *event;
	char after[FORMAT_MAX];

	if (pool->first_batch_ns == MODEL_NONE)
		return 0;
	event = add(list, pool->first_batch_ns, EVENT_DELIVER, pool->number);
	if (!event)
		return -1;
	TEXT(event, "%s first batch", pool->name);
	NOTE(event, "%s after fork", format_duration(after, pool->first_batch_ns - pool->begin_ns));
	return 0;
}

static int add_exhausted(struct event_list *list, const struct model_pool *pool)
{
	struct event *event;
	char in[FORMAT_MAX];

	if (pool->exhausted_ns == MODEL_NONE)
		return 0;
	event = add(list, pool->exhausted_ns, EVENT_EXHAUST, pool->number);
	if (!event)
		return -1;
	event->process = pool->owner;
	if (pool->guessed)
		TEXT(event, "%s likely idle", pool->name);
	else
		TEXT(event, "%s last batch, %lld", pool->name, (long long)pool->batches);
	if (pool->first_batch_ns != MODEL_NONE)
		NOTE(event, "in %s",
		     format_duration(in, pool->exhausted_ns - pool->first_batch_ns));
	return 0;
}

static int add_parked(struct event_list *list, const struct model_pool *pool)
{
	for (size_t i = 0; i < pool->span_count; i++) {
		const struct model_span *span = &pool->spans[i];
		struct event *event;

		if (span->state != MODEL_PARKED && !span->hindsight)
			continue;
		event = add(list, span->start_ns, EVENT_PARK, pool->number * 1000 + (int64_t)i);
		if (!event)
			return -1;
		event->process = pool->owner;
		TEXT(event, "%s parked", pool->name);
		NOTE(event, span->hindsight ? "for good, in hindsight" : "will be asked again");
	}
	return 0;
}

static int add_end(struct event_list *list, const struct model_pool *pool)
{
	struct event *event;
	char held[FORMAT_MAX];

	if (pool->end_ns == MODEL_NONE)
		return 0;
	event = add(list, pool->end_ns, EVENT_POOL, pool->number);
	if (!event)
		return -1;
	event->id++;
	event->process = pool->owner;
	TEXT(event, "%s ended", pool->name);
	if (pool->idle_ns > 0)
		NOTE(event, "held idle for %s", format_duration(held, pool->idle_ns));
	return 0;
}

static int add_pools(struct event_list *list, const struct model *m)
{
	int failed = 0;

	for (size_t i = 0; i < m->pool_count && !failed; i++)
		failed = add_begin(list, m, i) || add_first_batch(list, &m->pools[i]) ||
			 add_exhausted(list, &m->pools[i]) || add_parked(list, &m->pools[i]) ||
			 add_end(list, &m->pools[i]);
	return failed;
}

static int add_phases(struct event_list *list, const struct model *m)
{
	for (size_t i = 0; i < m->phase_count; i++) {
		struct event *event;

		if (m->phases[i].between)
			continue;
		event = add(list, m->phases[i].start_ns, EVENT_PHASE, (int64_t)i);
		if (!event)
			return -1;
		event->process = m->phases[i].owner;
		TEXT(event, "%s", m->phases[i].name);
	}
	return 0;
}

static int add_peak(struct event_list *list, const struct model *m, const struct model_round *round,
		    int last)
{
	struct event *event = add(list, round->t_ns, EVENT_PEAK, round->t_ns / 1000000);
	char share[FORMAT_MAX], idle[FORMAT_MAX];

	if (!event)
		return -1;
	if (m->totals.limit_bytes == MODEL_NONE)
		TEXT(event, last ? "highest of the run" : "highest so far");
	else
		TEXT(event, "%s, %s of %s", last ? "highest of the run" : "highest so far",
		     format_percent(share, round->total_bytes, m->totals.limit_bytes),
		     format_bytes_like(idle, m->totals.limit_bytes, m->totals.limit_bytes));
	if (round->held_idle_bytes > 0)
		NOTE(event, "%s held idle", format_bytes(idle, round->held_idle_bytes));
	return 0;
}

/* Records that stood for a while: growth itself makes no list of peaks. */
static int add_peaks(struct event_list *list, const struct model *m)
{
	size_t best = 0;

	for (size_t i = 1; i < m->round_count; i++) {
		const struct model_round *record = &m->rounds[best], *round = &m->rounds[i];

		if (round->incomplete || round->total_bytes <= record->total_bytes)
			continue;
		if (round->t_ns - record->t_ns >= PEAK_STANDS &&
		    record->total_bytes > m->totals.peak_bytes / 4 && add_peak(list, m, record, 0))
			return -1;
		best = i;
	}
	return m->round_count && m->rounds[best].total_bytes > 0
		       ? add_peak(list, m, &m->rounds[best], m->complete)
		       : 0;
}

static int add_run(struct event_list *list, const struct model *m)
{
	struct event *event = add(list, 0, EVENT_START, 0);
	char limit[FORMAT_MAX], name[SIGNAL_NAME_MAX];

	if (!event)
		return -1;
	event->process = m->process_count ? 0 : -1;
	TEXT(event, "%.90s", m->command);
	if (m->totals.limit_bytes != MODEL_NONE)
		NOTE(event, "%.20s limit %s", m->totals.limit_source,
		     format_bytes(limit, m->totals.limit_bytes));
	if (m->end == MODEL_RUNNING)
		return 0;
	event = add(list, m->last_ns, EVENT_END, 0);
	if (!event)
		return -1;
	event->process = m->process_count ? 0 : -1;
	if (m->end == MODEL_EXITED)
		TEXT(event, "exit %lld", (long long)m->exit_code);
	else if (m->end == MODEL_KILLED)
		TEXT(event, "killed by %s%s", signal_name(name, m->exit_signal),
		     m->oom_killed ? " (out of memory)" : "");
	else
		TEXT(event, "the collector went before the end was known");
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	/* of one instant: the end of a thing before the beginning of the next, the run's own end last */
	return a->kind != b->kind ? (a->kind == EVENT_EXHAUST   ? -1
				     : b->kind == EVENT_EXHAUST ? 1
								: (int)a->kind - (int)b->kind)
				  : (a->id > b->id) - (a->id < b->id);
}

int event_list_build(struct event_list *list, const struct model *m)
{
	list->count = 0;
	if (add_run(list, m) || add_pools(list, m) || add_phases(list, m) || add_peaks(list, m))
		return -1;
	qsort(list->events, list->count, sizeof(*list->events), by_time);
	return 0;
}

void event_list_release(struct event_list *list)
{
	free(list->events);
	memset(list, 0, sizeof(*list));
}
