/*
 * finding_faults FAULT [MIB]: a program that has one fault, by the public API where it needs pools. With a name that ends in "-not" it does
 * the same work without the fault. Prints what it knows of itself: bytes, or a pid.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"
#include "tests/targets/faults.h"

#define CALL(function, ...)                    \
	do {                                   \
		if (function)                  \
			function(__VA_ARGS__); \
	} while (0)

struct pool {
	loopmem_pool id;
	int fds[2];
	pid_t worker;
};

static int worker_stays; /* it does not notice that its owner is gone */
static char *
	inherited; /* of the owner; a worker that has it writes a word of each page, as counting references does */

static void work(const struct pool *pool)
{
	char *memory = malloc(size), byte;

	if (worker_stays)
		close(STDOUT_FILENO),
			close(STDERR_FILENO); /* whoever reads them waits for their end */
	else
		close(pool->fds[1]);
	memset(memory, 1, inherited ? 4096 : size);
	for (size_t i = 0; inherited && i < size; i += 4096)
		inherited[i]++;
	while (read(pool->fds[0], &byte, 1) > 0)
		;
	_exit(0);
}

static void begin(struct pool *pool, int epoch)
{
	const struct loopmem_pool_spec spec = {
		.stage = LOOPMEM_STAGE_TRAIN,
		.start = LOOPMEM_START_FORK,
		.epoch = epoch,
		.workers = 1,
		.expected_batches = LOOPMEM_UNKNOWN,
	};

	if (pipe(pool->fds))
		exit(1);
	fcntl(pool->fds[1], F_SETFD, FD_CLOEXEC);
	pool->id = loopmem_pool_begin ? loopmem_pool_begin(&spec) : 0;
	pool->worker = fork();
	if (!pool->worker)
		work(pool);
	CALL(loopmem_pool_worker, pool->id, pool->worker, 0);
	CALL(loopmem_next_begin, pool->id);
	pause_s(0.3);
	CALL(loopmem_next_end, pool->id, 1);
}

static void end(struct pool *pool)
{
	close(pool->fds[1]);
	close(pool->fds[0]);
	waitpid(pool->worker, NULL, 0);
	CALL(loopmem_pool_end, pool->id);
}

/* Makes a loader for every epoch, and keeps them all. */
static void pool_count_growth(int faulty)
{
	struct pool pools[5];

	for (int i = 0; i < 5; i++) {
		begin(&pools[i], i);
		if (!faulty)
			end(&pools[i]);
	}
	if (faulty)
		pause_s(2); /* until the last one is full, and measured */
	/* the last first: workers hold the pipes of those before them */
	for (int i = 4; i >= 0 && faulty; i--)
		end(&pools[i]);
}

static void unshared_growth(int faulty)
{
	char *list = memset(malloc(size), 1, size);
	struct pool pool;

	inherited = faulty ? list : NULL;
	size = faulty ? size : 4096;
	begin(&pool, 0);
	pause_s(5); /* until all is copied, and measured, however busy the machine */
	CALL(loopmem_pool_exhausted, pool.id);
	pause_s(0.3);
	end(&pool);
	printf("%zu\n", size);
}

/* The owner, a child of the command, ends and leaves its worker. */
static void orphan_workers(int faulty)
{
	struct pool pool;
	pid_t owner = fork();

	worker_stays = faulty;
	if (!owner) {
		begin(&pool, 0);
		if (faulty) {
			printf("%d\n", (int)pool.worker);
			fflush(stdout);
			pause_s(0.5);
			_exit(0);
		}
		end(&pool);
		_exit(0);
	}
	waitpid(owner, NULL, 0);
	pause_s(2);
}

/* Frees many blocks under a last one that holds the heap's top, so that none of it goes back to the kernel. */
static void allocator_retention(int faulty)
{
	enum { BLOCK = 60000 };
	size_t count = size / BLOCK;
	char **blocks = calloc(count, sizeof(*blocks));

	for (size_t i = 0; i < count; i++)
		blocks[i] = memset(malloc(BLOCK), 1, BLOCK);
	pause_s(5); /* counters are read every two seconds, and less often on a busy machine */
	for (size_t i = 0; i + (faulty != 0) < count; i++)
		free(blocks[i]);
	printf("%zu\n", (count - 1) * BLOCK);
	fflush(stdout);
	for (int i = 0; i < 100; i++) { /* and goes on working, with little memory */
		free(memset(malloc(BLOCK), 1, BLOCK));
		pause_s(0.1);
	}
}

/* A worker that loads through a pool of its own. */
static void nested_pools(int faulty)
{
	struct pool outer = {0}, inner = {0};
	const struct loopmem_pool_spec spec = {.stage = LOOPMEM_STAGE_TRAIN,
					       .start = LOOPMEM_START_FORK,
					       .workers = 1,
					       .expected_batches = LOOPMEM_UNKNOWN};

	outer.id = loopmem_pool_begin ? loopmem_pool_begin(&spec) : 0;
	outer.worker = fork();
	if (!outer.worker) {
		pause_s(0.3); /* until the owner has told of it */
		if (faulty) {
			begin(&inner, 0);
			pause_s(1.5);
			end(&inner);
		}
		_exit(0);
	}
	CALL(loopmem_pool_worker, outer.id, outer.worker, 0);
	waitpid(outer.worker, NULL, 0);
	CALL(loopmem_pool_end, outer.id);
}

static void pinned_memory(int faulty)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memset(memory, 1, size);
	if (faulty && mlock(memory, size))
		exit(77);
	printf("%zu\n", size);
	fflush(stdout);
	pause_s(6); /* it is looked at every five seconds on a busy machine */
}

static const struct fault faults[] = {
	{"pool-count-growth", pool_count_growth}, {"unshared-growth", unshared_growth},
	{"orphan-workers", orphan_workers},       {"allocator-retention", allocator_retention},
	{"nested-pools", nested_pools},           {"pinned-memory", pinned_memory},
};

int main(int argc, char **argv)
{
	return run_fault(faults, sizeof(faults) / sizeof(faults[0]), argc, argv);
}
