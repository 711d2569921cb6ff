/*
 * own.h: which blocks a forked process allocated itself, exactly. All others it frees are inherited.
 *
 * A sparse bitmap over the address space, one bit for each place where a block can begin. Memory is
 * taken only where own blocks are: 1/128 of them (1/64 where the allocator packs blocks of 8 bytes).
 * A process that did not come by fork has no inherited blocks and uses none of this.
 *
 * Threads: own_add and own_remove are lock-free but for the first block in a new stretch of memory.
 */
#ifndef INJECT_OWN_H
#define INJECT_OWN_H

#include <stdbool.h>

/* Blocks begin at multiples of 1 << shift: 4 or 3. Before any block is added. */
void own_set_shift(unsigned int shift);

/* In the child of a fork, with no other thread: forgets every block. */
void own_forked(void);

/* False when the block could not be remembered: it will look inherited. */
bool own_add(const void *block);

/* Forgets the block. False when it was not there: it is inherited. */
bool own_remove(const void *block);

#endif
