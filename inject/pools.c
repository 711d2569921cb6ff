/*
 * pools.c: the calls of loopmem.h on pools. The table and what belongs to its rows is written under
 * LOCK_POOLS; a reader in another process goes by the row's id (segment.h).
 */
#pragma GCC visibility push(default)
#include "inject/loopmem.h"
#pragma GCC visibility pop
#include "inject/pools.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "inject/events.h"
#include "inject/lifecycle.h"
#include "inject/locks.h"
#include "inject/phase.h"
#include "inject/self.h"
#include "inject/text.h"
#include "inject/thread_slots.h"
#include "inject/trim.h"

enum { OUTER_BITS = 6 }; /* holds any context, see struct thread */

/* What the collector need not know of a row. LOCK_POOLS. */
static struct {
	uint32_t id;       /* as in the segment, kept here because it is looked for often */
	uint64_t asked_ns; /* the last next_begin */
} notes[LOOPMEM_POOLS];

static uint64_t inherited_ids; /* pools of the parents have ids up to this; written at a fork */

static struct loopmem_pool_row *row_at(uint32_t i)
{
	return &self_segment->pools[i];
}

static uint32_t index_of(const struct loopmem_pool_row *row)
{
	return (uint32_t)(row - self_segment->pools);
}

static bool is_open(const struct loopmem_pool_row *row)
{
	return row->state != LOOPMEM_POOL_FREE && row->state != LOOPMEM_POOL_ENDED;
}

/* The open row of a pool. NULL, and a drop unless the pool is the parent's, when there is none. */
static struct loopmem_pool_row *find(loopmem_pool pool)
{
	for (uint32_t i = 0; pool && i < LOOPMEM_POOLS; i++)
		if (notes[i].id == pool && is_open(row_at(i)))
			return row_at(i);
	if (pool > inherited_ids)
		self_drop(LOOPMEM_DROP_WORKER);
	return NULL;
}

/* Every call on a pool: with errno kept, and its row found and locked. */
static struct loopmem_pool_row *open_row(loopmem_pool pool)
{
	struct loopmem_pool_row *row;

	if (pool == 0)
		return NULL;
	if (!lock_enter(LOCK_POOLS)) {
		self_drop(LOOPMEM_DROP_WORKER);
		return NULL;
	}
	row = find(pool);
	if (!row)
		lock_leave(LOCK_POOLS);
	return row;
}

static void close_row(void)
{
	lock_leave(LOCK_POOLS);
}

static void emit(enum loopmem_event_kind kind, const struct loopmem_pool_row *row, int64_t value,
		 int64_t value2)
{
	event_emit(&(
		struct event){.kind = kind, .pool_id = row->id, .value = value, .value2 = value2});
}

/* A row that was never used, else the one that ended first, else none. */
static struct loopmem_pool_row *free_row(void)
{
	struct loopmem_pool_row *best = NULL;

	for (uint32_t i = 0; i < LOOPMEM_POOLS; i++) {
		struct loopmem_pool_row *row = row_at(i);
		if (row->state == LOOPMEM_POOL_FREE)
			return row;
		if (row->state == LOOPMEM_POOL_ENDED && (!best || row->end_ns < best->end_ns))
			best = row;
	}
	return best;
}

static void fill(struct loopmem_pool_row *row, const struct loopmem_pool_spec *spec)
{
	size_t head = offsetof(struct loopmem_pool_row, state);

	memset((char *)row + head, 0, sizeof(*row) - head);
	row->state = LOOPMEM_POOL_STARTING;
	row->stage = spec->stage;
	row->start = spec->start;
	row->flags = spec->flags;
	row->epoch = spec->epoch;
	row->workers = spec->workers;
	row->batch_size = spec->batch_size;
	row->prefetch = spec->prefetch;
	row->expected_batches = spec->expected_batches;
	row->begin_ns = self_now_ns();
	row->base = thread_sum(self_segment, 1 + index_of(row));
	text_copy(row->label, sizeof(row->label), spec->label);
	text_copy(row->dataset, sizeof(row->dataset), spec->dataset);
	text_copy(row->origin, sizeof(row->origin), spec->origin);
}

/* LOCK_POOLS. The context is about to be counted in. */
static void reach(uint32_t context)
{
	if (context >= self_segment->contexts_used)
		__atomic_store_n(&self_segment->contexts_used, context + 1, __ATOMIC_RELAXED);
}

