/*
 * full: makes more of something than the segment has room for.
 *
 *   full pools|workers|events|threads|regions|nesting
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/loopmem.h"

enum { POOLS = 40, WORKERS = 600, PHASES = 5000, THREADS = 80, MAPS = 20000, DEPTH = 15 };

static pthread_barrier_t all_here;

static loopmem_pool begin(const char *label)
{
	struct loopmem_pool_spec spec = {
		.stage = LOOPMEM_STAGE_TRAIN, .expected_batches = LOOPMEM_UNKNOWN, .label = label};

	return loopmem_pool_begin(&spec);
}

/* Prints how many pools were given out; then ends one, and one more finds room. */
static void pools(void)
{
	loopmem_pool first = begin("first"), more;
	int n = 1;

	while (n < POOLS && begin("more"))
		n++;
	loopmem_pool_end(first);
	more = begin("after");
	printf("%d %u\n", n, more);
}

static void workers(void)
{
	loopmem_pool pool = begin("workers");

	for (int i = 0; i < WORKERS; i++)
		loopmem_pool_worker(pool, 1000 + i, i);
}

static void events(void)
{
	for (int i = 0; i < PHASES; i++) {
		loopmem_phase_begin(LOOPMEM_STAGE_VALIDATE, i,
				    "a name longer than the row has room");
		loopmem_phase_end();
	}
}

static void *use_heap(void *unused)
{
	pthread_barrier_wait(&all_here);
	for (int i = 0; i < 100; i++)
		free(malloc(1000));
	pthread_barrier_wait(&all_here);
	return unused;
}

static void threads(void)
{
	pthread_t ids[THREADS];

	pthread_barrier_init(&all_here, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, use_heap, NULL))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

/* Kinds alternate, so neighbours never join. */
static void regions(void)
{
	static void *maps[MAPS];

	for (int i = 0; i < MAPS; i++) {
		int kind = i % 2 ? MAP_PRIVATE : MAP_SHARED;
		maps[i] = mmap(NULL, 4096, PROT_READ, kind | MAP_ANONYMOUS, -1, 0);
		if (maps[i] == MAP_FAILED)
			abort();
	}
	for (int i = 0; i < MAPS; i++)
		munmap(maps[i], 4096);
}

/* Nexts inside nexts, deeper than a thread remembers. */
static void nesting(void)
{
	loopmem_pool ids[DEPTH];

	for (int i = 0; i < DEPTH; i++) {
		ids[i] = begin("nested");
		loopmem_next_begin(ids[i]);
	}
	for (int i = DEPTH; i-- > 0;)
		loopmem_next_end(ids[i], 1);
	free(malloc(1 << 16));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fill)(void);
	} things[] = {{"pools", pools},     {"workers", workers}, {"events", events},
		      {"threads", threads}, {"regions", regions}, {"nesting", nesting}};

	for (size_t i = 0; argc == 2 && i < sizeof(things) / sizeof(*things); i++)
		if (!strcmp(argv[1], things[i].name)) {
			things[i].fill();
			return 0;
		}
	return 2;
}
