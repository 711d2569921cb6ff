/*
 * modules.h: which loaded object an address of code belongs to, as a record of the sites file.
 *
 * Objects come and go by dlopen and dlclose; each is looked at anew for every stack, so an address is never named after
 * what was there before. The loader's lock is not taken: a thread may hold it for ever in the child of a fork.
 */
#ifndef INJECT_MODULES_H
#define INJECT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* False where the C library cannot be asked without that lock (glibc before 2.35): then the child of a fork may take no
 * stacks. The unwinder depends on the same. */
bool modules_are_lock_free(void);

/* LOCK_SITES for those below. */

/* A new stack begins: what was seen may be gone. */
void modules_begin(void);

/* The module record at an address, 0 = none. */
uint32_t modules_at(uint64_t address);

/* Since modules_begin an object was met where another one had been. */
bool modules_replaced(void);

/* In the child of a fork, without the lock: records are made anew. */
void modules_forked(void);

#endif
