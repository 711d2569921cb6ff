/*
 * hooks_life.c: the exported fork, exec and exit functions: a mark in the segment, nothing more.
 */
#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/lifecycle.h"
#include "inject/real.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT pid_t fork(void)
{
	pid_t child = REAL(fork)();

	if (child > 0)
		lifecycle_has_forked(child, __builtin_return_address(0));
	return child;
}

EXPORT void _exit(int status)
{
	lifecycle_exit(status);
	REAL(_exit)(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	lifecycle_exit(status);
	REAL(_Exit)(status);
	__builtin_unreachable();
}

/* When the real call comes back, the process was not replaced. */
#define EXEC_HOOK(name, params, ...)              \
	EXPORT int name params                    \
	{                                         \
		int result;                       \
                                                  \
		lifecycle_exec();                 \
		result = REAL(name)(__VA_ARGS__); \
		lifecycle_exec_failed();          \
		return result;                    \
	}

EXEC_HOOK(execve, (const char *path, char *const argv[], char *const envp[]), path, argv, envp)
EXEC_HOOK(execv, (const char *path, char *const argv[]), path, argv)
EXEC_HOOK(execvp, (const char *file, char *const argv[]), file, argv)
EXEC_HOOK(execvpe, (const char *file, char *const argv[], char *const envp[]), file, argv, envp)
EXEC_HOOK(fexecve, (int fd, char *const argv[], char *const envp[]), fd, argv, envp)
EXEC_HOOK(execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
	  dir, path, argv, envp, flags)

/* The words of a variadic call as an array on this frame's stack; `args` stands behind them. The
 * closing NULL is copied too. */
#define COLLECT_ARGV(argv, first, args)                    \
	do {                                               \
		va_list count;                             \
		size_t n = 1;                              \
		va_start(args, first);                     \
		va_copy(count, args);                      \
		while (va_arg(count, char *))              \
			n++;                               \
		va_end(count);                             \
		(argv) = alloca((n + 1) * sizeof(char *)); \
		(argv)[0] = (char *)(first);               \
		for (size_t i = 1; i <= n; i++)            \
			(argv)[i] = va_arg(args, char *);  \
	} while (0)

EXPORT int execl(const char *path, const char *word, ...)
{
	va_list args;
	char **argv;

	COLLECT_ARGV(argv, word, args);
	va_end(args);
	return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *word, ...)
{
	va_list args;
	char **argv;

	COLLECT_ARGV(argv, word, args);
	va_end(args);
	return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *word, ...)
{
	va_list args;
	char **argv, **envp;

	COLLECT_ARGV(argv, word, args);
	envp = va_arg(args, char **);
	va_end(args);
	return execve(path, argv, envp);
}
