/*
 * run_top.h: loopmem run --top. The process that was started shows the dashboard; a child of it is the run: collector and
 * command as always, but what the command writes goes to a log and it reads nothing, because the terminal is the dashboard's.
 *
 * What the run itself has to say (summary, warnings, failures) is kept and printed when the dashboard is left.
 */
#ifndef PROFILER_CMD_RUN_TOP_H
#define PROFILER_CMD_RUN_TOP_H

#include <sys/types.h>

#include "profiler/error.h"

struct run_top {
	int log, talk; /* descriptors: of the command's output, of what the run says */
	int null;
};

/* Opens the log beside the session. In the child that is the run it returns 0 with `top` filled in. The parent stays: it shows
 * the dashboard, waits for the run and ends as the run ended. A negative error_kind: there is no terminal, no log. */
int run_top_split(struct run_top *top, const char *session, struct error *e);

/* To be called round the start of the command: it inherits the log, the run itself keeps its own. */
void run_top_before_start(const struct run_top *top);
void run_top_after_start(const struct run_top *top);

#endif
