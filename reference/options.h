/* options.h: the command line of loopmem-fit. The fields are in options.def. */
#ifndef REFERENCE_OPTIONS_H
#define REFERENCE_OPTIONS_H

#include <stddef.h>

#include "reference/fit.h"

struct options {
#define GROUP(title)
#define NUMBER(field, name, value, least, most, help) unsigned field;
#define AMOUNT(field, name, help)                     struct fit_amount field;
#define MIB(field, name, value, help)                 size_t field;
#define MS(field, name, value, help)                  double field;
#define FLAG(field, name, help)                       unsigned field;
#include "reference/options.def"
	unsigned habits;      /* enum fit_habits */
	const char *json;     /* file for the result, "-" = stdout; NULL = none */
	const char *progress; /* what to call the run in progress lines; NULL = none */
};

enum { OPTIONS_EXIT_USAGE = 2 };

/* Defaults, then argv. Wrong use and --help end the process, as is usual with argp. */
void options_parse(struct options *options, int argc, char **argv);

#endif
