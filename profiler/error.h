/*
 * error.h: how a library of loopmem tells its caller what went wrong. Libraries never print and never exit.
 *
 * A function that can fail takes a `struct error *` (never NULL) and returns 0 or a negative enum error_kind.
 * On failure the text says "what, about which thing: why" without the program's name, the hint is one or two
 * things to do, each on a line of its own, or "". A command prints both and exits with error_exit_code().
 */
#ifndef PROFILER_ERROR_H
#define PROFILER_ERROR_H

enum error_kind {
	ERROR_USAGE = -1,      /* the person's words are off */
	ERROR_UNREADABLE = -2, /* a file is missing, foreign, corrupt, of a newer version, empty */
	ERROR_SYSTEM = -3,     /* the system refused: permission, space, memory */
	ERROR_PROGRAM = -4,    /* the profiled command cannot be started */
};

struct error {
	enum error_kind kind;
	char text[512];
	char hint[512];
};

/* Fills `e` and returns `kind`, so that a failing function can end with `return error_set(...)`. */
int error_set(struct error *e, enum error_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set, and appends ": " and the text of `errnum`. */
int error_set_errno(struct error *e, enum error_kind kind, int errnum, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds one line of advice; at most two fit a message, more are dropped. */
void error_hint(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 2 for usage, 3 for unreadable, 1 for the rest. (`run` maps its own failures to 125, 126, 127.) */
int error_exit_code(const struct error *e);

#endif
