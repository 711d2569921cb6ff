/*
 * The job at every round of the session: figures of all processes summed into the job, its pools and the kinds of state they are in.
 * A refresh keeps the rounds before `dirty_ns` and makes the rest anew, so its cost is that of what is new.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

/* New processes are found within this time, or not in this way. */
#define FOUND_NS INT64_C(1000000000)

/* The walk over the rounds: who is alive is carried from one to the next. */
struct walk {
	struct model *m;
	struct model_private *priv;
	int *by_birth;   /* process indices in order of their first sample */
	size_t born;     /* how many of them have been seen */
	size_t alive;    /* how many indices priv->alive holds */
	size_t low_pool; /* pools before this one are over and without workers */
	struct model_round *round;
	size_t index;
};

int scratch_reserve(struct model *m)
{
	struct model_private *priv = m->priv;
	size_t n = priv->tables.processes.count;

	if (n > priv->scratch_count) {
		free(priv->figures);
		free(priv->cursors);
		free(priv->counts);
		free(priv->alive);
		priv->figures = calloc(n, sizeof(*priv->figures));
		priv->cursors = calloc(n, sizeof(*priv->cursors));
		priv->counts = calloc(n, sizeof(*priv->counts));
		priv->alive = calloc(n, sizeof(*priv->alive));
		priv->scratch_count =
			priv->figures && priv->cursors && priv->counts && priv->alive ? n : 0;
	}
	return priv->scratch_count >= n ? 0 : -1;
}

static int64_t first_sample(const struct tables *t, int process)
{
	const struct track *track = &t->tracks.items[process];

	return track->samples.count ? track->samples.items[0].t_ns : INT64_MAX;
}

static int by_first_sample(const void *a, const void *b, void *tables)
{
	int64_t x = first_sample(tables, *(const int *)a),
		y = first_sample(tables, *(const int *)b);

	if (x != y)
		return x < y ? -1 : 1;
	return *(const int *)a - *(const int *)b;
}

static int begin_walk(struct walk *w, int64_t t_ns)
{
	struct tables *t = &w->priv->tables;
	size_t n = t->processes.count;

	w->by_birth = malloc((n + 1) * sizeof(int));
	if (!w->by_birth)
		return -1;
	for (size_t i = 0; i < n; i++) {
		w->by_birth[i] = (int)i;
		series_seek(&t->tracks.items[i], t_ns - 1, &w->priv->cursors[i]);
		w->priv->figures[i] = (struct figures){0};
	}
	if (n)
		qsort_r(w->by_birth, n, sizeof(int), by_first_sample, t);
	return 0;
}

/* Not seen in this round and never again: it goes after the one round that its vanishing spoils. */
static int is_gone(const struct tables *t, int process, const struct series_cursor *c,
		   int64_t previous_ns)
{
	const struct track *track = &t->tracks.items[process];

	return c->samples == track->samples.count &&
	       track->samples.items[c->samples - 1].t_ns < previous_ns;
}

/* A process that was there but not found yet: what it maps is missing in this round, and its relatives' shares are less for it. */
static int is_one_missing(const struct walk *w, int64_t t_ns)
{
	const struct tables *t = &w->priv->tables;

	for (size_t i = w->born; i < t->processes.count; i++) {
		int64_t found_ns = first_sample(t, w->by_birth[i]);

		if (found_ns == INT64_MAX || found_ns > t_ns + FOUND_NS)
			return 0;
		if (t->processes.items[w->by_birth[i]].born_ns <= t_ns)
			return 1;
	}
	return 0;
}

