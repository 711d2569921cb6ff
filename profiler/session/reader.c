/*
 * The session's reader. Invariant: the file is never written; no value in it is trusted: what
 * cannot be read ends the walk and becomes the damage text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/session/session.h"
#include "profiler/session/tables.h"

enum { BUSY_MS = 1000 };

struct session_reader {
	sqlite3 *db;
	char *name;
	sqlite3_stmt *select[SESSION_TABLES];
	sqlite3_stmt *get_meta;
	char *text; /* what session_text gave out last */
	int damaged;
	char damage[256];
};

typedef int row_fn(const void *row, const void *callback);

const char *session_sqlite_version(void)
{
	return sqlite3_libversion();
}

static void note_damage(struct session_reader *r, const char *table, int64_t after_ns)
{
	if (r->damaged)
		return;
	r->damaged = 1;
	snprintf(r->damage, sizeof(r->damage),
		 "the file is damaged: table %s cannot be read after %.1f s (%s)", table,
		 (double)after_ns / 1e9, sqlite3_errmsg(r->db));
}

const char *session_damage(struct session_reader *r)
{
	return r->damaged ? r->damage : NULL;
}

/* The time of a row that has one, for the damage text. */
static int64_t time_of(enum session_table table, const void *row)
{
	const struct session_column *first = &session_tables[table].columns[0];

	return strcmp(first->name, "t_ns") ? 0
					   : *(const int64_t *)((const char *)row + first->offset);
}

