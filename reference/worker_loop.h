/* worker_loop.h: what runs in a worker process. */
#ifndef REFERENCE_WORKER_LOOP_H
#define REFERENCE_WORKER_LOOP_H

#include "reference/worker.h"

/* Opens the dataset, says so, answers tasks until the owner closes the queue, and ends the process.
 * `owner` is the pid of the process that forked. */
void worker_loop(const struct worker_spec *spec, int socket, pid_t owner) __attribute__((noreturn));

#endif
