/*
 * heapwork: allocates and frees by every entry point and keeps its own ledger of what it did, by
 * malloc_usable_size. 8 threads, 3 forked children with threads of their own, and a grandchild each;
 * blocks are freed and reallocated by processes that inherited them.
 *
 *   heapwork ROUNDS [no-pvalloc]
 *
 * prints one line a process: NAME PID ALLOC_BYTES ALLOCS FREE_BYTES FREES INHERITED_BYTES INHERITED.
 * With 0 rounds it does everything but the blocks, so the difference of two runs is the ledger.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CHILDREN = 3, CHILD_THREADS = 2, HEIRLOOMS = 60, SLOTS = 50 };

static struct {
	_Atomic uint64_t alloc_bytes, allocs, free_bytes, frees, inherited_bytes, inherited;
} ledger;

static unsigned rounds;
static int pvalloc_too = 1;
static void *heirlooms[HEIRLOOMS];

static void *made(void *block)
{
	if (!block)
		abort();
	ledger.alloc_bytes += malloc_usable_size(block);
	ledger.allocs++;
	return block;
}

static void note_gone(size_t bytes, int inherited)
{
	if (inherited) {
		ledger.inherited_bytes += bytes;
		ledger.inherited++;
	} else {
		ledger.free_bytes += bytes;
		ledger.frees++;
	}
}

static void drop(void *block, int inherited)
{
	if (block)
		note_gone(malloc_usable_size(block), inherited);
	free(block);
}

static void *resize(void *block, size_t bytes, int inherited)
{
	size_t before = malloc_usable_size(block);

	block = realloc(block, bytes);
	note_gone(before, inherited);
	return made(block);
}

static void *aligned(size_t bytes)
{
	void *block;

	return posix_memalign(&block, 256, bytes) ? NULL : block;
}

/* One block by the entry point of that number. */
static void *make(unsigned which, size_t bytes)
{
	switch (which % 11) {
	case 0:
		return made(malloc(bytes));
	case 1:
		return made(calloc(3, bytes));
	case 2:
		return made(realloc(NULL, bytes));
	case 3:
		return made(reallocarray(NULL, 2, bytes));
	case 4:
		return made(aligned(bytes));
	case 5:
		return made(aligned_alloc(64, (bytes + 63) / 64 * 64));
	case 6:
		return made(memalign(4096, bytes));
	case 7:
		return made(valloc(bytes));
	case 8:
		return made(pvalloc_too ? pvalloc(bytes) : valloc(bytes));
	case 9:
		return resize(made(malloc(bytes)), bytes * 2 + 1, 0);
	default:
		return made(strdup("a block that libc allocates by itself"));
	}
}

/* Sizes from one byte to blocks that get a mapping of their own. */
static size_t size_of(unsigned i)
{
	static const size_t sizes[] = {1, 8, 24, 100, 1000, 5000, 40000, 200000, 3000000};

	return sizes[i % 9] + i % 7;
}

/* Nothing, what fails, and blocks of no size; volatile, so that no compiler objects. */
static void edges(void)
{
	static volatile size_t largest = SIZE_MAX / 2, nothing;
	size_t too_much = largest, none = nothing, before;
	void *block = made(malloc(100)), *same;

	free(NULL);
	drop(made(realloc(NULL, none)), 0);
	if (malloc(too_much) || calloc(too_much, 3) || reallocarray(NULL, too_much, 3) ||
	    realloc(block, too_much) || memalign(64, too_much))
		abort();
	before = malloc_usable_size(block);
	same = realloc(block, none); /* glibc frees it, others give a small one */
	note_gone(before, 0);
	if (same)
		drop(made(same), 0);
}

static void *work(void *seed)
{
	unsigned state = (unsigned)(uintptr_t)seed;
	void *slots[SLOTS] = {0};

	for (unsigned i = 0; i < rounds; i++) {
		void **slot;
		state = state * 1103515245u + 12345u;
		slot = &slots[(state >> 16) % SLOTS];
		drop(*slot, 0);
		*slot = make(state >> 8, size_of(state >> 20));
	}
	if (rounds)
		edges();
	for (unsigned i = 0; i < SLOTS / 2; i++)
		drop(slots[i], 0);
	return NULL;
}

static void run_threads(unsigned n, unsigned seed)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(seed + i)))
			abort();
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void report(const char *name)
{
	char line[200];
	int n = snprintf(line, sizeof(line), "%s %d %lu %lu %lu %lu %lu %lu\n", name, getpid(),
			 ledger.alloc_bytes, ledger.allocs, ledger.free_bytes, ledger.frees,
			 ledger.inherited_bytes, ledger.inherited);

	if (write(1, line, (size_t)n) != n)
		abort();
}

static void new_ledger(void)
{
	memset(&ledger, 0, sizeof(ledger));
}

static void grandchild(unsigned n, void **of_child)
{
	char name[] = "grandchild0";

	new_ledger();
	name[10] += (char)n;
	if (rounds) {
		drop(of_child[0], 1);
		of_child[1] = resize(of_child[1], 100000, 1);
		drop(of_child[1], 0);
		drop(heirlooms[HEIRLOOMS - 1 - n], 1);
	}
	run_threads(1, 700 + n);
	report(name);
	_exit(0);
}

static void child(unsigned n)
{
	char name[] = "child0";
	void *mine[3] = {0};
	pid_t pid;

	new_ledger();
	name[5] += (char)n;
	if (rounds) {
		for (unsigned i = n * 10; i < n * 10 + 10; i++)
			drop(heirlooms[i], 1);
		for (unsigned i = 0; i < 3; i++)
			mine[i] = make(0, 3000 * (i + 1));
		heirlooms[40 + n] = resize(heirlooms[40 + n], 9000, 1);
		heirlooms[40 + n] = resize(heirlooms[40 + n], 90, 0);
	}
	pid = fork();
	if (pid == 0)
		grandchild(n, mine);
	run_threads(CHILD_THREADS, 100 + n);
	waitpid(pid, NULL, 0);
	drop(mine[2], 0);
	report(name);
	_exit(0);
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	pvalloc_too = argc < 3;
	if (rounds)
		for (unsigned i = 0; i < HEIRLOOMS; i++)
			heirlooms[i] = make(i, size_of(i));
	run_threads(THREADS, 1);
	for (unsigned n = 0; n < CHILDREN; n++)
		if (fork() == 0)
			child(n);
	for (unsigned n = 0; n < CHILDREN; n++)
		wait(NULL);
	for (unsigned i = 0; rounds && i < HEIRLOOMS; i += 2)
		drop(heirlooms[i], 0);
	report("main");
	return 0;
}
