/* What `loopmem help` and a bare `loopmem` have in common. */
#ifndef PROFILER_CMD_HELP_H
#define PROFILER_CMD_HELP_H

#include <stdio.h>

/* The commands by section. */
void help_list_commands(FILE *out);

/* "PROGRAM: no WHAT "WORD"; did you mean ...?" on stderr; returns EXIT_USAGE. */
int help_unknown(const char *program, const char *what, const char *word);

#endif
