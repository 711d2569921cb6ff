/*
 * redo.h: rows that must not get lost when a commit fails. A figure of a full disk's time is lost
 * and counted; the row that says who a process is, what a pool did or what was noted is written
 * again when there is room, or the rows after it would speak of nobody.
 */
#ifndef PROFILER_SESSION_REDO_H
#define PROFILER_SESSION_REDO_H

#include <sqlite3.h>
#include <stddef.h>

#include "profiler/array.h"

/* Statements with their values, in order. Zero-initialised = empty. */
struct session_redo {
	ARRAY(char *) statements;
	size_t bytes;
};

/* Keeps a bound statement. 0, or -1 when there is no room: the row is lost if its transaction is.
 */
int session_redo_keep(struct session_redo *redo, sqlite3_stmt *statement);

/* Forgets the one kept last: it can never be done. */
void session_redo_drop_last(struct session_redo *redo);

/* Runs all of them. SQLite's result code of the first that fails. */
int session_redo_run(const struct session_redo *redo, sqlite3 *db);

/* Forgets them: they are committed. */
void session_redo_clear(struct session_redo *redo);
void session_redo_release(struct session_redo *redo);

#endif
