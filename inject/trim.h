/*
 * trim.h: --trim-test (LOOPMEM_TRIM_TEST=1): has glibc give back what it keeps of freed memory, and tells how much that was.
 *
 * On a thread of the program's own, at a moment at which it may call malloc, never by a signal; and only when its live heap fell by
 * TRIM_LEAST_BYTES and did not rise again for TRIM_STAY_NS. The program is held up for as long as malloc_trim takes, so there is one
 * test in TRIM_PERIOD_NS at most, and at most a hundredth of the time is spent on them.
 */
#ifndef INJECT_TRIM_H
#define INJECT_TRIM_H

#include <stdint.h>

#define TRIM_LEAST_BYTES (UINT64_C(32) << 20)
#define TRIM_STAY_NS     UINT64_C(1000000000)
#define TRIM_PERIOD_NS   UINT64_C(10000000000)

/* The value of LOOPMEM_TRIM_TEST; NULL = not wanted. At start, when the segment is published. */
void trim_start(const char *wanted);

/* A moment for a test: no lock of the shim or of malloc is held by this thread. Cheap when there is nothing to do. Keeps errno. */
void trim_look(void);

/* In the child of a fork, whose heap has a history of its own. */
void trim_forked(void);

#endif
