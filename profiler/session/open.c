/*
 * Opening a session for reading, in whatever state its file is: written, complete, left by a killed
 * collector, on a read-only disk, cut off; and again for each read, when a newer copy took its place.
 * Invariant: the file and what lies beside it are never changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/session/filesystem.h"
#include "profiler/session/reader.h"

enum {
	BUSY_MS = 1000,
	VALUE_MOST_BYTES = 1 << 20, /* no text of ours is longer; a damaged length is */
};

static int not_a_session(struct error *e, const char *file)
{
	struct stat st;

	if (!stat(file, &st) && S_ISDIR(st.st_mode))
		error_set(e, ERROR_UNREADABLE, "%s is a directory, not a loopmem session", file);
	else
		error_set(e, ERROR_UNREADABLE,
			  "%s is not a loopmem session (no \"loopmem\" mark in its first page)",
			  file);
	error_hint(e, "sessions are made by: loopmem run -o FILE -- COMMAND");
	return e->kind;
}

static int check_file(struct session_reader *r, struct error *e)
{
	struct stat st;

	if (stat(r->name, &st) || access(r->name, R_OK))
		return error_set_errno(e, ERROR_UNREADABLE, errno, "cannot read %s", r->name);
	if (!S_ISREG(st.st_mode))
		return not_a_session(e, r->name);
	if (!st.st_size) {
		error_set(e, ERROR_UNREADABLE, "%s is empty: its session was never begun", r->name);
		error_hint(e, "sessions are made by: loopmem run -o FILE -- COMMAND");
		return e->kind;
	}
	r->device = st.st_dev;
	r->inode = st.st_ino;
	return 0;
}

/* ---- the database ---- */

/* SQLite's result code; *value is the first column of the first row. */
static int query(sqlite3 *db, const char *sql, int64_t *value)
{
	sqlite3_stmt *statement;
	int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

	*value = 0;
	if (rc)
		return rc;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Opens and reads the first page. The file may come from anybody: nothing in its schema is to be
 * run. */
static int open_as(struct session_reader *r, const char *name, int flags)
{
	int rc;
	int64_t ignored;

	sqlite3_close(r->db);
	/* a reader belongs to one thread: SQLite's locks would cost a fifth of the time of reading */
	rc = sqlite3_open_v2(name, &r->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc)
		return rc;
	sqlite3_busy_timeout(r->db, BUSY_MS);
	sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, VALUE_MOST_BYTES);
	rc = sqlite3_exec(r->db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON", NULL, NULL,
			  NULL);
	return rc ? rc : query(r->db, "SELECT count(*) FROM sqlite_schema", &ignored);
}

/* "?" and "%" mean something in a URI. */
static int open_immutable(struct session_reader *r)
{
	char uri[3 * PATH_MAX + 64] = "file:";
	size_t used = strlen(uri);

	for (const char *c = r->name; *c && used < 3 * PATH_MAX; c++)
		used += (size_t)snprintf(uri + used, 4, strchr("?%#", *c) ? "%%%02X" : "%c",
					 (unsigned char)*c);
	snprintf(uri + used, sizeof(uri) - used, "?immutable=1");
	return open_as(r, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	ssize_t moved = -1;

	if (in >= 0)
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out >= 0)
		while ((moved = sendfile(out, in, NULL, 1 << 30)) > 0)
			;
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out))
		moved = -1;
	return moved ? -1 : 0;
}

/* Where nothing can be made beside the file, its WAL can be read only from a copy. The copy's names
 * are removed at once. */
static int open_copy(struct session_reader *r, const char *wal)
{
	const char *temporary = session_filesystem_temporary(session_filesystem_type);
	char directory[PATH_MAX - 32], copy[PATH_MAX], copy_wal[PATH_MAX];
	int rc = SQLITE_CANTOPEN;

	if (!temporary ||
	    snprintf(directory, sizeof(directory), "%s/loopmem-XXXXXX", temporary) >=
		    (int)sizeof(directory) ||
	    !mkdtemp(directory))
		return rc;
	snprintf(copy, sizeof(copy), "%s/session.loopmem", directory);
	snprintf(copy_wal, sizeof(copy_wal), "%s/session.loopmem-wal", directory);
	if (!copy_file(r->name, copy) && !copy_file(wal, copy_wal))
		rc = open_as(r, copy, SQLITE_OPEN_READWRITE);
	session_filesystem_remove(copy);
	rmdir(directory);
	return rc;
}

static int open_beside_nothing(struct session_reader *r)
{
	char wal[PATH_MAX];
	struct stat st;

	if (snprintf(wal, sizeof(wal), "%s-wal", r->name) >= (int)sizeof(wal))
		return SQLITE_CANTOPEN;
	if (stat(wal, &st) || !st.st_size)
		return open_immutable(r);
	return open_copy(r, wal);
}

/* A database shorter than it says is refused unless its schema may be mended; what is there is then
 * read. */
static int open_cut_off(struct session_reader *r)
{
	int64_t ignored;
	int rc = sqlite3_exec(r->db, "PRAGMA writable_schema=ON", NULL, NULL, NULL);

	if (!rc)
		rc = query(r->db, "SELECT count(*) FROM sqlite_schema", &ignored);
	if (!rc)
		session_reader_damage(r, "the file is damaged: its end is missing");
	return rc;
}

