/* check_output.h: the outputs of a check that were asked for, each to its file. */
#ifndef PROFILER_CMD_CHECK_OUTPUT_H
#define PROFILER_CMD_CHECK_OUTPUT_H

#include "profiler/cmd/check_request.h"
#include "profiler/gate/result.h"

/* Writes all of them; `judged` = there were rules. What CI keeps of a step (summary, outputs) may fail without a word of consequence;
 * a file that was named on the command line may not: 1 after saying so. */
int check_write_outputs(const struct check_request *request, const char *name,
			const struct result *result, int judged, FILE *out);

/* The same when there is nothing but an error to tell. */
void check_write_error(const struct check_request *request, const char *name, const struct error *e,
		       FILE *out);

#endif
