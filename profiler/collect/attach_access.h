/*
 * attach_access.h: may a process that already runs be watched, and what of it can be read.
 */
#ifndef PROFILER_COLLECT_ATTACH_ACCESS_H
#define PROFILER_COLLECT_ATTACH_ACCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "profiler/error.h"

/* 0; ERROR_USAGE for this process itself or a thread; ERROR_UNREADABLE when there is none, it has
 * ended, it has no memory, or it is not ours to read. */
int attach_check(pid_t pid, struct error *e);

/* Whose loader's worker the process seems to be: the nearest of its ancestors, two at most, that has the
 * semaphores of a pool with it. 0 = it seems to be none. */
pid_t attach_owner_of(pid_t pid);

/* "attached: can read rollup fd wchan; cannot read syscall cgroup". `cgroup`: the job's memory
 * controller was found. */
void attach_capabilities(pid_t pid, int cgroup, char *out, size_t size);

#endif
