/*
 * shm_space.h: how full /dev/shm was, and what dead processes left in it. A full one ends workers by SIGBUS, and in a container it is 64 MiB
 * unless somebody asked for more.
 */
#ifndef PROFILER_COLLECT_SHM_SPACE_H
#define PROFILER_COLLECT_SHM_SPACE_H

#include <stdint.h>

#include "profiler/collect/job.h"

struct shm_space {
	int64_t size_bytes, used_max_bytes; /* 0 = never looked */
};

/* Looks, and writes shm_size_bytes, shm_used_max_bytes and shm_used_max_ns to meta when it was never as full. One system call. */
void shm_space_look(struct shm_space *s, struct recorder *r, int64_t t_ns);

/*
 * Writes an event "stale-shm" for every dead process that left files which carry its pid (torch_PID_...), value = bytes, value2 = pid, text =
 * one of the names; "earlier-shm" for those that are older than the session. Files of this user, of pids that this pid namespace does not
 * know; older ones only when no process at all holds or maps them: their owners may live in another container. At the end of a run, and
 * not while a shm manager of the job lives: it will remove them.
 */
void shm_space_tell_stale(const struct job *j, int64_t t_ns);

#endif
