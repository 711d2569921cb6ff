/*
 * launch.h: starts the command of `loopmem run` and stays out of its way: same process group,
 * terminal and standard files.
 *
 * Signals: Ctrl-C, Ctrl-\ and Ctrl-Z reach the command by itself, this process only takes note and
 * stops along; TERM, HUP, USR1 and USR2 sent to this process are handed on (a HUP of the
 * terminal went to both already). This process is the subreaper of what it starts: orphans come
 * here and are reaped here.
 */
#ifndef PROFILER_COLLECT_LAUNCH_H
#define PROFILER_COLLECT_LAUNCH_H

#include <stddef.h>
#include <sys/types.h>

#include "profiler/error.h"

struct launch_variable {
	const char *name, *value; /* value NULL = unset */
};

struct launch {
	pid_t pid;
	int signal_fd;
	int ended, status; /* as wait() gives it */
	/* told of everything that is reaped, and of signals that ask the run to end; NULL = nobody */
	void (*reaped)(pid_t pid, int status, void *arg);
	void (*signalled)(int signal, void *arg);
	void *told_arg;
};

enum {
	LAUNCH_NOT_EXECUTABLE = 126, /* as the shell says */
	LAUNCH_NOT_FOUND = 127,
};

/* Where standard input, output or error is closed, puts something harmless in its place that the
 * command will not inherit: else the next file opened would be taken for it. */
void launch_keep_standard_files(void);

/* Starts argv with these variables of its environment changed. Returns 0 when the exec succeeded.
 * Else a negative error_kind, and *exit_code is LAUNCH_NOT_FOUND, LAUNCH_NOT_EXECUTABLE, or 0 when
 * it was no fault of the command's. */
int launch_start(struct launch *l, char *const *argv, const struct launch_variable *variables,
		 size_t count, int *exit_code, struct error *e);

/* To be called when signal_fd is readable. */
void launch_serve(struct launch *l);

/* Serves signals until the command has ended. */
void launch_wait(struct launch *l);

/* Ends this process as the command ended: with its exit status, or by its signal. */
void launch_exit_alike(const struct launch *l) __attribute__((noreturn));

#endif
