/*
 * sampled.c: from an allocation to a row of the sites file.
 *
 * A stack is gathered in one of a few buffers, since the thread's own stack may be small. A fork waits until all are
 * free, for a bounded time.
 */
#include "inject/sampled.h"

#include <sched.h>

#include "inject/claim.h"
#include "inject/frames.h"
#include "inject/locks.h"
#include "inject/modules.h"
#include "inject/phase.h"
#include "inject/rate.h"
#include "inject/sample.h"
#include "inject/self.h"
#include "inject/site_table.h"
#include "inject/stack.h"
#include "inject/thread.h"

enum {
	BUFFERS = 8,
	PATIENCE = 2000, /* yields until a busy buffer is given up */
};

struct buffer {
	bool busy; /* atomic */
	struct stack stack;
	struct frames frames;
};
static struct buffer buffers[BUFFERS];
static bool forking; /* atomic: no new stacks */
static bool
	loader_may_be_locked; /* in a child, where stacks need that lock: a thread of the parent had it */

/* -- buffers --------------------------------------------------------------------------------- */

static struct buffer *claim(void)
{
	for (int i = 0; i < PATIENCE; i++) {
		for (int b = 0; b < BUFFERS; b++) {
			if (__atomic_load_n(&forking, __ATOMIC_SEQ_CST))
				return NULL;
			if (__atomic_exchange_n(&buffers[b].busy, true, __ATOMIC_SEQ_CST))
				continue;
			if (!__atomic_load_n(&forking, __ATOMIC_SEQ_CST))
				return &buffers[b];
			__atomic_store_n(&buffers[b].busy, false, __ATOMIC_SEQ_CST);
		}
		sched_yield();
	}
	return NULL;
}

static void give_back(struct buffer *buffer)
{
	CLAIM(buffer->busy && buffer->frames.count <= FRAMES_MOST);
	__atomic_store_n(&buffer->busy, false, __ATOMIC_RELEASE);
}

static int busy_buffers(void)
{
	int busy = 0;

	for (int b = 0; b < BUFFERS; b++)
		busy += __atomic_load_n(&buffers[b].busy, __ATOMIC_SEQ_CST);
	return busy;
}

void sampled_before_fork(void)
{
	__atomic_store_n(&forking, true, __ATOMIC_SEQ_CST);
	/* A handler that interrupted this very thread's sample waits for nobody. */
	for (int i = 0; i < PATIENCE && busy_buffers() && !thread.guard; i++)
		sched_yield();
}

void sampled_after_fork_parent(void)
{
	__atomic_store_n(&forking, false, __ATOMIC_SEQ_CST);
}

void sampled_forked(void)
{
	loader_may_be_locked = !modules_are_lock_free();
	for (int b = 0; b < BUFFERS; b++)
		buffers[b].busy = false;
	forking = false;
	live_forked();
	modules_forked();
	stack_python_forked();
	frames_forked();
	site_table_forked();
}

/* -- the stack ------------------------------------------------------------------------------- */

/* LOCK_SITES. The site, or 0. */
static uint32_t find_site(const struct frames *frames, bool mapped)
{
	uint32_t node = frames_node(frames);

	if (!node)
		return 0;
	return site_table_site(&(struct loopmem_record_site){
		.node = node, .pool_id = thread.pool, .mapped = mapped, .stage = phase_stage()});
}

static bool open_table(void)
{
	bool opened;

	if (site_table_header())
		return true;
	if (!lock_enter(LOCK_SITES))
		return false;
	opened = site_table_open();
	lock_leave(LOCK_SITES);
	return opened;
}

/* Python maps memory for its small objects: that is its heap. */
static bool is_arena(const struct stack *stack)
{
	return stack->native_count && stack_is_interpreter(stack->native[0].address);
}

/* False when code was replaced since the last stack: what was remembered of it may have led astray. It is forgotten now. */
static bool native_side(struct buffer *buffer, bool mapping, bool *arena, uint32_t *site)
{
	bool sure = true;

	stack_native(&buffer->stack);
	frames_merge(&buffer->frames, &buffer->stack);
	*arena = mapping && is_arena(&buffer->stack);
	if (lock_enter(LOCK_SITES)) {
		modules_begin();
		*site = find_site(&buffer->frames, mapping && !*arena);
		sure = !modules_replaced();
		lock_leave(LOCK_SITES);
	}
	return sure;
}

