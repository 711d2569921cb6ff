/*
 * forkstorm: 200 forks while other threads are inside every kind of hook; each child starts a thread
 * that goes through the hooks too. Exits 0 when every child ended as it should within its time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/loopmem.h"

enum { FORKS = 200, THREADS = 4, CHILD_STATUS = 7, CHILD_SECONDS = 20 };

static atomic_bool stop;

static void one_round(void)
{
	struct loopmem_pool_spec spec = {.stage = LOOPMEM_STAGE_TRAIN, .label = "storm"};
	loopmem_pool pool = loopmem_pool_begin(&spec);
	void *map, *blocks[100];

	loopmem_next_begin(pool);
	for (int i = 0; i < 100; i++)
		blocks[i] = malloc((size_t)i * 50);
	for (int i = 0; i < 100; i++)
		free(blocks[i]);
	loopmem_next_end(pool, 1);
	map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map != MAP_FAILED)
		munmap(map, 1 << 20);
	loopmem_pool_end(pool);
}

static void *churn(void *unused)
{
	while (!stop)
		one_round();
	return unused;
}

static void *once(void *unused)
{
	for (int i = 0; i < 20; i++)
		one_round();
	return unused;
}

static void child(void)
{
	pthread_t thread;

	alarm(CHILD_SECONDS);
	if (pthread_create(&thread, NULL, once, NULL) || pthread_join(thread, NULL))
		_exit(1);
	_exit(CHILD_STATUS);
}

int main(void)
{
	pthread_t threads[THREADS];
	int bad = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, churn, NULL))
			return 1;
	for (int i = 0; i < FORKS && !bad; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			child();
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != CHILD_STATUS) {
			printf("fork %d: status %x\n", i, status);
			bad = 1;
		}
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return bad;
}
