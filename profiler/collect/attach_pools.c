/* Guessed pools: see the header. */
#include "profiler/collect/attach_pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "profiler/array.h"
#include "profiler/collect/idle.h"

struct guess_worker {
	struct process *process; /* valid while the pool's row refers to it: pools_refer_to */
	struct idle_worker idle;
};

struct guess {
	struct pool *pool;
	enum ladder_kind kind;
	struct attach_queues queues;
	struct guess_worker *workers;
	size_t count, capacity;
	struct idle_pool idle;
	enum loopmem_pool_state state; /* as told */
};

void attach_pools_release(struct attach_pools *ps)
{
	for (size_t i = 0; i < ps->count; i++)
		free(ps->items[i].workers);
	free(ps->items);
	*ps = (struct attach_pools){0};
}

/* ---- births ---- */

/* Of the queues that are new with this worker the owner made its pool's last: they have the highest
 * descriptors. */
void attach_queues_find(struct attach_queues *out, const struct ladder_child *first,
			const struct id_set *known)
{
	out->count = 0;
	for (size_t i = 0; i < first->ipc->pipe_count; i++) {
		uint64_t inode = first->ipc->pipes[i].inode;
		const struct proc_pipe *pipe = proc_ipc_pipe(first->owner, inode);

		if (first->ipc->pipes[i].ends != PIPE_BOTH || !pipe || pipe->ends != PIPE_BOTH ||
		    id_set_has(known, inode))
			continue;
		if (out->count < 2) {
			out->pipes[out->count++] = *pipe;
			continue;
		}
		struct proc_pipe *lower =
			&out->pipes[out->pipes[1].read_fd < out->pipes[0].read_fd];
		if (lower->read_fd < pipe->read_fd)
			*lower = *pipe;
	}
}

static void tell(const struct attach_pools *ps, struct guess *g, const char *kind, int64_t t_ns)
{
	const struct session_event event = {
		.t_ns = t_ns,
		.kind = kind,
		.process = g->pool->owner->id,
		.pool = g->pool->number,
		.value = SESSION_NULL,
		.value2 = SESSION_NULL,
	};

	session_put_event(ps->edges->job->recorder->session, &event);
	pool_mark_edge(g->pool, PROCESS_EDGE_NOW, ps->edges->turn);
	ps->edges->measure = 1;
	ps->edges->walk_shm = 1;
}

static uint64_t monotonic(const struct attach_pools *ps, int64_t t_ns)
{
	return (uint64_t)(ps->edges->job->recorder->clock_ns + t_ns);
}

int64_t attach_pools_add(struct attach_pools *ps, const struct attach_found *found)
{
	struct guess *g = array_add(ps);
	struct loopmem_pool_row row = {
		.id = ps->last_id + 1,
		.state = LOOPMEM_POOL_STARTING,
		.start = (uint32_t)found->start,
		.epoch = POOL_UNKNOWN,
		.batch_size = POOL_UNKNOWN,
		.prefetch = POOL_UNKNOWN,
		.expected_batches = POOL_UNKNOWN,
		.begin_ns = monotonic(ps, found->first->born_ns),
	};
	struct pool *pool;

	if (found->kind == LADDER_OTHER)
		snprintf(row.label, sizeof(row.label), "worker pool"), row.flags = POOL_FLAG_GROUP;
	pool = g ? pools_add_guess(ps->edges->pools, ps->edges->job, found->owner, &row) : NULL;
	if (!pool) {
		ps->count -= g != NULL;
		return 0;
	}
	*g = (struct guess){
		.pool = pool,
		.kind = found->kind,
		.queues = found->queues,
		.idle.active_ns =
			recorder_now(ps->edges->job->recorder), /* what was before is not known */
		.state = LOOPMEM_POOL_STARTING,
	};
	ps->last_id++;
	tell(ps, g, "pool-begin", found->first->born_ns);
	return pool->number;
}

void attach_pools_join(struct attach_pools *ps, int64_t number, struct process *worker)
{
	struct guess *g = ps->items;
	struct guess_worker *added;

	while (g < ps->items + ps->count && g->pool->number != number)
		g++;
	if (g == ps->items + ps->count)
		return;
	added = array_add_item(&g->workers, &g->count, &g->capacity, sizeof(*g->workers));
	if (!added)
		return;
	added->process = worker;
	pool_add_untold_worker(g->pool, ps->edges->job, worker);
	g->pool->last.row.workers = (int32_t)g->count;
	pool_rewrite(g->pool, ps->edges->job);
}

/* ---- states ---- */

/* poll with one descriptor and 5000 ms (ppoll: somewhere in memory), where the kernel does not tell
 * what it waits in. Three numbers only come from a process that sleeps in a system call. */
static enum idle_wait wait_by_call(pid_t pid)
{
	char text[256];
	unsigned long number, descriptors, timeout;

