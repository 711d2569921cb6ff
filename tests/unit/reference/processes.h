/* processes.h: what tests look at from outside: descriptors and children of processes. */
#ifndef TESTS_PROCESSES_H
#define TESTS_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

unsigned count_descriptors(pid_t pid);

/* Open descriptors of memory objects in that process, and the bytes they hold. */
unsigned count_memory_objects(pid_t pid, size_t *bytes);

/* 1 when this process has a child, dead or alive, that was not waited for. */
int has_children(void);

int is_alive(pid_t pid);

#endif
