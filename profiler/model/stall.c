/* What one pool's owner would wait: from the times of its batches, and from how busy the CPUs were meanwhile. */
#include "profiler/model/stall.h"

#include <math.h>

#include "profiler/model/private.h"
#include "profiler/model/what_if.h"

#define NS_PER_SECOND 1e9

/* In the unit of ticks that Linux shows to programs (USER_HZ). */
#define TICKS_PER_SECOND 100.0

/* Workers that wanted so many times the CPUs that they got, and for half of the time, waited for them, where that is more than so many
 * standard errors of their readings. */
#define WAITED_RATIO  1.3
#define WAITED_SHARE  0.5
#define WAITED_ERRORS 1.5

/* Workers that used a CPU for this part of the time of a batch compute it. */
#define COMPUTES_SHARE 0.5

/* CPU time between two readings of a process closer together than this is too coarse. */
#define READINGS_NS INT64_C(900000000)

/* Time in which a pool was delivering, from its first batch to its last. */
static double delivering_s(const struct model_pool *pool, int64_t last_ns)
{
	double seconds = 0;

	for (size_t i = 0; i < pool->span_count; i++) {
		int64_t start = pool->spans[i].start_ns, end = pool->spans[i].end_ns;

		start = start > pool->first_batch_ns ? start : pool->first_batch_ns;
		end = end < last_ns ? end : last_ns;
		if (pool->spans[i].state == MODEL_DELIVERING && end > start)
			seconds += (double)(end - start) / NS_PER_SECOND;
	}
	return seconds;
}

/* CPUs that a process used on average in a span of time, and wanted: readings at which it ran or waited for one. */
struct use {
	double used, wanted;
	int readings;
};

/* From the process's readings in the span; 0 = there are too few of them. */
static int use_of(const struct track *track, int64_t from_ns, int64_t to_ns, struct use *out)
{
	const struct detail_row *first = NULL, *last = NULL;
	int running = 0;

	*out = (struct use){0};
	for (size_t i = 0; i < track->details.count; i++) {
		const struct detail_row *row = &track->details.items[i];

		if (row->t_ns < from_ns || row->t_ns > to_ns)
			continue;
		first = first ? first : row;
		last = row;
		out->readings++;
		running += row->running;
	}
	if (!first || last->t_ns - first->t_ns < READINGS_NS)
		return 0;
	out->used = (double)(last->cpu_ticks - first->cpu_ticks) / TICKS_PER_SECOND /
		    ((double)(last->t_ns - first->t_ns) / NS_PER_SECOND);
	out->wanted = (double)running / out->readings;
	return 1;
}

/* What a pool was seen to do. */
struct observed {
	double between_s, stall_s, first_s;
	int cpus_known;
	struct use workers, owner;
};

static void observe_cpus(const struct model *m, size_t index, int64_t last_ns, struct observed *o)
{
	const struct model_pool *pool = &m->pools[index];
	const struct track *tracks = m->priv->tables.tracks.items;
	int known = pool->member_count > 0 && m->cpu_count != MODEL_NONE &&
		    use_of(&tracks[pool->owner], pool->first_batch_ns, last_ns, &o->owner);

	o->workers = (struct use){0};
	for (size_t i = 0; i < pool->member_count && known; i++) {
		struct use one;

		known = use_of(&tracks[pool->members[i]], pool->first_batch_ns, last_ns, &one);
		o->workers.used += one.used;
		o->workers.wanted += one.wanted;
		o->workers.readings += one.readings;
	}
	o->cpus_known = known;
}

static int observe(const struct model *m, size_t index, struct observed *o)
{
	const struct model_pool *pool = &m->pools[index];
	int64_t last_ns = m->priv->tables.pools.items[index].last_batch_ns;

	if (pool->batches < 2 || pool->start_ns == MODEL_NONE || last_ns == MODEL_NONE)
		return 0;
	o->first_s = (double)pool->start_ns / NS_PER_SECOND;
	o->between_s = delivering_s(pool, last_ns);
	o->stall_s =
		fmin(fmax(0, (double)pool->stall_ns / NS_PER_SECOND - o->first_s), o->between_s);
	observe_cpus(m, index, last_ns, o);
	return 1;
}

static int waited_for_cpus(const struct observed *o, int64_t workers)
{
	const struct use *use = &o->workers;
	double share = fmin(1, use->used / (double)workers);
	double error = sqrt(share * (1 - share) / (use->readings ? use->readings : 1));

	return use->wanted >= WAITED_SHARE * (double)workers &&
	       use->wanted > WAITED_RATIO * use->used &&
	       use->wanted - use->used > WAITED_ERRORS * error * (double)workers;
}

/* A process that was seen too seldom to want a CPU wanted what it used, at least. */
static double wanted(const struct use *use)
{
	return fmax(use->wanted, use->used);
}

/* CPUs for the job where workers waited for them, with as many workers as are asked for: `growth` times as many. */
static double share_of_cpus(const struct observed *o, double cpus, double growth)
{
	double want = wanted(&o->workers) + wanted(&o->owner);
	double new_want = wanted(&o->workers) * growth + wanted(&o->owner);
	double used = o->workers.used + o->owner.used;
	double others = fmax(0, want * (cpus / used - 1));

	return sqrt(fmin(cpus, used) * cpus * new_want / (new_want + others));
}

/* How long a batch takes with as many workers as are asked for. `d` is as it was. */
static double load_s(const struct model *m, const struct observed *o, const struct delivery *d,
		     int64_t workers, struct stall_change *out)
{
	double batch_s = o->between_s / (double)(d->batches - 1), cpus = (double)m->cpu_count;
	double load = d->load_s, own_s = o->workers.used * batch_s, shared_s;

	if (!o->cpus_known)
		return load;
	out->cpu_s = own_s + o->owner.used * batch_s;
	out->is_crowded = waited_for_cpus(o, d->workers);
	if (out->is_crowded)
		load = fmax(own_s, load - (o->workers.wanted - o->workers.used) * batch_s);
	out->is_computing = out->is_crowded || own_s > COMPUTES_SHARE * load;
	if (out->cpu_s > 0)
		out->workers_most = load * cpus / out->cpu_s;
	if (out->is_crowded && out->cpu_s > 0)
		cpus = share_of_cpus(o, cpus, (double)workers / (double)d->workers);
	shared_s = (double)workers * out->cpu_s / cpus;
	out->is_limited = shared_s > load;
	return fmax(load, shared_s);
}

void stall_predict(const struct model *m, size_t pool, const struct stall_question *q,
		   struct stall_change *out)
{
	struct delivery d = {q->workers, q->prefetch, m->pools[pool].batches, 0, 0};
	struct observed o;
	double before_s, after_s;

	*out = (struct stall_change){.cpu_s = -1};
	if (!observe(m, pool, &o))
		return;
	d.step_s = (o.between_s - o.stall_s) / (double)(d.batches - 1);
	d.load_s = delivery_load_s(d, o.stall_s, o.first_s);
	before_s = delivery_stall_s(&d);
	if (q->new_workers != q->workers)
		d.load_s = load_s(m, &o, &d, q->new_workers, out);
	d.workers = q->new_workers;
	d.prefetch = q->new_prefetch;
	after_s = delivery_stall_s(&d);
	out->seconds = after_s - before_s;
	/* it never waited for more than handing over takes */
	if (o.stall_s < STALL_NONE_SHARE * o.between_s)
		out->bound_s = after_s;
}