/* The site of the calling thread's stack; 0 = the row of what has none. *arena: the mapping is one. */
static uint32_t site_here(bool mapping, bool *arena)
{
	struct buffer *buffer = loader_may_be_locked ? NULL : claim();
	uint32_t site = 0;

	if (buffer && stack_python(&buffer->stack) && !native_side(buffer, mapping, arena, &site))
		native_side(buffer, mapping, arena, &site);
	if (buffer)
		give_back(buffer);
	return site;
}

/* -- counting -------------------------------------------------------------------------------- */

/* Before the first change of a site behind an edge: what is live now was live then. */
static void keep_edge(struct loopmem_site_counts *counts)
{
	uint32_t now = phase_edges(), seen = __atomic_load_n(&counts->edge, __ATOMIC_RELAXED);
	uint64_t live = counts->alloc_bytes - counts->free_bytes;

	if (__builtin_expect(seen == now, 1))
		return;
	if (__atomic_compare_exchange_n(&counts->edge, &seen, now, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		counts->edge_live_bytes = live;
}

static void count_alloc(const struct live *live)
{
	struct loopmem_site_counts *counts = site_table_counts(live->site);

	keep_edge(counts);
	site_count(&counts->alloc_bytes, live->bytes);
	site_count(&counts->alloc_blocks, live->blocks);
}

void sampled_count_free(const struct live *live)
{
	struct loopmem_site_counts *counts = site_table_counts(live->site);

	if (!counts)
		return;
	keep_edge(counts);
	site_count(&counts->free_bytes, live->bytes);
	site_count(&counts->free_blocks, live->blocks);
	rate_charge(live->owed_ns);
}

static void count_sample(const struct live *live, uint64_t mean_bytes)
{
	struct loopmem_sites *header = site_table_header();

	site_count(&header->samples, 1);
	if (!live->site)
		site_count(&header->stackless, 1);
	if (mean_bytes > __atomic_load_n(&header->coarsest_bytes, __ATOMIC_RELAXED))
		__atomic_store_n(&header->coarsest_bytes, mean_bytes, __ATOMIC_RELAXED);
	count_alloc(live);
}

/* The file is open. */
static struct live begin(size_t bytes, uint64_t mean_bytes, bool mapping)
{
	uint64_t begun_ns = rate_clock();
	double weight = sample_weight(bytes, mean_bytes);
	bool arena = false;
	struct live live = {
		.site = site_here(mapping, &arena),
		.bytes = (uint64_t)((double)bytes * weight + 0.5),
		.blocks = (uint64_t)(weight * LOOPMEM_SITES_BLOCK + 0.5),
	};

	live.arena = arena;
	live.owed_ns = rate_owe(begun_ns);
	count_sample(&live, mean_bytes);
	return live;
}

static void untracked(const struct live *live)
{
	site_count(&site_table_header()->untracked, 1);
	sampled_count_free(live);
}

void sampled_block(const void *block, size_t bytes, uint64_t mean_bytes)
{
	struct live live;

	if (!open_table())
		return;
	live = begin(bytes, mean_bytes, false);
	if (!live_add(block, live))
		untracked(&live);
}

void sampled_mapping(uint64_t start, uint64_t end, uint64_t mean_bytes)
{
	struct live live;

	if (!open_table())
		return;
	live = begin(end - start, mean_bytes, true);
	if (!live_map(start, end, live))
		untracked(&live);
}

void sampled_freed(const void *block)
{
	struct live live;

	if (live_remove(block, &live))
		sampled_count_free(&live);
}

void sampled_unmapped(uint64_t start, uint64_t end)
{
	live_unmap(start, end, sampled_count_free);
}

void sampled_drop_arenas(void)
{
	live_drop_arenas(sampled_count_free);
}

bool sampled_take(const void *block, struct live *out)
{
	return live_may_be(block) && live_remove(block, out);
}

void sampled_put_back(const void *block, const struct live *live)
{
	if (!live_add(block, *live))
		untracked(live);
}
