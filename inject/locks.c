/*
 * locks.c: the shim's locks. A fork in a signal handler that interrupted a locked section takes none
 * of them (it would wait for itself); the child's are new either way.
 */
#include "inject/locks.h"

#include <pthread.h>

#include "inject/thread.h"

static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static bool taken_by_fork; /* written with all of them held, or by the only thread of a child */

bool lock_enter(enum lock lock)
{
	if (thread.holds)
		return false;
	thread.holds = true;
	pthread_mutex_lock(&locks[lock]);
	return true;
}

void lock_leave(enum lock lock)
{
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