/* LOCK_POOLS. */
static loopmem_pool begin(const struct loopmem_pool_spec *spec, const char *framework)
{
	struct loopmem_pool_row *row = free_row();
	uint32_t id;

	if (!row)
		return 0;
	__atomic_store_n(&row->id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	fill(row, spec);
	reach(1 + index_of(row));
	id = (uint32_t)++self_segment->pools_begun;
	notes[index_of(row)].id = id;
	notes[index_of(row)].asked_ns = 0;
	__atomic_store_n(&row->id, id, __ATOMIC_RELEASE);
	event_emit(&(
		struct event){.kind = LOOPMEM_EVENT_POOL_BEGIN, .pool_id = id, .text = framework});
	return id;
}

loopmem_pool pools_begin(const struct loopmem_pool_spec *spec, const char *framework)
{
	int saved = errno;
	loopmem_pool pool = 0;

	if (spec && spec->flags & LOOPMEM_POOL_GROUP)
		lifecycle_groups();
	else
		lifecycle_trainer();
	if (spec && lock_enter(LOCK_POOLS)) {
		pool = begin(spec, framework);
		lock_leave(LOCK_POOLS);
	}
	if (!pool)
		self_drop(LOOPMEM_DROP_POOL);
	errno = saved;
	return pool;
}

loopmem_pool loopmem_pool_begin(const struct loopmem_pool_spec *spec)
{
	return pools_begin(spec, NULL);
}

void loopmem_pool_worker(loopmem_pool pool, pid_t pid, int worker_id)
{
	struct loopmem_pool_row *row = open_row(pool);
	struct loopmem_worker_row *worker;

	if (!row)
		return;
	worker = &self_segment->workers[self_segment->workers_begun % LOOPMEM_WORKERS];
	__atomic_store_n(&worker->pool_id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	worker->pid = pid;
	worker->worker_id = worker_id;
	worker->time_ns = self_now_ns();
	__atomic_store_n(&worker->pool_id, pool, __ATOMIC_RELEASE);
	self_segment->workers_begun++;
	emit(LOOPMEM_EVENT_POOL_WORKER, row, pid, worker_id);
	close_row();
}

static void leave_delivering(const struct loopmem_pool_row *row)
{
	if (self_segment->delivering == row->id)
		self_segment->delivering = 0;
}

static void exhaust(struct loopmem_pool_row *row)
{
	if (row->state == LOOPMEM_POOL_EXHAUSTED)
		return;
	row->exhausted_ns = self_now_ns();
	row->state = LOOPMEM_POOL_EXHAUSTED;
	leave_delivering(row);
	emit(LOOPMEM_EVENT_POOL_EXHAUSTED, row, (int64_t)row->batches_this_use, 0);
}

static void exhaust_when_complete(struct loopmem_pool_row *row)
{
	if (row->expected_batches >= 0 && row->batches_this_use >= (uint64_t)row->expected_batches)
		exhaust(row);
}

void loopmem_pool_expect(loopmem_pool pool, int64_t batches)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	row->expected_batches = batches;
	exhaust_when_complete(row);
	close_row();
}

/* The owner asks `asked`: pools that it asked before and is done with for now are parked. */
static void park_others(const struct loopmem_pool_row *asked, uint64_t now_ns)
{
	bool in_turn = now_ns - notes[index_of(asked)].asked_ns < POOL_TURN_NS;

	for (uint32_t i = 0; i < LOOPMEM_POOLS; i++) {
		struct loopmem_pool_row *row = row_at(i);
		if (row == asked || row->state != LOOPMEM_POOL_DELIVERING)
			continue;
		if (in_turn && now_ns - notes[i].asked_ns < POOL_TURN_NS)
			continue;
		row->state = LOOPMEM_POOL_PARKED;
		emit(LOOPMEM_EVENT_POOL_PARK, row, 0, 0);
	}
}

static void deliver(struct loopmem_pool_row *row)
{
	bool was_delivering = row->state == LOOPMEM_POOL_DELIVERING;

	row->state = LOOPMEM_POOL_DELIVERING;
	self_segment->delivering = row->id;
	if (was_delivering)
		return;
	phase_delivers(row->stage);
	emit(LOOPMEM_EVENT_POOL_DELIVER, row, 0, 0);
}

/* A pool that is asked inside another's next serves that one: nothing is parked for it. */
static void ask(struct loopmem_pool_row *row, bool inside_another)
{
	uint64_t now_ns = self_now_ns();

	if (row->state != LOOPMEM_POOL_EXHAUSTED) {
		if (!inside_another) {
			park_others(row, now_ns);
			deliver(row);
		} else if (row->state != LOOPMEM_POOL_DELIVERING) {
			row->state = LOOPMEM_POOL_DELIVERING;
			emit(LOOPMEM_EVENT_POOL_DELIVER, row, 0, 0);
		}
	}
	notes[index_of(row)].asked_ns = now_ns;
}

static void enter_context(const struct loopmem_pool_row *row)
{
	thread.outer = thread.outer << OUTER_BITS | thread.context;
	thread_set_context((uint8_t)(1 + index_of(row)));
	thread.pool = row->id;
}

static void leave_context(void)
{
	uint8_t outer = thread.outer & ((1 << OUTER_BITS) - 1);

	thread.outer >>= OUTER_BITS;
	thread_set_context(outer);
	thread.pool = outer ? notes[outer - 1].id : 0;
}

void loopmem_next_begin(loopmem_pool pool)
{
	struct loopmem_pool_row *row;

	if (thread.state == THREAD_NEW)
		thread_attach();
	trim_look();
	row = open_row(pool);
	if (!row)
		return;
	ask(row, thread.pool != 0);
	enter_context(row);
	close_row();
}

static void hand_out(struct loopmem_pool_row *row, uint32_t batches)
{
	uint64_t now_ns = self_now_ns();
	bool first = row->batches_this_use == 0;

	row->stall_ns += now_ns - notes[index_of(row)].asked_ns;
	if (batches == 0) {
		exhaust(row);
		return;
	}
	if (row->state == LOOPMEM_POOL_EXHAUSTED) { /* it had more than was said */
		row->exhausted_ns = 0;
		deliver(row);
	}
	row->batches += batches;
	row->batches_this_use += batches;
	row->last_batch_ns = now_ns;
	if (!row->first_batch_ns)
		row->first_batch_ns = now_ns;
	if (first)
		emit(LOOPMEM_EVENT_POOL_FIRST, row, 0, 0);
	exhaust_when_complete(row);
}

void loopmem_next_end(loopmem_pool pool, uint32_t batches)
{
	struct loopmem_pool_row *row;

	/* The context is left even when the pool has ended meanwhile. */
	if (pool && thread.pool == pool)
		leave_context();
	row = open_row(pool);
	if (!row)
		return;
	hand_out(row, batches);
	close_row();
}

void pools_next_failed(loopmem_pool pool)
{
	struct loopmem_pool_row *row;

	if (pool && thread.pool == pool)
		leave_context();
	row = open_row(pool);
	if (!row)
		return;
	row->stall_ns += self_now_ns() - notes[index_of(row)].asked_ns;
	close_row();
}

void loopmem_pool_exhausted(loopmem_pool pool)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	exhaust(row);
	close_row();
}

