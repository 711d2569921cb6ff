/*
 * copy.h: copies of a database that is being written: to its place on a network file system, or to
 * another place when its own is gone.
 */
#ifndef PROFILER_SESSION_COPY_H
#define PROFILER_SESSION_COPY_H

#include <sqlite3.h>

#include "profiler/error.h"
#include "profiler/session/place.h"

/* Replaces the file at place->path by a copy, in one step for its readers. */
int session_copy_to_place(sqlite3 *db, struct session_place *place, struct error *e);

/* Saves a session whose file is gone: to its own place when that is free, else to a temporary
 * directory. Always returns an error kind: `e` says what happened and where the session is. *kept =
 * 1: it is the database itself that must stay. */
int session_copy_rescue(sqlite3 *db, struct session_place *place, int *kept, struct error *e);

#endif
