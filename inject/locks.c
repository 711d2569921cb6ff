/*
 * locks.c: the shim's locks. A fork in a signal handler that interrupted a locked section takes none
 * of them (it would wait for itself); the child's are new either way.
 */
#include "inject/locks.h"

#include <pthread.h>
#include <time.h>

#include "inject/claim.h"
#include "inject/thread.h"

static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static bool taken_by_fork; /* written with all of them held, or by the only thread of a child */

/* A fork holds all of them and waits for the locks of malloc. Who is in a signal handler may have interrupted malloc, and
 * would wait for the fork in turn: so nobody waits for a fork longer than a moment. */
static bool wait_for(pthread_mutex_t *lock)
{
	const long patience_ns = 100000000, second_ns = 1000000000;
	struct timespec until;

	if (pthread_mutex_trylock(lock) == 0)
		return true;
	do {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += patience_ns;
		until.tv_sec += until.tv_nsec / second_ns;
		until.tv_nsec %= second_ns;
		if (pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &until) == 0)
			return true;
	} while (!__atomic_load_n(&taken_by_fork, __ATOMIC_RELAXED));
	return false;
}

bool lock_enter(enum lock lock)
{
	if (thread.holds)
		return false;
	thread.holds = true;
	if (wait_for(&locks[lock]))
		return true;
	thread.holds = false;
	return false;
}

void lock_leave(enum lock lock)
{
	CLAIM(thread.holds);
	pthread_mutex_unlock(&locks[lock]);
	thread.holds = false;
}

void locks_before_fork(void)
{
	if (thread.holds)
		return;
	thread.holds = true;
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&locks[i]);
	taken_by_fork = true;
}

void locks_after_fork_parent(void)
{
	if (!taken_by_fork)
		return;
	taken_by_fork = false;
	for (int i = LOCKS; i-- > 0;)
		pthread_mutex_unlock(&locks[i]);
	thread.holds = false;
}

void locks_after_fork_child(void)
{
	for (int i = 0; i < LOCKS; i++)
		locks[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (taken_by_fork)
		thread.holds = false;
	taken_by_fork = false;
}
