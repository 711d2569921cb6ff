/*
 * fork_site.h: where a fork was called from, in a few characters: "serve.py:12" of the user's own
 * Python code, "prog+0x11f9" of machine code (the call, as an address of that file).
 */
#ifndef INJECT_FORK_SITE_H
#define INJECT_FORK_SITE_H

#include <stdbool.h>

#include "inject/segment.h"

struct fork_site {
	char text[LOOPMEM_TEXT]; /* "" = not known */
	bool claimed;            /* a pool will claim the child */
};

/* The site of a fork that this thread just made from machine code at `caller`, or of the Python that
 * called it. Takes no lock. */
void fork_site_find(struct fork_site *site, const void *caller);

/* The interpreter is about to fork from this site, by the calling thread; NULL: it has. With the
 * GIL. */
void fork_site_announce(const struct fork_site *site);

#endif