	if (proc_read(pid, "syscall", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%lu %*x %lx %lx", &number, &descriptors, &timeout) != 3)
		return IDLE_WAIT_UNKNOWN;
	return descriptors == 1 && (timeout == 5000 || number == SYS_ppoll) ? IDLE_WAIT_POLL
									    : IDLE_WAIT_OTHER;
}

/* The function is poll_schedule_timeout or, where the compiler took that into its callers, do_poll
 * or do_sys_poll; epoll's are ep_poll and the like. */
static int names_poll(const char *wchan)
{
	return strstr(wchan, "poll") && !strstr(wchan, "ep_poll") && !strstr(wchan, "epoll");
}

static enum idle_wait wait_of(pid_t pid)
{
	char wchan[64];
	int is_told = proc_read(pid, "wchan", wchan, sizeof(wchan)) > 0 && strcmp(wchan, "0");

	if (is_told)
		return names_poll(wchan) ? IDLE_WAIT_POLL : IDLE_WAIT_OTHER;
	return wait_by_call(pid); /* it runs, or may not be seen */
}

/* 1 = it worked since it was last seen. */
static int see(struct guess_worker *w, int64_t now_ns)
{
	const struct process *p = w->process;
	char text[4096];
	struct proc_stat stat;
	struct proc_status status;
	struct idle_sight now = {.t_ns = now_ns, .wait = wait_of(p->pid)};

	if (proc_file_read(&p->stat_file, text, sizeof(text)) <= 0 || proc_stat_parse(text, &stat))
		return 0;
	if (proc_file_read(&p->status_file, text, sizeof(text)) <= 0 ||
	    proc_status_parse(text, &status))
		return 0;
	now.switches = status.voluntary_switches;
	now.ticks = stat.cpu_ticks;
	now.minor_faults = stat.minor_faults;
	return idle_worker_see(&w->idle, &now);
}

/* Bytes of batches that the owner has not taken; -1 = not known. */
static int64_t waiting_bytes(const struct guess *g)
{
	int64_t sum = g->queues.count ? 0 : -1;

	for (int i = 0; i < g->queues.count; i++) {
		int64_t bytes = proc_pipe_waiting(g->pool->owner->pid, g->queues.pipes[i].read_fd,
						  g->queues.pipes[i].inode);

		if (bytes < 0)
			return -1;
		sum += bytes;
	}
	return sum;
}

/* Another pool of the owner was in use since this one is idle. */
static int owner_turned_away(const struct attach_pools *ps, const struct guess *g)
{
	for (size_t i = 0; i < ps->count; i++) {
		const struct guess *other = &ps->items[i];

		if (other != g && other->pool->owner == g->pool->owner &&
		    other->state == LOOPMEM_POOL_DELIVERING &&
		    other->idle.active_ns > g->idle.active_ns)
			return 1;
	}
	return 0;
}

static void become(struct attach_pools *ps, struct guess *g, enum loopmem_pool_state state,
		   int64_t t_ns)
{
	static const char *const events[] = {
		[LOOPMEM_POOL_DELIVERING] = "pool-reuse",
		[LOOPMEM_POOL_PARKED] = "pool-park",
		[LOOPMEM_POOL_EXHAUSTED] = "pool-exhausted",
	};
	struct loopmem_pool_row *row = &g->pool->last.row;

	if (g->state == state)
		return;
	g->state = state;
	row->state = (uint32_t)state;
	row->last_batch_ns = monotonic(ps, g->idle.active_ns);
	row->exhausted_ns = state == LOOPMEM_POOL_EXHAUSTED ? monotonic(ps, t_ns) : 0;
	pool_rewrite(g->pool, ps->edges->job);
	tell(ps, g, events[state], t_ns);
}

/* Exhausted: nothing waits to be taken and the owner is busy with another pool. Else it may be
 * asked again. */
static void judge_idle(struct attach_pools *ps, struct guess *g)
{
	int exhausted = owner_turned_away(ps, g) && !waiting_bytes(g);

	if (g->state == LOOPMEM_POOL_EXHAUSTED)
		return;
	become(ps, g, exhausted ? LOOPMEM_POOL_EXHAUSTED : LOOPMEM_POOL_PARKED, g->idle.active_ns);
}

static void judge(struct attach_pools *ps, struct guess *g, int64_t now_ns)
{
	int works = 0;

	for (size_t i = 0; i < g->count; i++)
		if (g->workers[i].process->state == PROCESS_ALIVE)
			works |= see(&g->workers[i], now_ns);
	idle_pool_look(&g->idle, now_ns, works,
		       g->state == LOOPMEM_POOL_DELIVERING || g->state == LOOPMEM_POOL_PARKED);
	if (works)
		become(ps, g, LOOPMEM_POOL_DELIVERING, now_ns);
	else if (g->kind == LADDER_LOADER && idle_pool_is_idle(&g->idle, now_ns))
		judge_idle(ps, g);
}

/* ---- ends ---- */

/* When its last worker or its owner ended; SESSION_NULL = it lives. */
static int64_t ended_ns(const struct guess *g)
{
	int64_t last_ns = SESSION_NULL;

	if (g->pool->owner->state != PROCESS_ALIVE)
		return g->pool->owner->ended_ns;
	for (size_t i = 0; i < g->count; i++) {
		const struct process *p = g->workers[i].process;

		if (p->state == PROCESS_ALIVE)
			return SESSION_NULL;
		last_ns = p->ended_ns > last_ns ? p->ended_ns : last_ns;
	}
	return last_ns;
}

static void end(struct attach_pools *ps, struct guess *g, int64_t t_ns)
{
	g->pool->last.row.end_ns = monotonic(ps, t_ns);
	g->pool->last.row.state = LOOPMEM_POOL_ENDED;
	pool_rewrite(g->pool, ps->edges->job);
	tell(ps, g, "pool-end", t_ns);
	g->pool->over = 1; /* from here on pools_settle may free it */
	free(g->workers);
}

void attach_pools_judge(struct attach_pools *ps, int64_t now_ns)
{
	for (size_t i = 0; i < ps->count; i++)
		judge(ps, &ps->items[i], now_ns);
	attach_pools_end(ps);
}

void attach_pools_end(struct attach_pools *ps)
{
	size_t kept = 0;

	for (size_t i = 0; i < ps->count; i++) {
		int64_t t_ns = ended_ns(&ps->items[i]);

		if (t_ns == SESSION_NULL)
			ps->items[kept++] = ps->items[i];
		else
			end(ps, &ps->items[i], t_ns);
	}
	ps->count = kept;
}
