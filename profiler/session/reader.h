/*
 * reader.h: the reader's state, for open.c, which fills it, and reader.c, which reads.
 */
#ifndef PROFILER_SESSION_READER_H
#define PROFILER_SESSION_READER_H

#include <sys/types.h>

#include "profiler/session/session.h"
#include "profiler/session/tables.h"

struct session_reader {
	sqlite3 *db;
	char *name;
	sqlite3_stmt *select[SESSION_TABLES]; /* NULL = the table is lost with the damaged part */
	sqlite3_stmt *get_meta;
	char *text;   /* what session_text gave out last */
	dev_t device; /* of the file that was opened */
	ino_t inode;
	int damaged;
	char damage[256];
};

/* Keeps the first damage text. */
void session_reader_damage(struct session_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
