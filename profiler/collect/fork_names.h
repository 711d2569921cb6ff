/*
 * fork_names.h: the line of a fork in machine code, which the shim tells as an address of a file. Each place is asked once, while a
 * child that was forked there lives: its maps name the file.
 */
#ifndef PROFILER_COLLECT_FORK_NAMES_H
#define PROFILER_COLLECT_FORK_NAMES_H

#include "inject/segment.h"
#include "profiler/array.h"
#include "profiler/collect/process.h"
#include "profiler/collect/sites.h"

struct fork_name {
	char site[LOOPMEM_TEXT]; /* as the shim tells it */
	char text
		[LOOPMEM_TEXT]; /* "serve.c:12"; "accept_one() of serve" without line numbers; else as `site` */
};

struct fork_names {
	sites_resolve_fn *resolve; /* NULL = nothing is named */
	ARRAY(struct fork_name) known;
};

void fork_names_release(struct fork_names *names);

/* Where the child was forked: "" = not known. Valid until the next call. */
const char *fork_names_of(struct fork_names *names, const struct process *child);

#endif
