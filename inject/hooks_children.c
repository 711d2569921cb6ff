/*
 * hooks_children.c: the exported kill and wait functions: who was ended on purpose, and how children ended.
 */
#include <sys/types.h>
#include <sys/wait.h>

#include "inject/lifecycle.h"
#include "inject/real.h"

#define EXPORT __attribute__((visibility("default")))

/* Told before: the sender may be among those that it ends. */
EXPORT int kill(pid_t pid, int signal)
{
	lifecycle_kill(pid, signal);
	return REAL(kill)(pid, signal);
}

EXPORT int killpg(pid_t group, int signal)
{
	lifecycle_kill(-group, signal);
	return REAL(killpg)(group, signal);
}

/* What the caller is told, its child or an error; *status as the kernel wrote it. */
static pid_t told(pid_t child, const int *status)
{
	if (child > 0)
		lifecycle_reaped(child, *status);
	return child;
}

/* The kernel writes to the caller's own place: a bad one is refused as ever, by EFAULT. */
EXPORT pid_t wait(int *status)
{
	int own, *seen = status ? status : &own;

	return told(REAL(wait)(seen), seen);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	int own, *seen = status ? status : &own;

	return told(REAL(wait3)(seen, options, usage), seen);
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	int own, *seen = status ? status : &own;

	return told(REAL(wait4)(pid, seen, options, usage), seen);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	int own, *seen = status ? status : &own;

	return told(REAL(waitpid)(pid, seen, options), seen);
}

/* What only looks (WNOWAIT) learns it again when it reaps. */
EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own = {0}, *seen = info ? info : &own;
	int result = REAL(waitid)(type, id, seen, options);

	if (!result && !(options & WNOWAIT) &&
	    (seen->si_code == CLD_KILLED || seen->si_code == CLD_DUMPED))
		lifecycle_reaped(seen->si_pid, seen->si_status);
	return result;
}
