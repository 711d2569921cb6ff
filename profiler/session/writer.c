/*
 * The session's writer. Invariant: a commit happens only in session_flush, so a reader never sees
 * half a round; whatever fails is rolled back, counted in lost_rows and told by the next flush, and
 * writing goes on with the newest rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/session/writer.h"

enum { BUSY_MS = 1000 }; /* a reader that recovers a WAL is the only one ever waited for */

int session_writer_error(struct session_writer *w, int rc, struct error *e)
{
	const char *name = w->place.name;
	sqlite3 *db = w->db;
	int errnum = (rc & 0xff) == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(db);

	if (((rc & 0xff) == SQLITE_FULL || (rc & 0xff) == SQLITE_IOERR ||
	     (rc & 0xff) == SQLITE_CANTOPEN) &&
	    errnum)
		error_set_errno(e, ERROR_SYSTEM, errnum, "cannot write %s", name);
	else
		error_set(e, ERROR_SYSTEM, "cannot write %s: %s", name, sqlite3_errmsg(db));
	if (errnum == ENOSPC)
		error_hint(e, "use -o DIR/FILE on another disk");
	return e->kind;
}

static void remember_failure(struct session_writer *w, int rc)
{
	if (!w->failed)
		session_writer_error(w, rc, &w->failure);
	w->failed = 1;
}

static void lose_transaction(struct session_writer *w)
{
	if (!sqlite3_get_autocommit(w->db))
		sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	w->lost_rows += w->pending_rows;
	w->pending_rows = 0;
	w->in_transaction = 0;
}

static int begin(struct session_writer *w)
{
	int rc;

	if (w->in_transaction)
		return 0;
	rc = sqlite3_exec(w->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc)
		remember_failure(w, rc);
	else
		w->in_transaction = 1;
	return rc;
}

/* Runs a bound statement that writes one row. */
static void write_row(struct session_writer *w, sqlite3_stmt *statement)
{
	int rc = begin(w);

	if (!rc) {
		rc = sqlite3_step(statement);
		if (rc != SQLITE_DONE)
			remember_failure(w, rc);
		sqlite3_reset(statement);
	}
	sqlite3_clear_bindings(statement);
	if (rc == SQLITE_DONE) {
		w->pending_rows++;
		return;
	}
	w->lost_rows++;
	if (sqlite3_get_autocommit(w->db)) /* a failure of the disk rolls all of it back */
		lose_transaction(w);
}

static void put(struct session_writer *w, enum session_table table, const void *row)
{
	session_bind_row(w->insert[table], table, row);
	write_row(w, w->insert[table]);
}

