/*
 * What each owner was doing: the phases it named itself; where it named none, the stage of the pool it takes batches from. Between two
 * phases lies a gap ("between"); a gap inside one and the same stage and epoch (its second loader is being built) is no gap.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

/* A moment at which something begins or ends for an owner. */
struct change {
	int64_t t_ns;
	size_t order; /* of equal moments: as found */
	enum { PHASE_PUSH, PHASE_POP, POOL_ON, POOL_OFF } what;
	int pool;
	const struct event_row *event;
};

struct sweep {
	struct model *m;
	int owner;
	ARRAY(struct change) changes;
	ARRAY(const struct event_row *) stack; /* phases the owner is in, innermost last */
	ARRAY(int) delivering;                 /* pools, latest last */
	size_t first;                          /* of this owner in the phases */
};

static int add_change(struct sweep *s, struct change change)
{
	struct change *to = array_add(&s->changes);

	if (!to)
		return -1;
	*to = change;
	to->order = s->changes.count;
	return 0;
}

static int collect_changes(struct sweep *s)
{
	const struct tables *t = &s->m->priv->tables;
	int failed = 0;

	for (size_t i = 0; i < t->events.count; i++) {
		const struct event_row *event = &t->events.items[i];

		if (event->process != s->owner)
			continue;
		if (event->kind == EVENT_PHASE_BEGIN)
			failed |= add_change(s, (struct change){event->t_ns, 0, PHASE_PUSH, -1,
								event});
		else if (event->kind == EVENT_PHASE_END)
			failed |= add_change(s,
					     (struct change){event->t_ns, 0, PHASE_POP, -1, event});
	}
	for (size_t i = 0; i < s->m->pool_count; i++) {
		const struct model_pool *pool = &s->m->pools[i];

		/* beside a loop a group is no phase of it */
		if (pool->grouped && s->m->processes[s->owner].has_loaders)
			continue;
		for (size_t k = 0; k < pool->span_count && pool->owner == s->owner; k++) {
			if (pool->spans[k].state != MODEL_DELIVERING)
				continue;
			failed |= add_change(s, (struct change){pool->spans[k].start_ns, 0, POOL_ON,
								(int)i, NULL});
			if (k + 1 < pool->span_count || pool->over)
				failed |= add_change(s, (struct change){pool->spans[k].end_ns, 0,
									POOL_OFF, (int)i, NULL});
		}
	}
	return failed;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void remove_pool(struct sweep *s, int pool)
{
	for (size_t i = 0; i < s->delivering.count; i++)
		if (s->delivering.items[i] == pool) {
			memmove(&s->delivering.items[i], &s->delivering.items[i + 1],
				(s->delivering.count - i - 1) * sizeof(int));
			s->delivering.count--;
			return;
		}
}

static int apply(struct sweep *s, const struct change *change)
{
	const struct event_row **named;
	int *pool;

	switch (change->what) {
	case PHASE_PUSH:
		named = array_add(&s->stack);
		if (!named)
			return -1;
		*named = change->event;
		break;
	case PHASE_POP:
		if (s->stack.count)
			s->stack.count--;
		break;
	case POOL_ON:
		pool = array_add(&s->delivering);
		if (!pool)
			return -1;
		*pool = change->pool;
		break;
	case POOL_OFF:
		remove_pool(s, change->pool);
		break;
	}
	return 0;
}

static const char *name_phase(struct model *m, const struct model_phase *phase)
{
	struct strings *strings = &m->priv->tables.strings;
	const char *stage = model_stage_name(phase->stage);

	if (phase->stage == MODEL_STAGE_OTHER && phase->pool >= 0)
		stage = m->pools[phase->pool].label[0] ? m->pools[phase->pool].label
						       : m->pools[phase->pool].short_name;
	if (phase->epoch == MODEL_NONE)
		return stage;
	return strings_format(strings, "%s e%lld", stage, (long long)phase->epoch);
}

/* What the owner is doing now, as a phase without times; between = 1 when nothing. */
static struct model_phase current_phase(struct sweep *s)
{
	struct model_phase phase = {
		.owner = s->owner, .pool = -1, .epoch = MODEL_NONE, .between = 1, .name = ""};

	if (s->stack.count) {
		const struct event_row *event = s->stack.items[s->stack.count - 1];

		phase.between = 0;
		phase.stage = event->value >= 0 && event->value < MODEL_STAGES
				      ? (enum model_stage)event->value
				      : MODEL_STAGE_OTHER;
		phase.epoch = event->value2 < 0 ? MODEL_NONE : event->value2;
		phase.name = event->text[0] ? event->text : name_phase(s->m, &phase);
	} else if (s->delivering.count) {
		const struct model_pool *pool;

		phase.pool = s->delivering.items[s->delivering.count - 1];
		pool = &s->m->pools[phase.pool];
		phase.between = 0;
		phase.stage = pool->stage;
		phase.epoch = pool->epoch;
		phase.name = name_phase(s->m, &phase);
	}
	return phase;
}

static int same_phase(const struct model_phase *a, const struct model_phase *b)
{
	return !a->between && !b->between && a->stage == b->stage && a->epoch == b->epoch &&
	       a->name == b->name && (a->epoch != MODEL_NONE || a->pool == b->pool);
}

static int enter(struct sweep *s, struct model_phase phase, int64_t t_ns)
{
	struct model_private *priv = s->m->priv;
	size_t n = priv->phases.count;
	struct model_phase *last = n > s->first ? &priv->phases.items[n - 1] : NULL, *to;

	if (last && last->start_ns >= t_ns) { /* no time was spent in it */
		priv->phases.count--;
		return enter(s, phase, t_ns);
	}
	if (last)
		last->end_ns = t_ns;
	if ((!last && phase.between) || (last && last->between && phase.between))
		return 0;
	if (last && same_phase(last, &phase))
		return 0;
	if (last && last->between && n - 1 > s->first && same_phase(last - 1, &phase)) {
		priv->phases.count--;
		return 0;
	}
	to = array_add(&priv->phases);
	if (!to)
		return -1;
	*to = phase;
	to->start_ns = to->end_ns = t_ns;
	if (phase.between && n > s->first) {
		to->stage = priv->phases.items[n - 1].stage;
		to->epoch = priv->phases.items[n - 1].epoch;
		to->name = "between";
	}
	return 0;
}

static int sweep_owner(struct sweep *s)
{
	struct model_private *priv = s->m->priv;

	s->first = priv->phases.count;
	if (collect_changes(s))
		return -1;
	if (s->changes.count)
		qsort(s->changes.items, s->changes.count, sizeof(*s->changes.items), by_time);
	for (size_t i = 0; i < s->changes.count; i++) {
		const struct change *change = &s->changes.items[i];

		if (apply(s, change) < 0)
			return -1;
		if (i + 1 < s->changes.count && s->changes.items[i + 1].t_ns == change->t_ns)
			continue;
		if (enter(s, current_phase(s), change->t_ns) < 0)
			return -1;
	}
	if (priv->phases.count > s->first) {
		struct model_phase *last = &priv->phases.items[priv->phases.count - 1];
		int64_t owner_end = s->m->processes[s->owner].ended_ns;
		int64_t end_ns = owner_end != MODEL_NONE ? owner_end : s->m->last_ns;

		last->end_ns = end_ns > last->start_ns ? end_ns : last->start_ns;
	}
	return 0;
}

static int64_t overlap_ns(const struct model_phase *phase, const struct model_span *span)
{
	int64_t start = span->start_ns > phase->start_ns ? span->start_ns : phase->start_ns;
	int64_t end = span->end_ns < phase->end_ns ? span->end_ns : phase->end_ns;

	return end > start ? end - start : 0;
}

/* A pool's waiting time is known as a sum: it is given to the phases by how long the pool delivered in each. */
static int64_t stall_in(const struct model *m, const struct model_phase *phase)
{
	double stall = 0;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];
		int64_t delivered = 0, here = 0;

		for (size_t k = 0; k < pool->span_count && pool->owner == phase->owner; k++) {
			if (pool->spans[k].state != MODEL_DELIVERING &&
			    pool->spans[k].state != MODEL_STARTING)
				continue;
			delivered += pool->spans[k].end_ns - pool->spans[k].start_ns;
			here += overlap_ns(phase, &pool->spans[k]);
		}
		if (delivered)
			stall += (double)pool->stall_ns * (double)here / (double)delivered;
	}
	return (int64_t)stall;
}

