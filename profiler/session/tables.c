/* The session's tables, and statements and rows by description instead of by hand. */
#include "profiler/session/tables.h"

#include <string.h>

#include "profiler/session/schema_sql.h"
#include "profiler/session/session.h"

#define TABLE(name, order, since)           static const struct session_column name##_columns[] = {
#define COLUMN(table, field, kind)          {#field, offsetof(struct session_##table, field), kind},
#define COLUMN_AS(table, field, name, kind) {name, offsetof(struct session_##table, field), kind},
#define END(name) \
	}         \
	;         \
	_Static_assert(sizeof(struct session_##name) <= SESSION_ROW_MAX, "row of " #name);
#include "profiler/session/tables.def"
#undef TABLE
#undef COLUMN
#undef COLUMN_AS
#undef END

const struct session_table_info session_tables[SESSION_TABLES] = {
#define TABLE(name, order, since)                            \
	{#name,                                              \
	 order,                                              \
	 since,                                              \
	 name##_columns,                                     \
	 sizeof(name##_columns) / sizeof(name##_columns[0]), \
	 sizeof(struct session_##name)},
#define COLUMN(table, field, kind)
#define COLUMN_AS(table, field, name, kind)
#define END(name)
#include "profiler/session/tables.def"
#undef TABLE
#undef COLUMN
#undef COLUMN_AS
#undef END
};

const char *session_schema(void)
{
	return schema_sql;
}

/* Takes the text of `sql` and frees it. */
static int prepare(sqlite3 *db, sqlite3_str *sql, sqlite3_stmt **out)
{
	char *text = sqlite3_str_finish(sql);
	int rc = SQLITE_NOMEM;

	*out = NULL;
	if (text)
		rc = sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	sqlite3_free(text);
	return rc;
}

static void append_columns(sqlite3_str *sql, const struct session_table_info *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", t->columns[i].name);
}

int session_prepare_insert(sqlite3 *db, enum session_table table, sqlite3_stmt **out)
{
	const struct session_table_info *t = &session_tables[table];
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendf(sql, "INSERT OR REPLACE INTO %s(", t->name);
	append_columns(sql, t);
	sqlite3_str_appendall(sql, ") VALUES(");
	for (size_t i = 0; i < t->column_count; i++)
		sqlite3_str_appendall(sql, i ? ",?" : "?");
	sqlite3_str_appendall(sql, ")");
	return prepare(db, sql, out);
}

int session_prepare_select(sqlite3 *db, enum session_table table, sqlite3_stmt **out)
{
	const struct session_table_info *t = &session_tables[table];
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendall(sql, "SELECT ");
	append_columns(sql, t);
	sqlite3_str_appendf(sql, " FROM %s", t->name);
	if (t->since[0])
		sqlite3_str_appendf(sql, " WHERE %s>?", t->since);
	sqlite3_str_appendf(sql, " ORDER BY %s", t->order);
	return prepare(db, sql, out);
}

static void bind_integer(sqlite3_stmt *insert, int index, int64_t value)
{
	if (value == SESSION_NULL)
		sqlite3_bind_null(insert, index);
	else
		sqlite3_bind_int64(insert, index, value);
}

void session_bind_row(sqlite3_stmt *insert, enum session_table table, const void *row)
{
	const struct session_table_info *t = &session_tables[table];

	for (size_t i = 0; i < t->column_count; i++) {
		const void *field = (const char *)row + t->columns[i].offset;

		if (t->columns[i].kind == INTEGER || t->columns[i].kind == INTEGER_OR_NULL)
			bind_integer(insert, (int)i + 1, *(const int64_t *)field);
		else
			sqlite3_bind_text(insert, (int)i + 1, *(const char *const *)field, -1,
					  SQLITE_STATIC);
	}
}

static int64_t read_integer(sqlite3_stmt *select, int index, int64_t if_null)
{
	int64_t value = sqlite3_column_int64(select, index);

	/* NULL reads as 0: only then its type has to be asked for */
	return value || sqlite3_column_type(select, index) != SQLITE_NULL ? value : if_null;
}

static const char *read_text(sqlite3_stmt *select, int index, const char *if_null)
{
	const unsigned char *text = sqlite3_column_text(select, index);

	return text ? (const char *)text : if_null;
}

void session_read_row(sqlite3_stmt *select, enum session_table table, void *row)
{
	const struct session_table_info *t = &session_tables[table];

	for (size_t i = 0; i < t->column_count; i++) {
		void *field = (char *)row + t->columns[i].offset;

		switch (t->columns[i].kind) {
		case INTEGER:
			*(int64_t *)field = read_integer(select, (int)i, 0);
			break;
		case INTEGER_OR_NULL:
			*(int64_t *)field = read_integer(select, (int)i, SESSION_NULL);
			break;
		case TEXT:
			*(const char **)field = read_text(select, (int)i, "");
			break;
		case TEXT_OR_NULL:
			*(const char **)field = read_text(select, (int)i, NULL);
			break;
		}
	}
}
