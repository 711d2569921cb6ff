/*
 * loader_faults FAULT [MIB]: a training of one or two loaders, each a pool of one worker that holds MIB, with one fault; with a name that ends in
 * "-not" the same without it. Prints what it knows of itself: seconds, bytes, or a pid.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject/loopmem.h"
#include "tests/targets/faults.h"

struct loader {
	loopmem_pool pool;
	int to_worker; /* its end ends the worker; a byte is its death */
	pid_t worker;
};

static double leaves_after_s; /* a worker that was told to end still works for so long */
static double grows_for_s;    /* what a worker holds comes bit by bit */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void hold(size_t bytes)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	for (size_t at = 0; at < bytes; at += 1 << 20) {
		memset(memory + at, 1, 1 << 20);
		if (grows_for_s > 0)
			pause_s(grows_for_s * (1 << 20) / (double)bytes);
	}
}

static struct loader begin(enum loopmem_stage stage, uint32_t flags)
{
	const struct loopmem_pool_spec spec = {.stage = stage,
					       .start = LOOPMEM_START_FORK,
					       .flags = flags,
					       .workers = 1,
					       .expected_batches = LOOPMEM_UNKNOWN};
	struct loader l = {.pool = loopmem_pool_begin(&spec)};
	int fds[2];
	char byte;

	if (pipe(fds))
		exit(1);
	l.worker = fork();
	if (!l.worker) {
		close(fds[1]);
		hold(size);
		while (read(fds[0], &byte, 1) > 0)
			raise(SIGSEGV);
		pause_s(leaves_after_s);
		_exit(0);
	}
	close(fds[0]);
	/* or the next worker would hold it open */
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	l.to_worker = fds[1];
	loopmem_pool_worker(l.pool, l.worker, 0);
	return l;
}

static void deliver(const struct loader *l, double seconds)
{
	loopmem_next_begin(l->pool);
	pause_s(0.3); /* the price of a start */
	loopmem_next_end(l->pool, 1);
	pause_s(seconds);
	loopmem_pool_exhausted(l->pool);
}

static void end(const struct loader *l)
{
	loopmem_pool_closing(l->pool);
	close(l->to_worker);
	waitpid(l->worker, NULL, 0);
	loopmem_pool_end(l->pool);
}

/* Its worker is in the middle of an item when it is told to end. */
static void slow_shutdown(int faulty)
{
	struct loader l;
	double told_s;

	leaves_after_s = faulty ? 3 : 0;
	l = begin(LOOPMEM_STAGE_TRAIN, 0);
	deliver(&l, 1);
	told_s = now_s();
	end(&l);
	printf("%.3f\n", now_s() - told_s);
}

/* Its worker dies of what it reads, and is reaped at once; without the fault the owner ends it. */
static void process_died(int faulty)
{
	struct loader l = begin(LOOPMEM_STAGE_TRAIN, 0);

	loopmem_next_begin(l.pool);
	pause_s(0.3);
	loopmem_next_end(l.pool, 1);
	pause_s(1);
	if (faulty ? write(l.to_worker, "x", 1) != 1 : kill(l.worker, SIGTERM))
		exit(1);
	waitpid(l.worker, NULL, 0);
	pause_s(0.3);
	loopmem_pool_end(l.pool);
	printf("%d\n", (int)l.worker);
}

/* Two epochs with a persistent loader, or with a new one each. */
static void persistent_trade_off(int faulty)
{
	struct loader l = begin(LOOPMEM_STAGE_TRAIN, faulty ? LOOPMEM_POOL_PERSISTENT : 0);

	deliver(&l, 0.5);
	if (faulty) {
		pause_s(3);
		loopmem_pool_reuse(l.pool, 1);
	} else {
		end(&l);
		pause_s(3);
		l = begin(LOOPMEM_STAGE_TRAIN, 0);
	}
	deliver(&l, 0.5);
	end(&l);
	printf("%zu\n", size);
}

/*
 * A validation loader, which grows to three times the size, on top of an idle one of training; without the fault that one is ended before. Who
 * will be killed, where there is no room for both, is said in advance.
 */
static void oom(int faulty)
{
	struct loader train = begin(LOOPMEM_STAGE_TRAIN, 0), validate;

	deliver(&train, 2);
	if (!faulty)
		end(&train);
	size *= 3;
	grows_for_s = 2;
	validate = begin(LOOPMEM_STAGE_VALIDATE, 0);
	printf("%d\n", (int)validate.worker);
	fflush(stdout);
	deliver(&validate, 4);
	end(&validate);
	if (faulty)
		end(&train);
}

/* Uses shared memory; without the fault a quarter of it. */
static void shm_pressure(int faulty)
{
	int fd = shm_open("/loader_faults", O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t bytes = faulty ? size : size / 4;
	struct loader l;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		exit(77);
	shm_unlink("/loader_faults");
	if (posix_fallocate(fd, 0, (off_t)bytes))
		exit(77);
	size = 1 << 20;
	l = begin(LOOPMEM_STAGE_TRAIN, 0);
	deliver(&l, 5); /* the collector looks every second, every five on a busy machine */
	end(&l);
	printf("%zu\n", bytes);
}

/* A worker leaves a batch in /dev/shm, named as torch's strategy file_system does, and ends without removing it. */
static void stale_shm(int faulty)
{
	pid_t worker = fork();
	char name[64];

	if (!worker) {
		int fd;

		snprintf(name, sizeof(name), "/torch_%d_1234_0", (int)getpid());
		fd = shm_open(name, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || posix_fallocate(fd, 0, (off_t)size))
			_exit(77);
		pause_s(2);
		if (!faulty)
			shm_unlink(name);
		_exit(0);
	}
	waitpid(worker, NULL, 0);
	printf("%d\n", (int)worker);
}

static const struct fault faults[] = {
	{"slow-shutdown", slow_shutdown},
	{"process-died", process_died},
	{"persistent-trade-off", persistent_trade_off},
	{"oom-victim", oom},
	{"shm-pressure", shm_pressure},
	{"stale-shm", stale_shm},
};

int main(int argc, char **argv)
{
	return run_fault(faults, sizeof(faults) / sizeof(faults[0]), argc, argv);
}
