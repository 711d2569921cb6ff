/*
 * whole_file.h: what a command writes, whole or not at all. It is gathered in memory and the file opened when all of it is there: where
 * making it fails the file stays what it was, and half a file would be taken for a whole one.
 */
#ifndef PROFILER_CMD_WHOLE_FILE_H
#define PROFILER_CMD_WHOLE_FILE_H

#include <stddef.h>
#include <stdio.h>

struct whole_file {
	FILE *out; /* to be written to; into memory */
	char *text;
	size_t size;
};

/* 0, or -1 with errno. Every one that began is ended or dropped. */
int whole_file_begin(struct whole_file *w);

/* Writes what was gathered to `file`, NULL = the standard output. 0, or -1 with errno: a regular file that could not be written whole is
 * removed, a device or a pipe is left alone. */
int whole_file_end(struct whole_file *w, const char *file);

void whole_file_drop(struct whole_file *w);

#endif
