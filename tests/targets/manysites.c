/*
 * manysites CHILDREN: each child allocates 1,000 bytes by each of 16,384 paths through two functions, then 50 MB, and waits for stdin to end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 14, PATHS = 1 << DEPTH, BYTES = 1000, LAST = 50000000 };

static void *kept[PATHS + 1];

static void left(int path, int depth);
static void right(int path, int depth);

static void step(int path, int depth)
{
	if (depth == DEPTH)
		kept[path] = malloc(BYTES);
	else if (path >> depth & 1)
		left(path, depth + 1);
	else
		right(path, depth + 1);
}

__attribute__((noinline)) static void left(int path, int depth)
{
	step(path, depth);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

__attribute__((noinline)) static void right(int path, int depth)
{
	step(path, depth);
	__asm__ volatile("" ::: "memory");
}

static void wait_for_end(void)
{
	char byte;

	while (read(0, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < children; i++) {
		if (fork())
			continue;
		for (int path = 0; path < PATHS; path++)
			step(path, 0);
		kept[PATHS] = memset(malloc(LAST), 1, LAST);
		wait_for_end();
		_exit(0);
	}
	wait_for_end();
	while (wait(NULL) > 0)
		;
	return 0;
}
