/*
 * proc_counters.h: the cheap files of a process: stat, statm, status. 4 to 6 us each whatever its
 * size.
 *
 * Parsers are pure and take the whole text; they return 0, or -EINVAL for text that is not that
 * file. A field that this kernel does not have is KEYED_ABSENT. RSS comes from statm and status;
 * field 24 of stat lags by design.
 */
#ifndef PROFILER_COLLECT_PROC_COUNTERS_H
#define PROFILER_COLLECT_PROC_COUNTERS_H

#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/keyed_text.h"

enum proc_flags { /* of stat field 9 */
		  PROC_EXITING = 0x4,
		  PROC_FORKED = 0x40, /* forked and has not exec'd: it shares its parent's pages */
};

struct proc_stat {
	char comm[32];
	char state; /* R S D Z T ... */
	pid_t parent_pid;
	unsigned flags; /* enum proc_flags */
	int64_t minor_faults, cpu_ticks, threads;
	uint64_t start_ticks; /* since boot; with the pid a process's identity */
	int exit_status;      /* as wait() gives it; meaningful for a zombie of the same user */
};

struct proc_statm {
	int64_t rss_bytes;
	int64_t anon_bytes; /* resident - shared (file and shmem) */
};

struct proc_status {
	int64_t rss_bytes, anon_bytes, file_bytes, shmem_bytes, swap_bytes, page_table_bytes,
		locked_bytes;
	int64_t voluntary_switches;
	pid_t inner_pid; /* as the process sees itself; its pid when there is no namespace below ours */
};

int proc_stat_parse(const char *text, struct proc_stat *out);
int proc_statm_parse(const char *text, int64_t page_bytes, struct proc_statm *out);
int proc_status_parse(const char *text, struct proc_status *out);

/* Reads and parses stat of a process that no file is kept of. 0 or -errno (-ESRCH and -ENOENT: gone, *out is
 * zero). */
int proc_stat_read(pid_t pid, struct proc_stat *out);

#endif
