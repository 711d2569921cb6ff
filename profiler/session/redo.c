/* Statements kept until they are committed. */
#include "profiler/session/redo.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

int session_redo_keep(struct session_redo *redo, sqlite3_stmt *statement)
{
	char *text;

	if (redo->bytes > MOST_BYTES)
		return -1;
	if (redo->count == redo->room) {
		size_t room = redo->room ? 2 * redo->room : 64;
		char **grown = realloc(redo->statements, room * sizeof(*grown));

		if (!grown)
			return -1;
		redo->statements = grown;
		redo->room = room;
	}
	text = sqlite3_expanded_sql(statement);
	if (!text)
		return -1;
	redo->statements[redo->count++] = text;
	redo->bytes += strlen(text);
	return 0;
}

void session_redo_drop_last(struct session_redo *redo)
{
	char *text = redo->statements[--redo->count];

	redo->bytes -= strlen(text);
	sqlite3_free(text);
}

int session_redo_run(const struct session_redo *redo, sqlite3 *db)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < redo->count && !rc; i++)
		rc = sqlite3_exec(db, redo->statements[i], NULL, NULL, NULL);
	return rc;
}

void session_redo_clear(struct session_redo *redo)
{
	for (size_t i = 0; i < redo->count; i++)
		sqlite3_free(redo->statements[i]);
	redo->count = redo->bytes = 0;
}

void session_redo_release(struct session_redo *redo)
{
	session_redo_clear(redo);
	free(redo->statements);
}
