/*
 * proc_fds.h: how many descriptors a process has open, and how many it may. 10 us each where the kernel keeps the number (since Linux
 * 6.2), 0.2 us more a descriptor where they have to be listed.
 */
#ifndef PROFILER_COLLECT_PROC_FDS_H
#define PROFILER_COLLECT_PROC_FDS_H

#include <stdint.h>
#include <sys/types.h>

/* -1 = it cannot be learned: not ours to read, or gone. */
int64_t proc_fds_count(pid_t pid);

/* The same by listing them, as before Linux 6.2. */
int64_t proc_fds_list(pid_t pid);

/* Soft RLIMIT_NOFILE, from the text of /proc/PID/limits; -1 = not told, or no limit. */
int64_t proc_fds_parse_limit(const char *limits);
int64_t proc_fds_limit(pid_t pid);

#endif
