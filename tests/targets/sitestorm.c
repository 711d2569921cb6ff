/*
 * sitestorm LIBRARY SECONDS: allocates, maps, loads and unloads a library in threads, while children are forked that
 * allocate, and a signal handler maps and allocates. It interrupts the one thread that only maps: so the shim at any point,
 * and never malloc itself, which is not made for that. Ends with 0 when no child crashed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;
static const char *library;

static void churn(int n)
{
	void *kept[64] = {0};

	for (int i = 0; i < n; i++) {
		free(kept[i % 64]);
		kept[i % 64] = i % 3 ? malloc(10 + (size_t)i % 5000) : realloc(NULL, 100);
		kept[i % 64] = realloc(kept[i % 64], 20 + (size_t)i % 9000);
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
}

static void *allocate(void *unused)
{
	while (!stop)
		churn(200);
	return unused;
}

static void mask_timer(int how)
{
	sigset_t timer;

	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	pthread_sigmask(how, &timer, NULL);
}

/* A hole first, then what is left of it on both sides: whatever another thread maps into the hole meanwhile is not ours. */
static void *map(void *unused)
{
	mask_timer(SIG_UNBLOCK);
	while (!stop) {
		char *p = mmap(NULL, 16 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
		munmap(p + (4 << 12), 4 << 12);
		munmap(p, 4 << 12);
		munmap(p + (8 << 12), 8 << 12);
	}
	return unused;
}

static void *load(void *unused)
{
	while (!stop) {
		void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
		if (handle)
			dlclose(handle);
	}
	return unused;
}

static void on_timer(int signal)
{
	void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *block = malloc(3000);

	(void)signal;
	munmap(p, 1 << 20);
	free(block);
}

static int run_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		churn(400);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 5000}, {0, 5000}};
	const struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	void *(*const work[])(void *) = {allocate, allocate, map, load};
	pthread_t threads[4];
	time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 1);
	int children = 0, bad = 0;

	library = argc > 1 ? argv[1] : "";
	mask_timer(SIG_BLOCK); /* and so in the threads */
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work[i], NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (time(NULL) < end) {
		bad += !run_child();
		children++;
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", children);
	return bad ? 1 : 0;
}
