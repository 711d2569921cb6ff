/* Deaths and ends that were meant: see the header. */
#include "profiler/model/deaths.h"

#include <signal.h>

#include "profiler/model/private.h"

/* Ends are seen some milliseconds late, and not in order; a signal needs a moment to end a process that cleans up. */
#define ORDER_NS INT64_C(5000000)
#define LATE_NS  INT64_C(500000000)
#define GROUP_NS INT64_C(10000000000)
#define ALIKE_NS INT64_C(2000000000)

static int is_fault(int64_t number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGILL ||
	       number == SIGFPE || number == SIGSYS || number == SIGTRAP || number == SIGXCPU ||
	       number == SIGXFSZ;
}

/* What a terminal sends to all of them, and the end of who writes to a reader that left. */
static int is_usual(int64_t number)
{
	return number == SIGINT || number == SIGQUIT || number == SIGHUP || number == SIGPIPE;
}

/* Did another process of the job send it this signal (MODEL_NONE: any), or send it to a group? */
static int was_sent(const struct model *m, size_t process, int64_t number)
{
	const struct tables *t = &m->priv->tables;
	const struct model_process *p = &m->processes[process];

	/* the last before its end is the likeliest */
	for (size_t i = array_until(&t->events, p->ended_ns + ORDER_NS);
	     i-- > 0 && t->events.items[i].t_ns >= p->born_ns;) {
		const struct event_row *e = &t->events.items[i];

		if (e->kind != EVENT_KILL || e->process == (int)process ||
		    (number != MODEL_NONE && e->value2 != number))
			continue;
		if (e->value == p->pid || (e->value < 0 && e->t_ns >= p->ended_ns - GROUP_NS))
			return 1;
	}
	return 0;
}

/* The run was asked to end before; 130 is what a shell, and a program that caught it, make of a Ctrl-C. */
static int run_was_interrupted(const struct model *m, int64_t t_ns)
{
	const struct tables *t = &m->priv->tables;

	for (size_t i = 0; i < t->events.count; i++)
		if (t->events.items[i].kind == EVENT_INTERRUPT &&
		    t->events.items[i].t_ns <= t_ns + LATE_NS)
			return 1;
	return m->exit_signal == SIGINT || m->exit_code == 128 + SIGINT;
}

static int serves_loader(const struct model *m, const struct model_process *p)
{
	return p->pool >= 0 && !m->pools[p->pool].grouped;
}

static int owner_of(const struct model *m, const struct model_process *p)
{
	return p->pool < 0 ? p->parent : m->pools[p->pool].owner;
}

/* Its owner ended before it, or of the same signal: what was sent to both was not for the worker. */
static int owner_is_gone(const struct model_process *p, const struct model_process *owner)
{
	if (owner->ended_ns == MODEL_NONE)
		return 0;
	return owner->ended_ns <= p->ended_ns + ORDER_NS ||
	       (p->exit_signal != MODEL_NONE && owner->exit_signal == p->exit_signal &&
		owner->ended_ns - p->ended_ns < ALIKE_NS);
}

int death_is_late(const struct model *m, const struct model_process *p)
{
	const struct model_pool *pool;

	if (!serves_loader(m, p))
		return 0;
	pool = &m->pools[p->pool];
	return (pool->closing_ns != MODEL_NONE && pool->closing_ns <= p->ended_ns) ||
	       (pool->end_ns != MODEL_NONE && pool->end_ns < p->ended_ns);
}

/* An owner without the shim does not tell whom it ends. */
static int was_meant(const struct model *m, size_t process, int64_t number)
{
	const struct model_process *p = &m->processes[process];
	int owner = owner_of(m, p);

	return owner < 0 || !m->processes[owner].instrumented ||
	       owner_is_gone(p, &m->processes[owner]) || death_is_late(m, p) ||
	       was_sent(m, process, number) || run_was_interrupted(m, p->ended_ns);
}

static int is_oom(const struct model *m, int64_t number)
{
	return number == SIGKILL && (m->oom_killed || m->totals.oom_kills > 0);
}

static enum death by_signal(const struct model *m, size_t process)
{
	const struct model_process *p = &m->processes[process];
	int64_t number = p->exit_signal;

	if (is_fault(number))
		return was_sent(m, process, number) ? DEATH_NONE : DEATH_FAULT;
	if (is_usual(number) || is_oom(m, number))
		return DEATH_NONE;
	if (p->parent < 0) /* the command: told to end, as programs are, or killed */
		return number == SIGKILL ? DEATH_KILLED : DEATH_NONE;
	if (p->role != MODEL_ROLE_WORKER && p->role != MODEL_ROLE_OWNER)
		return DEATH_NONE;
	return was_meant(m, process, number) ? DEATH_NONE : DEATH_KILLED;
}

/* Whose status says that it failed: of workers that only serve, and, where the run failed, of ranks. What any other program
 * means by its status its parent knows. */
static int status_counts(const struct model *m, size_t process)
{
	const struct model_process *p = &m->processes[process];

	if (p->pool >= 0)
		return serves_loader(m, p) || m->pools[p->pool].replaces;
	return p->parent >= 0 && owner_rank(m, (int)process) != MODEL_NONE && model_has_failed(m);
}

enum death death_of(const struct model *m, size_t process)
{
	const struct model_process *p = &m->processes[process];

	if (p->ended_ns == MODEL_NONE || p->exit_code == 0)
		return DEATH_NONE;
	if (p->exit_signal != MODEL_NONE && p->exit_signal > 0)
		return by_signal(m, process);
	if (p->exit_code != MODEL_NONE && !status_counts(m, process))
		return DEATH_NONE;
	if (p->exit_code == MODEL_NONE && !(p->instrumented && serves_loader(m, p)))
		return DEATH_NONE;
	if (was_meant(m, process, MODEL_NONE))
		return DEATH_NONE;
	return p->exit_code == MODEL_NONE ? DEATH_UNKNOWN : DEATH_STATUS;
}
