/* One process: identity, files, command line. What it measures is in process_figures.c. */
#include "profiler/collect/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/exit_status.h"

/* Clock ticks since boot to session time, of whatever number a segment tells. Boot time runs on while the machine sleeps, the session's
 * clock does not. */
static int64_t time_of_ticks(const struct recorder *r, uint64_t ticks)
{
	int64_t asleep_ns = clock_read_ns(CLOCK_BOOTTIME) - clock_monotonic_ns();
	uint64_t since_boot_ns = ticks * (uint64_t)(1000000000 / sysconf(_SC_CLK_TCK));
	int64_t t_ns = (int64_t)(since_boot_ns - (uint64_t)(asleep_ns + r->clock_ns));

	return t_ns > 0 ? t_ns : 0;
}

static int read_stat(const struct process *p, struct proc_stat *out)
{
	char text[1024];
	ssize_t n = proc_file_read(&p->stat_file, text, sizeof(text));

	if (n <= 0)
		return -ESRCH;
	return proc_stat_parse(text, out);
}

/* The words of the command line divided by blanks; a process without any is named by its name in
 * brackets: -ESRCH, for it is most likely about to end and has given its memory back. */
static int read_cmdline(const struct process *p, const char *comm, char *out, size_t size)
{
	ssize_t n = proc_read(p->pid, "cmdline", out, size);

	if (n <= 0) {
		snprintf(out, size, "[%s]", comm);
		return -ESRCH;
	}
	for (ssize_t i = 0; i < n - 1; i++)
		if (!out[i] || out[i] == '\n')
			out[i] = ' ';
	return 0;
}

static void take_stat(struct process *p, const struct proc_stat *stat)
{
	p->forked = (stat->flags & PROC_FORKED) && p->parent;
	p->family = p->forked ? p->parent->family : p->id;
	p->minor_faults = stat->minor_faults;
}

static int64_t anon_now(const struct process *p)
{
	char text[256];
	struct proc_statm statm;

	if (proc_file_read(&p->statm_file, text, sizeof(text)) <= 0 ||
	    proc_statm_parse(text, sysconf(_SC_PAGESIZE), &statm) || !statm.rss_bytes)
		return SESSION_NULL;
	return statm.anon_bytes;
}

/* What its parent has now, soon after the fork; else what was measured of it before. */
static void take_inherited(struct process *p, int64_t now_ns)
{
	const int64_t soon_ns = 100000000, tick_ns = 10000000; /* as exact as the birth */

	if (!p->forked)
		return;
	if (now_ns - p->born_ns < soon_ns)
		p->inherited_anon_bytes = anon_now(p->parent);
	else if (p->parent->statm_ns != SESSION_NULL && p->parent->statm_ns <= p->born_ns + tick_ns)
		p->inherited_anon_bytes = p->parent->statm.anon_bytes;
}

static void take_role(struct process *p, const struct proc_stat *stat)
{
	enum role role;

	if (p->role != ROLE_CHILD && p->role < ROLE_FORKSERVER)
		return;
	role = role_of_command(p->cmdline, stat->comm, p->forked);
	p->role = role;
}

int process_open(struct process *p, pid_t pid, struct process *parent, const struct recorder *r)
{
	struct proc_stat stat;
	struct proc_status status;
	char text[4096];

	p->pid = p->inner_pid = pid;
	p->parent = parent;
	p->pidfd = exit_watch(pid);
	proc_file_open(&p->stat_file, pid, "stat");
	proc_file_open(&p->statm_file, pid, "statm");
	proc_file_open(&p->status_file, pid, "status");
	if (read_stat(p, &stat) || stat.state == 'X') {
		process_close(p);
		return -ESRCH;
	}
	if (proc_file_read(&p->status_file, text, sizeof(text)) > 0 &&
	    !proc_status_parse(text, &status) && status.inner_pid > 0)
		p->inner_pid = status.inner_pid;
	p->start_ticks = stat.start_ticks;
	p->born_ns = time_of_ticks(r, stat.start_ticks);
	p->exiting = stat.state == 'Z';
	take_stat(p, &stat);
	take_inherited(p, recorder_now(r));
	read_cmdline(p, stat.comm, p->cmdline, sizeof(p->cmdline));
	take_role(p, &stat);
	return 0;
}

int64_t process_birth_ns(const struct recorder *r, pid_t pid)
{
	struct proc_stat stat;

	if (proc_stat_read(pid, &stat))
		return INT64_MIN / 2;
	return time_of_ticks(r, stat.start_ticks);
}

