/*
 * From processes to pools: waits until a new process has what it will have, finds its owner, places
 * it on the owner's ladder. What becomes of the pools is in attach_pools.c.
 */
#include "profiler/collect/attach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/array.h"
#include "profiler/collect/attach_pools.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/ladder.h"

#define SECOND INT64_C(1000000000)

enum { WAITING = 64 };

/* A worker that was handed its queues and may not have taken all of them yet. */
struct waiting {
	int64_t id; /* of the process; 0 = free */
	size_t semaphores;
	int64_t since_ns; /* it has that many */
};

/* The ladder of one owner's children, and the guesses its pools became. */
struct family {
	int64_t owner; /* process id */
	struct ladder ladder;
	int64_t *numbers; /* of the guess, for each pool of the ladder */
	size_t capacity;
	struct proc_ipc ipc; /* the owner's, as read in the pass `pass` */
	uint64_t pass;
};

struct attach {
	struct edges *edges;
	struct discovery *discovery;
	struct attach_pools pools;
	struct family *families;
	size_t family_count, family_capacity;
	struct id_set placed; /* ids of living processes that were dealt with */
	struct waiting waiting[WAITING];
	struct proc_text maps;
	uint64_t pass;
	int64_t due_ns, cost_ns; /* of a pass, on average */
	int64_t workers, agreed; /* placed; of them by both witnesses */
	int refused;             /* maps or descriptors of a process could not be read */
};

struct attach *attach_new(struct edges *edges, struct discovery *discovery)
{
	struct attach *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->edges = edges;
	a->discovery = discovery;
	a->pools.edges = edges;
	return a;
}

static void release_family(struct family *f)
{
	ladder_release(&f->ladder);
	proc_ipc_release(&f->ipc);
	free(f->numbers);
}

void attach_free(struct attach *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->family_count; i++)
		release_family(&a->families[i]);
	free(a->families);
	id_set_release(&a->placed);
	proc_text_release(&a->maps);
	attach_pools_release(&a->pools);
	free(a);
}

/* ---- who was dealt with ---- */

static int is_alive(const struct attach *a, int64_t id)
{
	const struct process *p = job_find_id(a->edges->job, id);

	return p && p->state == PROCESS_ALIVE;
}

static void forget_ended(struct attach *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->placed.count; i++)
		if (is_alive(a, (int64_t)a->placed.items[i]))
			a->placed.items[kept++] = a->placed.items[i];
	a->placed.count = kept;
	kept = 0;
	for (size_t i = 0; i < a->family_count; i++)
		if (is_alive(a, a->families[i].owner))
			a->families[kept++] = a->families[i];
		else
			release_family(&a->families[i]);
	a->family_count = kept;
}

/* ---- what a process holds ---- */

static int64_t age_ns(const struct process *p)
{
	int64_t tick_ns = SECOND / sysconf(_SC_CLK_TCK);

	return clock_read_ns(CLOCK_BOOTTIME) - (int64_t)p->start_ticks * tick_ns;
}

static int is_spawned(const struct process *p)
{
	return !p->forked && strstr(p->cmdline, "multiprocessing.spawn");
}

static int is_forkservers(const struct process *p)
{
	return p->parent && p->parent->role == ROLE_FORKSERVER;
}

static int is_named_worker(pid_t pid)
{
	char name[32];
	ssize_t n = proc_read(pid, "comm", name, sizeof(name));

	return n > 0 && !strncmp(name, "pt_data_worker", strlen("pt_data_worker"));
}

static int read_ipc(struct attach *a, const struct process *p, struct proc_ipc *ipc)
{
	if (!proc_text_read(&a->maps, p->pid, "maps", PROC_MAPS_LIMIT) &&
	    !proc_ipc_parse_maps(ipc, a->maps.data) && !proc_ipc_read_fds(ipc, p->pid))
		return 0;
	if (p->state == PROCESS_ALIVE && !a->refused++)
		recorder_note(a->edges->job->recorder, "warning",
			      "maps or fd of a process cannot be read: its pool is not found");
	return -1;
}

/* ---- owners ---- */

static struct family *family_of(struct attach *a, const struct process *owner)
{
	struct family *f;

