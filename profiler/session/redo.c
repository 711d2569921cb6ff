/* Statements kept until they are committed. */
#include "profiler/session/redo.h"

#include <string.h>

enum { MOST_BYTES = 16 << 20 };

int session_redo_keep(struct session_redo *redo, sqlite3_stmt *statement)
{
	char *text, **place;

	if (redo->bytes > MOST_BYTES)
		return -1;
	text = sqlite3_expanded_sql(statement);
	place = text ? array_add(&redo->statements) : NULL;
	if (!place) {
		sqlite3_free(text);
		return -1;
	}
	*place = text;
	redo->bytes += strlen(text);
	return 0;
}

void session_redo_drop_last(struct session_redo *redo)
{
	char *text = redo->statements.items[--redo->statements.count];

	redo->bytes -= strlen(text);
	sqlite3_free(text);
}

int session_redo_run(const struct session_redo *redo, sqlite3 *db)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < redo->statements.count && !rc; i++)
		rc = sqlite3_exec(db, redo->statements.items[i], NULL, NULL, NULL);
	return rc;
}

void session_redo_clear(struct session_redo *redo)
{
	for (size_t i = 0; i < redo->statements.count; i++)
		sqlite3_free(redo->statements.items[i]);
	redo->statements.count = redo->bytes = 0;
}

void session_redo_release(struct session_redo *redo)
{
	session_redo_clear(redo);
	array_release(&redo->statements);
}
