/* The collector's loop: see the header. */
#include "profiler/collect/collector.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/collect/attach.h"
#include "profiler/collect/attach_access.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/description.h"
#include "profiler/collect/edges.h"
#include "profiler/collect/job.h"
#include "profiler/collect/pools.h"
#include "profiler/collect/recorder.h"
#include "profiler/collect/sampler.h"
#include "profiler/collect/segments.h"
#include "profiler/collect/shm_space.h"
#include "profiler/collect/sites.h"
#include "profiler/collect/thin.h"

#define MS INT64_C(1000000)

enum {
	TICK_MS = 20,
	FLUSH_MS = 200,
	MOST_WATCHES = 4,
};

/* Data of the epoll set: ids of processes are from 1 up, the rest are these and the watches. */
#define SOURCE_SEGMENTS UINT64_MAX
#define SOURCE_WATCH    (UINT64_MAX - MOST_WATCHES) /* + index */

struct collector {
	struct recorder recorder;
	struct job job;
	struct pools pools;
	struct segments segments;
	struct edges edges;
	struct sampler sampler;
	struct thinning thinning;
	struct attach *attach; /* NULL = pools are told by segments */
	struct sites sites;
	sites_resolve_fn *resolve;

	int epoll_fd;
	int64_t tick_ns; /* the next one is due */
	struct {
		void (*fn)(void *);
		void *arg;
	} watches[MOST_WATCHES];
	uint64_t watch_count;

	int64_t grace_ns;
	int64_t cpu_ns; /* of this thread at the start */
	int64_t flushed_ns, second_ns, synced_ns;
	int failed;
	struct error failure; /* the first one of writing, when `failed` */
	int removal_noted;
	int stopped;
};

/* ---- start ---- */

static void before_end(struct process *p, void *arg)
{
	struct collector *c = arg;

	edges_finish(&c->edges, p);
	sites_finish(&c->sites, &c->job, p);
}

static int add_source(struct collector *c, int fd, uint64_t source)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = source};

	return epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Kept descriptors are four a process; the job itself was started with the limit as it was. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void free_collector(struct collector *c)
{
	attach_free(c->attach);
	sampler_release(&c->sampler);
	sites_release(&c->sites);
	pools_release(&c->pools);
	job_release(&c->job);
	segments_close(&c->segments);
	recorder_release(&c->recorder);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	free(c);
}

static struct collector *new_collector(const struct collector_options *o)
{
	struct collector *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	c->segments.dir_fd = c->segments.inotify_fd = -1;
	c->recorder.clock_ns = o->clock_ns;
	c->grace_ns = o->grace_ns;
	c->cpu_ns = clock_cpu_ns();
	c->thinning.max_bytes = o->max_bytes;
	c->edges.job = &c->job;
	c->edges.pools = &c->pools;
	c->resolve = o->resolve;
	sites_init(&c->sites, &c->recorder);
	job_init(&c->job, &c->recorder, -1);
	c->job.before_end = before_end;
	c->job.before_end_arg = c;
	if (!o->segment_directory)
		c->attach = attach_new(&c->edges, &c->sampler.discovery);
	if (sampler_init(&c->sampler, &c->edges, o->reaps ? getpid() : 0) ||
	    (!o->segment_directory && !c->attach) || c->epoll_fd < 0) {
		free_collector(c);
		return NULL;
	}
	c->sampler.fork_names.resolve = o->resolve;
	return c;
}

static void describe(struct collector *c, const struct collector_options *o)
{
	struct session_writer *w = c->recorder.session;

	description_write(w, o->clock_ns, o->argv, o->root);
	machine_describe(&c->sampler.machine, w);
	session_put_text(w, "loopmem_version", o->version);
	session_put_int(w, "released", o->released);
	session_put_int(w, "trim_test", o->trims);
	if (c->attach)
		session_put_int(w, "attached", 1);
	if (o->sample_bytes)
		session_put_int(w, "sample_bytes", o->sample_bytes);
	session_put_int(w, "root_pid", o->root);
	session_put_int(w, "collector_pid", getpid());
}

static void note_capabilities(struct collector *c, pid_t root)
{
	char text[256];

	attach_capabilities(root, c->sampler.cgroup.current_fd >= 0, text, sizeof(text));
	recorder_note(&c->recorder, "notice", "%s", text);
}

int collector_start(struct collector **out, const struct collector_options *o, struct error *e)
{
	struct collector *c = new_collector(o);

	*out = NULL;
	if (!c)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot start the collector");
	c->job.epoll_fd = c->epoll_fd;
	if ((o->segment_directory && segments_open(&c->segments, o->segment_directory, e)) ||
	    session_create(&c->recorder.session, o->file, 0, e)) {
		free_collector(c);
		return e->kind;
	}
	c->job.segment_dir_fd = c->segments.dir_fd;
	raise_descriptor_limit();
	describe(c, o);
	if (c->segments.inotify_fd >= 0)
		add_source(c, c->segments.inotify_fd, SOURCE_SEGMENTS);
	job_add(&c->job, o->root, NULL);
	sampler_find_limits(&c->sampler, o->before);
	if (c->attach)
		note_capabilities(c, o->root);
	*out = c;
	return 0;
}

