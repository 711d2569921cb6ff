/*
 * pools WORKERS SECONDS [MIB]: an owner with one pool: forks the workers, each fills MIB (default 4) and waits; prints the workers'
 * pids, delivers a batch, is exhausted, and keeps the pool for SECONDS more. Workers end by themselves when the owner has.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"

#define CALL(function, ...)                    \
	do {                                   \
		if (function)                  \
			function(__VA_ARGS__); \
	} while (0)

/* Until the owner closes its end of the pipe, by its death too. */
static void work(int fd, size_t bytes)
{
	char *memory = malloc(bytes), byte;

	if (!memory)
		_exit(1);
	memset(memory, 1, bytes);
	while (read(fd, &byte, 1) > 0)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	int workers = argc > 1 ? atoi(argv[1]) : 2, seconds = argc > 2 ? atoi(argv[2]) : 1;
	size_t bytes = (size_t)(argc > 3 ? atoi(argv[3]) : 4) << 20;
	const struct loopmem_pool_spec spec = {
		.stage = LOOPMEM_STAGE_TRAIN,
		.start = LOOPMEM_START_FORK,
		.epoch = 0,
		.workers = workers,
		.batch_size = 32,
		.prefetch = 2,
		.expected_batches = LOOPMEM_UNKNOWN,
		.label = "train_loader",
	};
	loopmem_pool pool;
	int fds[2];

	if (pipe(fds))
		return 1;
	poll(NULL, 0, 200); /* as a program that starts up */
	pool = loopmem_pool_begin ? loopmem_pool_begin(&spec) : 0;
	for (int i = 0; i < workers; i++) {
		pid_t pid = fork();

		if (!pid) {
			close(fds[1]);
			work(fds[0], bytes);
		}
		CALL(loopmem_pool_worker, pool, pid, i);
		printf("%d\n", (int)pid);
	}
	fflush(stdout);
	CALL(loopmem_next_begin, pool);
	poll(NULL, 0, 300);
	CALL(loopmem_next_end, pool, 1);
	CALL(loopmem_pool_exhausted, pool);
	poll(NULL, 0, seconds * 1000);
	close(fds[1]);
	while (wait(NULL) > 0)
		;
	CALL(loopmem_pool_end, pool);
	return 0;
}
