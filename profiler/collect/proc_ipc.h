/*
 * proc_ipc.h: the semaphores and pipes of one process: what a queue of Python's multiprocessing is
 * made of, and what workers inherit from or are handed by their owner.
 *
 * A named semaphore shows as a mapping of /dev/shm/sem.*, a pipe as descriptors of one or both of
 * its ends. Both are named by their inode, which the kernel does not use again while it runs.
 */
#ifndef PROFILER_COLLECT_PROC_IPC_H
#define PROFILER_COLLECT_PROC_IPC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/id_set.h"

enum pipe_ends { PIPE_READ = 1, PIPE_WRITE = 2, PIPE_BOTH = 3 };

struct proc_pipe {
	uint64_t inode;
	unsigned ends; /* enum pipe_ends held */
	int read_fd;   /* of the process; -1 = it has no end to read from */
};

struct proc_ipc {
	struct id_set semaphores;
	struct proc_pipe *pipes; /* each once, in no order */
	size_t pipe_count, pipe_capacity;
};

/* Semaphores mapped according to the text of /proc/PID/maps. 0 or -ENOMEM. */
int proc_ipc_parse_maps(struct proc_ipc *out, const char *maps);

/* A descriptor: the text of its link, e.g. "pipe:[4711]", and which ends it is open for. Other
 * links are left out. 0 or -ENOMEM. */
int proc_ipc_add_fd(struct proc_ipc *out, int fd, const char *link, unsigned ends);

/* Walks /proc/PID/fd and adds its pipes. 0 or -errno. */
int proc_ipc_read_fds(struct proc_ipc *out, pid_t pid);

/* NULL = the process does not hold it. */
const struct proc_pipe *proc_ipc_pipe(const struct proc_ipc *ipc, uint64_t inode);

void proc_ipc_release(struct proc_ipc *ipc);

/* Bytes that wait in the pipe of which PID holds the end `read_fd`; -1 = it cannot be told, or that
 * descriptor is another file now. Opens the end without blocking and closes it at once. */
int64_t proc_pipe_waiting(pid_t pid, int read_fd, uint64_t inode);

#endif
