/*
 * collector.h: starts `loopmem collect` for a bare preload, out of the program's sight.
 */
#ifndef INJECT_COLLECTOR_H
#define INJECT_COLLECTOR_H

#include <stdbool.h>

/* Starts `loopmem collect --dir DIRECTORY --pid PID -o FILE`: FILE is LOOPMEM_OUTPUT, else
 * run-PID.loopmem in the working directory. The program is LOOPMEM_PROGRAM, else the one that was
 * built or installed with this library. It runs detached: in a session of its own, its input and
 * output /dev/null, without the program's descriptors and without LD_PRELOAD; the program gets no
 * SIGCHLD and no child that wait() could find. (But in a child subreaper it is a child like any
 * orphan.) False when it could not be started. */
bool collector_start(const char *directory);

#endif
