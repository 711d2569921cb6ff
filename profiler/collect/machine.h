/*
 * machine.h: facts of the machine that every process sees: memory, kernel, names.
 */
#ifndef PROFILER_COLLECT_MACHINE_H
#define PROFILER_COLLECT_MACHINE_H

#include <stdint.h>

#include "profiler/session/session.h"

struct machine {
	int meminfo_fd;
	int64_t ram_bytes;
};

struct machine_memory { /* KEYED_ABSENT where it is not told */
	int64_t ram_bytes, available_bytes, shmem_bytes;
};

void machine_open(struct machine *m);
void machine_close(struct machine *m);

/* 0 or -errno. */
int machine_read(const struct machine *m, struct machine_memory *out);

/* Processes killed for memory anywhere on the machine since it was started; KEYED_ABSENT = not
 * told. */
int64_t machine_oom_kills(void);

/* Writes what the session keeps of machine and environment: host, kernel, boot_id, arch, libc,
 * thp, cpu_model, page_bytes, cpus, and env.NAME of the named few. */
void machine_describe(const struct machine *m, struct session_writer *w);

#endif
