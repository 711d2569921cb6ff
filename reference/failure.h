/*
 * failure.h: how the reference loader and loop tell their caller what went wrong. Nothing here
 * prints and nothing exits: a function that can fail takes a `struct failure *` (never NULL),
 * returns 0 or more on success and a negative enum failure_kind with the struct filled in.
 */
#ifndef REFERENCE_FAILURE_H
#define REFERENCE_FAILURE_H

#include <sys/types.h>

enum failure_kind {
	FAILURE_USAGE = -1,   /* the caller asked for what cannot be */
	FAILURE_SYSTEM = -2,  /* the system refused: memory, processes, descriptors */
	FAILURE_DATASET = -3, /* the dataset could not open or could not give an item */
	FAILURE_WORKER = -4,  /* a worker process is gone: pid and signal say which and why */
};

struct failure {
	enum failure_kind kind;
	pid_t pid;  /* of the worker concerned, 0 = none */
	int signal; /* that ended it, 0 = none */
	char text[256];
};

/* Fills `f` and returns `kind`, so that a failing function can end with `return failure_set(...)`. */
int failure_set(struct failure *f, enum failure_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* FAILURE_SYSTEM with `what` and the text of errno. */
int failure_system(struct failure *f, const char *what);

#endif
