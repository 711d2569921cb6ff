/*
 * output.h: the result in the forms that CI systems read. Each prints rows of a result and decides nothing; foreign text goes through
 * view/escape.h. Write errors are left in `out`.
 */
#ifndef PROFILER_GATE_OUTPUT_H
#define PROFILER_GATE_OUTPUT_H

#include <stdio.h>

#include "profiler/gate/forms.h"
#include "profiler/gate/result.h"

/* 0, or -1 when out of memory. */
typedef int result_write(FILE *out, const struct result *result);

extern result_write *const result_forms[RESULT_FORMS];

/*
 * JUnit XML in the strictest common form: one case for each rule and subject, with names that hold no value, so that a case can be followed
 * from build to build. over and its likes are failures (type = the verdict); what could not be judged is skipped with the reason;
 * unmeasured is an error; a rule that only warns never fails.
 */
result_write junit_result;

/* A session that cannot be read: one case with one error. */
void junit_error(FILE *out, const struct error *e);

/* GitHub Actions: workflow commands for what fails, warns and is to be known: at most 9 of a kind and one "and N more". */
void github_annotations(FILE *out, const struct result *result);
void github_error(FILE *out, const struct error *e);

/* name=value lines for $GITHUB_OUTPUT. */
void github_outputs(FILE *out, const struct result *result);

/* Markdown for $GITHUB_STEP_SUMMARY: the verdict and the table of what fails and moved. `brief`: the verdict alone. The story of the run, with causes
 * and remedies, is the report's: report_markdown() comes after it. */
void github_summary(FILE *out, const struct result *result, int brief);

/* GitLab code quality: findings that have a line in the sources. */
result_write code_quality;

/* Limits, figures and whether they are over, as OpenMetrics. */
result_write openmetrics_result;

/* The result as JSON. */
result_write json_result;

#endif