static int each(struct session_reader *r, enum session_table table, int64_t since, row_fn *fn,
		const void *callback)
{
	const struct session_table_info *t = &session_tables[table];
	sqlite3_stmt *select = r->select[table];
	union {
		int64_t align;
		char bytes[SESSION_ROW_MAX];
	} row = {0};
	int rc, result = 0;

	if (t->since[0])
		sqlite3_bind_int64(select, 1, since);
	while ((rc = sqlite3_step(select)) == SQLITE_ROW && !result) {
		session_read_row(select, table, &row);
		result = fn(&row, callback);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		note_damage(r, t->name, time_of(table, &row));
	sqlite3_reset(select);
	return result;
}

/* One typed call for each table: a function is only ever called as what it is. */
#define EACH_ROW(name)                                                \
	struct name##_callback {                                      \
		int (*fn)(const struct session_##name *, void *);     \
		void *arg;                                            \
	};                                                            \
	static int call_##name(const void *row, const void *callback) \
	{                                                             \
		const struct name##_callback *c = callback;           \
                                                                      \
		return c->fn(row, c->arg);                            \
	}
#define EACH(name)                                                                           \
	EACH_ROW(name)                                                                       \
	int session_each_##name(struct session_reader *r,                                    \
				int (*fn)(const struct session_##name *, void *), void *arg) \
	{                                                                                    \
		return each(r, SESSION_TABLE_##name, 0, call_##name,                         \
			    &(struct name##_callback){fn, arg});                             \
	}
#define EACH_SINCE(name)                                                                     \
	EACH_ROW(name)                                                                       \
	int session_each_##name(struct session_reader *r, int64_t since,                     \
				int (*fn)(const struct session_##name *, void *), void *arg) \
	{                                                                                    \
		return each(r, SESSION_TABLE_##name, since, call_##name,                     \
			    &(struct name##_callback){fn, arg});                             \
	}
EACH(process)
EACH(pool)
EACH(pool_worker)
EACH(note)
EACH_SINCE(event)
EACH_SINCE(sample)
EACH_SINCE(detail)
EACH_SINCE(rollup)
EACH_SINCE(heap)
EACH_SINCE(shm)
EACH_SINCE(system)
#undef EACH_ROW
#undef EACH
#undef EACH_SINCE

/* Steps get_meta to the key; the caller resets it. */
static int find_meta(struct session_reader *r, const char *key)
{
	int rc;

	sqlite3_bind_text(r->get_meta, 1, key, -1, SQLITE_STATIC);
	rc = sqlite3_step(r->get_meta);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		note_damage(r, "meta", 0);
	return rc == SQLITE_ROW && sqlite3_column_type(r->get_meta, 0) != SQLITE_NULL;
}

const char *session_text(struct session_reader *r, const char *key)
{
	free(r->text);
	r->text = NULL;
	if (find_meta(r, key)) {
		const unsigned char *text = sqlite3_column_text(r->get_meta, 0);

		r->text = text ? strdup((const char *)text) : NULL;
	}
	sqlite3_reset(r->get_meta);
	return r->text;
}

int64_t session_int(struct session_reader *r, const char *key)
{
	int64_t value = find_meta(r, key) ? sqlite3_column_int64(r->get_meta, 0) : SESSION_NULL;

	sqlite3_reset(r->get_meta);
	return value;
}

int session_begin_read(struct session_reader *r, struct error *e)
{
	if (sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL))
		return error_set(e, ERROR_UNREADABLE, "cannot read %s: %s", r->name,
				 sqlite3_errmsg(r->db));
	return 0;
}

void session_end_read(struct session_reader *r)
{
	sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL);
}

static int not_a_session(struct error *e, const char *file)
{
	error_set(e, ERROR_UNREADABLE,
		  "%s is not a loopmem session (no \"loopmem\" mark in its first page)", file);
	error_hint(e, "sessions are made by: loopmem run -o FILE -- COMMAND");
	return e->kind;
}

static int check_file(const char *file, struct error *e)
{
	struct stat st;

	if (stat(file, &st))
		return error_set_errno(e, ERROR_UNREADABLE, errno, "cannot read %s", file);
	if (!S_ISREG(st.st_mode))
		return not_a_session(e, file);
	if (!st.st_size) {
		error_set(e, ERROR_UNREADABLE, "%s is empty: its session was never begun", file);
		error_hint(e, "sessions are made by: loopmem run -o FILE -- COMMAND");
		return e->kind;
	}
	return 0;
}

/* SQLite's result code; *value is the first column of the first row. */
static int pragma(sqlite3 *db, const char *sql, int64_t *value)
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
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int cannot_read(struct session_reader *r, struct error *e)
{
	return error_set(e, ERROR_UNREADABLE, "cannot read %s: %s", r->name, sqlite3_errmsg(r->db));
}

static int check_marks(struct session_reader *r, struct error *e)
{
	int64_t mark, version;
	int rc = pragma(r->db, "PRAGMA application_id", &mark);

	if (rc == SQLITE_NOTADB || (!rc && mark != SESSION_APPLICATION_ID))
		return not_a_session(e, r->name);
	if (!rc)
		rc = pragma(r->db, "PRAGMA user_version", &version);
	if (rc)
		return cannot_read(r, e);
	if (version == SESSION_VERSION)
		return 0;
	error_set(e, ERROR_UNREADABLE,
		  "%s is of %s loopmem: session version %lld, this one reads %d", r->name,
		  version > SESSION_VERSION ? "a newer" : "an unknown", (long long)version,
		  SESSION_VERSION);
	error_hint(e, "read it with the loopmem that wrote it");
	return e->kind;
}

static int prepare_statements(struct session_reader *r, struct error *e)
{
	int rc = sqlite3_prepare_v2(r->db, "SELECT value FROM meta WHERE key=?", -1, &r->get_meta,
				    NULL);

	for (int i = 0; i < SESSION_TABLES && !rc; i++)
		rc = session_prepare_select(r->db, (enum session_table)i, &r->select[i]);
	return rc ? cannot_read(r, e) : 0;
}

static int open_database(struct session_reader *r, struct error *e)
{
	if (sqlite3_open_v2(r->name, &r->db, SQLITE_OPEN_READONLY, NULL))
		return cannot_read(r, e);
	sqlite3_busy_timeout(r->db, BUSY_MS);
	return sqlite3_exec(r->db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON", NULL,
			    NULL, NULL)
		       ? cannot_read(r, e)
		       : 0;
}

int session_open(struct session_reader **out, const char *file, struct error *e)
{
	struct session_reader *r;

	*out = NULL;
	if (check_file(file, e))
		return e->kind;
	r = calloc(1, sizeof(*r));
	if (r)
		r->name = strdup(file);
	if (!r || !r->name) {
		free(r);
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", file);
	}
	if (open_database(r, e) || check_marks(r, e) || prepare_statements(r, e)) {
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
