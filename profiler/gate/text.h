/*
 * text.h: the result as text, for people and logs. The verdict first, then what fails and who held it, cause and remedy; what passes is
 * one line. Every line begins with words of ours and goes through escape_text: foreign text gives no orders to a CI system.
 */
#ifndef PROFILER_GATE_TEXT_H
#define PROFILER_GATE_TEXT_H

#include <stdio.h>

#include "profiler/gate/result.h"

struct text_options {
	int verbose; /* what holds is listed too */
	int explain; /* for every row the line that decided */
};

void text_result(FILE *out, const struct result *result, const struct text_options *options);

/* The mistakes of a budget, each with its line and a mark under what is wrong. */
void text_complaints(FILE *out, const struct budget *budget);

/* All keys, their units and meaning. */
void text_keys(FILE *out);

/* "baseline main@1a2b3c4, 5 runs; head 1 run; 9 processes" as a new string. */
char *text_scope(const struct result *result);

#endif
