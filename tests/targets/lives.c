/*
 * lives: one way of being forked, replaced or ended.
 *
 *   lives WAY
 *
 * exec ways end in `lives args one "two words"`, which prints its arguments and LIVES of its
 * environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *self;
static char name[] = "lives", word_args[] = "args", word_one[] = "one", word_two[] = "two words",
	    given[] = "LIVES=given", program[] = "true";
static char *words[] = {name, word_args, word_one, word_two, NULL};

static int args(int argc, char **argv)
{
	const char *environment = getenv("LIVES");

	for (int i = 2; i < argc; i++)
		printf("[%s]", argv[i]);
	printf(" %s\n", environment ? environment : "none");
	return 0;
}

static char **other_environment(void)
{
	static char *more[100];
	int n = 0;

	for (; environ[n] && n < 98; n++)
		more[n] = environ[n];
	more[n] = given;
	return more;
}

static int by_exec(const char *way)
{
	char *one = words[2], *two = words[3];

	if (!strcmp(way, "execl"))
		execl(self, "lives", "args", one, two, (char *)NULL);
	else if (!strcmp(way, "execlp"))
		execlp(self, "lives", "args", one, two, (char *)NULL);
	else if (!strcmp(way, "execle"))
		execle(self, "lives", "args", one, two, (char *)NULL, other_environment());
	else if (!strcmp(way, "execv"))
		execv(self, words);
	else if (!strcmp(way, "execve"))
		execve(self, words, other_environment());
	else if (!strcmp(way, "execvp"))
		execvp(self, words);
	else if (!strcmp(way, "execvpe"))
		execvpe(self, words, other_environment());
	else if (!strcmp(way, "execveat"))
		execveat(AT_FDCWD, self, words, other_environment(), 0);
	else if (!strcmp(way, "fexecve"))
		fexecve(open(self, O_RDONLY | O_CLOEXEC), words, other_environment());
	return 2;
}

static int finish(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A child as subprocess makes them: a little work, then another program without the shim. */
static void little_then_exec(void)
{
	char *bare[] = {NULL};
	void *block = malloc(1000);

	free(block);
	execle("/bin/true", "true", (char *)NULL, bare);
	_exit(9);
}

static int fork_exec(void)
{
	pid_t child = fork();

	if (child == 0)
		little_then_exec();
	return finish(child);
}

static int fork_failed_exec(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/nonexistent", "x", (char *)NULL);
		_exit(errno == ENOENT ? 0 : 1);
	}
	return finish(child);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The child may only exec or _exit; the parent's segment must not show either. */
static int by_vfork(int exec)
{
	char *bare[] = {NULL};
	pid_t child = vfork();

	if (child == 0) {
		if (exec)
			execle("/bin/true", "true", (char *)NULL, bare);
		_exit(0);
	}
	return finish(child);
}

static int by_spawn(void)
{
	char *argv[] = {program, NULL}, *bare[] = {NULL};
	pid_t child;

	return posix_spawn(&child, "/bin/true", NULL, NULL, argv, bare) ? 1 : finish(child);
}

/* A child that runs no fork handlers, and stays: it must not go on in the parent's segment. */
static int bare_clone(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (child == 0) {
		for (int i = 0; i < 5000; i++)
			if (!malloc(1000))
				abort();
		_exit(0);
	}
	return finish(child);
}

/* A wait whose answer cannot be written fails as it does without the shim. */
static bool is_refused(const char *way)
{
	int *nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork(), found;

	if (child == 0)
		raise(SIGKILL);
	found = !strcmp(way, "wait4") ? wait4(child, nowhere, 0, NULL) : waitpid(child, nowhere, 0);
	return found == -1 && errno == EFAULT;
}

/* Ends a child by a signal, and learns it in one of the ways there are; some take no answer. */
static int ended_child(const char *way)
{
	bool answers = strcmp(way, "wait") && strcmp(way, "waitid");
	int status = answers ? 0 : SIGTERM;
	pid_t child = fork(), found = -1;

	if (child == 0)
		for (;;)
			pause();
	setpgid(child, child);
	if (!strcmp(way, "wait3") ? killpg(child, SIGTERM) : kill(child, SIGTERM))
		return 1;
	if (!strcmp(way, "wait"))
		found = wait(NULL);
	else if (!strcmp(way, "wait3"))
		found = wait3(&status, 0, NULL);
	else if (!strcmp(way, "wait4"))
		found = wait4(child, &status, 0, NULL);
	else if (!strcmp(way, "waitpid"))
		found = waitpid(child, &status, 0);
	else if (!strcmp(way, "waitid"))
		found = waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT) ||
					waitid(P_PID, (id_t)child, NULL, WEXITED)
				? -1
				: child;
	printf("%d\n", (int)child);
	return found != child || status != SIGTERM || kill(child, SIGTERM) != -1 ||
	       errno != ESRCH || !is_refused(way);
}

static void in_handler(int signal)
{
	(void)signal;
	_exit(fork() == 0 ? 3 : 4);
}

static void exit_in_handler(void)
{
	signal(SIGALRM, in_handler);
	ualarm(20000, 0);
	for (;;)
		free(malloc(100));
}

/* exec comes back when it fails: the mark must go again. */
static int failed_exec(void)
{
	return execl("/nonexistent", "x", (char *)NULL) == -1 && errno == ENOENT ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	self = "/proc/self/exe";
	if (!strcmp(way, "args"))
		return args(argc, argv);
	if (!strcmp(way, "return"))
		return 11;
	if (!strcmp(way, "exit"))
		exit(12);
	if (!strcmp(way, "_exit"))
		_exit(13);
	if (!strcmp(way, "_Exit"))
		_Exit(14);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "fork-exec"))
		return fork_exec();
	if (!strcmp(way, "fork-failed-exec"))
		return fork_failed_exec();
	if (!strcmp(way, "vfork-exec"))
		return by_vfork(1);
	if (!strcmp(way, "vfork-exit"))
		return by_vfork(0);
	if (!strcmp(way, "spawn"))
		return by_spawn();
	if (!strcmp(way, "system"))
		return system("exec /bin/true");
	if (!strcmp(way, "bare-clone"))
		return bare_clone();
	if (!strncmp(way, "wait", 4))
		return ended_child(way);
	if (!strcmp(way, "exit-in-handler"))
		exit_in_handler();
	if (!strcmp(way, "failed-exec"))
		return failed_exec();
	return by_exec(way);
}
