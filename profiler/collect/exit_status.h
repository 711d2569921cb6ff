/*
 * exit_status.h: how a process that is not our child ended.
 *
 * A pidfd opened while it lived becomes readable at its death. While it is a zombie its stat has
 * the status (field 52); after its parent reaped it, newer kernels (6.15) tell it through the
 * pidfd. In between and on older kernels it stays unknown.
 */
#ifndef PROFILER_COLLECT_EXIT_STATUS_H
#define PROFILER_COLLECT_EXIT_STATUS_H

#include <sys/types.h>

#include "profiler/collect/proc_file.h"

enum exit_knowledge {
	EXIT_UNKNOWN_YET, /* ask again: it runs, or is between zombie and reaped */
	EXIT_KNOWN,
	EXIT_NEVER_KNOWN, /* it is gone and this kernel does not tell */
};

/* A descriptor that is readable once the process has ended, or -errno. */
int exit_watch(pid_t pid);

/* *status as wait() gives it. `stat` is the kept /proc/PID/stat. */
enum exit_knowledge exit_status(int pidfd, const struct proc_file *stat, int *status);

#endif