static void keep_the_living(struct walk *w, int64_t t_ns, int64_t previous_ns)
{
	struct tables *t = &w->priv->tables;
	size_t kept = 0;

	while (w->born < t->processes.count && first_sample(t, w->by_birth[w->born]) <= t_ns)
		w->priv->alive[w->alive++] = w->by_birth[w->born++];
	w->round->incomplete |= is_one_missing(w, t_ns);
	for (size_t i = 0; i < w->alive; i++) {
		int p = w->priv->alive[i];
		struct figures *f = &w->priv->figures[p];

		series_advance(&t->tracks.items[p], t_ns, &w->priv->cursors[p]);
		series_figures(t, p, &w->priv->cursors[p], t_ns, f);
		w->round->incomplete |= f->vanished &&
					!is_gone(t, p, &w->priv->cursors[p], previous_ns);
		if (f->alive || !is_gone(t, p, &w->priv->cursors[p], t_ns))
			w->priv->alive[kept++] = p;
	}
	w->alive = kept;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void note_maxima(struct model_process *p, const struct figures *f, int64_t proportional)
{
	p->proportional_max = larger(p->proportional_max, proportional);
	p->private_max = larger(p->private_max, f->private_bytes);
	p->live_heap_max = larger(p->live_heap_max, f->live_bytes);
	p->unshared_max = larger(p->unshared_max, f->unshared_bytes);
	p->unshared_walked_max =
		larger(p->unshared_walked_max, f->unshared_bytes - f->copied_guess_bytes);
}

static struct pool_point *point_here(const struct walk *w, int pool)
{
	struct pool_store *store = pool < 0 ? NULL : &w->priv->stores.items[pool];

	if (!store || !store->points.count ||
	    store->first_round + store->points.count - 1 != w->index)
		return NULL;
	return &store->points.items[store->points.count - 1];
}

static void add_process(struct walk *w, int process)
{
	const struct figures *f = &w->priv->figures[process];
	struct pool_point *point = point_here(w, w->m->processes[process].pool);
	int64_t proportional = series_proportional(f);

	if (!f->alive)
		return;
	w->round->total_bytes += proportional;
	w->round->rss_sum_bytes += f->rss_bytes;
	w->round->processes++;
	w->round->estimated |= f->estimated;
	note_maxima(&w->m->processes[process], f, proportional);
	if (!point)
		return;
	point->memory += proportional;
	point->private_bytes += f->private_bytes;
	point->live += f->live_bytes;
	point->unshared += f->unshared_bytes;
	point->workers++;
}

/* Objects that only descriptors hold are in no process's Pss: they are added to the job, and to the pool whose worker made them.
 * Parked ones go with their maker. */
static void add_shared_memory(struct walk *w)
{
	const struct tables *t = &w->priv->tables;
	const struct shm_walk *walk = tables_walk_at(t, w->round->t_ns);

	for (size_t i = 0; walk && i < walk->count; i++) {
		const struct shm_row *row = &t->shm.items[walk->first + i];
		struct pool_point *point =
			row->creator < 0 ? NULL : point_here(w, w->m->processes[row->creator].pool);

		if (row->class == SHM_PARKED && row->creator >= 0 &&
		    !w->priv->figures[row->creator].alive)
			continue;
		w->round->total_bytes += row->unmapped_bytes;
		if (!point)
			continue;
		point->memory += row->unmapped_bytes;
		point->shm += row->bytes;
		point->parked += row->class == SHM_PARKED ? row->bytes : 0;
	}
}

/* Makes room for this round in every pool that is alive or has workers left. */
static int open_points(struct walk *w)
{
	for (size_t i = w->low_pool; i < w->m->pool_count; i++) {
		struct pool_store *store = &w->priv->stores.items[i];
		enum model_state state = model_pool_state(&w->m->pools[i], w->round->t_ns);
		struct pool_point *last =
			store->points.count ? &store->points.items[store->points.count - 1] : NULL;
		int contiguous = last && store->first_round + store->points.count == w->index;

		if (state == MODEL_LATER)
			continue;
		if (state == MODEL_ENDED && !(contiguous && last->workers)) {
			if (i == w->low_pool)
				w->low_pool++;
			continue;
		}
		if (!last)
			store->first_round = w->index;
		else if (!contiguous)
			continue;
		if (!array_add(&store->points))
			return -1;
	}
	return 0;
}

/* An older pool that is exhausted while a newer one of its stage lives: what the overlap costs. */
static int has_successor(const struct walk *w, size_t pool, int64_t exhausted_ns)
{
	const struct model_pool *p = &w->m->pools[pool];

	for (size_t i = pool + 1; i < w->m->pool_count; i++) {
		const struct model_pool *q = &w->m->pools[i];
		enum model_state state = model_pool_state(q, w->round->t_ns);

		if (state != MODEL_LATER && state != MODEL_ENDED &&
		    pool_succeeds(q, p, exhausted_ns))
			return 1;
	}
	return 0;
}

static void add_exhausted(struct walk *w, size_t pool, const struct pool_point *point)
{
	const struct model_span *span = pool_span_at(&w->m->pools[pool], w->round->t_ns);
	int64_t held = point->private_bytes + point->parked;

	w->round->idle_bytes += point->memory;
	w->round->held_idle_bytes += held;
	if (w->m->pools[pool].releasable && !span->hindsight)
		w->round->held_idle_releasable_bytes += held;
	if (has_successor(w, pool, span->start_ns))
		w->round->overlap_bytes += point->private_bytes;
}

static void split_by_state(struct walk *w)
{
	struct model_round *r = w->round;

	for (size_t i = w->low_pool; i < w->m->pool_count; i++) {
		const struct pool_point *point = point_here(w, (int)i);
		enum model_state state = point ? model_pool_state(&w->m->pools[i], r->t_ns)
					       : MODEL_LATER;

		r->pools_alive += state != MODEL_LATER && state != MODEL_ENDED;
		if (state == MODEL_STARTING || state == MODEL_DELIVERING)
			r->delivering_bytes += point->memory;
		else if (state == MODEL_PARKED)
			r->parked_bytes += point->memory;
		if (state == MODEL_PARKED || state == MODEL_EXHAUSTED)
			r->parked_batch_bytes += point->parked;
		if (state == MODEL_EXHAUSTED)
			add_exhausted(w, i, point);
	}
	r->owner_bytes = r->total_bytes - r->delivering_bytes - r->parked_bytes - r->idle_bytes;
}

static void read_system(struct walk *w)
{
	const struct system_row *system = tables_system_at(&w->priv->tables, w->round->t_ns);

	w->round->limit_bytes = system ? system->limit_bytes : MODEL_NONE;
	w->round->cgroup_bytes = system ? system->current_bytes : MODEL_NONE;
}

static int make_round(struct walk *w)
{
	const struct tables *t = &w->priv->tables;
	int64_t t_ns = t->times.items[w->index].t_ns;

	w->round = array_add(&w->priv->rounds);
	if (!w->round)
		return -1;
	w->round->t_ns = t_ns;
	if (open_points(w) < 0)
		return -1;
	keep_the_living(w, t_ns, w->index ? t->times.items[w->index - 1].t_ns : t_ns);
	series_share(&w->priv->tables, w->priv->alive, w->alive, w->priv->figures, w->priv->cursors,
		     t_ns, w->priv->counts);
	for (size_t i = 0; i < w->alive; i++)
		add_process(w, w->priv->alive[i]);
	add_shared_memory(w);
	split_by_state(w);
	read_system(w);
	return 0;
}

/* Forgets what lies at or after round `first`. */
static void cut(struct model_private *priv, size_t first)
{
	if (priv->rounds.count > first)
		priv->rounds.count = first;
	for (size_t i = 0; i < priv->stores.count; i++) {
		struct pool_store *store = &priv->stores.items[i];

		if (store->first_round >= first)
			store->points.count = 0;
		else if (store->first_round + store->points.count > first)
			store->points.count = first - store->first_round;
	}
}

int rounds_build(struct model *m, int64_t dirty_ns)
{
	struct model_private *priv = m->priv;
	struct walk w = {.m = m, .priv = priv};
	size_t first = dirty_ns == INT64_MIN ? 0 : array_until(&priv->tables.times, dirty_ns - 1);
	int failed = 0;

	if (first > priv->rounds.count)
		first = priv->rounds.count;
	cut(priv, first);
	if (first < priv->tables.times.count) {
		failed = begin_walk(&w, priv->tables.times.items[first].t_ns) < 0;
		for (w.index = first; !failed && w.index < priv->tables.times.count; w.index++)
			failed = make_round(&w) < 0;
	}
	free(w.by_birth);
	m->rounds = priv->rounds.items;
	m->round_count = priv->rounds.count;
	return failed ? -1 : 0;
}

size_t figures_at(const struct model *m, int64_t t_ns)
{
	struct model_private *priv = m->priv;
	struct tables *t = &priv->tables;
	size_t alive = 0;

	for (size_t i = 0; i < t->processes.count; i++) {
		series_seek(&t->tracks.items[i], t_ns, &priv->cursors[i]);
		series_figures(t, (int)i, &priv->cursors[i], t_ns, &priv->figures[i]);
		if (priv->figures[i].alive)
			priv->alive[alive++] = (int)i;
	}
	series_share(t, priv->alive, alive, priv->figures, priv->cursors, t_ns, priv->counts);
	return alive;
}

const struct pool_point *pool_point_at(const struct model *m, size_t pool, size_t round)
{
	const struct pool_store *store = &m->priv->stores.items[pool];

	if (round < store->first_round || round - store->first_round >= store->points.count)
		return NULL;
	return &store->points.items[round - store->first_round];
}

int model_round_at(const struct model *m, int64_t t_ns)
{
	return (int)array_count_until(m->rounds, m->round_count, sizeof(*m->rounds), t_ns) - 1;
}
