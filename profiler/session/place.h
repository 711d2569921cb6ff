/*
 * place.h: where a session is written: what may be replaced there, and the making of the file.
 *
 * On a local file system the database is FILE itself. On a network file system FILE gets copies of
 * a database that is kept in a private directory on a local one.
 */
#ifndef PROFILER_SESSION_PLACE_H
#define PROFILER_SESSION_PLACE_H

#include <sys/types.h>

#include "profiler/error.h"
#include "profiler/session/filesystem.h"

struct session_place {
	char *name;      /* as the person gave it: for messages */
	char *path;      /* absolute, its directory without symbolic links */
	char *database;  /* where the database is; equal to `path` unless kept elsewhere */
	char *directory; /* ours, holds `database` and nothing else; NULL when not kept elsewhere */
	dev_t device;    /* of the file last put at `path` */
	ino_t inode;
	ino_t wal_inode; /* of the -wal file beside it, on the same device */
};

/* Makes FILE anew, empty, mode 0600, and the place of the database. On failure nothing is to be
 * released. */
int session_place_make(struct session_place *place, const char *file, int overwrite,
		       session_filesystem_fn *type, struct error *e);
void session_place_release(struct session_place *place);

/* Removes what was made, as far as it is still ours. For a session that was never begun. */
void session_place_unmake(struct session_place *place);

/* 1 when the file made is no longer the one at `path`: removed, renamed or replaced. */
int session_place_gone(const struct session_place *place);

/* Notes that a new file was put at `path`. */
void session_place_renew(struct session_place *place);

/* Notes which file SQLite made beside the database at `path`. */
void session_place_know_wal(struct session_place *place);

/* Once the file at `path` is gone: removes what SQLite had made beside it, so that it is not taken
 * for part of another file put there. 0, or -1 when what lies there now is somebody else's. */
int session_place_clear_wal(const struct session_place *place);

#endif
