/* Pools of all owners: see the header. */
#include "profiler/collect/pools.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"

static void free_pool(struct pool *pool)
{
	free(pool->workers);
	free(pool);
}

void pools_release(struct pools *ps)
{
	for (size_t i = 0; i < ps->count; i++)
		free_pool(ps->items[i]);
	free(ps->items);
	*ps = (struct pools){0};
}

int pool_is_group(const struct pool *pool)
{
	return !!(pool->last.row.flags & POOL_FLAG_GROUP);
}

struct pool *pools_find(const struct pools *ps, const struct process *owner, uint32_t id)
{
	for (size_t i = 0; i < ps->count; i++)
		if (ps->items[i]->owner == owner && ps->items[i]->id == id)
			return ps->items[i];
	return NULL;
}

int pools_refer_to(const struct pools *ps, const struct process *p)
{
	for (size_t i = 0; i < ps->count; i++) {
		if (ps->items[i]->owner == p)
			return 1;
		for (size_t w = 0; w < ps->items[i]->worker_count; w++)
			if (ps->items[i]->workers[w].process == p)
				return 1;
	}
	return 0;
}

/* ---- rows ---- */

/* In the order of the enums of loopmem.h, which are part of the segment. */
static const char *const stage_names[] = {"other",    "train", "sanity",
					  "validate", "test",  "predict"};
static const char *const start_names[POOL_STARTS] = {"none", "fork", "spawn", "forkserver",
						     "thread"};
enum { FLAG_PERSISTENT = 1, FLAG_STATEFUL = 2, FLAG_NAMED = 4, FLAG_GROUP = POOL_FLAG_GROUP };

#define NAME(names, index) \
	((index) < sizeof(names) / sizeof((names)[0]) ? (names)[index] : (names)[0])

const char *pools_stage_name(uint32_t stage)
{
	return NAME(stage_names, stage);
}

