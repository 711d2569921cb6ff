/*
 * The session's reader. Invariant: the file is never written; no value in it is trusted: what
 * cannot be read ends the walk and becomes the damage text.
 */
#include "profiler/session/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/format_time.h"

typedef int row_fn(const void *row, const void *callback);

const char *session_sqlite_version(void)
{
	return sqlite3_libversion();
}

void session_reader_damage(struct session_reader *r, const char *format, ...)
{
	va_list arguments;

	if (r->damaged)
		return;
	r->damaged = 1;
	va_start(arguments, format);
	vsnprintf(r->damage, sizeof(r->damage), format, arguments);
	va_end(arguments);
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
	char moment[FORMAT_MAX];
	int rc, result = 0;

	if (!select)
		return 0;
	if (t->since[0])
		sqlite3_bind_int64(select, 1, since);
	while ((rc = sqlite3_step(select)) == SQLITE_ROW && !result) {
		session_read_row(select, table, &row);
		result = fn(&row, callback);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		session_reader_damage(r,
				      "the file is damaged: table %s cannot be read after %s (%s)",
				      t->name, format_moment(moment, time_of(table, &row)),
				      sqlite3_errmsg(r->db));
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
EACH(symbol)
EACH_SINCE(event)
EACH_SINCE(sample)
EACH_SINCE(detail)
EACH_SINCE(rollup)
EACH_SINCE(heap)
EACH_SINCE(shm)
EACH_SINCE(system)
EACH_SINCE(module)
EACH_SINCE(frame)
EACH_SINCE(stack)
EACH_SINCE(site)
EACH_SINCE(site_sample)
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
		session_reader_damage(r, "the file is damaged: table meta cannot be read (%s)",
				      sqlite3_errmsg(r->db));
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
