/* open_session.h: opens a session file for a command and finds out whether its run still goes on. */
#ifndef PROFILER_CMD_OPEN_SESSION_H
#define PROFILER_CMD_OPEN_SESSION_H

#include "profiler/model/model.h"

/* As model_open; a session that was not closed and whose collector is gone (same host, no such process) is opened as over.
 * The native frames of one that was not closed are named by the files that are there, if they are the same. */
int open_session(struct model **out, const char *file, struct error *e);

/* 1 = the process that wrote the session is known to be gone: on this host there is none with its pid. */
int collector_is_gone(const struct model *m);

#endif
