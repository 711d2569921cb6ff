/*
 * growth_faults FAULT [MIB]: a loop of steps in which something grows. With a name that ends in "-not" the same work, and what is made in a
 * step is dropped at once. Prints what it knows of itself: bytes, or descriptors.
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

#define STEP_S 0.1

enum { STEPS = 100, PARALLEL = 2 }; /* 10 s */

/* A block of work; kept or not. */
static void make(size_t bytes, int kept)
{
	char *block = memset(malloc(bytes), 1, bytes);

	if (!kept)
		free(block);
}

/* ---- a pool whose workers answer requests of one byte with one ------------------------------------------------- */

enum keep { /* of the items of a worker */
	    KEEP_NOTHING,
	    KEEP_ALL,
	    KEEP_SOME,    /* the first two fifths */
	    KEEP_FIRST,   /* as much with the first item as of all others together */
	    KEEP_A_WHILE, /* a quarter of them, then none, again and again */
	    COPY_SOME,    /* what its owner had before the fork, until all of it is copied */
};

struct pool {
	loopmem_pool id;
	int ask[PARALLEL][2], answer[PARALLEL][2];
	pid_t workers[PARALLEL];
	int count, epoch, persistent;
};

static char *inherited;

/* The work on item i of `items`. */
static void read_item(int i, int items, size_t bytes, enum keep keep)
{
	static char *kept[STEPS];
	int quarter = items / 4;

	if (keep == KEEP_FIRST)
		make(i ? bytes : bytes * (size_t)items, !i);
	else if (keep == COPY_SOME && i < items * 2 / 5)
		memset(inherited + (size_t)i * bytes, 2, bytes);
	else if (keep == KEEP_A_WHILE)
		kept[i % quarter] = memset(malloc(bytes), 1, bytes);
	else
		make(bytes, keep == KEEP_ALL || (keep == KEEP_SOME && i < items * 2 / 5));
	for (int k = 0; k < quarter && keep == KEEP_A_WHILE && i % quarter == quarter - 1; k++)
		free(kept[k]);
}

