/*
 * number_set.h: a dataset for tests. Each item says its own number and who loaded it; what happened in
 * the workers is counted in shared memory; workers can be slow, fail and die on order.
 */
#ifndef TESTS_NUMBER_SET_H
#define TESTS_NUMBER_SET_H

#include <stdatomic.h>

#include "reference/dataset.h"

enum { NO_ITEM = -1 };

struct number_item {
	uint32_t number;
	uint32_t worker;
	char padding[120];
};

struct number_counts {
	atomic_uint opened, closed, loaded;
};

struct number_set {
	struct dataset dataset;
	struct number_counts *counts; /* shared with the workers */
	unsigned jitter_us;           /* each item takes up to that long, worker by worker unlike */
	int fails_at, exits_at;       /* items, or NO_ITEM */
	int open_fails;
};

void number_set_init(struct number_set *set, uint32_t length);
void number_set_release(struct number_set *set);

#endif
