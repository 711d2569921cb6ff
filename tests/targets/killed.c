/*
 * killed: forks a child, lets both allocate blocks of 100 bytes, prints "PID CHILD_PID" and waits to
 * be killed.
 *
 *   killed PARENT_BLOCKS CHILD_BLOCKS
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void allocate(long n)
{
	for (long i = 0; i < n; i++)
		if (!malloc(100))
			abort();
}

int main(int argc, char **argv)
{
	char line[64];
	int ready[2], n;
	pid_t child;

	if (argc != 3 || pipe(ready))
		return 2;
	child = fork();
	if (child == 0) {
		allocate(atol(argv[2]));
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	allocate(atol(argv[1]));
	if (read(ready[0], line, 1) != 1)
		return 1;
	n = snprintf(line, sizeof(line), "%d %d\n", getpid(), child);
	if (write(1, line, (size_t)n) == n)
		pause();
	return 1;
}