static void measure(const struct model *m, struct model_phase *phase)
{
	int i = model_round_at(m, phase->start_ns - 1);

	for (size_t k = (size_t)(i + 1); k < m->round_count && m->rounds[k].t_ns < phase->end_ns;
	     k++)
		if (!m->rounds[k].incomplete && m->rounds[k].total_bytes > phase->peak_bytes)
			phase->peak_bytes = m->rounds[k].total_bytes;
	phase->stall_ns = phase->between ? 0 : stall_in(m, phase);
}

static int by_start(const void *a, const void *b)
{
	const struct model_phase *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->owner - y->owner;
}

/* A loader that a worker has for itself is no phase of the run: the phase is that of the pool that it works for. */
static int makes_phases(const struct model *m, const struct model_pool *pool)
{
	return pool->owner >= 0 && m->processes[pool->owner].role != MODEL_ROLE_WORKER;
}

/* Whoever trains with a pool or named a phase; the caller frees the flags. */
static char *find_owners(const struct model *m)
{
	const struct tables *t = &m->priv->tables;
	char *owns = calloc(m->process_count + 1, 1);

	for (size_t i = 0; owns && i < m->pool_count; i++)
		if (makes_phases(m, &m->pools[i]))
			owns[m->pools[i].owner] = 1;
	for (size_t i = 0; owns && i < t->events.count; i++)
		if (t->events.items[i].kind == EVENT_PHASE_BEGIN && t->events.items[i].process >= 0)
			owns[t->events.items[i].process] = 1;
	return owns;
}

int phases_build(struct model *m)
{
	struct model_private *priv = m->priv;
	char *owns = find_owners(m);
	int failed = !owns;

	priv->phases.count = 0;
	for (size_t i = 0; i < m->process_count && !failed; i++) {
		struct sweep s = {.m = m, .owner = (int)i};

		if (!owns[i])
			continue;
		failed = sweep_owner(&s);
		array_release(&s.changes);
		array_release(&s.stack);
		array_release(&s.delivering);
	}
	if (priv->phases.count)
		qsort(priv->phases.items, priv->phases.count, sizeof(*priv->phases.items),
		      by_start);
	for (size_t i = 0; i < priv->phases.count; i++)
		measure(m, &priv->phases.items[i]);
	m->phases = priv->phases.items;
	m->phase_count = priv->phases.count;
	free(owns);
	return failed ? -1 : 0;
}
