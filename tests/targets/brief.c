/*
 * brief POOLS MS: after a line of input, that many pools one after the other, each with a worker that allocates 64 KiB, lives for MS and
 * ends with its pool. Prints "ready" before and "done" after, ends when its input ends. Exits 0.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"

static pid_t start_worker(int ms)
{
	pid_t pid = fork();
	char *memory;

	if (pid)
		return pid;
	memory = malloc(64 << 10);
	if (memory)
		memset(memory, 1, 64 << 10);
	poll(NULL, 0, ms);
	_exit(0);
}

static int run_pool(int32_t epoch, int ms)
{
	const struct loopmem_pool_spec spec = {
		.stage = LOOPMEM_STAGE_TRAIN,
		.start = LOOPMEM_START_FORK,
		.epoch = epoch,
		.workers = 1,
		.batch_size = LOOPMEM_UNKNOWN,
		.prefetch = LOOPMEM_UNKNOWN,
		.expected_batches = LOOPMEM_UNKNOWN,
		.label = "train_loader",
	};
	loopmem_pool pool = loopmem_pool_begin ? loopmem_pool_begin(&spec) : 0;
	pid_t worker = start_worker(ms);
	int status;

	if (worker < 0)
		return 1;
	if (loopmem_pool_worker)
		loopmem_pool_worker(pool, worker, 0);
	if (waitpid(worker, &status, 0) != worker || status)
		return 1;
	if (loopmem_pool_end)
		loopmem_pool_end(pool);
	return 0;
}

int main(int argc, char **argv)
{
	int pools = argc > 1 ? atoi(argv[1]) : 20, ms = argc > 2 ? atoi(argv[2]) : 10;
	char line[16];

	setlinebuf(stdout);
	puts("ready");
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < pools; i++)
		if (run_pool(i, ms))
			return 1;
	puts("done");
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