#define PUT(name)                                                                           \
	void session_put_##name(struct session_writer *w, const struct session_##name *row) \
	{                                                                                   \
		put(w, SESSION_TABLE_##name, row);                                          \
	}
PUT(process)
PUT(pool)
PUT(pool_worker)
PUT(sample)
PUT(detail)
PUT(rollup)
PUT(heap)
PUT(shm)
PUT(system)
#undef PUT

void session_put_event(struct session_writer *w, const struct session_event *row)
{
	struct session_event numbered = *row;

	numbered.id = SESSION_NULL;
	put(w, SESSION_TABLE_event, &numbered);
}

void session_put_text(struct session_writer *w, const char *key, const char *value)
{
	sqlite3_bind_text(w->put_meta, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_text(w->put_meta, 2, value, -1, SQLITE_STATIC);
	write_row(w, w->put_meta);
}

void session_put_int(struct session_writer *w, const char *key, int64_t value)
{
	sqlite3_bind_text(w->put_meta, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(w->put_meta, 2, value);
	write_row(w, w->put_meta);
}

void session_note(struct session_writer *w, const char *level, int64_t count, int64_t t_ns,
		  const char *text)
{
	struct session_note row = {.text = text, .level = level, .count = count, .first_ns = t_ns};

	session_bind_row(w->add_note, SESSION_TABLE_note, &row);
	write_row(w, w->add_note);
}

int session_flush(struct session_writer *w, struct error *e)
{
	if (w->in_transaction) {
		int rc = sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL);

		if (rc) {
			remember_failure(w, rc);
			lose_transaction(w);
		}
		w->in_transaction = 0;
		w->pending_rows = 0;
	}
	if (!w->failed)
		return 0;
	w->failed = 0;
	*e = w->failure;
	return e->kind;
}

static int64_t pragma(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	int64_t value = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		return 0;
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

int64_t session_size_bytes(struct session_writer *w)
{
	return (pragma(w->db, "PRAGMA page_count") - pragma(w->db, "PRAGMA freelist_count")) *
	       pragma(w->db, "PRAGMA page_size");
}

int64_t session_lost_rows(struct session_writer *w)
{
	return w->lost_rows;
}

int session_sync(struct session_writer *w, struct error *e)
{
	(void)w;
	(void)e;
	return 0;
}

static void free_writer(struct session_writer *w)
{
	for (size_t i = 0; i < SESSION_TABLES; i++)
		sqlite3_finalize(w->insert[i]);
	sqlite3_finalize(w->put_meta);
	sqlite3_finalize(w->add_note);
	sqlite3_close(w->db);
	session_place_release(&w->place);
	session_thinnings_free(w);
	free(w);
}

int session_close(struct session_writer *w, struct error *e)
{
	struct error second;
	int rc = session_flush(w, e);

	session_put_int(w, "complete", 1);
	if (session_flush(w, rc ? &second : e) && !rc)
		rc = e->kind;
	/* Out of WAL mode, so that the file can be read alone, also where nothing can be written.
	 * Refused while a dashboard has it open: then the WAL is emptied into it at least. */
	if (sqlite3_exec(w->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL))
		sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	free_writer(w);
	return rc;
}

static int make_schema(sqlite3 *db)
{
	char *sql = sqlite3_mprintf("PRAGMA journal_mode=WAL;"
				    "PRAGMA synchronous=NORMAL;"
				    "BEGIN;"
				    "PRAGMA application_id=%d;"
				    "PRAGMA user_version=%d;"
				    "%s;"
				    "COMMIT;"
				    "PRAGMA wal_checkpoint(TRUNCATE)",
				    SESSION_APPLICATION_ID, SESSION_VERSION, session_schema());
	int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc;
}

static int prepare_statements(struct session_writer *w)
{
	int rc = SQLITE_OK;

	for (int i = 0; i < SESSION_TABLES && !rc; i++)
		rc = session_prepare_insert(w->db, (enum session_table)i, &w->insert[i]);
	if (!rc)
		rc = sqlite3_prepare_v2(w->db, "INSERT OR REPLACE INTO meta(key,value) VALUES(?,?)",
					-1, &w->put_meta, NULL);
	if (!rc)
		rc = sqlite3_prepare_v2(
			w->db,
			"INSERT INTO note(text,level,count,first_ns) VALUES(?,?,?,?)"
			" ON CONFLICT(text) DO UPDATE SET count=count+excluded.count",
			-1, &w->add_note, NULL);
	return rc;
}

int session_create(struct session_writer **out, const char *file, int overwrite, struct error *e)
{
	struct session_writer *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (!w)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
	if (session_place_make(&w->place, file, overwrite, e)) {
		free(w);
		return e->kind;
	}
	rc = sqlite3_open_v2(w->place.path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW,
			     NULL);
	if (!rc) {
		sqlite3_busy_timeout(w->db, BUSY_MS);
		rc = make_schema(w->db);
	}
	if (!rc)
		rc = prepare_statements(w);
	if (rc) {
		session_writer_error(w, rc, e);
		unlink(w->place.path);
		free_writer(w);
		return e->kind;
	}
	*out = w;
	return 0;
}