static int open_database(struct session_reader *r)
{
	int rc = open_as(r, r->name, SQLITE_OPEN_READONLY);

	if (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY)
		rc = open_beside_nothing(r);
	return rc == SQLITE_CORRUPT ? open_cut_off(r) : rc;
}

/* ---- what is in it ---- */

static int cannot_read(struct session_reader *r, int rc, struct error *e)
{
	if (rc == SQLITE_NOTADB)
		return not_a_session(e, r->name);
	if (rc == SQLITE_CORRUPT)
		return error_set(e, ERROR_UNREADABLE,
				 "%s is damaged: its first page cannot be read", r->name);
	return error_set(e, ERROR_UNREADABLE, "cannot read %s: %s", r->name, sqlite3_errmsg(r->db));
}

/* The release that wrote it, as far as its meta table is as ours. */
static void read_release(struct session_reader *r, char release[64])
{
	sqlite3_stmt *statement;

	snprintf(release, 64, "%s", "another");
	if (sqlite3_prepare_v2(r->db, "SELECT value FROM meta WHERE key='loopmem_version'", -1,
			       &statement, NULL))
		return;
	if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
		snprintf(release, 64, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}

static int check_version(struct session_reader *r, int64_t version, struct error *e)
{
	char release[64];

	if (version == SESSION_VERSION)
		return 0;
	read_release(r, release);
	error_set(e, ERROR_UNREADABLE,
		  "%s was written by loopmem %s (session version %lld); this one reads version %d",
		  r->name, release, (long long)version, SESSION_VERSION);
	error_hint(e, "%s",
		   version > SESSION_VERSION ? "update loopmem to open it"
					     : "read it with the loopmem that wrote it");
	return e->kind;
}

static int check_marks(struct session_reader *r, struct error *e)
{
	int64_t mark, version, programs;
	int rc = query(r->db, "PRAGMA application_id", &mark);

	if (!rc && mark != SESSION_APPLICATION_ID)
		return not_a_session(e, r->name);
	if (!rc)
		rc = query(r->db, "PRAGMA user_version", &version);
	if (rc)
		return cannot_read(r, rc, e);
	if (check_version(r, version, e))
		return e->kind;
	/* a view in the place of a table could make reading it take for ever */
	rc = query(r->db, "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')",
		   &programs);
	if (rc)
		return cannot_read(r, rc, e);
	return programs ? not_a_session(e, r->name) : 0;
}

static int prepare_statements(struct session_reader *r, struct error *e)
{
	int rc = sqlite3_prepare_v2(r->db, "SELECT value FROM meta WHERE key=?", -1, &r->get_meta,
				    NULL);

	for (int i = 0; i < SESSION_TABLES && !rc; i++) {
		rc = session_prepare_select(r->db, (enum session_table)i, &r->select[i]);
		if (rc && r->damaged)
			rc = SQLITE_OK;
	}
	return rc ? cannot_read(r, rc, e) : 0;
}

static int open_reader(struct session_reader *r, struct error *e)
{
	int rc;

	if (check_file(r, e))
		return e->kind;
	rc = open_database(r);
	if (rc)
		return cannot_read(r, rc, e);
	return check_marks(r, e) || prepare_statements(r, e) ? (int)e->kind : 0;
}

int session_open(struct session_reader **out, const char *file, struct error *e)
{
	struct session_reader *r = calloc(1, sizeof(*r));

	*out = NULL;
	if (r)
		r->name = strdup(file);
	if (!r || !r->name) {
		free(r);
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", file);
	}
	if (open_reader(r, e)) {
		session_reader_close(r);
		return e->kind;
	}
	*out = r;
	return 0;
}

void session_reader_close(struct session_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < SESSION_TABLES; i++)
		sqlite3_finalize(r->select[i]);
	sqlite3_finalize(r->get_meta);
	sqlite3_close(r->db);
	free(r->text);
	free(r->name);
	free(r);
}

/* ---- one read ---- */

static int same_session(struct session_reader *a, struct session_reader *b)
{
	return session_int(a, "started_unix_ns") == session_int(b, "started_unix_ns") &&
	       session_int(a, "clock_ns") == session_int(b, "clock_ns");
}

/* Opens the file again when a newer copy of the same session was put in its place. */
static void follow(struct session_reader *r)
{
	struct session_reader *newer, swap;
	struct error e;
	struct stat st;

	if (stat(r->name, &st) || (st.st_dev == r->device && st.st_ino == r->inode))
		return;
	r->device = st.st_dev; /* looked at once, whatever it is */
	r->inode = st.st_ino;
	if (session_open(&newer, r->name, &e))
		return;
	if (same_session(r, newer)) {
		swap = *r;
		*r = *newer;
		*newer = swap;
	}
	session_reader_close(newer);
}

int session_begin_read(struct session_reader *r, struct error *e)
{
	follow(r);
	if (sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL))
		return error_set(e, ERROR_UNREADABLE, "cannot read %s: %s", r->name,
				 sqlite3_errmsg(r->db));
	return 0;
}

void session_end_read(struct session_reader *r)
{
	sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL);
}
