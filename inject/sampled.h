/*
 * sampled.h: what becomes of a sampled allocation: its stack is taken, its site found, its life followed.
 *
 * The guard is raised and no lock of ours held in all of these. A sample that cannot be taken whole is counted, never
 * waited for.
 */
#ifndef INJECT_SAMPLED_H
#define INJECT_SAMPLED_H

#include <stddef.h>
#include <stdint.h>

#include "inject/live.h"

/* As a mean: what is sampled for certain stands for itself. */
enum { SAMPLED_FOR_CERTAIN = 1 };

/* A block or mapping that a sampling point fell into, in a gap that was drawn with that mean: it stands for bytes / p,
 * where p was its chance. */
void sampled_block(const void *block, size_t bytes, uint64_t mean_bytes);
void sampled_mapping(uint64_t start, uint64_t end, uint64_t mean_bytes);

/* The end of a block that may have been sampled (live_may_be), before the real free; and of a mapping. */
void sampled_freed(const void *block);
void sampled_unmapped(uint64_t start, uint64_t end);

/* From here on the objects in Python's arenas are counted, the arenas no more. */
void sampled_drop_arenas(void);

/* A block on its way through realloc: taken out, and put back when that failed. */
bool sampled_take(const void *block, struct live *out);
void sampled_put_back(const void *block, const struct live *live);
void sampled_count_free(const struct live *live);

/* Around a fork: stacks that are being taken are waited for, a moment; then the child begins anew. */
void sampled_before_fork(void);
void sampled_after_fork_parent(void);
void sampled_forked(void);

#endif
