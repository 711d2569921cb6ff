/*
 * python_boot.h: how the embedded hook (python/hook.py) gets into a Python process without any
 * environment trick.
 *
 * The slow path of an allocation ticks; once an interpreter is initialised and this thread owns
 * its thread state one pending call is queued, and that call, on the main thread with the GIL,
 * runs the hook when start-up has finished, else re-arms at a later tick. Everything here runs
 * with the shim's guard raised: what Python allocates for the hook is counted but never sampled.
 */
#ifndef INJECT_PYTHON_BOOT_H
#define INJECT_PYTHON_BOOT_H

#include <stdbool.h>

#include "inject/fork_site.h"

/* Called on the slow path of an allocation: no lock of ours held, errno saved by the caller. Cheap
 * when there is nothing left to do. Never runs Python code itself. */
void python_boot_tick(void);

/* The parent of a fork, right after it: the line of Python that forked. False when the hook is in, whose call before the
 * fork told it, or when this thread runs no Python. */
bool python_boot_fork_site(struct fork_site *site);

/* In the child of a fork, before anything else of ours runs there: the hook is inherited, a call
 * that was queued may be lost. */
void python_boot_forked(void);

#endif
