/* The table of processes: see the header. */
#include "profiler/collect/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/array.h"
#include "profiler/collect/exit_status.h"

enum { DEAD_KEPT = 256 };

void job_init(struct job *j, struct recorder *r, int epoll_fd)
{
	*j = (struct job){.recorder = r, .epoll_fd = epoll_fd, .segment_dir_fd = -1};
}

static void free_process(struct process *p)
{
	process_close(p);
	free(p);
}

void job_release(struct job *j)
{
	for (size_t i = 0; i < j->count; i++)
		free_process(j->items[i]);
	free(j->items);
	*j = (struct job){.epoll_fd = -1, .segment_dir_fd = -1};
}

struct process *job_find(const struct job *j, pid_t pid)
{
	struct process *p;

	JOB_EACH_ALIVE(j, p)
		if (p->pid == pid)
			return p;
	return NULL;
}

struct process *job_find_id(const struct job *j, int64_t id)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->items[i]->id == id)
			return j->items[i];
	return NULL;
}

struct process *job_find_inner(const struct job *j, pid_t inner_pid, int64_t t_ns)
{
	const int64_t slack_ns = 20000000; /* start times come in steps of 10 ms */

	for (size_t i = j->count; i-- > 0;) { /* the youngest first */
		struct process *p = j->items[i];

		if (p->inner_pid == inner_pid && p->born_ns <= t_ns + slack_ns &&
		    (p->state == PROCESS_ALIVE || p->ended_ns >= t_ns - slack_ns))
			return p;
	}
	return NULL;
}

static struct process *new_process(struct job *j)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->id = j->last_id + 1;
	p->pidfd = p->stat_file.fd = p->statm_file.fd = p->status_file.fd = -1;
	p->ended_ns = p->rank = p->shared_at_fork_bytes = p->statm_ns = p->fds = SESSION_NULL;
	p->fd_limit = p->inherited_anon_bytes = SESSION_NULL;
	p->first_seen_ns = recorder_now(j->recorder);
	p->family = p->id;
	return p;
}

/* Takes the process into the table, or frees it. */
static struct process *keep(struct job *j, struct process *p)
{
	struct process **place = array_add(j);

	if (!place) {
		free_process(p);
		return NULL;
	}
	*place = p;
	j->last_id = p->id;
	if (p->id == 1)
		p->role = ROLE_ROOT;
	return p;
}

static void write_event(struct job *j, const struct process *p, const char *kind, int64_t t_ns)
{
	struct session_event event = {
		.t_ns = t_ns,
		.kind = kind,
		.process = p->id,
		.pool = SESSION_NULL,
		.value = p->status_known && WIFEXITED(p->status) ? WEXITSTATUS(p->status)
								 : SESSION_NULL,
		.value2 = p->status_known && WIFSIGNALED(p->status) ? WTERMSIG(p->status)
								    : SESSION_NULL,
	};

	session_put_event(j->recorder->session, &event);
}

static void watch(struct job *j, struct process *p)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)p->id};

	if (p->pidfd >= 0 && j->epoll_fd >= 0)
		epoll_ctl(j->epoll_fd, EPOLL_CTL_ADD, p->pidfd, &event);
}

struct process *job_add_parent(struct job *j, pid_t pid)
{
	struct proc_stat stat;
	struct process *parent;

	if (proc_stat_read(pid, &stat))
		return NULL;
	parent = job_find(j, stat.parent_pid);
	if (parent ||
	    stat.parent_pid <= 1) /* the first process may be the root, and has no parent */
		return parent;
	return job_add(j, stat.parent_pid, NULL);
}

struct process *job_add(struct job *j, pid_t pid, struct process *parent)
{
	struct process *p = job_find(j, pid);

	if (p && process_is(pid, p->start_ticks))
		return p;
	if (p) /* the pid came again */
		job_end(j, p, 0, NULL);
	if (!parent && j->count) { /* before it has a number: a parent that is new takes one */
		parent = job_add_parent(j, pid);
		if (!parent)
			return NULL;
	}
	p = new_process(j);
	if (!p)
		return NULL;
	/* A zombie has nothing left to show, and may be one that was seen to end. Only of the root it
	 * has to be known that it was there. */
	if (process_open(p, pid, parent, j->recorder) || (p->exiting && j->count)) {
		free_process(p);
		return NULL;
	}
	if (!keep(j, p))
		return NULL;
	j->alive++;
	watch(j, p);
	process_mark_edge(p, PROCESS_EDGE_BEGINS);
	if (p->forked)
		job_mark_stale(j, p->family);
	process_write(p, j->recorder);
	write_event(j, p, "process-seen", p->first_seen_ns);
	return p;
}

