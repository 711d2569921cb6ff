/*
 * poolcalls: makes the calls of loopmem.h that its arguments name. Pools have one-letter names.
 *
 *   begin:a:STAGE:EXPECTED  next:a:N  ask:a  got:a:N  exhausted:a  expect:a:N  reuse:a:EPOCH  end:a
 *   worker:a:PID:ID  phase:STAGE:EPOCH:NAME  leave  heap:BYTES  keep:x:BLOCKS:BYTES  drop:x (frees those)  sleep:MS
 *   child (the rest happens in a forked child)  number:a (prints it)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"

static loopmem_pool pools[128];

static loopmem_pool begin(long stage, long expected, const char *label)
{
	struct loopmem_pool_spec spec = {.stage = (enum loopmem_stage)stage,
					 .start = LOOPMEM_START_FORK,
					 .flags = LOOPMEM_POOL_PERSISTENT,
					 .epoch = 3,
					 .workers = 2,
					 .batch_size = 8,
					 .prefetch = 2,
					 .expected_batches = expected,
					 .label = label,
					 .dataset = "Numbers",
					 .origin = "poolcalls.c:1"};

	return loopmem_pool_begin(&spec);
}

static void in_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		return;
	waitpid(child, &status, 0);
	exit(WEXITSTATUS(status));
}

/* Blocks of one name, each with the address of the one before in it. */
static void **kept[128];

static void keep(void ***name, long blocks, size_t bytes)
{
	for (; blocks > 0; blocks--) {
		void **block = malloc(bytes);
		*block = *name;
		*name = block;
	}
}

static void drop(void ***name)
{
	while (*name) {
		void **block = *name;
		*name = *block;
		free(block);
	}
}

static void call(char *words[4])
{
	const char *what = words[0];
	loopmem_pool *pool = &pools[words[1][0] & 127];
	long a = atol(words[2]), b = atol(words[3]);

	if (!strcmp(what, "begin"))
		*pool = begin(a, b, words[1]);
	else if (!strcmp(what, "ask"))
		loopmem_next_begin(*pool);
	else if (!strcmp(what, "got"))
		loopmem_next_end(*pool, (uint32_t)a);
	else if (!strcmp(what, "next"))
		loopmem_next_begin(*pool), loopmem_next_end(*pool, (uint32_t)a);
	else if (!strcmp(what, "exhausted"))
		loopmem_pool_exhausted(*pool);
	else if (!strcmp(what, "expect"))
		loopmem_pool_expect(*pool, a);
	else if (!strcmp(what, "reuse"))
		loopmem_pool_reuse(*pool, (int32_t)a);
	else if (!strcmp(what, "end"))
		loopmem_pool_end(*pool);
	else if (!strcmp(what, "worker"))
		loopmem_pool_worker(*pool, (pid_t)a, (int)b);
	else if (!strcmp(what, "phase"))
		loopmem_phase_begin((enum loopmem_stage)atol(words[1]), (int32_t)a, words[3]);
	else if (!strcmp(what, "leave"))
		loopmem_phase_end();
	else if (!strcmp(what, "heap"))
		malloc((size_t)atol(words[1]));
	else if (!strcmp(what, "keep"))
		keep(&kept[words[1][0] & 127], a, (size_t)b);
	else if (!strcmp(what, "drop"))
		drop(&kept[words[1][0] & 127]);
	else if (!strcmp(what, "sleep"))
		usleep((useconds_t)atol(words[1]) * 1000);
	else if (!strcmp(what, "child"))
		in_child();
	else if (!strcmp(what, "number"))
		printf("%u\n", *pool);
	else
		exit(2);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char empty[] = "", *words[4] = {empty, empty, empty, empty}, *at = argv[i];
		for (int w = 0; w < 4 && at; w++)
			words[w] = strsep(&at, ":");
		call(words);
	}
	return 0;
}
