/* Claims about tables.def: it says what schema.sql says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/session/tables.h"

static sqlite3 *schema_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, session_schema(), NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static sqlite3_stmt *query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	return statement;
}

/* The columns of one table: name, type and whether it may be NULL, in order. */
static void compare_columns(sqlite3 *db, const struct session_table_info *t)
{
	char sql[128];
	sqlite3_stmt *info;
	size_t i = 0;

	snprintf(sql, sizeof(sql),
		 "SELECT name, type, \"notnull\", pk FROM pragma_table_info('%s')", t->name);
	info = query(db, sql);
	for (; sqlite3_step(info) == SQLITE_ROW; i++) {
		const struct session_column *c = &t->columns[i];
		int nullable = !sqlite3_column_int(info, 2) && !sqlite3_column_int(info, 3);

		assert_true(i < t->column_count);
		assert_string_equal(c->name, (const char *)sqlite3_column_text(info, 0));
		assert_string_equal(c->kind == INTEGER || c->kind == INTEGER_OR_NULL ? "INTEGER"
										     : "TEXT",
				    (const char *)sqlite3_column_text(info, 1));
		assert_int_equal(c->kind == INTEGER_OR_NULL || c->kind == TEXT_OR_NULL, nullable);
	}
	assert_int_equal(i, t->column_count);
	sqlite3_finalize(info);
}

static void every_column_is_as_in_the_schema(void **state)
{
	sqlite3 *db = schema_database();

	(void)state;
	for (size_t i = 0; i < SESSION_TABLES; i++)
		compare_columns(db, &session_tables[i]);
	sqlite3_close(db);
}

static void every_table_of_the_schema_is_listed(void **state)
{
	sqlite3 *db = schema_database();
	sqlite3_stmt *tables =
		query(db, "SELECT name FROM sqlite_schema WHERE type='table' AND name<>'meta'");
	size_t count = 0;

	(void)state;
	for (; sqlite3_step(tables) == SQLITE_ROW; count++) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);
		size_t i = 0;

		while (i < SESSION_TABLES && strcmp(session_tables[i].name, name))
			i++;
		assert_true(i < SESSION_TABLES);
	}
	assert_int_equal(count, SESSION_TABLES);
	sqlite3_finalize(tables);
	sqlite3_close(db);
}

/* A struct field that no column fills would be garbage for the reader. */
static void every_field_of_a_row_has_a_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < SESSION_TABLES; i++) {
		const struct session_table_info *t = &session_tables[i];

		assert_int_equal(t->row_size, t->column_count * sizeof(int64_t));
		for (size_t a = 0; a < t->column_count; a++)
			for (size_t b = 0; b < a; b++)
				assert_int_not_equal(t->columns[a].offset, t->columns[b].offset);
	}
}

/* An ORDER BY that is not the storage order would sort the whole table for every refresh. */
static void reading_in_order_needs_no_sorting(void **state)
{
	sqlite3 *db = schema_database();

	(void)state;
	for (int i = 0; i < SESSION_TABLES; i++) {
		sqlite3_stmt *select, *plan;
		char *sql;

		assert_int_equal(session_prepare_select(db, (enum session_table)i, &select),
				 SQLITE_OK);
		sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sqlite3_sql(select));
		plan = query(db, sql);
		while (sqlite3_step(plan) == SQLITE_ROW)
			assert_null(
				strstr((const char *)sqlite3_column_text(plan, 3), "TEMP B-TREE"));
		sqlite3_finalize(plan);
		sqlite3_finalize(select);
		sqlite3_free(sql);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_is_as_in_the_schema),
		cmocka_unit_test(every_table_of_the_schema_is_listed),
		cmocka_unit_test(every_field_of_a_row_has_a_column),
		cmocka_unit_test(reading_in_order_needs_no_sorting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
