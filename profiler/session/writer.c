/*
 * The session's writer: rows in, commits at a flush. Invariant: a commit happens only in
 * session_flush, so a reader never sees half a round; what fails is rolled back, counted in
 * lost_rows and told by the next flush, and writing goes on with the newest rows.
 */
#include "profiler/session/writer.h"

#include <errno.h>
#include <time.h>

#define RETRY_NS INT64_C(1000000000) /* a full disk is tried once a second */

int64_t session_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int session_writer_error(struct session_writer *w, int rc, struct error *e)
{
	int kind = rc & 0xff, errnum = kind == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(w->db);

	if ((kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) && errnum)
		error_set_errno(e, ERROR_SYSTEM, errnum, "cannot write %s", w->place.name);
	else
		error_set(e, ERROR_SYSTEM, "cannot write %s: %s", w->place.name,
			  sqlite3_errmsg(w->db));
	if (errnum == ENOSPC)
		error_hint(e, "use -o DIR/FILE on another disk");
	return e->kind;
}

/* To be called right after the failure, while SQLite still knows the reason. */
static void remember_failure(struct session_writer *w, int rc)
{
	if (!w->failed)
		session_writer_error(w, rc, &w->failure);
	w->failed = 1;
	w->retry_ns = session_now_ns() + RETRY_NS;
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
		return SQLITE_OK;
	if (w->retry_ns && session_now_ns() < w->retry_ns)
		return SQLITE_BUSY;
	rc = sqlite3_exec(w->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (!rc)
		rc = session_redo_run(&w->redo, w->db);
	if (rc) {
		remember_failure(w, rc);
		lose_transaction(w);
		return rc;
	}
	w->in_transaction = 1;
	return SQLITE_OK;
}

/* Runs a bound statement that writes one row. `must`: it is written later if it cannot be now. */
static void write_row(struct session_writer *w, sqlite3_stmt *statement, int must)
{
	int rc = begin(w), kept = must && !session_redo_keep(&w->redo, statement);

	if (!rc) {
		rc = sqlite3_step(statement);
		if (rc != SQLITE_DONE)
			remember_failure(w, rc);
		sqlite3_reset(statement);
	}
	sqlite3_clear_bindings(statement);
	if (rc == SQLITE_DONE) {
		w->pending_rows += !kept;
	} else if (rc == SQLITE_CONSTRAINT) { /* this row is wrong, not the disk */
		if (kept)
			session_redo_drop_last(&w->redo);
		w->lost_rows++;
	} else {
		w->lost_rows += !kept;
		if (w->in_transaction)
			lose_transaction(w);
	}
}

static void put(struct session_writer *w, enum session_table table, const void *row, int must)
{
	session_bind_row(w->insert[table], table, row);
	write_row(w, w->insert[table], must);
}

#define PUT(name, must)                                                                     \
	void session_put_##name(struct session_writer *w, const struct session_##name *row) \
	{                                                                                   \
		put(w, SESSION_TABLE_##name, row, must);                                    \
	}
PUT(process, 1)
PUT(pool, 1)
PUT(pool_worker, 1)
PUT(sample, 0)
PUT(detail, 0)
PUT(rollup, 0)
PUT(heap, 0)
PUT(shm, 0)
PUT(system, 0)
PUT(module, 1)
PUT(frame, 1)
PUT(symbol, 1)
PUT(stack, 1)
PUT(site, 1)
PUT(site_sample, 0)
#undef PUT

void session_put_event(struct session_writer *w, const struct session_event *row)
{
	struct session_event numbered = *row;

	numbered.id = SESSION_NULL;
	put(w, SESSION_TABLE_event, &numbered, 1);
}

void session_put_text(struct session_writer *w, const char *key, const char *value)
{
	sqlite3_bind_text(w->put_meta, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_text(w->put_meta, 2, value, -1, SQLITE_STATIC);
	write_row(w, w->put_meta, 1);
}

void session_put_int(struct session_writer *w, const char *key, int64_t value)
{
	sqlite3_bind_text(w->put_meta, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(w->put_meta, 2, value);
	write_row(w, w->put_meta, 1);
}

void session_note(struct session_writer *w, const char *level, int64_t count, int64_t t_ns,
		  const char *text)
{
	struct session_note row = {.text = text, .level = level, .count = count, .first_ns = t_ns};

	session_bind_row(w->add_note, SESSION_TABLE_note, &row);
	write_row(w, w->add_note, 1);
}

static void commit(struct session_writer *w)
{
	int rc = sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL);

	if (rc) {
		remember_failure(w, rc);
		lose_transaction(w);
		return;
	}
	session_redo_clear(&w->redo);
	w->in_transaction = 0;
	w->pending_rows = 0;
	w->retry_ns = 0;
}

int session_flush(struct session_writer *w, struct error *e)
{
	if (w->redo.statements.count)
		begin(w); /* what is still to be done again, even when nothing new came */
	if (w->in_transaction)
		commit(w);
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
