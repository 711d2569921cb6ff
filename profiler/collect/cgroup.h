/*
 * cgroup.h: the memory cgroup of the job, version 1, 2 or none, through kept descriptors.
 *
 * The figures of a cgroup are the job's only when nothing else lives in it: cgroup_strangers tells,
 * the collector decides. The limit holds in any case. Bytes; CGROUP_UNKNOWN where this kernel or
 * version does not say.
 */
#ifndef PROFILER_COLLECT_CGROUP_H
#define PROFILER_COLLECT_CGROUP_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_UNKNOWN INT64_MIN

struct cgroup_files; /* names and keys of one version */

struct cgroup {
	const struct cgroup_files *files; /* NULL = no memory cgroup found */
	char directory[PATH_MAX];         /* where its files are */
	char name[PATH_MAX];              /* as /proc/PID/cgroup has it */
	size_t mount_length;              /* of the mount point in `directory` */
	int current_fd, stat_fd, events_fd, kernel_fd;
};

struct cgroup_memory {
	int64_t current, anon, shmem;
	int64_t file;   /* page cache without shmem */
	int64_t kernel; /* page tables, stacks, slab, sockets, pipes */
	int64_t oom_kills;
};

struct cgroup_strangers {
	int processes;
	int64_t rss_bytes;
};

/* Finds and opens the memory cgroup of a process. 0, or -ENOENT when there is none that can be
 * read; `g` is valid (and empty) in any case. */
int cgroup_open(struct cgroup *g, pid_t pid);
void cgroup_close(struct cgroup *g);

/* The pure part: texts of /proc/PID/cgroup and /proc/PID/mountinfo to version, name, directory. 0
 * or -ENOENT. */
int cgroup_locate(struct cgroup *g, const char *cgroup, const char *mountinfo);
int cgroup_version(const struct cgroup *g); /* 0 = none */

/* 0 or -errno; every field that cannot be read is CGROUP_UNKNOWN. */
int cgroup_read(const struct cgroup *g, struct cgroup_memory *out);

/* The tightest limit from the cgroup up to the mount point, also where ancestors are hidden (v1
 * tells); CGROUP_UNKNOWN when there is none. */
int64_t cgroup_limit(const struct cgroup *g);

/* Counts the processes in the cgroup and below it that `is_ours` denies. 0 or -errno. */
int cgroup_strangers(const struct cgroup *g, int (*is_ours)(pid_t, void *), void *arg,
		     struct cgroup_strangers *out);

#endif
