/*
 * forks: the least time of 15 that fork takes in a parent of so many MiB, in microseconds: what it
 * costs when nothing else runs. The child ends at once.
 *
 *   forks MIB
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 15 };

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 64) << 20;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double least = 1e12;

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	memset(memory, 1, bytes);
	for (int i = 0; i < TIMES; i++) {
		double before = now_us();
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		before = now_us() - before;
		least = before < least ? before : least;
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	printf("%.1f\n", least);
	return 0;
}