	for (size_t i = 0; i < a->family_count; i++)
		if (a->families[i].owner == owner->id)
			return &a->families[i];
	f = array_add_item(&a->families, &a->family_count, &a->family_capacity, sizeof(*f));
	if (f)
		f->owner = owner->id;
	return f;
}

/* What the owner has, read once a pass. */
static const struct proc_ipc *owners_ipc(struct attach *a, struct family *f,
					 const struct process *owner)
{
	if (f->pass != a->pass) {
		proc_ipc_release(&f->ipc);
		read_ipc(a, owner, &f->ipc);
		f->pass = a->pass;
	}
	return &f->ipc;
}

static int holds_a_queue_of(const struct proc_ipc *owner, const struct proc_ipc *child)
{
	for (size_t i = 0; i < child->pipe_count; i++) {
		const struct proc_pipe *pipe = proc_ipc_pipe(
			owner, child->pipes[i].ends == PIPE_BOTH ? child->pipes[i].inode : 0);

		if (pipe && pipe->ends == PIPE_BOTH)
			return 1;
	}
	return 0;
}

/* A forkserver forks for others: the owner is who holds both ends of a queue of the worker's, and
 * is none of its siblings. */
static struct process *owner_by_queue(const struct attach *a, const struct process *worker,
				      const struct proc_ipc *ipc)
{
	struct process *server = worker->parent, *p;

	JOB_EACH_ALIVE(a->edges->job, p) {
		struct proc_ipc held = {0};
		int is_owner = p->parent != server && p != server &&
			       !proc_ipc_read_fds(&held, p->pid) && holds_a_queue_of(&held, ipc);

		proc_ipc_release(&held);
		if (is_owner)
			return p;
	}
	return server->parent;
}

static struct process *owner_of(const struct attach *a, const struct process *worker,
				const struct proc_ipc *ipc)
{
	return is_forkservers(worker) ? owner_by_queue(a, worker, ipc) : worker->parent;
}

/* ---- placing ---- */

/* Remembers which guess the ladder's pool became. */
static int keep_number(struct family *f, size_t pool, int64_t number)
{
	if (pool >= f->capacity) {
		size_t capacity = 2 * (pool + 4);
		int64_t *numbers = realloc(f->numbers, capacity * sizeof(*numbers));

		if (!numbers)
			return -1;
		f->numbers = numbers;
		f->capacity = capacity;
	}
	f->numbers[pool] = number;
	return 0;
}

static enum pool_start start_of(const struct process *p)
{
	return is_forkservers(p) ? POOL_START_FORKSERVER
	       : is_spawned(p)   ? POOL_START_SPAWN
				 : POOL_START_FORK;
}

static void place(struct attach *a, struct process *p, const struct proc_ipc *ipc)
{
	struct process *owner = owner_of(a, p, ipc);
	struct family *f = owner ? family_of(a, owner) : NULL;
	struct attach_queues queues;
	struct ladder_child child;
	struct ladder_step step;

	if (!f)
		return;
	child = (struct ladder_child){
		.ipc = ipc,
		.owner = owners_ipc(a, f, owner),
		.named = is_named_worker(p->pid),
		.spawned = start_of(p) != POOL_START_FORK,
	};
	attach_queues_find(&queues, &child, &f->ladder.pipes);
	step = ladder_place(&f->ladder, &child);
	if (step.place == LADDER_NEW &&
	    keep_number(f, step.pool,
			attach_pools_add(&a->pools, &(struct attach_found){
							    .owner = owner,
							    .first = p,
							    .start = start_of(p),
							    .kind = f->ladder.pools[step.pool].kind,
							    .queues = queues,
						    })))
		return;
	if (step.place != LADDER_NEW && step.place != LADDER_JOINED)
		return;
	attach_pools_join(&a->pools, f->numbers[step.pool], p);
	a->workers++;
	a->agreed += step.pipes_agree;
}

enum readiness { READY, NOT_YET, NEVER };

/* A child of fork has its queues at once, but may be about to become another program; one that was
 * handed them has them once it has imported what it needs. */
static enum readiness readiness_of(struct attach *a, struct process *p)
{
	const int64_t settled_ns = 200000000;