static int64_t known(int64_t value)
{
	return value <= POOL_UNKNOWN ? SESSION_NULL : value;
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static void write_pool(struct pool *pool, const struct recorder *r, int64_t now_ns)
{
	const struct loopmem_pool_row *row = &pool->last.row;
	const struct session_pool out = {
		.id = pool->number,
		.owner = pool->owner->id,
		.owner_pool = pool->id,
		.stage = pools_stage_name(row->stage),
		.epoch = known(row->epoch),
		.label = text_or_null(row->label),
		.dataset = text_or_null(row->dataset),
		.origin = text_or_null(row->origin),
		.start_method = NAME(start_names, row->start),
		.workers = row->workers < 0 ? 0 : row->workers,
		.batch_size = known(row->batch_size),
		.prefetch = known(row->prefetch),
		.persistent = !!(row->flags & FLAG_PERSISTENT),
		.stateful = !!(row->flags & FLAG_STATEFUL),
		.named = !!(row->flags & FLAG_NAMED),
		.guessed = pool->guessed,
		.grouped = pool_is_group(pool),
		.expected_batches = known(row->expected_batches),
		.batches = (int64_t)row->batches,
		.stall_ns = (int64_t)row->stall_ns,
		.begin_ns = recorder_past(r, row->begin_ns),
		.first_batch_ns = recorder_time(r, row->first_batch_ns),
		.last_batch_ns = recorder_time(r, row->last_batch_ns),
		.exhausted_ns = recorder_time(r, row->exhausted_ns),
		.end_ns = recorder_time(r, row->end_ns),
		.alloc_bytes = (int64_t)pool->last.alloc_bytes,
		.free_bytes = (int64_t)pool->last.free_bytes,
	};

	session_put_pool(r->session, &out);
	pool->written_ns = now_ns;
}

/* Did more change than its running counts? */
static int edge_between(const struct loopmem_pool_row *a, const struct loopmem_pool_row *b)
{
	return a->state != b->state || a->stage != b->stage || a->epoch != b->epoch ||
	       a->workers != b->workers || a->uses != b->uses ||
	       a->expected_batches != b->expected_batches ||
	       a->first_batch_ns != b->first_batch_ns || a->exhausted_ns != b->exhausted_ns ||
	       a->end_ns != b->end_ns || strcmp(a->label, b->label) != 0;
}

static void update_row(struct pool *pool, const struct recorder *r, const struct segment_pool *seen,
		       int64_t now_ns, int whole)
{
	const int64_t period_ns = 1000000000;

	if (!memcmp(seen, &pool->last, sizeof(*seen)))
		return;
	if (!whole && !edge_between(&seen->row, &pool->last.row) &&
	    now_ns - pool->written_ns < period_ns)
		return;
	pool->last = *seen;
	pool->over = seen->row.state == LOOPMEM_POOL_ENDED;
	write_pool(pool, r, now_ns);
}

/* ---- births ---- */

static struct pool *add_pool(struct pools *ps, struct process *owner,
			     const struct segment_pool *seen)
{
	struct pool *pool = calloc(1, sizeof(*pool)), **place = pool ? array_add(ps) : NULL;

	if (!place) {
		free(pool);
		return NULL;
	}
	pool->owner = owner;
	pool->id = seen->row.id;
	pool->last = *seen;
	pool->over = seen->row.state == LOOPMEM_POOL_ENDED;
	*place = pool;
	return pool;
}

static void make_owner(struct process *p, struct job *j)
{
	if (p->role != ROLE_WORKER)
		p->role = ROLE_OWNER;
	p->rank = process_rank(p->pid);
	process_write(p, j->recorder);
}

/* Takes up the pools of one owner that are newer than those known; they get their numbers later. */
static void take_up(struct pools *ps, struct job *j, struct process *owner)
{
	uint64_t begun = segment_pools_begun(&owner->segment);
	uint32_t newest = owner->last_pool_id, found = 0;
	struct segment_pool seen;

	if (begun <= owner->last_pool_id)
		return;
	for (unsigned i = 0; i < LOOPMEM_POOLS; i++) {
		if (!segment_pool(&owner->segment, i, &seen) ||
		    seen.row.id <= owner->last_pool_id || seen.row.id > begun)
			continue;
		if (!add_pool(ps, owner, &seen))
			return;
		found++;
		newest = seen.row.id > newest ? seen.row.id : newest;
	}
	/* the first may not be 1: a child goes on counting where its parent was */
	if (owner->last_pool_id && newest - owner->last_pool_id > found)
		recorder_note(j->recorder, "warning",
			      "pools came and went too fast to be seen: %u of them",
			      newest - owner->last_pool_id - found);
	if (found && !owner->last_pool_id)
		make_owner(owner, j);
	owner->last_pool_id = newest;
}

static int by_birth(const void *a, const void *b)
{
	const struct pool *x = *(struct pool *const *)a, *y = *(struct pool *const *)b;

	if (x->last.row.begin_ns != y->last.row.begin_ns)
		return x->last.row.begin_ns < y->last.row.begin_ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void pools_find_new(struct pools *ps, struct job *j)
{
	size_t first = ps->count;
	struct process *p;

	for (size_t i = 0; i < j->count; i++) {
		p = j->items[i];
		if (p->segment.map)
			take_up(ps, j, p);
	}
	if (first == ps->count)
		return;
	qsort(ps->items + first, ps->count - first, sizeof(*ps->items), by_birth);
	for (size_t i = first; i < ps->count; i++) {
		ps->items[i]->number = ++ps->last_number;
		write_pool(ps->items[i], j->recorder, recorder_now(j->recorder));
	}
}

/* ---- workers ---- */

struct worker_search {
	struct pools *pools;
	struct job *job;
	struct process *owner;
};

static void number_workers(struct pool *pool)
{
	for (size_t i = 0; i < pool->worker_count; i++) {
		struct process *p = pool->workers[i].process;

		if (!p || p == pool->owner)
			continue;
		p->pool = pool->number;
		p->worker_index = (int64_t)i;
		p->worker_count = (int64_t)pool->worker_count;
	}
}

static void join_process(struct pool *pool, struct pool_worker *worker, struct job *j,
			 struct process *p)
{
	worker->process = p;
	if (p != pool->owner && p->role != ROLE_ROOT &&
	    (p->role != ROLE_OWNER || !pool_is_group(pool))) {
		p->role = ROLE_WORKER;
		process_write(p, j->recorder);
	}
	session_put_pool_worker(j->recorder->session,
				&(struct session_pool_worker){pool->number, p->id,
							      known(worker->worker_id)});
	number_workers(pool);
}

/* Joins a worker to its process, once that is known. Workers that are threads have their owner's
 * pid. */
static void find_process(struct pool *pool, struct pool_worker *worker, struct job *j)
{
	struct process *p = job_find_inner(j, worker->pid, worker->t_ns);

	if (!p)
		p = job_add(j, worker->pid, NULL);
	if (p && p->inner_pid == worker->pid)
		join_process(pool, worker, j, p);
}

static struct pool_worker *add_worker(struct pool *pool, const struct loopmem_worker_row *row,
				      const struct recorder *r)
{
	struct pool_worker *worker = array_add_item(&pool->workers, &pool->worker_count,
						    &pool->worker_capacity, sizeof(*worker));

	if (!worker)
		return NULL;
	worker->pid = row->pid;
	worker->worker_id = row->worker_id;
	worker->t_ns = recorder_past(r, row->time_ns);
	return worker;
}

static void take_worker(const struct loopmem_worker_row *row, void *arg)
{
	const struct worker_search *search = arg;
	struct pool *pool = pools_find(search->pools, search->owner, row->pool_id);
	struct pool_worker *worker;

	if (!pool || row->pid <= 0)
		return;
	for (size_t i = 0; i < pool->worker_count; i++)
		if (pool->workers[i].pid == row->pid &&
		    pool->workers[i].worker_id == row->worker_id)
			return;
	worker = add_worker(pool, row, search->job->recorder);
	if (worker)
		find_process(pool, worker, search->job);
}

void pools_update(struct pools *ps, struct job *j, struct process *owner, int64_t now_ns, int whole)
{
	struct worker_search search = {.pools = ps, .job = j, .owner = owner};
	struct segment_pool seen;

	if (!owner->last_pool_id || !owner->segment.map)
		return;
	for (unsigned i = 0; i < LOOPMEM_POOLS; i++) {
		struct pool *pool;

		if (!segment_pool(&owner->segment, i, &seen))
			continue;
		pool = pools_find(ps, owner, seen.row.id);
		if (pool)
			update_row(pool, j->recorder, &seen, now_ns, whole);
	}
	segment_each_worker(&owner->segment, take_worker, &search);
}

/* ---- pools that no segment tells of ---- */

static struct pool *add_untold(struct pools *ps, struct job *j, struct process *owner,
			       const struct loopmem_pool_row *row, int guessed)
{
	const struct segment_pool seen = {.row = *row};
	struct pool *pool = add_pool(ps, owner, &seen);

	if (!pool)
		return NULL;
	if (owner->role != ROLE_OWNER)
		make_owner(owner, j);
	pool->guessed = guessed;
	pool->number = ++ps->last_number;
	pool_rewrite(pool, j);
	return pool;
}

struct pool *pools_add_guess(struct pools *ps, struct job *j, struct process *owner,
			     const struct loopmem_pool_row *row)
{
	return add_untold(ps, j, owner, row, 1);
}

struct pool *pools_add_forks(struct pools *ps, struct job *j, struct process *owner,
			     const struct loopmem_pool_row *row)
{
	return add_untold(ps, j, owner, row, 0);
}

void pool_add_untold_worker(struct pool *pool, struct job *j, struct process *p)
{
	const struct loopmem_worker_row row = {
		.pid = p->inner_pid,
		.worker_id = (int32_t)pool->worker_count,
		.time_ns = (uint64_t)(j->recorder->clock_ns + p->born_ns),
	};
	struct pool_worker *worker = add_worker(pool, &row, j->recorder);

	if (worker)
		join_process(pool, worker, j, p);
}

void pool_rewrite(struct pool *pool, struct job *j)
{
	write_pool(pool, j->recorder, recorder_now(j->recorder));
}

/* ---- ends ---- */

static void note_orphans(struct pool *pool, struct job *j, int64_t now_ns)
{
	const int64_t grace_ns = 200000000;

	if (pool_is_group(
		    pool)) /* a program may leave what it forked to itself: the model judges */
		return;
	if (pool->owner->state == PROCESS_ALIVE || now_ns - pool->owner->ended_ns < grace_ns)
		return;
	for (size_t i = 0; i < pool->worker_count; i++) {
		struct pool_worker *w = &pool->workers[i];
		struct session_event event = {.t_ns = now_ns,
					      .kind = "note",
					      .pool = pool->number,
					      .value = SESSION_NULL,
					      .value2 = SESSION_NULL,
					      .text = "orphan: its owner has ended"};

		if (w->orphan || !w->process || w->process == pool->owner ||
		    w->process->state != PROCESS_ALIVE)
			continue;
		w->orphan = 1;
		event.process = w->process->id;
		session_put_event(j->recorder->session, &event);
		recorder_note(j->recorder, "notice", "a worker outlived its owner");
	}
}

void pools_owner_gone(struct pools *ps, const struct process *owner)
{
	for (size_t i = 0; i < ps->count; i++) {
		if (ps->items[i]->owner != owner)
			continue;
		ps->items[i]->over = 1;
		ps->items[i]->id = 0;
	}
}

/* A group whose processes are replaced for ever keeps those that the owner's ring may still name. */
static void forget_dead(struct pool *pool)
{
	size_t kept = 0, newest = pool->worker_count - LOOPMEM_WORKERS;

	for (size_t i = 0; i < pool->worker_count; i++) {
		const struct pool_worker *w = &pool->workers[i];

		if (i >= newest || (w->process && w->process->state == PROCESS_ALIVE))
			pool->workers[kept++] = *w;
	}
	pool->worker_count = kept;
}

static int workers_live(const struct pool *pool)
{
	for (size_t i = 0; i < pool->worker_count; i++) {
		const struct process *p = pool->workers[i].process;

		if (p && p != pool->owner && p->state == PROCESS_ALIVE)
			return 1;
	}
	return 0;
}

/* A pool can be seen to begin and end at once, before the segment of a worker that died is: what the
 * program did between the two looks. Then the segment comes within a tick. */
static int awaits_worker(struct pool *pool)
{
	enum { PATIENCE = 3 };

	if (pool->awaited == PATIENCE)
		return 0;
	for (size_t i = 0; i < pool->worker_count; i++)
		if (!pool->workers[i].process) {
			pool->awaited++;
			return 1;
		}
	return 0;
}

void pools_settle(struct pools *ps, struct job *j, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < ps->count; i++) {
		struct pool *pool = ps->items[i];

		for (size_t w = 0; w < pool->worker_count; w++)
			if (!pool->workers[w].process)
				find_process(pool, &pool->workers[w], j);
		note_orphans(pool, j, now_ns);
		if (pool_is_group(pool) && pool->worker_count > 2 * LOOPMEM_WORKERS)
			forget_dead(pool);
		if (pool->over && !workers_live(pool) && !awaits_worker(pool))
			free_pool(pool);
		else
			ps->items[kept++] = pool;
	}
	ps->count = kept;
}

void pool_mark_edge(struct pool *pool, enum process_edge edge, uint64_t turn)
{
	process_mark_edge(pool->owner, pool->worker_count ? PROCESS_EDGE_BEGINS : edge);
	for (size_t i = 0; i < pool->worker_count; i++) {
		struct process *p = pool->workers[i].process;

		if (p && is_representative((int64_t)i, (int64_t)pool->worker_count, turn))
			process_mark_edge(p, edge);
	}
}
