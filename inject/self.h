/*
 * self.h: this process's own segment.
 *
 * At first it is private memory. It moves into a file of LOOPMEM_DIR when the process has shown that
 * it stays: at start in a new image; in the child of a fork at its first tick, pool or exit, so
 * that a child which only execs writes nothing. Where the directory is only planned (bare.h) it
 * moves at the first tick after that was made. Counts move with it, exactly. Without a directory, or
 * when the file cannot be made, it stays private: the program runs on.
 */
#ifndef INJECT_SELF_H
#define INJECT_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/segment.h"

/* The present segment, never NULL. Load it once per use: it may move at any tick. */
extern struct loopmem_segment *self_segment __attribute__((visibility("hidden")));

/* At start: the directory for segments that exists, or else one that may be made later, or neither.
 * They are copied. */
void self_start(int argc, char **argv, const char *directory, const char *planned);

/* The directory that is planned and was not there when last looked for. */
bool self_is_planned(void);
/* It will never be made. */
void self_give_up_plan(void);

/* Moves the segment into its file, if that is possible and not done. Keeps errno. */
void self_publish(void);
bool self_is_published(void);

/* Where the segment is, once it is published. */
const char *self_directory(void);

/* True while a fork's child counts in private memory and is not yet seen to stay. */
bool self_is_waiting(void);

/* Bytes a child may allocate before it is taken for one that stays. */
enum { SELF_WAIT_BYTES = 64 << 10 };

/* After the move: the calling thread's late counts follow. Cheap when there is nothing to do. */
void self_settle(void);

/* In the child of a fork, after heap_forked: a private segment again, and thread_forked. */
void self_forked(uint64_t inherited_live_bytes);

/* True when `counters` lie in the private segment. */
bool self_owns_privately(const struct loopmem_counters *counters);

void self_drop(enum loopmem_drop what);
uint64_t self_now_ns(void);

#endif
