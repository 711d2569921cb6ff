/* What may be read of a running process: see the header. */
#include "profiler/collect/attach_access.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiler/collect/ladder.h"
#include "profiler/collect/proc_counters.h"
#include "profiler/collect/proc_file.h"
#include "profiler/collect/proc_ipc.h"

static int absent(pid_t pid, struct error *e)
{
	if (!kill(pid, 0) || errno == EPERM) {
		error_set(e, ERROR_UNREADABLE, "process %d is hidden from this user", (int)pid);
		error_hint(e, "run as the same user, or as root: /proc is mounted with hidepid");
		return e->kind;
	}
	error_set(e, ERROR_UNREADABLE, "no process %d", (int)pid);
	error_hint(e, "find it: pgrep -af python");
	return e->kind;
}

/* The process that a thread belongs to: /proc answers for threads too, it only does not list them. */
static pid_t process_of(const char *status)
{
	const char *line = strstr(status, "\nTgid:");
	int pid = 0;

	if (line)
		sscanf(line, "\nTgid: %d", &pid);
	return (pid_t)pid;
}

static int check_identity(pid_t pid, struct error *e)
{
	char text[4096];
	struct proc_stat stat;
	pid_t owner;

	if (pid == getpid())
		return error_set(e, ERROR_USAGE, "process %d is this loopmem itself", (int)pid);
	if (proc_stat_read(pid, &stat))
		return absent(pid, e);
	if (stat.state == 'Z' || stat.state == 'X')
		return error_set(e, ERROR_UNREADABLE, "process %d has ended already", (int)pid);
	if (proc_read(pid, "status", text, sizeof(text)) <= 0)
		return absent(pid, e);
	owner = process_of(text);
	if (owner && owner != pid) {
		error_set(e, ERROR_USAGE, "%d is a thread of process %d", (int)pid, (int)owner);
		error_hint(e, "loopmem attach %d", (int)owner);
		return e->kind;
	}
	if (!strstr(text, "\nVmRSS:"))
		return error_set(
			e, ERROR_UNREADABLE,
			"process %d is one of the kernel's own: it has no memory to tell of",
			(int)pid);
	return 0;
}

/* 0 or -errno of opening and reading it. */
static int try_read(pid_t pid, const char *name)
{
	char text[64];
	ssize_t n = proc_read(pid, name, text, sizeof(text));

	return n < 0 ? (int)n : 0;
}

static int try_list(pid_t pid)
{
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	closedir(dir);
	return 0;
}

int attach_check(pid_t pid, struct error *e)
{
	int error;

	if (check_identity(pid, e))
		return e->kind;
	error = try_read(pid, "smaps_rollup");
	if (error == -EACCES || error == -EPERM) {
		error_set_errno(e, ERROR_UNREADABLE, -error, "cannot read /proc/%d/smaps_rollup",
				(int)pid);
		error_hint(e, "run as the same user, or with CAP_SYS_PTRACE");
		return e->kind;
	}
	return error == -ESRCH ? absent(pid, e) : 0;
}

static pid_t parent_of(pid_t pid)
{
	struct proc_stat stat;

	return proc_stat_read(pid, &stat) ? 0 : stat.parent_pid;
}

/* An empty set where they cannot be read. */
static struct id_set semaphores_of(pid_t pid)
{
	struct proc_ipc ipc = {0};
	struct proc_text maps = {0};

	if (!proc_text_read(&maps, pid, "maps", PROC_MAPS_LIMIT))
		proc_ipc_parse_maps(&ipc, maps.data);
	proc_text_release(&maps);
	return ipc.semaphores;
}

pid_t attach_owner_of(pid_t pid)
{
	struct id_set own = semaphores_of(pid);
	pid_t ancestor = pid;
	size_t shared = 0;

	/* a forkserver stands between, and has none */
	for (int i = 0; i < 2 && own.count >= LADDER_FIRST_SEMAPHORES && !shared; i++) {
		struct id_set theirs;

		ancestor = parent_of(ancestor);
		theirs = semaphores_of(ancestor);
		shared = id_set_shared(&own, &theirs);
		id_set_release(&theirs);
	}
	id_set_release(&own);
	return shared >= LADDER_FIRST_SEMAPHORES ? ancestor : 0;
}

void attach_capabilities(pid_t pid, int cgroup, char *out, size_t size)
{
	char wchan[64];
	const struct {
		const char *name;
		int works;
	} files[] = {
		{"rollup", !try_read(pid, "smaps_rollup")},
		{"fd", !try_list(pid)},
		{"maps", !try_read(pid, "maps")},
		{"wchan", proc_read(pid, "wchan", wchan, sizeof(wchan)) > 0},
		{"syscall", !try_read(pid, "syscall")},
		{"cgroup", cgroup},
	};
	size_t at = (size_t)snprintf(out, size,
				     "attached without the shim: pools and their states "
				     "are guesses; can read");

	for (int works = 1; works >= 0; works--) {
		int said = works;

		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && at < size; i++) {
			if (files[i].works != works)
				continue;
			at += (size_t)snprintf(out + at, size - at, "%s %s",
					       said++ ? "" : "; cannot read", files[i].name);
		}
	}
}
