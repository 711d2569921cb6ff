/* What `loopmem help` and a bare `loopmem` have in common. */
#ifndef PROFILER_CMD_HELP_H
#define PROFILER_CMD_HELP_H

#include <stdio.h>

/* The commands by section. */
void help_list_commands(FILE *out);

/* What `loopmem help` explains besides commands, one line each in the form of the option table: kind "topic". */
void help_topics_table(FILE *out);

/* "PROGRAM: no WHAT "WORD"; did you mean ...?" on stderr; returns EXIT_USAGE. */
int help_unknown(const char *program, const char *what, const char *word);

#endif
