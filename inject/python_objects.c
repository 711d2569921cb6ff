/*
 * python_objects.c: wrappers around the allocators of objects and of small memory, and around that of arenas. They are never
 * taken out again: whoever wrapped them in turn (tracemalloc) would keep calling.
 */
#include "inject/python_objects.h"

#include <dlfcn.h>
#include <stddef.h>

#include "inject/heap.h"
#include "inject/loaded.h"
#include "inject/python_api.h"
#include "inject/sampled.h"
#include "inject/site_table.h"
#include "inject/thread.h"

enum {
	DOMAIN_MEM = 1, /* enum PyMemAllocatorDomain */
	DOMAIN_OBJ = 2,
	SMALL_MOST = 512, /* SMALL_REQUEST_THRESHOLD of obmalloc, 3.8 to 3.15 */
	SMALL_STEP = 16,  /* its ALIGNMENT: what an object takes is a multiple */
	PROBES = 3,       /* allocations that show whether malloc sees them */
};

/* Written once, with the GIL, before the wrappers run. Each wrapper's ctx is the allocator behind it. */
static struct python_allocator behind_mem, behind_obj;
static struct python_arenas behind_arenas;
static size_t small_most; /* larger requests go on to malloc */
static bool wanted, started;

void python_objects_want(bool want)
{
	wanted = want;
}

/* -- the wrappers ---------------------------------------------------------------------------- */

static inline void note(const void *object, size_t bytes)
{
	if (object && bytes <= small_most)
		heap_object(object, bytes ? (bytes + SMALL_STEP - 1) & ~(size_t)(SMALL_STEP - 1)
					  : SMALL_STEP);
}

static void *wrapped_malloc(void *ctx, size_t bytes)
{
	struct python_allocator *behind = ctx;
	void *object = behind->malloc(behind->ctx, bytes);

	note(object, bytes);
	return object;
}

static void *wrapped_calloc(void *ctx, size_t n, size_t each)
{
	struct python_allocator *behind = ctx;
	void *object = behind->calloc(behind->ctx, n, each);

	note(object, n * each); /* it did not overflow when there is one */
	return object;
}

static void *wrapped_realloc(void *ctx, void *object, size_t bytes)
{
	struct python_allocator *behind = ctx;
	struct live live;
	bool sampled = object && live_may_be_short(object) && sampled_take(object, &live);
	void *moved = behind->realloc(behind->ctx, object, bytes);

	if (sampled && !moved)
		sampled_put_back(object, &live);
	else if (sampled)
		sampled_count_free(&live);
	note(moved, bytes);
	return moved;
}

static void wrapped_free(void *ctx, void *object)
{
	struct python_allocator *behind = ctx;

	if (__builtin_expect(live_may_be_short(object), 0))
		sampled_freed(object);
	behind->free(behind->ctx, object);
}

/* What lies in an arena is counted, so the arena is not. */
static void *wrapped_arena(void *ctx, size_t bytes)
{
	struct python_arenas *behind = ctx;
	void *arena;

	guard_enter();
	arena = behind->alloc(behind->ctx, bytes);
	guard_leave();
	return arena;
}

static void wrapped_arena_free(void *ctx, void *arena, size_t bytes)
{
	struct python_arenas *behind = ctx;

	behind->free(behind->ctx, arena, bytes);
}

/* -- putting them in ------------------------------------------------------------------------- */

/* Does malloc see requests of so many bytes? (PYTHONMALLOC=malloc; or a debug allocator that adds to them.) A new pool may
 * make the interpreter's own tables grow, once. */
static bool is_seen_by_malloc(const struct python_allocator *behind, size_t bytes)
{
	void *object[PROBES];
	int seen = 0;

	for (int i = 0; i < PROBES; i++) {
		uint64_t before = heap_allocations();
		object[i] = behind->malloc(behind->ctx, bytes);
		seen += heap_allocations() != before;
	}
	for (int i = 0; i < PROBES; i++)
		behind->free(behind->ctx, object[i]);
	return seen == PROBES;
}

static size_t find_small_most(const struct python_allocator *behind)
{
	size_t bytes = SMALL_MOST;

	while (bytes && is_seen_by_malloc(behind, bytes))
		bytes -= SMALL_STEP;
	return bytes;
}

/* Whoever wrapped the allocators before may put back what it found (tracemalloc does when it stops): then ours would be lost,
 * and frees with them. The interpreter has no name for a set of allocators that somebody changed. */
static bool are_wrapped(void)
{
	static const char name[] = "_PyMem_GetCurrentAllocatorName";
	const char *(*name_of)(void) = loaded_first(name) ? dlsym(RTLD_DEFAULT, name) : NULL;

	return name_of && !name_of();
}

static void wrap(int domain, struct python_allocator *behind)
{
	struct python_allocator ours = {behind, wrapped_malloc, wrapped_calloc, wrapped_realloc,
					wrapped_free};

	py.PyMem_SetAllocator(domain, &ours);
}

static enum loopmem_python_objects install(void)
{
	struct python_arenas arenas = {&behind_arenas, wrapped_arena, wrapped_arena_free};

	if (are_wrapped())
		return LOOPMEM_OBJECTS_TAKEN;
	py.PyMem_GetAllocator(DOMAIN_MEM, &behind_mem);
	py.PyMem_GetAllocator(DOMAIN_OBJ, &behind_obj);
	py.PyObject_GetArenaAllocator(&behind_arenas);
	small_most = find_small_most(&behind_obj);
	if (!small_most)
		return LOOPMEM_OBJECTS_FROM_MALLOC;
	py.PyObject_SetArenaAllocator(&arenas);
	sampled_drop_arenas();
	wrap(DOMAIN_MEM, &behind_mem);
	wrap(DOMAIN_OBJ, &behind_obj);
	return LOOPMEM_OBJECTS_FOLLOWED;
}

void python_objects_start(bool stacks)
{
	if (!wanted || started)
		return;
	started = true;
	site_table_python_objects(stacks ? install() : LOOPMEM_OBJECTS_NO_STACKS);
}
