/*
 * python_site.h: the line of the user's own code that is running, as "prepare.py:12".
 *
 * No bytecode runs here, so no signal handler of the user's either: it may be called where an
 * exception would be lost. With the GIL. Leaves no exception.
 */
#ifndef INJECT_PYTHON_SITE_H
#define INJECT_PYTHON_SITE_H

#include "inject/fork_site.h"
#include "inject/python_api.h"

/* The innermost frame that is neither the standard library's nor an installed package's; where there
 * is none, the innermost of a package; else nothing. `claimed`: the innermost frame of all starts a process of
 * multiprocessing, which processes.py follows. */
void python_site_find(struct fork_site *site);

#endif
