/*
 * worker.h: one worker process as its owner sees it. The index queue and the finished batches share
 * one socket; replies come back in the order of the tasks, so nothing has to be sorted.
 *
 * A worker never outlives the thread that started it: the kernel kills it when that thread ends.
 */
#ifndef REFERENCE_WORKER_H
#define REFERENCE_WORKER_H

#include "reference/batch.h"
#include "reference/dataset.h"
#include "reference/failure.h"
#include "reference/order.h"

/* What a worker works on. All of it is inherited at the fork. */
struct worker_spec {
	const struct dataset *dataset;
	const struct order *order;
	unsigned id;       /* 0..workers-1 */
	unsigned workers;  /* in its pool */
	unsigned prefetch; /* tasks it is given at most before the first of them was fetched */
};

struct worker {
	pid_t pid; /* 0 = not started, or gone and reaped */
	int socket;
	unsigned id;
	uint32_t taken; /* batches fetched that the worker does not know of yet */
};

/* Forks. Does not wait for the dataset to be opened: see worker_await. */
int worker_start(struct worker *worker, const struct worker_spec *spec, struct failure *f);

/* Waits until the worker has opened its dataset. */
int worker_await(struct worker *worker, struct failure *f);

/* Puts a task into the index queue; count 0 only tells the worker what was taken. Works on a worker that
 * has died, too. */
int worker_ask(struct worker *worker, uint32_t number, uint32_t first, uint32_t count,
	       struct failure *f);

/* Waits for the oldest batch asked for, which must be `number`. The caller releases it. When a
 * worker died before it had finished that batch, it is reaped and reported with its pid and signal. */
int worker_fetch(struct worker *worker, uint32_t number, struct batch *batch, struct failure *f);

/* Closes the index queue: the worker ends after the item it is at. */
void worker_dismiss(struct worker *worker);

/* Waits for a dismissed worker to end, throws away what it finished, reaps it. One that has not
 * ended within 5 seconds is killed. */
void worker_join(struct worker *worker);

#endif
