/* iterator.h: what loader.c and iterator.c know of each other. Users include loader.h. */
#ifndef REFERENCE_ITERATOR_H
#define REFERENCE_ITERATOR_H

#include "reference/loader.h"
#include "reference/order.h"
#include "reference/pool.h"

struct loader {
	const struct dataset *dataset;
	struct loader_config config;
	uint32_t length;
	struct iterator *kept; /* the one iterator of a persistent loader, or NULL */
};

struct iterator {
	struct loader *loader;
	struct order *order;
	uint32_t asked;     /* batches put into index queues */
	uint32_t delivered; /* batches handed out; asked - delivered are in flight */
	int live;           /* there are workers or a state to end */
	struct pool pool;   /* with workers */
	void *state;        /* without: the owner's own state of the dataset */
	loopmem_pool note;
};

/* A new iterator with its own workers, ready and loading ahead. */
int iterator_new(struct iterator **out, struct loader *loader, enum loopmem_stage stage,
		 int32_t epoch, struct failure *f);

/* The same workers for another epoch. On failure they are ended. */
int iterator_start_over(struct iterator *it, int32_t epoch, struct failure *f);

/* Ends the workers if there are any. */
void iterator_free(struct iterator *it);

#endif
