/*
 * tail.h: the last lines of a text file that a program is writing, as a terminal would show them at the end: what a progress
 * bar wrote over is gone, escape sequences are left out.
 */
#ifndef TUI_TAIL_H
#define TUI_TAIL_H

#include <stddef.h>

enum { TAIL_LINES_MAX = 16, TAIL_LINE_SIZE = 512 };

struct tail {
	int count; /* lines, the last one is the newest */
	char lines[TAIL_LINES_MAX][TAIL_LINE_SIZE];
};

/* Reads at most `lines` lines. A file that cannot be read has none. */
void tail_read(struct tail *tail, const char *file, int lines);

/* Makes one line of raw output fit to be shown; `out` has TAIL_LINE_SIZE bytes. */
void tail_clean(char *out, const char *raw, size_t length);

#endif
