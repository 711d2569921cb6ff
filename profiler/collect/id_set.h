/* id_set.h: a set of numbers that name something: inodes, processes. All zero bytes = empty. */
#ifndef PROFILER_COLLECT_ID_SET_H
#define PROFILER_COLLECT_ID_SET_H

#include <stddef.h>
#include <stdint.h>

struct id_set {
	uint64_t *items; /* ascending, each once */
	size_t count, capacity;
};

/* 1 = added, 0 = it was there, -ENOMEM. */
int id_set_add(struct id_set *s, uint64_t id);
int id_set_has(const struct id_set *s, uint64_t id);

/* How many are in both. */
size_t id_set_shared(const struct id_set *a, const struct id_set *b);
void id_set_release(struct id_set *s);

#endif
