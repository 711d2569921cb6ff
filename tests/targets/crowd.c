/*
 * crowd PROCESSES MIB SECONDS: a job of many processes for the collector to watch: each child fills
 * MIB of its own, then changes a little of it ten times a second. The parent waits for all. Exits
 * 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void live(size_t bytes, int seconds)
{
	char *memory = malloc(bytes);

	if (!memory)
		_exit(1);
	memset(memory, 1, bytes);
	for (int i = 0; i < 10 * seconds; i++) {
		char *more = malloc(10000);

		if (more)
			memset(more, i, 10000);
		sleep_ms(100);
		free(more);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 4, status, result = 0;
	size_t bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 4) << 20;

	for (int i = 0; i < processes; i++)
		if (!fork())
			live(bytes, argc > 3 ? atoi(argv[3]) : 1);
	while (wait(&status) > 0)
		result |= status;
	return result != 0;
}
