/* What is measured of one process, and how it is written: see process.h. */
#include <string.h>
#include <unistd.h>

#include "profiler/collect/proc_fds.h"
#include "profiler/collect/process.h"

_Static_assert(KEYED_ABSENT == SESSION_NULL, "what the kernel does not say is NULL in the session");

int process_measure(struct process *p, int64_t t_ns)
{
	char text[256];
	struct proc_statm statm;

	if (proc_file_read(&p->statm_file, text, sizeof(text)) <= 0 ||
	    proc_statm_parse(text, sysconf(_SC_PAGESIZE), &statm))
		return 0;
	p->exiting = !statm.rss_bytes;
	if (p->exiting)
		return 0;
	p->statm = statm;
	p->statm_ns = t_ns;
	return 1;
}

static int64_t signed_bytes(uint64_t bytes)
{
	return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

void process_write_heap(const struct process *p, struct recorder *r, int64_t t_ns)
{
	struct segment_heap heap;
	struct session_heap row = {.t_ns = t_ns, .process = p->id};

	if (!p->segment.map || segment_heap(&p->segment, &heap))
		return;
	row.alloc_bytes = signed_bytes(heap.counters.alloc_bytes);
	row.allocs = signed_bytes(heap.counters.allocs);
	row.free_bytes = signed_bytes(heap.counters.free_bytes);
	row.frees = signed_bytes(heap.counters.frees);
	row.inherited_free_bytes = signed_bytes(heap.inherited_free_bytes);
	row.map_anon_bytes = signed_bytes(heap.mapped_bytes[LOOPMEM_REGION_ANON]);
	row.map_shared_bytes = signed_bytes(heap.mapped_bytes[LOOPMEM_REGION_SHARED]);
	row.map_file_bytes = signed_bytes(heap.mapped_bytes[LOOPMEM_REGION_FILE]);
	session_put_heap(r->session, &row);
}

/* A program may raise its limit: it is read again when the number of descriptors has doubled. */
static void count_descriptors(struct process *p, struct recorder *r)
{
	int64_t fds = proc_fds_count(p->pid), limit;

	p->fds = fds < 0 ? SESSION_NULL : fds;
	if (fds <= 0 || fds < 2 * p->fds_at_limit)
		return;
	p->fds_at_limit = fds;
	limit = proc_fds_limit(p->pid);
	limit = limit < 0 ? SESSION_NULL : limit;
	if (limit == p->fd_limit)
		return;
	p->fd_limit = limit;
	process_write(p, r);
}

void process_write_detail(struct process *p, struct recorder *r, int64_t t_ns)
{
	char text[4096], wchan[64], state[2] = "";
	struct proc_stat stat;
	struct proc_status status;
	struct session_detail row = {.t_ns = t_ns, .process = p->id, .state = state};

	if (proc_file_read(&p->stat_file, text, sizeof(text)) <= 0 ||
	    proc_stat_parse(text, &stat) || stat.state == 'Z')
		return;
	if (proc_file_read(&p->status_file, text, sizeof(text)) <= 0 ||
	    proc_status_parse(text, &status) ||
	    status.rss_bytes == KEYED_ABSENT) /* exiting: no memory lines any more */
		return;
	p->minor_faults = stat.minor_faults;
	state[0] = stat.state;
	if (proc_read(p->pid, "wchan", wchan, sizeof(wchan)) > 0 && strcmp(wchan, "0"))
		row.wchan = wchan;
	count_descriptors(p, r);
	row.anon_bytes = status.anon_bytes;
	row.file_bytes = status.file_bytes;
	row.shmem_bytes = status.shmem_bytes;
	row.swap_bytes = status.swap_bytes;
	row.page_table_bytes = status.page_table_bytes;
	row.locked_bytes = status.locked_bytes;
	row.minor_faults = stat.minor_faults;
	row.cpu_ticks = stat.cpu_ticks;
	row.voluntary_switches = status.voluntary_switches;
	row.threads = stat.threads;
	row.fds = p->fds;
	session_put_detail(r->session, &row);
}

void process_count_faults(struct process *p)
{
	char text[1024];
	struct proc_stat stat;

	if (proc_file_read(&p->stat_file, text, sizeof(text)) > 0 && !proc_stat_parse(text, &stat))
		p->minor_faults = stat.minor_faults;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* What it has to itself, and in proportion, since the walk before. */
static int64_t found_changed(const struct process *p, const struct proc_rollup *u)
{
	int64_t all = distance(u->pss, p->pss_at_walk);
	int64_t anon = distance(u->pss_anon, p->pss_anon_at_walk);

	return all > anon ? all : anon;
}

/* Copies are faults, and make shared pages fewer. */
static int64_t copied_since_walk(const struct process *p, int64_t shared_bytes)
{
	int64_t fewer = p->shared_at_walk - shared_bytes;
	int64_t faulted = (p->minor_faults - p->minor_faults_at_walk) * 4096;

	if (p->pace.walks < 2 || shared_bytes == KEYED_ABSENT || p->shared_at_walk == KEYED_ABSENT)
		return 0;
	return fewer < faulted ? fewer : faulted;
}

/* From the first walk after the fork; a late one needs to know what was inherited. */
static void find_shared_at_fork(struct process *p, struct recorder *r, int64_t t_ns,
				const struct proc_rollup *u)
{
	const int64_t young_ns = 250000000;
	int is_known = t_ns - p->born_ns < young_ns || p->inherited_anon_bytes != SESSION_NULL;

	if (!p->forked || p->shared_at_fork_bytes != SESSION_NULL || !is_known)
		return;
	p->shared_at_fork_bytes =
		proc_rollup_shared_at_fork(u, p->minor_faults, p->inherited_anon_bytes);
	process_write(p, r);
}

int process_walk(struct process *p, struct recorder *r, int64_t t_ns, enum walk_reason reason,
		 int64_t *copied_bytes)
{
	struct proc_rollup u;
	int64_t wall_ns;
	int error = proc_rollup_read(p->pid, &u, &wall_ns);
	struct session_rollup row = {
		.t_ns = t_ns, .process = p->id, .wall_ns = wall_ns, .edge = reason == WALK_EDGE};

	walk_done(&p->pace, t_ns, wall_ns, p->statm.rss_bytes);
	p->edge = PROCESS_EDGE_NONE;
	p->stale = p->suspect = 0;
	*copied_bytes = 0;
	if (error)
		return error;
	process_count_faults(p); /* what was copied since the fork cannot exceed them */
	find_shared_at_fork(p, r, t_ns, &u);
	row.rss_bytes = u.rss;
	row.pss_bytes = u.pss;
	row.pss_anon_bytes = u.pss_anon;
	row.pss_file_bytes = u.pss_file;
	row.pss_shmem_bytes = u.pss_shmem;
	row.shared_clean_bytes = u.shared_clean;
	row.shared_dirty_bytes = u.shared_dirty;
	row.private_clean_bytes = u.private_clean;
	row.private_dirty_bytes = u.private_dirty;
	row.anonymous_bytes = u.anonymous;
	row.anon_huge_bytes = u.anon_huge;
	row.swap_bytes = u.swap;
	row.swap_pss_bytes = u.swap_pss;
	row.minor_faults = p->minor_faults;
	session_put_rollup(r->session, &row);
	r->walks++;
	r->walk_wall_ns += wall_ns;
	*copied_bytes = copied_since_walk(p, proc_rollup_shared(&u));
	walk_found(&p->pace, found_changed(p, &u), proc_rollup_private(&u));
	p->shared_at_walk = proc_rollup_shared(&u);
	p->private_at_walk = proc_rollup_private(&u);
	p->pss_at_walk = u.pss;
	p->pss_anon_at_walk = u.pss_anon;
	p->anon_at_walk = p->statm.anon_bytes;
	p->mapped_at_walk = p->statm.rss_bytes - p->statm.anon_bytes;
	p->minor_faults_at_walk = p->minor_faults;
	return 0;
}

void process_mark_edge(struct process *p, enum process_edge edge)
{
	if (p->edge < edge)
		p->edge = edge;
}

int64_t process_grown_bytes(const struct process *p)
{
	return distance(p->statm.anon_bytes, p->anon_at_walk);
}

int64_t process_changed_bytes(const struct process *p)
{
	int64_t anon = process_grown_bytes(p);
	int64_t mapped = distance(p->statm.rss_bytes - p->statm.anon_bytes, p->mapped_at_walk);
	int64_t faulted = (p->minor_faults - p->minor_faults_at_walk) * 4096;
	int64_t most = anon > mapped ? anon : mapped;

	return most > faulted ? most : faulted;
}