struct process *job_add_dead(struct job *j, const struct segment_identity *identity)
{
	struct process *p = new_process(j);

	if (!p || !keep(j, p))
		return NULL;
	p->pid = p->inner_pid = identity->pid;
	p->start_ticks = identity->start_ticks;
	memcpy(p->cmdline, identity->cmdline, sizeof(identity->cmdline));
	process_take_birth(p, identity, j->recorder);
	p->parent = job_find_inner(j, identity->parent_pid, p->born_ns);
	if (p->parent == p)
		p->parent = NULL;
	p->state = PROCESS_ENDED;
	p->ended_ns = p->first_seen_ns;
	write_event(j, p, "process-seen", p->first_seen_ns);
	return p;
}

void job_mark_stale(struct job *j, int64_t family)
{
	struct process *p;

	j->changed_ns = recorder_now(j->recorder);
	JOB_EACH_ALIVE(j, p) {
		if (p->family != family || p->stale)
			continue;
		p->stale = 1;
		p->stale_ns = j->changed_ns;
	}
}

static void take_status(struct process *p, const int *status)
{
	if (!status)
		return;
	p->status = *status;
	p->status_known = 1;
}

/* All is known, or nothing more will be: the last rows, then only the memory of it is kept. */
static void finish(struct job *j, struct process *p)
{
	if (!p->status_known && p->segment_state.exit_ns)
		take_status(p, &(int){p->segment_state.exit_status << 8 & 0xff00});
	p->state = PROCESS_DONE;
	process_write(p, j->recorder);
	write_event(j, p, "process-ended", p->ended_ns);
	process_close(p);
}

void job_finish_segment(struct job *j, struct process *p)
{
	struct segment_state state;

	if (j->before_end)
		j->before_end(p, j->before_end_arg);
	if (segment_state(&p->segment, &state)) {
		recorder_note(j->recorder, "warning",
			      "the segment of pid %d was cut short: what the process counted since "
			      "is not known",
			      (int)p->pid);
	} else {
		p->segment_state = state;
		process_write_heap(p, j->recorder, p->ended_ns);
	}
	segment_close(&p->segment);
	if (j->segment_dir_fd >= 0)
		unlinkat(j->segment_dir_fd, p->segment_name, 0);
}

void job_end(struct job *j, struct process *p, int64_t t_ns, const int *status)
{
	if (p->state == PROCESS_ALIVE) {
		p->state = PROCESS_ENDED;
		p->ended_ns = t_ns ? t_ns : recorder_now(j->recorder);
		j->alive--;
		if (p->pidfd >= 0 && j->epoll_fd >= 0)
			epoll_ctl(j->epoll_fd, EPOLL_CTL_DEL, p->pidfd, NULL);
		job_mark_stale(j, p->family);
	}
	if (p->segment.map)
		job_finish_segment(j, p);
	take_status(p, status);
	if (p->state == PROCESS_ENDED && p->status_known)
		finish(j, p);
	else
		process_write(p, j->recorder);
}

/* Whom the kernel no longer tells of, its parent's segment may in a moment. */
static void ask_status(struct job *j, struct process *p, int last)
{
	int status;
	enum exit_knowledge known = exit_status(p->pidfd, &p->stat_file, &status);
	int64_t patience_ns = known == EXIT_UNKNOWN_YET ? 2000000000 : 100000000;

	if (known == EXIT_KNOWN)
		take_status(p, &status);
	else if (!last && recorder_now(j->recorder) - p->ended_ns < patience_ns)
		return;
	finish(j, p);
}

static int is_parent(const struct job *j, const struct process *p)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->items[i]->parent == p && j->items[i]->state != PROCESS_DONE)
			return 1;
	return 0;
}

/* A forgotten parent is forgotten by its dead children too. */
static void forget(struct job *j, size_t index)
{
	struct process *p = j->items[index];

	for (size_t i = 0; i < j->count; i++)
		if (j->items[i]->parent == p)
			j->items[i]->parent = NULL;
	memmove(&j->items[index], &j->items[index + 1], (j->count - index - 1) * sizeof(*j->items));
	j->count--;
	free_process(p);
}

void job_settle(struct job *j, int last, int (*is_needed)(const struct process *, void *),
		void *arg)
{
	size_t dead;

	for (size_t i = 0; i < j->count; i++)
		if (j->items[i]->state == PROCESS_ENDED)
			ask_status(j, j->items[i], last);
	dead = j->count - j->alive;
	for (size_t i = 1; i < j->count && dead > DEAD_KEPT; i++) {
		struct process *p = j->items[i];

		if (p->state != PROCESS_DONE || is_parent(j, p) || is_needed(p, arg))
			continue;
		forget(j, i--);
		dead--;
	}
}
