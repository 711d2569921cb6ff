/*
 * filesystem.h: can a database with a WAL live here? A WAL needs memory shared by all its readers
 * and locks that hold: a file system on a network promises neither.
 */
#ifndef PROFILER_SESSION_FILESYSTEM_H
#define PROFILER_SESSION_FILESYSTEM_H

/* The f_type of the file system a path lies on; 0 when it cannot be learned. */
typedef unsigned long session_filesystem_fn(const char *path);
session_filesystem_fn session_filesystem_type;

/* The name of a network file system; NULL when it is a local one. */
const char *session_filesystem_network_name(unsigned long type);

#endif
