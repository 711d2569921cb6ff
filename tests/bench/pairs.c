/*
 * pairs: N pairs of malloc and free, as a program that has nothing else to do.
 *
 *   pairs N [plain|forked|forked-many|wait|wait-forked]
 *
 * Sizes are mixed and a ring of blocks is alive, so the allocator works as in a real program. forked:
 * the pairs happen in the child of a fork. many: the ring is larger than what the shim remembers of places. wait: then it prints its pid and waits to be killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALIVE = 256, MANY = 65536 };

static void pairs(long n, long alive)
{
	static void *ring[MANY];

	for (long i = 0; i < n; i++) {
		void **slot = &ring[i % alive];
		free(*slot);
		*slot = malloc(16 + (size_t)(i * 7919 % 256));
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	const char *mode = argc > 2 ? argv[2] : "plain";
	int status = 0;
	pid_t child = 0;

	if (strstr(mode, "forked"))
		child = fork();
	if (child > 0) {
		waitpid(child, &status, 0);
		return status != 0;
	}
	pairs(n, strstr(mode, "many") ? MANY : ALIVE);
	if (strstr(mode, "wait")) {
		printf("%d\n", getpid());
		fflush(stdout);
		pause();
	}
	return 0;
}
