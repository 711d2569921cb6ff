/*
 * collector.c: two clones, as posix_spawn makes one. The first makes the second and ends, so the
 * collector is no child of the program; it is made without an exit signal, so neither is the first.
 *
 * Both share the program's memory while the calling thread waits (CLONE_VM, CLONE_VFORK): nothing is
 * copied however large the program is, and they may do nothing but system calls.
 */
#include "inject/collector.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/real.h"
#include "inject/text.h"

enum { STACK_BYTES = 64 << 10, MAX_VARIABLES = 4096, CLOSE_AT_MOST = 65536 };

extern char **environ;

/* What the clones work on. It lives in one mapping with their stacks. */
struct launch {
	char *argv[9];
	char *envp[MAX_VARIABLES + 1];
	char program[PATH_MAX];
	char pid[24];
	char file[PATH_MAX];
	int error; /* set by the clones: the memory is shared */
	char stacks[2][STACK_BYTES] __attribute__((aligned(64)));
};

static void close_descriptors(void)
{
	struct rlimit limit;

	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > CLOSE_AT_MOST)
		limit.rlim_cur = CLOSE_AT_MOST;
	for (int fd = 3; fd < (int)limit.rlim_cur; fd++)
		close(fd);
}

/* The program's handlers must not run here. What it ignores stays ignored over the exec. */
static void reset_signals(void)
{
	struct sigaction action, usual = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaction(signal, &usual, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int be_collector(void *data)
{
	struct launch *launch = data;
	int null = open("/dev/null", O_RDWR);

	reset_signals();
	if (null >= 0)
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
	close_descriptors();
	REAL(execve)(launch->program, launch->argv, launch->envp);
	launch->error = errno;
	syscall(SYS_exit, 127);
	return 127;
}

static int be_between(void *data)
{
	struct launch *launch = data;

	setsid();
	if (clone(be_collector, launch->stacks[1] + STACK_BYTES, CLONE_VM | CLONE_VFORK, launch) <
	    0)
		launch->error = errno;
	syscall(SYS_exit, 0);
	return 0;
}

/* Next to this library as built, or in the bin folder beside its lib folder. */
static bool find_program(char *path, size_t size)
{
	static const char *const places[] = {"/loopmem", "/../../bin/loopmem",
					     "/../../../bin/loopmem"};
	const char *named = secure_getenv("LOOPMEM_PROGRAM");
	char library[PATH_MAX], *slash;
	Dl_info info;

	if (named && *named) {
		text_copy(path, size, named);
		return access(path, X_OK) == 0;
	}
	if (!dladdr((void *)collector_start, &info) || !info.dli_fname)
		return false;
	text_copy(library, sizeof(library), info.dli_fname);
	slash = strrchr(library, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct text text = text_into(path, size);
		text_put(&text, library);
		text_put(&text, places[i]);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static void name_file(struct launch *launch)
{
	const char *output = secure_getenv("LOOPMEM_OUTPUT");
	struct text text = text_into(launch->file, sizeof(launch->file));

	if (output && *output) {
		text_put(&text, output);
		return;
	}
	text_put(&text, "run-");
	text_put(&text, launch->pid);
	text_put(&text, ".loopmem");
}

/* The collector is not to be profiled. */
static void copy_environment(struct launch *launch)
{
	int n = 0;

	for (char **variable = environ; variable && *variable && n < MAX_VARIABLES; variable++)
		if (strncmp(*variable, "LD_PRELOAD=", 11) != 0)
			launch->envp[n++] = *variable;
}

static bool prepare(struct launch *launch, const char *directory)
{
	static char loopmem[] = "loopmem", collect[] = "collect", dir[] = "--dir", pid[] = "--pid",
		    output[] = "-o";
	char *argv[] = {loopmem, collect,      dir, (char *)directory, pid, launch->pid,
			output,  launch->file, NULL};
	struct text text = text_into(launch->pid, sizeof(launch->pid));

	if (!find_program(launch->program, sizeof(launch->program)))
		return false;
	text_put_number(&text, (uint64_t)getpid(), 10);
	name_file(launch);
	copy_environment(launch);
	memcpy(launch->argv, argv, sizeof(argv));
	return true;
}

static bool run(struct launch *launch)
{
	sigset_t all, before;
	pid_t between;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	between =
		clone(be_between, launch->stacks[0] + STACK_BYTES, CLONE_VM | CLONE_VFORK, launch);
	if (between > 0)
		while (waitpid(between, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return between > 0 && launch->error == 0;
}

bool collector_start(const char *directory)
{
	struct launch *launch = REAL(mmap)(NULL, sizeof(*launch), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool started;

	if (launch == MAP_FAILED)
		return false;
	started = prepare(launch, directory) && run(launch);
	REAL(munmap)(launch, sizeof(*launch));
	return started;
}
