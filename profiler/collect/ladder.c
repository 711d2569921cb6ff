/* The semaphore ladder: see the header. */
#include "profiler/collect/ladder.h"

#include <stdlib.h>

#include "profiler/array.h"

enum {
	POOL_SEMAPHORES = 8,     /* of a result queue and an event */
	WORKER_SEMAPHORES = 3,   /* of an index queue */
	EXECUTOR_SEMAPHORES = 5, /* of a call queue and a result queue */
};

_Static_assert(LADDER_FIRST_SEMAPHORES == POOL_SEMAPHORES + WORKER_SEMAPHORES, "of a loader");

/* What is fresh in a child, but for `one_sided`. */
struct rise {
	size_t semaphores;
	size_t both;        /* pipes with both ends: queues */
	size_t read, write; /* one end, and not both with the owner: sentinels of processes */
	size_t handed;      /* one end, both with the owner: the queues of multiprocessing.Pool */
	size_t one_sided;   /* such pipes, those known before too */
};

/* The semaphores that it has of its owner: a worker may have made a pool of its own since. All of
 * them when the owner has let go of its queues. 0 or -1. */
static int inherited(struct id_set *out, const struct ladder_child *child)
{
	const struct id_set *all = &child->ipc->semaphores, *owners = &child->owner->semaphores;
	int whole = id_set_shared(all, owners) < POOL_SEMAPHORES;

	for (size_t i = 0; i < all->count; i++)
		if ((whole || id_set_has(owners, all->items[i])) &&
		    id_set_add(out, all->items[i]) < 0)
			return -1;
	return 0;
}

static struct rise rise_of(const struct ladder *l, const struct ladder_child *child,
			   const struct id_set *semaphores)
{
	struct rise r = {.semaphores =
				 semaphores->count - id_set_shared(semaphores, &l->semaphores)};

	for (size_t i = 0; i < child->ipc->pipe_count; i++) {
		const struct proc_pipe *pipe = &child->ipc->pipes[i];
		const struct proc_pipe *owners = proc_ipc_pipe(child->owner, pipe->inode);
		int one_sided = pipe->ends != PIPE_BOTH && owners && owners->ends == PIPE_BOTH;

		r.one_sided += (size_t)one_sided;
		if (id_set_has(&l->pipes, pipe->inode))
			continue;
		if (pipe->ends == PIPE_BOTH)
			r.both++;
		else if (one_sided)
			r.handed++;
		else if (pipe->ends == PIPE_READ)
			r.read++;
		else
			r.write++;
	}
	return r;
}

/* A process started by multiprocessing has one pipe to tell its end by and one to see its parent's:
 * those beyond are of siblings before it. A pipe that the user left half open is one of a kind. */
static size_t dead_siblings(const struct rise *r)
{
	size_t pairs = r->read < r->write ? r->read : r->write;

	return pairs ? pairs - 1 : 0;
}

static int is_explained_by_dead(size_t fresh, size_t dead)
{
	return fresh % WORKER_SEMAPHORES == 0 && fresh / WORKER_SEMAPHORES <= dead + 1;
}

/* The youngest pool of that kind whose queues the child has, and uses in the way of its workers; -1 =
 * none. */
static int find_pool(const struct ladder *l, const struct id_set *semaphores, enum ladder_kind kind,
		     const struct rise *r)
{
	for (size_t i = l->count; i-- > 0;) {
		const struct ladder_pool *pool = &l->pools[i];
		size_t needed = pool->semaphores.count < POOL_SEMAPHORES ? pool->semaphores.count
									 : POOL_SEMAPHORES;

		if (pool->kind == kind && (!pool->hands_over || r->one_sided >= 2) &&
		    id_set_shared(&pool->semaphores, semaphores) >= needed)
			return (int)i;
	}
	return -1;
}

static int add_pool(struct ladder *l, const struct id_set *semaphores, enum ladder_kind kind)
{
	struct ladder_pool *pool =
		array_add_item(&l->pools, &l->count, &l->capacity, sizeof(*pool));

	if (!pool)
		return -1;
	pool->kind = kind;
	pool->workers = 1;
	for (size_t i = 0; i < semaphores->count; i++)
		if (id_set_add(&pool->semaphores, semaphores->items[i]) < 0) {
			id_set_release(&pool->semaphores);
			l->count--;
			return -1;
		}
	return (int)l->count - 1;
}

static int is_first(const struct rise *r, size_t dead)
{
	if (r->semaphores >= POOL_SEMAPHORES)
		return !is_explained_by_dead(r->semaphores, dead);
	return r->handed >= 2 || (r->semaphores == EXECUTOR_SEMAPHORES && r->both >= 2);
}

static int is_started_by_python(const struct ladder_child *child, const struct rise *r)
{
	return child->named || child->spawned || r->read || r->write;
}

static struct ladder_step step_of(struct ladder *l, const struct ladder_child *child,
				  const struct id_set *semaphores, const struct rise *r)
{
	struct ladder_step step = {.fresh = r->semaphores, .dead = dead_siblings(r)};
	enum ladder_kind kind;
	int pool;

	if (!is_started_by_python(child, r))
		return step;
	if (is_first(r, step.dead)) {
		kind = child->named || (r->semaphores >= LADDER_FIRST_SEMAPHORES && r->handed < 2)
			       ? LADDER_LOADER
			       : LADDER_OTHER;
		pool = add_pool(l, semaphores, kind);
		if (pool >= 0)
			l->pools[pool].hands_over = r->handed >= 2;
		step.place = pool < 0 ? LADDER_FAILED : LADDER_NEW;
		step.pipes_agree = r->both >= step.dead + 2;
	} else {
		kind = r->semaphores >= WORKER_SEMAPHORES ? LADDER_LOADER : LADDER_OTHER;
		pool = find_pool(l, semaphores, kind, r);
		step.place = pool < 0 ? LADDER_NONE : LADDER_JOINED;
		step.pipes_agree = r->both < step.dead + 2;
		if (pool >= 0)
			l->pools[pool].workers++;
	}
	step.pool = pool < 0 ? 0 : (size_t)pool;
	return step;
}

struct ladder_step ladder_place(struct ladder *l, const struct ladder_child *child)
{
	struct id_set semaphores = {0};
	int failed = inherited(&semaphores, child);
	struct rise r = rise_of(l, child, &semaphores);
	struct ladder_step step = step_of(l, child, &semaphores, &r);

	for (size_t i = 0; i < semaphores.count; i++)
		failed |= id_set_add(&l->semaphores, semaphores.items[i]) < 0;
	for (size_t i = 0; i < child->ipc->pipe_count; i++)
		failed |= id_set_add(&l->pipes, child->ipc->pipes[i].inode) < 0;
	id_set_release(&semaphores);
	if (failed)
		step.place = LADDER_FAILED;
	return step;
}

void ladder_release(struct ladder *l)
{
	for (size_t i = 0; i < l->count; i++)
		id_set_release(&l->pools[i].semaphores);
	free(l->pools);
	id_set_release(&l->semaphores);
	id_set_release(&l->pipes);
	*l = (struct ladder){0};
}
