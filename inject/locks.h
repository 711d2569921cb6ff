/*
 * locks.h: every lock of the shim, in the order in which a fork takes them.
 *
 * None is held across a real call or while anything allocates, and no two are held at once but by
 * a fork. A thread that is inside a lock and gets here again (a signal handler that calls mmap) is
 * refused, and so is who would wait for a fork for long: the caller then counts a drop.
 */
#ifndef INJECT_LOCKS_H
#define INJECT_LOCKS_H

#include <stdbool.h>

enum lock {
	LOCK_SEGMENT, /* thread slots; making the segment */
	LOCK_POOLS,
	LOCK_REGIONS,
	LOCK_OWN,   /* new leaves of the own-block table */
	LOCK_SITES, /* records of the sites file, loaded modules */
	LOCK_LIVE,  /* sampled blocks that are alive */
	LOCKS,
};

bool lock_enter(enum lock lock);
void lock_leave(enum lock lock);

/* Around a fork: all are taken before it, released in the parent and made new in the child. */
void locks_before_fork(void);
void locks_after_fork_parent(void);
void locks_after_fork_child(void);

#endif