static void work(const struct pool *pool, int worker, size_t item_bytes, int items, enum keep keep)
{
	char byte;

	for (int i = 0; i <= worker; i++)
		close(pool->ask[i][1]);
	for (int i = 0; read(pool->ask[worker][0], &byte, 1) == 1; i++) {
		read_item(i, items, item_bytes, keep);
		if (write(pool->answer[worker][1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void begin(struct pool *pool, size_t item_bytes, int items, enum keep keep)
{
	const struct loopmem_pool_spec spec = {.stage = LOOPMEM_STAGE_TRAIN,
					       .start = LOOPMEM_START_FORK,
					       .epoch = pool->epoch,
					       .workers = pool->count,
					       .batch_size = 4,
					       .flags = pool->persistent ? LOOPMEM_POOL_PERSISTENT
									 : 0,
					       .expected_batches = LOOPMEM_UNKNOWN};

	pool->id = loopmem_pool_begin(&spec);
	for (int i = 0; i < pool->count; i++) {
		if (pipe(pool->ask[i]) || pipe(pool->answer[i]))
			exit(1);
		pool->workers[i] = fork();
		if (!pool->workers[i])
			work(pool, i, item_bytes, items, keep);
		loopmem_pool_worker(pool->id, pool->workers[i], i);
	}
}

static void next(const struct pool *pool, int step)
{
	int worker = step % pool->count;
	char byte = 0;

	loopmem_next_begin(pool->id);
	if (write(pool->ask[worker][1], &byte, 1) != 1 ||
	    read(pool->answer[worker][0], &byte, 1) != 1)
		exit(1);
	loopmem_next_end(pool->id, 1);
	pause_s(STEP_S);
}

static void end(struct pool *pool)
{
	for (int i = 0; i < pool->count; i++) {
		close(pool->ask[i][1]);
		waitpid(pool->workers[i], NULL, 0);
		close(pool->ask[i][0]);
		close(pool->answer[i][0]);
		close(pool->answer[i][1]);
	}
	loopmem_pool_end(pool->id);
}

/* ---- workers that grow ----------------------------------------------------------------------------------------- */

/* One pool after the other; every worker keeps what it made of each item. */
static void grow_until_end(int faulty)
{
	for (int epoch = 0; epoch < 2; epoch++) {
		struct pool pool = {.count = PARALLEL, .epoch = epoch};

		begin(&pool, size / STEPS, STEPS / PARALLEL, faulty ? KEEP_ALL : KEEP_NOTHING);
		for (int i = 0; i < STEPS * 6 / 10; i++)
			next(&pool, i);
		loopmem_pool_exhausted(pool.id);
		end(&pool);
	}
	printf("%zu\n", size * 6 / 10);
}

/* The cache is full after two fifths of the items. */
static void grow_until_full(int faulty)
{
	struct pool pool = {.count = PARALLEL};

	begin(&pool, 5 * size / 2 / STEPS, STEPS / PARALLEL, faulty ? KEEP_SOME : KEEP_NOTHING);
	for (int i = 0; i < STEPS; i++)
		next(&pool, i);
	loopmem_pool_exhausted(pool.id);
	end(&pool);
	printf("%zu\n", (size_t)(STEPS / PARALLEL * 2 / 5) * PARALLEL * (5 * size / 2 / STEPS));
}

/* Persistent workers, used for five epochs. */
static void grow_when_reused(int faulty)
{
	struct pool pool = {.count = 1, .persistent = 1};

	begin(&pool, size / STEPS, STEPS, faulty ? KEEP_ALL : KEEP_NOTHING);
	for (int epoch = 0; epoch < 5; epoch++) {
		if (epoch)
			loopmem_pool_reuse(pool.id, epoch);
		for (int i = 0; i < STEPS / 5; i++)
			next(&pool, i);
		loopmem_pool_exhausted(pool.id);
	}
	end(&pool);
	printf("%zu\n", size);
}

/* ---- as much in each worker as is told of in a small run, in 16 s; innocent but the first ------------------------ */

enum { CREEP_STEPS = 160 };

static void creep(enum keep keep, int steps)
{
	struct pool pool = {.count = PARALLEL};
	size_t item = size / CREEP_STEPS;
	int items = steps / PARALLEL;

	if (keep == COPY_SOME)
		inherited = memset(malloc(item * (size_t)items), 1, item * (size_t)items);
	begin(&pool, keep == KEEP_SOME || keep == COPY_SOME ? item * 5 / 2 : item, items, keep);
	for (int i = 0; i < steps; i++)
		next(&pool, i);
	loopmem_pool_exhausted(pool.id);
	end(&pool);
	printf("%zu\n", item * (size_t)steps);
}

static void grow_slowly(int faulty)
{
	creep(faulty ? KEEP_ALL : KEEP_NOTHING, CREEP_STEPS);
}

static void fill_cache(int faulty)
{
	(void)faulty;
	creep(KEEP_SOME, CREEP_STEPS);
}

static void warm_up(int faulty)
{
	(void)faulty;
	creep(KEEP_FIRST, CREEP_STEPS);
}

static void saw_tooth(int faulty)
{
	(void)faulty;
	creep(KEEP_A_WHILE, CREEP_STEPS);
}

static void copy_on_write(int faulty)
{
	(void)faulty;
	creep(COPY_SOME, CREEP_STEPS);
}

/* Too short to tell growth from a start. */
static void short_pool(int faulty)
{
	(void)faulty;
	creep(KEEP_ALL, CREEP_STEPS * 3 / 20);
}

/* ---- the process that trains -------------------------------------------------------------------------------------- */

static void train(int faulty, int epochs, int is_freed)
{
	enum { KEPT = STEPS };
	char *outputs[KEPT];
	size_t bytes = size / STEPS;

	for (int epoch = 0; epoch < epochs; epoch++) {
		struct pool pool = {.count = 1, .epoch = epoch};
		int steps = STEPS / epochs;

		begin(&pool, 4096, steps, KEEP_NOTHING);
		for (int i = 0; i < steps; i++) {
			next(&pool, i);
			outputs[i] = memset(malloc(bytes), 1, bytes);
			if (!faulty)
				free(outputs[i]);
		}
		loopmem_pool_exhausted(pool.id);
		end(&pool);
		for (int i = 0; i < steps && faulty && is_freed; i++)
			free(outputs[i]);
	}
	printf("%zu %zu\n", is_freed ? size / (size_t)epochs : size, bytes);
}

static void main_growth(int faulty)
{
	train(faulty, 2, 0);
}

static void main_growth_freed(int faulty)
{
	train(faulty, 2, 1);
}

/* ---- others ------------------------------------------------------------------------------------------------------- */

static void fd_growth(int faulty)
{
	enum { STEPS_LONG = 140, EACH = 3 };

	for (int i = 0; i < STEPS_LONG; i++, pause_s(STEP_S))
		for (int k = 0; k < EACH; k++) {
			int fd = open("/dev/null", O_RDONLY);

			if (!faulty)
				close(fd);
		}
	printf("%d\n", STEPS_LONG * EACH);
}

/* Reads a mapped file from its beginning to its end; the twin copies what it reads. */
static void file_cache(int faulty)
{
	FILE *file = tmpfile();
	size_t part = size / STEPS / 4096 * 4096;
	char *block = memset(malloc(part), 1, part), *map;
	volatile char sum = 0;

	for (int i = 0; i < STEPS; i++)
		if (!file || fwrite(block, part, 1, file) != 1)
			exit(77);
	fflush(file);
	map = mmap(NULL, part * STEPS, PROT_READ, MAP_SHARED, fileno(file), 0);
	if (map == MAP_FAILED)
		exit(77);
	loopmem_phase_begin(LOOPMEM_STAGE_OTHER, LOOPMEM_UNKNOWN, "read");
	for (int i = 0; i < STEPS; i++, pause_s(STEP_S)) {
		for (size_t at = 0; at < part && faulty; at += 4096)
			sum = (char)(sum + map[(size_t)i * part + at]);
		make(part, !faulty);
	}
	printf("%zu\n", part * STEPS);
	fflush(stdout);
	loopmem_phase_end(); /* an edge: it is measured now, however busy the machine */
	pause_s(1.5);
}

/* Writes a file, whose pages stay in the page cache; the twin writes its first part again and again. */
static void file_written(int faulty)
{
	FILE *file = tmpfile();
	size_t part = size / STEPS / 4096 * 4096;
	char *block = memset(malloc(part), 1, part);

	if (!file)
		exit(77);
	loopmem_phase_begin(LOOPMEM_STAGE_OTHER, LOOPMEM_UNKNOWN, "write");
	for (int i = 0; i < STEPS; i++, pause_s(STEP_S)) {
		if (!faulty)
			rewind(file);
		if (fwrite(block, part, 1, file) != 1 || fflush(file))
			exit(77);
	}
	printf("%zu\n", part * STEPS);
	fflush(stdout);
	loopmem_phase_end();
	pause_s(1.5);
}

/* Children that share what their parent has. */
static void rss_overcount(int faulty)
{
	enum { CHILDREN = 4 };
	char *memory = malloc(size);

	if (faulty)
		memset(memory, 1, size);
	for (int i = 0; i < CHILDREN; i++)
		if (!fork()) {
			pause_s(8);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	free(memory);
	printf("%zu\n", size * (CHILDREN + 1));
}

static const struct fault faults[] = {
	{"grow-until-end", grow_until_end},
	{"grow-until-full", grow_until_full},
	{"grow-when-reused", grow_when_reused},
	{"grow-slowly", grow_slowly},
	{"fill-cache", fill_cache},
	{"warm-up", warm_up},
	{"saw-tooth", saw_tooth},
	{"copy-on-write", copy_on_write},
	{"short-pool", short_pool},
	{"main-growth", main_growth},
	{"main-growth-freed", main_growth_freed},
	{"fd-growth", fd_growth},
	{"file-cache", file_cache},
	{"file-written", file_written},
	{"rss-overcount", rss_overcount},
};

int main(int argc, char **argv)
{
	return run_fault(faults, sizeof(faults) / sizeof(faults[0]), argc, argv);
}
