/*
 * tables.h: the session's tables as data (tables.def), and the moving of rows between structs and
 * SQLite statements. A row is any struct session_X of session.h; its table says where the fields
 * lie.
 */
#ifndef PROFILER_SESSION_TABLES_H
#define PROFILER_SESSION_TABLES_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

enum session_table {
#define TABLE(name, order, since) SESSION_TABLE_##name,
#define COLUMN(table, field, kind)
#define COLUMN_AS(table, field, name, kind)
#define END(name)
#include "profiler/session/tables.def"
#undef TABLE
#undef COLUMN
#undef COLUMN_AS
#undef END
	SESSION_TABLES
};

enum column_kind { INTEGER, INTEGER_OR_NULL, TEXT, TEXT_OR_NULL };

struct session_column {
	const char *name;
	uint16_t offset; /* of the int64_t or const char * in the row's struct */
	enum column_kind kind;
};

struct session_table_info {
	const char *name;
	const char *order; /* primary key: the order of reading */
	const char *since; /* column compared by `each`, "" = none */
	const struct session_column *columns;
	size_t column_count;
	size_t row_size;
};

enum { SESSION_ROW_MAX = 256 }; /* bytes of the largest row struct; checked when compiled */

extern const struct session_table_info session_tables[SESSION_TABLES];

/* The schema as one text of SQL statements (schema.sql). */
const char *session_schema(void);

/* "INSERT OR REPLACE INTO ..." and "SELECT ... ORDER BY primary key" (with one parameter when the
 * table has a since column), prepared for the life of `db`. SQLite's result code; *out is NULL
 * unless SQLITE_OK. */
int session_prepare_insert(sqlite3 *db, enum session_table table, sqlite3_stmt **out);
int session_prepare_select(sqlite3 *db, enum session_table table, sqlite3_stmt **out);

/* Strings are bound without a copy: they must live until the statement was reset. */
void session_bind_row(sqlite3_stmt *insert, enum session_table table, const void *row);

/* Fills `row` from the current row of `select`; strings live until it is stepped or reset. */
void session_read_row(sqlite3_stmt *select, enum session_table table, void *row);

#endif