int64_t collector_birth_of(pid_t pid)
{
	const struct recorder machine_clock = {0};
	struct process p = {.pidfd = -1};
	int64_t born_ns;

	if (process_open(&p, pid, NULL, &machine_clock))
		return clock_monotonic_ns();
	born_ns = p.born_ns;
	process_close(&p);
	return born_ns;
}

int collector_watch(struct collector *c, int fd, void (*fn)(void *), void *arg)
{
	if (c->watch_count == MOST_WATCHES)
		return -ENOSPC;
	c->watches[c->watch_count].fn = fn;
	c->watches[c->watch_count].arg = arg;
	return add_source(c, fd, SOURCE_WATCH + c->watch_count++);
}

/* ---- the loop ---- */

void collector_reaped(struct collector *c, pid_t pid, int status)
{
	for (size_t i = c->job.count; i-- > 0;) {
		struct process *p = c->job.items[i];

		if (p->pid == pid && p->state != PROCESS_DONE) {
			job_end(&c->job, p, 0, &status);
			return;
		}
	}
}

void collector_signalled(struct collector *c, int signal)
{
	session_put_event(c->recorder.session,
			  &(struct session_event){.t_ns = recorder_now(&c->recorder),
						  .kind = "interrupt",
						  .process = SESSION_NULL,
						  .pool = SESSION_NULL,
						  .value = signal,
						  .value2 = SESSION_NULL});
}

static struct process *root_of(const struct collector *c)
{
	return c->job.count ? c->job.items[0] : NULL;
}

int collector_root_instrumented(const struct collector *c)
{
	return root_of(c) && root_of(c)->instrumented;
}

/* Remembers the first failure; what follows from it is told by the count of lost rows. */
static void note_failure(struct collector *c, const struct error *e)
{
	if (c->failed)
		return;
	c->failed = 1;
	c->failure = *e;
}

static void flush(struct collector *c, int64_t now_ns)
{
	struct error e;

	if (now_ns - c->flushed_ns < FLUSH_MS * MS)
		return;
	c->flushed_ns = now_ns;
	if (session_flush(c->recorder.session, &e))
		note_failure(c, &e);
}

static void thin(struct collector *c, int64_t now_ns)
{
	struct thin_step steps[THIN_STEPS];
	struct error e;
	int count = thin_due(&c->thinning, now_ns, session_size_bytes(c->recorder.session), steps);

	for (int i = 0; i < count; i++)
		if (session_thin(c->recorder.session, steps[i].before_ns, steps[i].span_ns, &e))
			note_failure(c, &e);
}

static int is_needed(const struct process *p, void *pools)
{
	return pools_refer_to(pools, p);
}

static void every_second(struct collector *c, int64_t now_ns)
{
	const int64_t sync_ns = 10000 * MS;
	struct error e;

	if (now_ns - c->second_ns < 1000 * MS)
		return;
	c->second_ns = now_ns;
	recorder_put_overhead(&c->recorder, c->cpu_ns);
	thin(c, now_ns);
	if (now_ns - c->synced_ns >= sync_ns) {
		c->synced_ns = now_ns;
		if (session_sync(c->recorder.session, &e))
			note_failure(c, &e);
	}
	if (!c->removal_noted && segments_removed(&c->segments)) {
		c->removal_noted = 1;
		recorder_note(&c->recorder, "warning",
			      "the directory of the segments was removed: processes started "
			      "since are not counted");
	}
}

/* Without a pidfd, or where its event was missed: what is a zombie or gone has ended. */
static void look_for_ends(struct collector *c)
{
	struct process *p;

	JOB_EACH_ALIVE(&c->job, p) {
		char text[1024];
		struct proc_stat stat;

		if (p->pidfd >= 0 && !p->exiting)
			continue;
		if (proc_file_read(&p->stat_file, text, sizeof(text)) <= 0 ||
		    proc_stat_parse(text, &stat) || stat.start_ticks != p->start_ticks ||
		    stat.state == 'Z')
			job_end(&c->job, p, 0, NULL);
	}
}

static void read_sites(struct collector *c)
{
	c->sites.edge |= c->edges.sites;
	c->edges.sites = 0;
	sites_step(&c->sites, &c->job, c->sampler.last_round_ns, c->sampler.last_anon_bytes);
}

static void tick(struct collector *c)
{
	int64_t now_ns;

	if (!c->attach)
		segments_poll(&c->segments, &c->job, 0);
	edges_poll(&c->edges);
	look_for_ends(c);
	sampler_step(&c->sampler);
	if (c->attach)
		attach_step(c->attach, recorder_now(&c->recorder));
	read_sites(c);
	now_ns = recorder_now(&c->recorder);
	job_settle(&c->job, 0, is_needed, &c->pools);
	every_second(c, now_ns);
	flush(c, now_ns);
}

