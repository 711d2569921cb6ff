/* terminal.h: what a command that prints text must know of where it goes. */
#ifndef PROFILER_CMD_TERMINAL_H
#define PROFILER_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum { TERMINAL_WIDTH_LEAST = 40, TERMINAL_WIDTH_USUAL = 100 };

/* As wide as the terminal, where `out` is one, and never wider than is read with ease. */
int terminal_width(FILE *out);

/* Can the locale show more than ASCII? The command has called setlocale(LC_CTYPE, ""). */
bool terminal_utf8(void);

#endif
