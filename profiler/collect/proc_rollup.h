/*
 * proc_rollup.h: /proc/PID/smaps_rollup: proportional and private bytes, exact by a walk of the
 * page tables.
 *
 * The walk takes about 4.6 us per MiB of 4 KiB pages and holds the target's mmap lock all that
 * time: what it costs here it costs there. schedule.h decides when it may be done.
 */
#ifndef PROFILER_COLLECT_PROC_ROLLUP_H
#define PROFILER_COLLECT_PROC_ROLLUP_H

#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/keyed_text.h"

struct proc_rollup { /* bytes; KEYED_ABSENT where this kernel does not say */
	int64_t rss, pss, pss_anon, pss_file, pss_shmem;
	int64_t shared_clean, shared_dirty, private_clean, private_dirty;
	int64_t anonymous, anon_huge, swap, swap_pss;
};

/* 0, or -EINVAL for text that is no rollup. */
int proc_rollup_parse(const char *text, struct proc_rollup *out);

/* 0 and the wall time of the walk; -ESRCH when the process has no memory any more (exiting, zombie,
 * gone); -EACCES. */
int proc_rollup_read(pid_t pid, struct proc_rollup *out, int64_t *wall_ns);

/* What a forked child shared at its fork, from its first walk, however late that came: what it shares still, and what it
 * copied since: the least of its private dirty bytes and of what its faults could bring, less what is new. New is what it
 * has of anonymous memory above what its parent had at the fork. `inherited_anon` KEYED_ABSENT: nothing was copied yet. */
int64_t proc_rollup_shared_at_fork(const struct proc_rollup *r, int64_t minor_faults,
				   int64_t inherited_anon);

/* Bytes that would come back if the process ended; 0 where it cannot be told. */
int64_t proc_rollup_private(const struct proc_rollup *r);

/* Bytes shared with other processes, clean and dirty; KEYED_ABSENT where it cannot be told. */
int64_t proc_rollup_shared(const struct proc_rollup *r);

#endif
