/*
 * filesystem.h: can a database with a WAL live here, where else can it, and what does it leave? A WAL
 * needs memory shared by all its readers and locks that hold: a file system on a network promises
 * neither.
 */
#ifndef PROFILER_SESSION_FILESYSTEM_H
#define PROFILER_SESSION_FILESYSTEM_H

/* The f_type of the file system a path lies on; 0 when it cannot be learned. */
typedef unsigned long session_filesystem_fn(const char *path);
session_filesystem_fn session_filesystem_type;

/* The name of a network file system; NULL when it is a local one. */
const char *session_filesystem_network_name(unsigned long type);

/* Removes a database and what SQLite may have left beside it. */
void session_filesystem_remove(const char *database);

/* A local directory for temporary files: $TMPDIR, /tmp or /var/tmp, the first that is none on a
 * network; NULL when there is none. */
const char *session_filesystem_temporary(session_filesystem_fn *type);

#endif