void process_take_birth(struct process *p, const struct segment_identity *identity,
			const struct recorder *r)
{
	int64_t step_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	int64_t fork_ns = recorder_time(r, identity->fork_ns);

	if (!identity->start_ticks) {
		p->born_ns = identity->fork_ns ? fork_ns : recorder_time(r, identity->birth_ns);
		return;
	}
	p->born_ns = time_of_ticks(r, identity->start_ticks);
	if (fork_ns >= p->born_ns && fork_ns - p->born_ns < step_ns)
		p->born_ns = fork_ns;
}

int process_is(pid_t pid, uint64_t start_ticks)
{
	struct proc_stat stat;

	return !proc_stat_read(pid, &stat) && stat.start_ticks == start_ticks;
}

void process_close(struct process *p)
{
	proc_file_close(&p->stat_file);
	proc_file_close(&p->statm_file);
	proc_file_close(&p->status_file);
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
	segment_close(&p->segment);
}

int process_look_again(struct process *p)
{
	char cmdline[sizeof(p->cmdline)];
	struct proc_stat stat;
	int changed;

	if (read_stat(p, &stat) || stat.state == 'Z')
		return -ESRCH;
	if (read_cmdline(p, stat.comm, cmdline, sizeof(cmdline)))
		return -ESRCH;
	changed = strcmp(cmdline, p->cmdline) != 0 || (p->forked && !(stat.flags & PROC_FORKED));
	if (!changed)
		return 0;
	memcpy(p->cmdline, cmdline, sizeof(cmdline));
	take_stat(p, &stat);
	take_role(p, &stat);
	return 1;
}

static const char *python_state_name(uint32_t state)
{
	static const char *const names[] = {
		[LOOPMEM_PYTHON_ABSENT] = "absent",       [LOOPMEM_PYTHON_WAITING] = "waiting",
		[LOOPMEM_PYTHON_INSTALLED] = "installed", [LOOPMEM_PYTHON_HOOKED] = "hooked",
		[LOOPMEM_PYTHON_REFUSED] = "refused",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : NULL;
}

void process_write(struct process *p, struct recorder *r)
{
	const struct segment_state *s = &p->segment_state;
	char python[32] = "";
	struct session_process row = {
		.id = p->id,
		.pid = p->pid,
		.start_ticks = (int64_t)p->start_ticks,
		.parent = p->parent ? p->parent->id : SESSION_NULL,
		.role = role_names[p->role],
		.cmdline = p->cmdline,
		.instrumented = p->instrumented,
		.born_ns = p->born_ns,
		.ended_ns = p->ended_ns,
		.exit_code = p->status_known && WIFEXITED(p->status) ? WEXITSTATUS(p->status)
								     : SESSION_NULL,
		.exit_signal = p->status_known && WIFSIGNALED(p->status) ? WTERMSIG(p->status)
									 : SESSION_NULL,
		.inherited_live_bytes = SESSION_NULL,
		.shared_at_fork_bytes = p->shared_at_fork_bytes,
		.rank = p->rank,
		.fd_limit = p->fd_limit,
	};

	if (p->instrumented) {
		row.allocator = p->identity.allocator;
		row.python_state = python_state_name(s->python_state);
		row.python_reason = s->python_reason[0] ? s->python_reason : NULL;
		if (p->identity.fork_ns)
			row.inherited_live_bytes = (int64_t)p->identity.inherited_live_bytes;
	}
	if (s->python_version) {
		snprintf(python, sizeof(python), "%u.%u.%u", s->python_version >> 24,
			 s->python_version >> 16 & 255, s->python_version >> 8 & 255);
		row.python = python;
	}
	session_put_process(r->session, &row);
}

/* The value of NAME in a block of NAME=VALUE strings; SESSION_NULL when it is absent or no
 * number. */
static int64_t number_in(const char *block, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (const char *p = block; p < block + size; p += strlen(p) + 1) {
		char *end;
		long long value;

		if (strncmp(p, name, length) || p[length] != '=')
			continue;
		value = strtoll(p + length + 1, &end, 10);
		return end != p + length + 1 && !*end ? value : SESSION_NULL;
	}
	return SESSION_NULL;
}

int64_t process_rank(pid_t pid)
{
	static const char *const names[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
					    "PMI_RANK"};
	struct proc_text environment = {0};
	int64_t rank = SESSION_NULL;

	if (!proc_text_read(&environment, pid, "environ", 1 << 20))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && rank == SESSION_NULL;
		     i++)
			rank = number_in(environment.data, environment.size, names[i]);
	proc_text_release(&environment);
	return rank;
}
