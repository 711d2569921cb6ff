/*
 * loader.h: a multi-process data loader. A loader knows how a dataset is cut into batches; an iterator
 * delivers them once, in order, from workers forked for it.
 *
 *   loader ── loader_iterate ──→ iterator ── iterator_next ──→ batch, batch, ..., end
 *
 * The iterator owns the workers and whatever they hold. At its end the workers live on until either
 * iterator_next is called once more (and returns 0) or iterator_close: a loop that counts batches
 * and never makes that last call keeps them, idle. With LOADER_PERSISTENT the iterator belongs to
 * the loader and its workers serve every epoch until loader_close.
 *
 * Profiled, each iterator is a pool (inject/loopmem.h). Use a loader and its iterators from one
 * thread that outlives them; the dataset must outlive the loader.
 */
#ifndef REFERENCE_LOADER_H
#define REFERENCE_LOADER_H

#include <stdint.h>

#include "inject/loopmem.h"
#include "reference/batch.h"
#include "reference/dataset.h"
#include "reference/failure.h"

enum { LOADER_WORKERS_MAX = 256, LOADER_PREFETCH_MAX = 64 };

enum loader_flags {
	LOADER_SHUFFLE = 1 << 0,    /* a new order each epoch, from seed and epoch alone */
	LOADER_DROP_LAST = 1 << 1,  /* no batch smaller than batch_size */
	LOADER_PERSISTENT = 1 << 2, /* keep the workers from epoch to epoch */
};

struct loader_config {
	uint32_t batch_size; /* > 0 */
	unsigned workers;    /* 0 = load in iterator_next itself */
	unsigned prefetch;   /* batches asked ahead per worker, 1..LOADER_PREFETCH_MAX */
	unsigned flags;      /* enum loader_flags */
	uint64_t seed;
	const char *label; /* a person's name for the loader, or NULL; must outlive it */
};

struct loader;
struct iterator;

/* The config is copied. */
int loader_open(struct loader **out, const struct dataset *dataset,
		const struct loader_config *config, struct failure *f);

/* Ends persistent workers. Iterators must be closed before. NULL is allowed. */
void loader_close(struct loader *loader);

/* Batches in an epoch. */
uint32_t loader_length(const struct loader *loader);

/*
 * Starts an epoch: forks the workers and returns when each has opened the dataset; they load ahead
 * from then on. A persistent loader starts its one iterator over instead and throws away what an
 * unfinished epoch left; *out is then that same iterator, or a new one if it had failed. `stage` is
 * what the batches are for.
 */
int loader_iterate(struct iterator **out, struct loader *loader, enum loopmem_stage stage,
		   int32_t epoch, struct failure *f);

/* Tells the profiler that no more than `batches` will be taken; changes nothing else. */
void iterator_expect(const struct iterator *it, uint32_t batches);

/* 1 = *batch is the next one and the caller's to release; 0 = there are no more; negative = failed,
 * and the workers were ended. */
int iterator_next(struct iterator *it, struct batch *batch, struct failure *f);

/* The pid of a worker, or 0 when it has ended. `worker` < the loader's workers. */
pid_t iterator_worker(const struct iterator *it, unsigned worker);

/* Ends the workers at once, at the end or before. Of a persistent loader: nothing. NULL is allowed. */
void iterator_close(struct iterator *it);

#endif
