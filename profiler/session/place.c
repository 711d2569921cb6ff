/*
 * Where a session is written. Invariant: nothing but a loopmem session or an empty file is ever
 * removed, and no symbolic link is followed at the last step of a path. (No descriptor of a
 * database that SQLite has open is ever opened here: closing it would drop SQLite's locks.)
 */
#include "profiler/session/place.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/session/session.h"

/* The absolute path of `file`; only its directory is resolved. NULL with errno. */
static char *absolute(const char *file)
{
	char *copy = strdup(file), *copy2 = strdup(file), *directory = NULL, *path = NULL;

	if (copy && copy2)
		directory = realpath(dirname(copy), NULL);
	if (directory &&
	    asprintf(&path, "%s/%s", strcmp(directory, "/") ? directory : "", basename(copy2)) < 0)
		path = NULL;
	free(directory);
	free(copy);
	free(copy2);
	return path;
}

static int refuse(struct error *e, const char *file, const char *why)
{
	error_set(e, ERROR_SYSTEM, "cannot write %s: %s", file, why);
	error_hint(e, "remove it, or choose another name: -o FILE");
	return e->kind;
}

static int check_old_session(const char *file, const char *path, int overwrite, struct error *e)
{
	struct session_reader *old;
	struct error why;
	int complete;

	if (session_open(&old, path, &why))
		return refuse(e, file,
			      "the file there is not a loopmem session this version knows");
	complete = session_int(old, "complete") == 1;
	session_reader_close(old);
	if (!complete && !overwrite)
		return refuse(e, file, "the session there is being written, or its end was lost");
	return 0;
}

static int check_old(const char *file, const char *path, int overwrite, struct error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT
			       ? 0
			       : error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
	if (S_ISLNK(st.st_mode))
		return refuse(e, file, "it is a symbolic link");
	if (!S_ISREG(st.st_mode))
		return refuse(e, file, "it is not a regular file");
	return st.st_size ? check_old_session(file, path, overwrite, e) : 0;
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : close(fd);
}

/* Without a local directory the database stays where it is asked for: better than none. */
static int choose_database(struct session_place *place, session_filesystem_fn *type)
{
	const char *temporary = NULL;

	if (session_filesystem_network_name(type(place->path)))
		temporary = session_filesystem_temporary(type);
	if (!temporary) {
		place->database = strdup(place->path);
		return place->database ? 0 : -1;
	}
	if (asprintf(&place->directory, "%s/loopmem-XXXXXX", temporary) < 0) {
		place->directory = NULL;
		return -1;
	}
	if (!mkdtemp(place->directory) ||
	    asprintf(&place->database, "%s/session.loopmem", place->directory) < 0) {
		place->database = NULL;
		return -1;
	}
	return make_file(place->database);
}

int session_place_make(struct session_place *place, const char *file, int overwrite,
		       session_filesystem_fn *type, struct error *e)
{
	*place = (struct session_place){.name = strdup(file), .path = absolute(file)};
	if (!place->name || !place->path) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
		session_place_release(place);
		return e->kind;
	}
	if (check_old(file, place->path, overwrite, e)) {
		session_place_release(place);
		return e->kind;
	}
	session_filesystem_remove(place->path);
	if (make_file(place->path)) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
		session_place_release(place);
		return e->kind;
	}
	session_place_renew(place);
	if (choose_database(place, type)) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
		session_place_unmake(place);
		session_place_release(place);
		return e->kind;
	}
	return 0;
}

void session_place_release(struct session_place *place)
{
	free(place->name);
	free(place->path);
	free(place->database);
	free(place->directory);
}

void session_place_unmake(struct session_place *place)
{
	if (place->database)
		session_filesystem_remove(place->database);
	if (place->directory)
		rmdir(place->directory);
	if (!session_place_gone(place))
		unlink(place->path);
}

int session_place_gone(const struct session_place *place)
{
	struct stat st;

	return lstat(place->path, &st) || st.st_dev != place->device || st.st_ino != place->inode;
}

void session_place_renew(struct session_place *place)
{
	struct stat st;

	if (lstat(place->path, &st))
		return;
	place->device = st.st_dev;
	place->inode = st.st_ino;
}

static int wal_name(const struct session_place *place, char name[PATH_MAX])
{
	return snprintf(name, PATH_MAX, "%s-wal", place->path) < PATH_MAX ? 0 : -1;
}

void session_place_know_wal(struct session_place *place)
{
	char name[PATH_MAX];
	struct stat st;

	if (!wal_name(place, name) && !lstat(name, &st))
		place->wal_inode = st.st_ino;
}

int session_place_clear_wal(const struct session_place *place)
{
	char name[PATH_MAX];
	struct stat st;

	if (wal_name(place, name))
		return -1;
	if (lstat(name, &st))
		return errno == ENOENT ? 0 : -1;
	if (st.st_dev != place->device || st.st_ino != place->wal_inode)
		return -1;
	if (unlink(name))
		return -1;
	memcpy(name + strlen(name) - 4, "-shm", 4);
	unlink(name);
	return 0;
}
