/*
 * role.h: what a process of the job is there for. Pure.
 *
 * Owner and worker are known from the pools; the servants of Python's multiprocessing and of torch
 * are known by their command line.
 */
#ifndef PROFILER_COLLECT_ROLE_H
#define PROFILER_COLLECT_ROLE_H

enum role {
	ROLE_CHILD, /* claimed by nobody: shown under its parent */
	ROLE_ROOT,
	ROLE_OWNER,  /* has pools */
	ROLE_WORKER, /* claimed by a pool */
	ROLE_FORKSERVER,
	ROLE_RESOURCE_TRACKER,
	ROLE_SHM_MANAGER,
	ROLES
};

extern const char *const role_names[ROLES]; /* as in the session */

/* The role that command line and name tell, else ROLE_CHILD. `forked`: it has not exec'd since its
 * fork, the command line is that of another: what a forkserver forks is no forkserver, nor is what
 * that forks. */
enum role role_of_command(const char *cmdline, const char *comm, int forked);

#endif
