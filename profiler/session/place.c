/*
 * Where a session is written. Invariant: nothing but a loopmem session or an empty file is ever
 * removed, and no symbolic link is followed at the last step of the path. (No descriptor of a
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

/* The file and what SQLite may have left beside it. */
static void remove_old(const char *path)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
	char name[PATH_MAX];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (snprintf(name, sizeof(name), "%s%s", path, endings[i]) < (int)sizeof(name))
			unlink(name);
	}
}

int session_place_make(struct session_place *place, const char *file, int overwrite,
		       struct error *e)
{
	struct stat st;
	int fd;

	*place = (struct session_place){.name = strdup(file), .path = absolute(file)};
	if (!place->name || !place->path) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
		goto fail;
	}
	if (check_old(file, place->path, overwrite, e))
		goto fail;
	remove_old(place->path);
	fd = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st)) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
		if (fd >= 0)
			close(fd);
		goto fail;
	}
	close(fd);
	place->device = st.st_dev;
	place->inode = st.st_ino;
	return 0;
fail:
	session_place_release(place);
	return e->kind;
}

void session_place_release(struct session_place *place)
{
	free(place->name);
	free(place->path);
}

int session_place_gone(const struct session_place *place)
{
	struct stat st;

	return lstat(place->path, &st) || st.st_dev != place->device || st.st_ino != place->inode;
}
