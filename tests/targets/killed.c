/*
 * killed: forks a child, lets both allocate blocks of 100 bytes, prints "PID CHILD_PID" and waits to
 * be killed.
 *
 *   killed PARENT_BLOCKS CHILD_BLOCKS [DIRECTORY]
 *
 * With a directory a thread of the parent allocates PARENT_BLOCKS first and then does nothing more;
 * the directory is made after that.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_barrier_t done;

static void allocate(long n)
{
	for (long i = 0; i < n; i++)
		if (!malloc(100))
			abort();
}

static void *allocate_and_sleep(void *blocks)
{
	allocate((long)blocks);
	pthread_barrier_wait(&done);
	pause();
	return NULL;
}

static void in_a_thread(long blocks, const char *directory)
{
	pthread_t thread;

	pthread_barrier_init(&done, NULL, 2);
	if (pthread_create(&thread, NULL, allocate_and_sleep, (void *)blocks))
		abort();
	pthread_barrier_wait(&done);
	if (mkdir(directory, 0700))
		abort();
	free(malloc(100 << 20)); /* enough for a tick of this thread */
}

int main(int argc, char **argv)
{
	char line[64];
	int ready[2], n;
	pid_t child;

	if (argc < 3 || pipe(ready))
		return 2;
	if (argc > 3)
		in_a_thread(atol(argv[1]), argv[3]);
	child = fork();
	if (child == 0) {
		allocate(atol(argv[2]));
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (argc == 3)
		allocate(atol(argv[1]));
	if (read(ready[0], line, 1) != 1)
		return 1;
	n = snprintf(line, sizeof(line), "%d %d\n", getpid(), child);
	if (write(1, line, (size_t)n) == n)
		pause();
	return 1;
}
