/*
 * proc_shm.h: the shared-memory objects that one process holds by descriptors or maps.
 *
 * Shared-memory batches are held by descriptors only, mapped by nobody, for most of their life, and
 * then they are in no process's Pss: a walk of the descriptors is the only witness. An object is
 * named by device and inode, its bytes are its allocated blocks (a sparse object counts what it
 * really has).
 */
#ifndef PROFILER_COLLECT_PROC_SHM_H
#define PROFILER_COLLECT_PROC_SHM_H

#include <stdint.h>
#include <sys/types.h>

struct proc_shm {
	uint64_t device, inode;
	int64_t bytes; /* -1 where only the mapping is known */
	pid_t creator_pid; /* from a name like torch_PID_..., in the creator's pid namespace; 0 = not told */
	int mapped; /* 1 = seen in maps, 0 = held by a descriptor */
};

typedef void proc_shm_fn(const struct proc_shm *object, void *arg);

/* 1 when the text of a link or mapping names shared memory (memfd, /dev/shm but for semaphores);
 * *creator_pid as above. */
int proc_shm_name(const char *name, pid_t *creator_pid);

/* Walks /proc/PID/fd: about 3 us a descriptor. Number of descriptors, or -errno. */
int proc_shm_each_held(pid_t pid, proc_shm_fn *fn, void *arg);

/* Parses the text of /proc/PID/maps; an object mapped in pieces comes several times. */
void proc_shm_each_mapped(const char *maps, proc_shm_fn *fn, void *arg);

/* Objects that are kept by their names alone (torch's file_system strategy): the torch_* files of
 * `directory`. */
int proc_shm_each_named(const char *directory, proc_shm_fn *fn, void *arg);

#endif