static void process_ended(struct collector *c, uint64_t id)
{
	struct process *p = job_find_id(&c->job, (int64_t)id);

	if (p && p->state == PROCESS_ALIVE)
		job_end(&c->job, p, 0, NULL);
}

static void serve(struct collector *c, uint64_t source)
{
	if (source == SOURCE_SEGMENTS)
		segments_poll(&c->segments, &c->job, 1);
	else if (source >= SOURCE_WATCH)
		c->watches[source - SOURCE_WATCH].fn(c->watches[source - SOURCE_WATCH].arg);
	else
		process_ended(c, source);
}

void collector_stop(struct collector *c)
{
	c->stopped = 1;
}

static int is_over(const struct collector *c)
{
	const struct process *root = root_of(c);

	if (!root || c->stopped)
		return 1;
	if (root->state == PROCESS_ALIVE)
		return 0;
	return !c->job.alive || recorder_now(&c->recorder) - root->ended_ns >= c->grace_ns;
}

static void note_survivors(struct collector *c)
{
	struct process *p;

	if (root_of(c) && root_of(c)->state == PROCESS_ALIVE)
		return; /* the watching ends before the program does */
	JOB_EACH_ALIVE(&c->job, p)
		recorder_note(&c->recorder, "warning", "pid %d outlives the program: %s %.80s",
			      (int)p->pid, role_names[p->role], p->cmdline);
}

static void last_look(struct collector *c)
{
	if (c->attach)
		attach_finish(c->attach);
	else
		segments_poll(&c->segments, &c->job, 1);
	edges_poll(&c->edges);
	sampler_last_round(&c->sampler);
	c->sites.edge = 1;
	read_sites(c);
	note_survivors(c);
	shm_space_tell_stale(&c->job, recorder_now(&c->recorder));
	job_settle(&c->job, 1, is_needed, &c->pools);
	if (c->recorder.dropped_events)
		recorder_note(&c->recorder, "warning",
			      "edges were lost because they came too fast");
	if (c->edges.thinned)
		recorder_note(&c->recorder, "notice", "frequent edges were left out");
}

/* Milliseconds until the next tick, rounded up. */
static int until_tick_ms(const struct collector *c)
{
	int64_t left_ns = c->tick_ns - recorder_now(&c->recorder);

	return left_ns > 0 ? (int)((left_ns + MS - 1) / MS) : 0;
}

/* Its moments can wait: to take the processor from the program at each of them, fifty times a second, costs it more than
 * the work itself. Refused on some systems, which is no harm. */
static void let_programs_run(void)
{
	sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
}

void collector_run(struct collector *c)
{
	struct epoll_event events[64];

	let_programs_run();
	while (!is_over(c)) {
		int wait_ms = until_tick_ms(c);
		int n = epoll_wait(c->epoll_fd, events, sizeof(events) / sizeof(events[0]),
				   wait_ms);

		if (n < 0 && errno != EINTR)
			break;
		for (int i = 0; i < n; i++)
			serve(c, events[i].data.u64);
		if (until_tick_ms(c))
			continue;
		tick(c);
		c->tick_ns =
			recorder_now(&c->recorder) / (TICK_MS * MS) * (TICK_MS * MS) + TICK_MS * MS;
	}
	last_look(c);
}

/* ---- the end ---- */

static void put_end(struct collector *c)
{
	const struct process *root = root_of(c);
	struct session_writer *w = c->recorder.session;

	if (!root || root->ended_ns == SESSION_NULL)
		return;
	session_put_int(w, "ended_ns", root->ended_ns);
	if (!root->status_known)
		return;
	if (WIFEXITED(root->status))
		session_put_int(w, "exit_code", WEXITSTATUS(root->status));
	if (WIFSIGNALED(root->status))
		session_put_int(w, "exit_signal", WTERMSIG(root->status));
	if (WIFSIGNALED(root->status) && WTERMSIG(root->status) == SIGKILL &&
	    sampler_oom_kills(&c->sampler) > 0)
		session_put_int(w, "oom_killed", 1);
}

static void tell_warnings(const struct collector *c,
			  void (*warn)(const struct collector_note *, void *), void *arg)
{
	for (size_t i = 0; warn && i < c->recorder.note_count; i++) {
		const struct recorder_note *n = &c->recorder.notes[i];

		if (!strcmp(n->level, "warning"))
			warn(&(struct collector_note){n->text, n->count}, arg);
	}
}

int collector_finish(struct collector *c, void (*warn)(const struct collector_note *, void *),
		     void *arg, struct error *e)
{
	struct error failure;
	int result;

	put_end(c);
	recorder_put_overhead(&c->recorder, c->cpu_ns - sites_resolve(&c->sites, c->resolve));
	/* what the end says comes before all that was noted on the way: it may name another place */
	if (session_close(c->recorder.session, &failure)) {
		c->failed = 1;
		c->failure = failure;
	}
	tell_warnings(c, warn, arg);
	if (c->failed)
		*e = c->failure;
	result = c->failed ? c->failure.kind : 0;
	free_collector(c);
	return result;
}