static void start_over(struct loopmem_pool_row *row, uint32_t stage, int32_t epoch)
{
	leave_delivering(row);
	row->uses++;
	row->batches_this_use = 0;
	row->exhausted_ns = 0;
	row->stage = stage;
	row->epoch = epoch;
	row->state = LOOPMEM_POOL_STARTING;
	emit(LOOPMEM_EVENT_POOL_REUSE, row, epoch, stage);
}

void loopmem_pool_reuse(loopmem_pool pool, int32_t epoch)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	start_over(row, row->stage, epoch == LOOPMEM_UNKNOWN ? row->epoch : epoch);
	close_row();
}

void pools_reused(loopmem_pool pool, enum loopmem_stage stage, int32_t epoch)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	start_over(row, stage, epoch);
	close_row();
}

void loopmem_pool_closing(loopmem_pool pool)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	emit(LOOPMEM_EVENT_POOL_CLOSING, row, 0, 0);
	close_row();
}

void loopmem_pool_end(loopmem_pool pool)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	leave_delivering(row);
	row->end_ns = self_now_ns();
	row->state = LOOPMEM_POOL_ENDED;
	emit(LOOPMEM_EVENT_POOL_END, row, 0, 0);
	close_row();
	trim_look();
}

void pools_released(loopmem_pool pool, enum loopmem_release why_not)
{
	struct loopmem_pool_row *row = open_row(pool);

	if (!row)
		return;
	emit(LOOPMEM_EVENT_RELEASE, row, why_not, 0);
	close_row();
}

void pools_forked(void)
{
	memset(notes, 0, sizeof(notes));
	inherited_ids = self_segment->pools_begun;
}
