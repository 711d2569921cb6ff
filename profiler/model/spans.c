/*
 * The states of a pool over its life, as spans without gaps from its birth to its end, from the edges the shim saw; where edges are
 * missing (a lost event, a pool found from outside) from the times in the pool's row.
 *
 *   begin ──→ starting ──first──→ delivering ←──deliver/reuse── parked, exhausted
 *                                     │ └──park──→ parked ──(nothing delivered after, pool or run over)──→ exhausted, in hindsight
 *                                     └──exhausted──→ exhausted ──end──→ ended
 *
 * A pool that is shut down as soon as it is exhausted holds nothing idle: while its workers leave it still counts as delivering.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

/* After that many at the latest the workers of a pool that is done with were told to end, or, where nobody tells of that, have ended. */
#define SHUTDOWN_NS INT64_C(1000000000)

struct edges {
	const struct session_pool *row;
	const struct model_pool *pool;
	int64_t end_ns;        /* of the pool, or now */
	int64_t delivered_ns;  /* the last moment a batch was handed out, as far as known */
	int over;              /* nothing more can happen to it */
	int released;          /* the hook ended it because it was exhausted */
	enum model_kept kept;  /* the hook left it alone */
	int64_t closing_ns;    /* its workers were told to end; MODEL_NONE */
	const char *framework; /* as its birth tells it: "lightning 2.6.1"; "" = not known */
};

static int add_span(struct pool_store *store, int64_t t_ns, enum model_state state)
{
	struct model_span *last = store->spans.count ? &store->spans.items[store->spans.count - 1]
						     : NULL;
	struct model_span *span;

	if (last && last->state == state)
		return 0;
	if (last && t_ns <= last->start_ns) { /* no time was spent in it */
		last->state = state;
		return 0;
	}
	if (last)
		last->end_ns = t_ns;
	span = array_add(&store->spans);
	if (!span)
		return -1;
	*span = (struct model_span){.start_ns = t_ns, .end_ns = t_ns, .state = state};
	return 0;
}

/* The state after an edge, or the state before when it means nothing then. */
static enum model_state state_after(enum model_state state, enum event_kind kind)
{
	switch (kind) {
	case EVENT_POOL_FIRST:
	case EVENT_POOL_REUSE:
		return MODEL_DELIVERING;
	case EVENT_POOL_DELIVER:
		return state == MODEL_STARTING ? MODEL_STARTING : MODEL_DELIVERING;
	case EVENT_POOL_PARK:
		return state == MODEL_EXHAUSTED ? MODEL_EXHAUSTED : MODEL_PARKED;
	case EVENT_POOL_EXHAUSTED:
		return MODEL_EXHAUSTED;
	default:
		return state;
	}
}

static int is_state_edge(enum event_kind kind)
{
	return kind == EVENT_POOL_FIRST || kind == EVENT_POOL_REUSE || kind == EVENT_POOL_DELIVER ||
	       kind == EVENT_POOL_PARK || kind == EVENT_POOL_EXHAUSTED;
}

/* Without edges: the times of the row. */
static int spans_from_row(struct pool_store *store, const struct edges *e)
{
	int failed = 0;

	if (e->row->first_batch_ns != SESSION_NULL)
		failed |= add_span(store, e->row->first_batch_ns, MODEL_DELIVERING);
	if (e->row->exhausted_ns != SESSION_NULL)
		failed |= add_span(store, e->row->exhausted_ns, MODEL_EXHAUSTED);
	return failed;
}

static void note_release(struct edges *e, const struct event_row *event)
{
	if (event->kind != EVENT_RELEASE)
		return;
	e->released |= event->value == MODEL_NOT_KEPT;
	if (event->value > MODEL_NOT_KEPT && event->value < MODEL_KEPTS)
		e->kept = (enum model_kept)event->value;
}

static int spans_from_events(struct model *m, size_t index, struct edges *e)
{
	const struct tables *t = &m->priv->tables;
	struct pool_store *store = &m->priv->stores.items[index];
	enum model_state state = MODEL_STARTING;
	int exhausted_seen = 0, edges = 0, failed = 0;

	for (size_t i = array_until(&t->events, e->pool->begin_ns - 1); i < t->events.count; i++) {
		const struct event_row *event = &t->events.items[i];

		if (event->t_ns > e->end_ns)
			break;
		if (event->pool != (int)index)
			continue;
		note_release(e, event);
		if (event->kind == EVENT_POOL_CLOSING)
			e->closing_ns = event->t_ns;
		if (event->kind == EVENT_POOL_BEGIN)
			e->framework = event->text;
		if (!is_state_edge(event->kind))
			continue;
		edges++;
		exhausted_seen |= event->kind == EVENT_POOL_EXHAUSTED;
		state = state_after(state, event->kind);
		failed |= add_span(store, event->t_ns, state);
	}
	if (!edges)
		return failed | spans_from_row(store, e);
	/* the row knows of an end that no edge told: a lost event */
	if (!exhausted_seen && e->row->exhausted_ns != SESSION_NULL && state != MODEL_EXHAUSTED)
		failed |= add_span(store, e->row->exhausted_ns, MODEL_EXHAUSTED);
	return failed;
}