	if (!p->parent || p->role >= ROLE_FORKSERVER || p->role == ROLE_ROOT)
		return NEVER;
	if (age_ns(p) < settled_ns)
		return NOT_YET;
	if (process_look_again(p) > 0)
		process_write(p, a->edges->job->recorder);
	return p->role >= ROLE_FORKSERVER || (!p->forked && !is_spawned(p)) ? NEVER : READY;
}

static struct waiting *waiting_of(struct attach *a, int64_t id)
{
	struct waiting *unused = NULL;

	for (struct waiting *w = a->waiting; w < a->waiting + WAITING; w++) {
		if (w->id == id)
			return w;
		if (!w->id || !is_alive(a, w->id))
			unused = w;
	}
	if (unused)
		*unused = (struct waiting){.id = id};
	return unused;
}

/* Has a worker that is handed its queues taken all of them? It unpickles one after the other: a
 * loader's are complete by their number, others when it took no more for a while. */
static int has_its_queues(struct attach *a, const struct process *p, const struct proc_ipc *ipc)
{
	const int64_t settled_ns = 3 * SECOND, patience_ns = 120 * SECOND;
	int64_t now_ns = clock_monotonic_ns();
	struct waiting *w;
	int complete;

	if (start_of(p) == POOL_START_FORK)
		return 1;
	w = waiting_of(a, p->id);
	if (!w) /* more at a time than are kept: in a later pass */
		return age_ns(p) > patience_ns;
	if (w->semaphores != ipc->semaphores.count || !w->since_ns) {
		w->semaphores = ipc->semaphores.count;
		w->since_ns = now_ns;
	}
	complete = w->semaphores >= LADDER_FIRST_SEMAPHORES ||
		   (w->semaphores && now_ns - w->since_ns >= settled_ns) || age_ns(p) > patience_ns;
	if (complete)
		w->id = 0;
	return complete;
}

/* 0 = it has to be looked at again. */
static int try_to_place(struct attach *a, struct process *p)
{
	enum readiness ready = readiness_of(a, p);
	struct proc_ipc ipc = {0};
	int done = 1;

	if (ready == NOT_YET)
		return 0;
	if (ready == READY && !read_ipc(a, p, &ipc)) {
		done = has_its_queues(a, p, &ipc);
		if (done)
			place(a, p, &ipc);
	}
	proc_ipc_release(&ipc);
	if (done)
		id_set_add(&a->placed,
			   (uint64_t)p->id); /* lost: looked at again in the next pass */
	return done;
}

static int by_birth(const void *x, const void *y)
{
	const struct process *a = *(struct process *const *)x, *b = *(struct process *const *)y;

	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks ? -1 : 1;
	return a->pid - b->pid;
}

/* In the order of births, as the ladder needs it. */
static void place_new(struct attach *a)
{
	struct job *j = a->edges->job;
	struct process **fresh = calloc(j->count + 1, sizeof(struct process *)), *p;
	size_t count = 0;

	if (!fresh)
		return;
	JOB_EACH_ALIVE(j, p)
		if (!id_set_has(&a->placed, (uint64_t)p->id))
			fresh[count++] = p;
	qsort(fresh, count, sizeof(struct process *), by_birth);
	a->pass++;
	for (size_t i = 0; i < count; i++)
		try_to_place(a, fresh[i]);
	free(fresh);
}

void attach_step(struct attach *a, int64_t now_ns)
{
	int64_t cpu_ns = clock_cpu_ns(), pause_ns;

	if (now_ns < a->due_ns)
		return;
	forget_ended(a);
	if (discover(a->discovery, a->edges->job, now_ns))
		a->edges->measure = 1;
	place_new(a);
	attach_pools_judge(&a->pools, now_ns);
	a->cost_ns = cost_average(a->cost_ns, clock_cpu_ns() - cpu_ns);
	pause_ns = 500 * a->cost_ns;
	a->due_ns = now_ns + (pause_ns < SECOND       ? SECOND
			      : pause_ns > 5 * SECOND ? 5 * SECOND
						      : pause_ns);
}

void attach_finish(struct attach *a)
{
	attach_pools_end(&a->pools);
	if (a->workers)
		recorder_note(
			a->edges->job->recorder, "notice",
			"pools were found by their semaphores; the pipes say the same of %lld of "
			"%lld workers",
			(long long)a->agreed, (long long)a->workers);
}
