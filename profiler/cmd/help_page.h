/* The page of a finding: its section of docs/findings.md, set for a terminal. */
#ifndef PROFILER_CMD_HELP_PAGE_H
#define PROFILER_CMD_HELP_PAGE_H

#include <stdio.h>

enum { HELP_COLUMNS = 80 };

/* Prints the section with the heading `id` to `out`, at most HELP_COLUMNS wide but for verbatim lines. -1 = there is none. */
int help_page(FILE *out, const char *id);

#endif