static struct model_span *last_span(struct pool_store *store)
{
	return &store->spans.items[store->spans.count - 1];
}

/* The loop's own limit was met, though nobody said so. */
static int exhaust_by_count(struct pool_store *store, const struct edges *e)
{
	enum model_state state = last_span(store)->state;
	int64_t t_ns = e->row->last_batch_ns;

	if ((state != MODEL_DELIVERING && state != MODEL_PARKED) || e->row->persistent ||
	    e->row->expected_batches == SESSION_NULL || e->row->expected_batches <= 0 ||
	    e->row->batches < e->row->expected_batches || t_ns == SESSION_NULL || t_ns > e->end_ns)
		return 0;
	if (state == MODEL_PARKED) {
		last_span(store)->state = MODEL_EXHAUSTED;
		return 0;
	}
	return add_span(store, t_ns, MODEL_EXHAUSTED);
}

/* Parked and never asked again, as is known when the pool or the run is over. */
static void apply_hindsight(struct pool_store *store, const struct edges *e)
{
	for (size_t i = store->spans.count; e->over && i-- > 0;) {
		struct model_span *span = &store->spans.items[i];

		if (span->state == MODEL_PARKED &&
		    (i + 1 == store->spans.count || span->start_ns >= e->delivered_ns)) {
			span->state = MODEL_EXHAUSTED;
			span->hindsight = 1;
		} else if (span->state != MODEL_EXHAUSTED && span->start_ns < e->delivered_ns) {
			break; /* asked, and it had something */
		}
	}
}

/* Did the owner turn to another pool in between? */
static int turned_away(const struct model *m, size_t index, int64_t start_ns, int64_t end_ns)
{
	const struct tables *t = &m->priv->tables;

	for (size_t i = 0; i < m->pool_count; i++)
		if (i != index && m->pools[i].owner == m->pools[index].owner &&
		    m->pools[i].begin_ns >= start_ns && m->pools[i].begin_ns < end_ns)
			return 1;
	for (size_t i = array_until(&t->events, start_ns - 1); i < t->events.count; i++) {
		const struct event_row *event = &t->events.items[i];

		if (event->t_ns >= end_ns)
			break;
		if (event->pool >= 0 && event->pool != (int)index &&
		    (size_t)event->pool < m->pool_count &&
		    m->pools[event->pool].owner == m->pools[index].owner &&
		    is_state_edge(event->kind) && event->kind != EVENT_POOL_PARK &&
		    event->kind != EVENT_POOL_EXHAUSTED)
			return 1;
	}
	return 0;
}

static void drop_shutdown(const struct model *m, size_t index, struct pool_store *store,
			  const struct edges *e)
{
	struct model_span *last = last_span(store);
	int64_t told_ns = e->closing_ns == MODEL_NONE ? e->end_ns : e->closing_ns;

	if (last->state != MODEL_EXHAUSTED || store->spans.count < 2)
		return;
	if (!e->released && (told_ns - last->start_ns > SHUTDOWN_NS ||
			     turned_away(m, index, last->start_ns, told_ns)))
		return;
	store->spans.count--;
	last_span(store)->end_ns = e->end_ns;
}

/* An owner that is gone asks nobody: its pools end with it. */
static int64_t end_of_pool(const struct model *m, const struct model_pool *pool, int *over)
{
	const struct model_process *owner = pool->owner < 0 ? NULL : &m->processes[pool->owner];
	int64_t end_ns = m->last_ns;

	*over = 1;
	if (pool->end_ns != MODEL_NONE)
		end_ns = pool->end_ns;
	else if (owner && owner->ended_ns != MODEL_NONE)
		end_ns = owner->ended_ns;
	else
		*over = m->end != MODEL_RUNNING;
	return end_ns > pool->begin_ns ? end_ns : pool->begin_ns;
}

static void set_framework(struct strings *s, struct model_pool *pool, const char *told)
{
	const char *blank = strchr(told, ' ');

	pool->framework = blank ? strings_format(s, "%.*s", (int)(blank - told), told) : told;
	pool->framework_version = blank ? strings_keep(s, blank + 1) : "";
}

