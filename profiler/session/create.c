/*
 * The beginning and the end of a session that is written. Invariant: whatever goes wrong at the
 * end, the message says where the session is and how much of it, and nothing of somebody else is
 * touched.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "profiler/session/copy.h"
#include "profiler/session/writer.h"

enum {
	BUSY_MS = 1000,           /* a reader that recovers a WAL is the only one ever waited for */
	WAL_MOST_BYTES = 4 << 20, /* kept between checkpoints, however large it once was */
	SYNC_SHARE = 50,          /* copies take at most one part in so many of the time */
};
#define SYNC_LEAST_NS INT64_C(30000000000)

/* ---- the beginning ---- */

/* The first checkpoint puts the marks into the file itself: until then all of it is in the WAL. */
static int make_schema(sqlite3 *db)
{
	char *sql = sqlite3_mprintf("PRAGMA journal_mode=WAL;"
				    "PRAGMA synchronous=NORMAL;"
				    "PRAGMA journal_size_limit=%d;"
				    "PRAGMA temp_store=MEMORY;"
				    "BEGIN;"
				    "PRAGMA application_id=%d;"
				    "PRAGMA user_version=%d;"
				    "%s;"
				    "COMMIT;"
				    "PRAGMA wal_checkpoint(TRUNCATE)",
				    WAL_MOST_BYTES, SESSION_APPLICATION_ID, SESSION_VERSION,
				    session_schema());
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
		rc = sqlite3_prepare_v2(w->db,
					"INSERT INTO note(text,level,count,first_ns)"
					" VALUES(?,?,?,?) ON CONFLICT(text)"
					" DO UPDATE SET count=count+excluded.count",
					-1, &w->add_note, NULL);
	return rc;
}

static void free_writer(struct session_writer *w)
{
	for (size_t i = 0; i < SESSION_TABLES; i++)
		sqlite3_finalize(w->insert[i]);
	sqlite3_finalize(w->put_meta);
	sqlite3_finalize(w->add_note);
	sqlite3_close(w->db);
	session_place_release(&w->place);
	session_redo_release(&w->redo);
	session_thinnings_free(w);
	free(w);
}

static int open_database(struct session_writer *w)
{
	/* our own directory may lie behind a link; the place we were given was resolved */
	int flags = SQLITE_OPEN_READWRITE | (w->place.directory ? 0 : SQLITE_OPEN_NOFOLLOW);
	int rc = sqlite3_open_v2(w->place.database, &w->db, flags, NULL);

	if (rc)
		return rc;
	sqlite3_busy_timeout(w->db, BUSY_MS);
	rc = make_schema(w->db);
	session_place_know_wal(&w->place);
	return rc ? rc : prepare_statements(w);
}

int session_create_on(struct session_writer **out, const char *file, int overwrite,
		      session_filesystem_fn *type, struct error *e)
{
	struct session_writer *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (!w)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", file);
	if (session_place_make(&w->place, file, overwrite, type, e)) {
		free(w);
		return e->kind;
	}
	rc = open_database(w);
	if (rc)
		session_writer_error(w, rc, e);
	else if (w->place.directory)
		rc = session_copy_to_place(w->db, &w->place, e);
	if (rc) {
		session_place_unmake(&w->place);
		free_writer(w);
		return e->kind;
	}
	*out = w;
	return 0;
}

int session_create(struct session_writer **out, const char *file, int overwrite, struct error *e)
{
	return session_create_on(out, file, overwrite, session_filesystem_type, e);
}

/* ---- on the way ---- */

int session_sync(struct session_writer *w, struct error *e)
{
	int64_t start_ns = session_now_ns(), took_ns;
	int rc;

	if (!w->place.directory || start_ns < w->next_sync_ns || session_place_gone(&w->place))
		return 0;
	rc = session_flush(w, e);
	if (!rc)
		rc = session_copy_to_place(w->db, &w->place, e);
	took_ns = session_now_ns() - start_ns;
	w->next_sync_ns = start_ns + (took_ns * SYNC_SHARE > SYNC_LEAST_NS ? took_ns * SYNC_SHARE
									   : SYNC_LEAST_NS);
	return rc;
}

/* ---- the end ---- */

/* Out of WAL mode, so that the file can be read alone, also where nothing can be written. Refused
 * while a dashboard has it open: then the WAL is emptied into it at least. */
static void leave_wal(struct session_writer *w)
{
	if (sqlite3_exec(w->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL))
		sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static void remove_database(struct session_writer *w)
{
	session_filesystem_remove(w->place.database);
	rmdir(w->place.directory);
}

/* The last copy. When it cannot be made, the database stays where it is. */
static int publish(struct session_writer *w, struct error *e)
{
	if (!session_copy_to_place(w->db, &w->place, e)) {
		remove_database(w);
		return 0;
	}
	leave_wal(w);
	error_hint(e, "the session is in %s", w->place.database);
	return e->kind;
}

static int rescue(struct session_writer *w, struct error *e)
{
	int kept;

	session_copy_rescue(w->db, &w->place, &kept, e);
	if (kept)
		leave_wal(w);
	else if (w->place.directory)
		remove_database(w);
	else /* what lies beside the old name now may belong to another session */
		sqlite3_db_config(w->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return e->kind;
}

static int settle(struct session_writer *w, struct error *e)
{
	if (session_place_gone(&w->place))
		return rescue(w, e);
	if (w->place.directory)
		return publish(w, e);
	leave_wal(w);
	return 0;
}

int session_close(struct session_writer *w, struct error *e)
{
	struct error later;
	int rc;

	w->retry_ns = 0;
	rc = session_flush(w, e);
	w->retry_ns = 0;
	session_put_int(w, "complete", 1);
	if (session_flush(w, rc ? &later : e) && !rc)
		rc = e->kind;
	if (settle(w, &later)) {
		*e = later;
		rc = later.kind;
	}
	free_writer(w);
	return rc;
}
