/*
 * trims: threads that fill much memory in small blocks and free all but what keeps it resident, in this process and in the child of a
 * fork, and go on with little. Prints "right" when every block held what was written into it. For --trim-test.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 700, BLOCK = 60000, ROUNDS = 250 };

static int is_filled(const unsigned char *block, int with)
{
	for (int i = 0; i < BLOCK; i += 4096)
		if (block[i] != with)
			return 0;
	return 1;
}

static void *work(void *right)
{
	unsigned char *blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = memset(malloc(BLOCK), i & 0xff, BLOCK);
	for (int i = 0; i < BLOCKS; i++) {
		if (!is_filled(blocks[i], i & 0xff))
			*(int *)right = 0;
		if (i % 100)
			free(blocks[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		unsigned char *block = memset(malloc(BLOCK), round & 0xff, BLOCK);

		poll(NULL, 0, 10);
		if (!is_filled(block, round & 0xff))
			*(int *)right = 0;
		free(block);
	}
	for (int i = 0; i < BLOCKS; i += 100)
		if (!is_filled(blocks[i], i & 0xff))
			*(int *)right = 0;
	return NULL;
}

/* 1 when all was right. */
static int work_in_threads(void)
{
	pthread_t threads[THREADS];
	int right = 1;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &right))
			return 0;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return right;
}

int main(void)
{
	pid_t child = fork();
	int right = work_in_threads(), status;

	if (!child)
		_exit(!right);
	waitpid(child, &status, 0);
	puts(right && status == 0 ? "right" : "wrong");
	return 0;
}
