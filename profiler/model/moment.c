/* Everything at one moment: the round, its composition, every pool and every process. */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

/* Figures of a walk older than this are shown as last seen. */
#define STALE_NS INT64_C(2000000000)

/* The worker did nothing between the two looks at it around t_ns. */
static int is_idle(const struct track *track, int64_t t_ns)
{
	size_t n = array_until(&track->details, t_ns);

	return n >= 2 &&
	       track->details.items[n - 1].cpu_ticks == track->details.items[n - 2].cpu_ticks;
}

static const char *process_state(const struct model *m, size_t i, int64_t t_ns, int alive)
{
	const struct model_process *p = &m->processes[i];

	if (!alive && p->born_ns > t_ns)
		return "";
	if (!alive)
		return p->exit_signal != MODEL_NONE && p->exit_signal ? "killed" : "ended";
	if (p->role != MODEL_ROLE_WORKER)
		return "";
	if (p->orphan && m->processes[m->pools[p->pool].owner].ended_ns <= t_ns)
		return "orphan";
	if (model_pool_state(&m->pools[p->pool], t_ns) == MODEL_EXHAUSTED)
		return "idle";
	if (!m->priv->tables.tracks.items[i].details.count)
		return "";
	return is_idle(&m->priv->tables.tracks.items[i], t_ns) ? "idle" : "busy";
}

static int64_t open_fds(const struct track *track, int64_t t_ns)
{
	size_t n = array_until(&track->details, t_ns);

	return n ? track->details.items[n - 1].fds : MODEL_NONE;
}

static int is_stale(const struct figures *f, int64_t t_ns)
{
	return f->walk_ns == MODEL_NONE || t_ns - f->walk_ns > STALE_NS;
}

static void fill_process(const struct model *m, size_t i, struct model_moment *out)
{
	const struct figures *f = &m->priv->figures[i];
	struct model_process_moment *p = &out->processes[i];

	*p = (struct model_process_moment){
		.alive = f->alive,
		.proportional = f->alive ? series_proportional(f) : 0,
		.private_bytes = f->private_bytes,
		.live_heap = f->live_bytes,
		.unshared = f->unshared_bytes,
		.rss = f->rss_bytes,
		.fds = f->alive ? open_fds(&m->priv->tables.tracks.items[i], out->t_ns)
				: MODEL_NONE,
		.state = process_state(m, i, out->t_ns, f->alive),
		.stale = f->alive && is_stale(f, out->t_ns),
	};
}

static void fill_pool(const struct model *m, size_t i, size_t round, struct model_moment *out)
{
	const struct model_pool *pool = &m->pools[i];
	const struct pool_point *point = pool_point_at(m, i, round);
	const struct model_span *span = pool_span_at(pool, out->t_ns);
	struct model_pool_moment *to = &out->pools[i];

	to->state = model_pool_state(pool, out->t_ns);
	to->batches = to->state == MODEL_EXHAUSTED || to->state == MODEL_ENDED ||
				      out->t_ns == m->last_ns
			      ? pool->batches
			      : MODEL_NONE;
	to->since_ns = to->state == MODEL_ENDED ? span->end_ns
		       : span                   ? span->start_ns
						: pool->begin_ns;
	to->hindsight = span && to->state == MODEL_EXHAUSTED && span->hindsight;
	if (!point || to->state == MODEL_LATER)
		return;
	to->memory = point->memory;
	to->private_bytes = point->private_bytes;
	to->live_heap = point->live;
	to->unshared = point->unshared;
	to->shm = point->shm;
	to->workers_alive = point->workers;
	to->held_idle = held_idle(m, i, round, out->t_ns);
	for (size_t k = 0; k < pool->member_count; k++)
		to->stale |= out->processes[pool->members[k]].stale;
}

static void fill_in_owner(const struct model *m, struct model_moment *out)
{
	for (size_t i = 0; i < m->site_count; i++)
		if (in_owner_counts(m, i))
			out->pools[m->sites[i].pool].in_owner +=
				model_site_at(m, i, out->t_ns).live_bytes;
}

static int phase_at(const struct model *m, int64_t t_ns)
{
	int found = -1;

	for (size_t i = 0; i < m->phase_count && m->phases[i].start_ns <= t_ns; i++)
		if (t_ns < m->phases[i].end_ns || i + 1 == m->phase_count)
			found = (int)i;
	return found;
}

int model_at(const struct model *m, int64_t t_ns, struct model_moment *out)
{
	int64_t first_ns = m->round_count ? m->rounds[0].t_ns : 0;
	int round;

	memset(out, 0, sizeof(*out));
	out->t_ns = t_ns > m->last_ns ? m->last_ns : t_ns < first_ns ? first_ns : t_ns;
	out->pools = calloc(m->pool_count + 1, sizeof(*out->pools));
	out->processes = calloc(m->process_count + 1, sizeof(*out->processes));
	if (!out->pools || !out->processes) {
		model_moment_release(out);
		return ERROR_SYSTEM;
	}
	out->phase = phase_at(m, out->t_ns);
	round = model_round_at(m, out->t_ns);
	if (round < 0) {
		out->round =
			(struct model_round){.limit_bytes = MODEL_NONE, .cgroup_bytes = MODEL_NONE};
		return 0;
	}
	/* all figures are those of one instant: the round's */
	out->round = m->rounds[round];
	composition_make(m, out->round.t_ns, figures_at(m, out->round.t_ns), &out->composition);
	for (size_t i = 0; i < m->process_count; i++)
		fill_process(m, i, out);
	for (size_t i = 0; i < m->pool_count; i++)
		fill_pool(m, i, (size_t)round, out);
	fill_in_owner(m, out);
	return 0;
}

void model_moment_release(struct model_moment *moment)
{
	free(moment->pools);
	free(moment->processes);
	memset(moment, 0, sizeof(*moment));
}
