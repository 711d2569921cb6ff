/*
 * Copies of a database that is being written. Invariant: a reader finds a whole copy or none: it is
 * made under another name first. Locks are not used on the copy: nobody else knows it, and its file
 * system may not have any.
 */
#include "profiler/session/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fills `e` for a failure on the copy. */
static int cannot_copy(sqlite3 *copy, int rc, const char *to, struct error *e)
{
	int errnum = (rc & 0xff) == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(copy);

	if (errnum == ENOSPC) {
		error_set_errno(e, ERROR_SYSTEM, errnum, "cannot write %s", to);
		error_hint(e, "use -o DIR/FILE on another disk");
		return e->kind;
	}
	if (errnum && (rc & 0xff) != SQLITE_NOMEM)
		return error_set_errno(e, ERROR_SYSTEM, errnum, "cannot write %s", to);
	return error_set(e, ERROR_SYSTEM, "cannot write %s: %s", to, sqlite3_errstr(rc));
}

/* Into an open, empty database. The copy of a database in WAL mode is in WAL mode: that is left at
 * the end. */
static int copy_pages(sqlite3 *from, sqlite3 *to)
{
	sqlite3_backup *backup;
	int rc = sqlite3_exec(to,
			      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF;"
			      "PRAGMA journal_mode=OFF",
			      NULL, NULL, NULL);

	if (rc)
		return rc;
	backup = sqlite3_backup_init(to, "main", from, "main");
	if (!backup)
		return sqlite3_errcode(to);
	sqlite3_backup_step(backup, -1);
	rc = sqlite3_backup_finish(backup);
	return rc ? rc : sqlite3_exec(to, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
}

/* Writes what is committed in `db` to the new file `to`, mode 0600, readable alone. A half-made
 * file is removed. */
static int copy_new(sqlite3 *db, const char *to, struct error *e)
{
	int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	sqlite3 *copy;
	int rc;

	if (fd < 0)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", to);
	close(fd);
	rc = sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE, "unix-none");
	if (!rc)
		rc = copy_pages(db, copy);
	if (rc)
		cannot_copy(copy, rc, to, e);
	sqlite3_close(copy);
	if (!rc)
		return 0;
	session_filesystem_remove(to);
	return e->kind;
}

int session_copy_to_place(sqlite3 *db, struct session_place *place, struct error *e)
{
	char part[PATH_MAX];

	if (snprintf(part, sizeof(part), "%s.part", place->path) >= (int)sizeof(part))
		return error_set_errno(e, ERROR_SYSTEM, ENAMETOOLONG, "cannot write %s",
				       place->name);
	unlink(part);
	if (copy_new(db, part, e))
		return e->kind;
	if (rename(part, place->path)) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", place->name);
		unlink(part);
		return e->kind;
	}
	session_place_renew(place);
	return 0;
}

/* A name in a new private directory, as the session was called. NULL when there is no place. */
static const char *temporary_name(const struct session_place *place, char to[PATH_MAX])
{
	const char *temporary = session_filesystem_temporary(session_filesystem_type);
	const char *name = strrchr(place->path, '/') + 1;
	char directory[PATH_MAX];

	if (!temporary)
		return NULL;
	if (snprintf(directory, sizeof(directory), "%s/loopmem-XXXXXX", temporary) >= PATH_MAX ||
	    !mkdtemp(directory))
		return NULL;
	return snprintf(to, PATH_MAX, "%s/%s", directory, name) < PATH_MAX ? to : NULL;
}

static int saved_as(const struct session_place *place, const char *to, struct error *e)
{
	error_set(e, ERROR_SYSTEM, "%s was removed while it was written: saved as %s", place->name,
		  to);
	error_hint(e, "loopmem report %s", to);
	return e->kind;
}

int session_copy_rescue(sqlite3 *db, struct session_place *place, int *kept, struct error *e)
{
	char to[PATH_MAX];
	struct error why;

	*kept = 0;
	if (!session_place_clear_wal(place) && !copy_new(db, place->path, &why)) {
		session_place_renew(place);
		return error_set(e, ERROR_SYSTEM,
				 "%s was removed while it was written: written again at the end",
				 place->name);
	}
	if (place->directory) {
		*kept = 1;
		return saved_as(place, place->database, e);
	}
	if (temporary_name(place, to) && !copy_new(db, to, &why))
		return saved_as(place, to, e);
	return error_set(e, ERROR_SYSTEM,
			 "%s was removed while it was written: the session is lost", place->name);
}
