/*
 * bare.h: a program that preloads libloopmem.so without `loopmem run`, so nobody made a directory for
 * segments and nobody collects them.
 *
 * At start a directory is only planned: its name goes to children by fork, and, once this is known to
 * be a trainer, to others by LOOPMEM_PLAN in the environment. The first process of them all that
 * makes a pool makes the directory and starts the collector; the others find it at their next tick.
 * A tree without a pool leaves nothing behind.
 */
#ifndef INJECT_BARE_H
#define INJECT_BARE_H

#include <stdbool.h>

/* At start, without LOOPMEM_DIR: the planned directory, or NULL when nothing is to be collected
 * (LOOPMEM_COLLECT=0) or no place for it was found. Valid for ever. */
const char *bare_plan(void);

/* Tells programs that this one will start of the plan. From a thread that may change the environment. */
void bare_announce(void);

/* Makes the directory and starts the collector, unless another process did. False when that failed. */
bool bare_begin(void);

#endif
