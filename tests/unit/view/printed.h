/* What a view prints, as a string. */
#ifndef TESTS_UNIT_VIEW_PRINTED_H
#define TESTS_UNIT_VIEW_PRINTED_H

#include <stdio.h>

/* A stream to print to; printed() closes it and gives its text, valid until the next call. */
FILE *print_begin(void);
const char *printed(FILE *out);

#endif
