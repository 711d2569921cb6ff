/*
 * lifecycle.h: birth, fork, exec and end of the process, as the shim sees them.
 */
#ifndef INJECT_LIFECYCLE_H
#define INJECT_LIFECYCLE_H

#include <sys/types.h>

/* In the parent, after a fork that was called from `caller`. */
void lifecycle_has_forked(pid_t child, const void *caller);

/* About to be replaced / was not, after all. */
void lifecycle_exec(void);
void lifecycle_exec_failed(void);

/* About to end with this status. */
void lifecycle_exit(int status);

/* About to send a signal, to a process or (pid <= 0) a group / learned how a child ended. Both may come from a signal handler. */
void lifecycle_kill(pid_t pid, int signal);
void lifecycle_reaped(pid_t child, int status);

/* At a tick: is this the child of a fork that ran no fork handlers (a bare clone)? Then it becomes one
 * like any other. */
void lifecycle_check_fork(void);

/* The process trains: it has a pool or a phase. Its segment is wanted now. */
void lifecycle_trainer(void);

/* It has a group of processes. That makes no trainer of it: under a bare preload it starts no
 * collector. */
void lifecycle_groups(void);

#endif