static int build_pool(struct model *m, size_t index)
{
	struct model_pool *pool = &m->pools[index];
	struct pool_store *store = &m->priv->stores.items[index];
	struct edges e = {.row = &m->priv->tables.pools.items[index],
			  .pool = pool,
			  .closing_ns = MODEL_NONE,
			  .framework = ""};

	e.end_ns = end_of_pool(m, pool, &e.over);
	e.delivered_ns = e.row->last_batch_ns == SESSION_NULL ? INT64_MAX : e.row->last_batch_ns;
	store->spans.count = 0;
	if (add_span(store, pool->begin_ns, pool->grouped ? MODEL_DELIVERING : MODEL_STARTING) ||
	    spans_from_events(m, index, &e) || exhaust_by_count(store, &e))
		return -1;
	last_span(store)->end_ns = e.end_ns;
	apply_hindsight(store, &e);
	drop_shutdown(m, index, store, &e);
	pool->over = e.over;
	pool->released = e.released;
	pool->kept = e.kept;
	pool->closing_ns = e.closing_ns;
	set_framework(&m->priv->tables.strings, pool, e.framework);
	pool->spans = store->spans.items;
	pool->span_count = store->spans.count;
	return 0;
}

/* The first moment at which two lists of spans say different things. */
static int64_t first_difference(const struct model_span *a, size_t a_count,
				const struct model_span *b, size_t b_count)
{
	size_t i = 0;

	while (i < a_count && i < b_count && a[i].start_ns == b[i].start_ns &&
	       a[i].state == b[i].state) {
		if (a[i].end_ns != b[i].end_ns)
			return a[i].end_ns < b[i].end_ns ? a[i].end_ns : b[i].end_ns;
		i++;
	}
	if (i == a_count && i == b_count)
		return INT64_MAX;
	if (i == a_count || i == b_count)
		return i == a_count ? b[i].start_ns : a[i].start_ns;
	return a[i].start_ns < b[i].start_ns ? a[i].start_ns : b[i].start_ns;
}

int spans_build(struct model *m, int64_t *dirty_ns)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		struct pool_store *store = &m->priv->stores.items[i];
		struct model_span *before = NULL;
		size_t count = store->spans.count;
		int64_t changed_ns;

		if (count) {
			before = malloc(count * sizeof(*before));
			if (!before)
				return -1;
			memcpy(before, store->spans.items, count * sizeof(*before));
		}
		if (build_pool(m, i) < 0) {
			free(before);
			return -1;
		}
		changed_ns =
			first_difference(before, count, store->spans.items, store->spans.count);
		if (changed_ns < *dirty_ns)
			*dirty_ns = changed_ns;
		free(before);
	}
	return 0;
}

const char *model_kept_name(enum model_kept kept)
{
	static const char *const names[MODEL_KEPTS] = {
		[MODEL_KEPT_PERSISTENT] = "persistent",
		[MODEL_KEPT_STATEFUL] = "stateful",
		[MODEL_KEPT_NEEDED] = "needed",
	};

	return names[kept];
}

const struct model_span *pool_span_at(const struct model_pool *pool, int64_t t_ns)
{
	size_t begun = array_count_until(pool->spans, pool->span_count, sizeof(*pool->spans), t_ns);

	return begun ? &pool->spans[begun - 1] : NULL;
}

int pool_reuses(const struct model *m, size_t pool)
{
	const struct tables *t = &m->priv->tables;
	int count = 0;

	for (size_t i = 0; i < t->events.count; i++)
		count += t->events.items[i].kind == EVENT_POOL_REUSE &&
			 t->events.items[i].pool == (int)pool;
	return count;
}

enum model_state model_pool_state(const struct model_pool *pool, int64_t t_ns)
{
	const struct model_span *span = pool_span_at(pool, t_ns);
	int last = span && span == &pool->spans[pool->span_count - 1];

	if (!span)
		return MODEL_LATER;
	/* a pool that is alive is still so at the last moment seen */
	if (last && (pool->over ? t_ns >= span->end_ns : t_ns > span->end_ns))
		return MODEL_ENDED;
	return span->state;
}

static int is_same_loader(const struct model_pool *a, const struct model_pool *b)
{
	return !strcmp(a->label, b->label) && !strcmp(a->origin, b->origin) &&
	       !strcmp(a->dataset, b->dataset);
}

int pool_succeeds(const struct model_pool *newer, const struct model_pool *older,
		  int64_t exhausted_ns)
{
	if (newer->owner != older->owner || newer->stage != older->stage)
		return 0;
	if ((older->stage == MODEL_STAGE_OTHER || older->persistent) &&
	    !is_same_loader(newer, older))
		return 0;
	return newer->first_batch_ns == MODEL_NONE || exhausted_ns <= newer->first_batch_ns;
}
