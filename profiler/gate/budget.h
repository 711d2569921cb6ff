/*
 * budget.h: budget files and flags to rules (docs/budget.md). A flag has the form of a line of the file.
 *
 * Nothing here looks for a file. Reading never stops at the first mistake: every one becomes a complaint, with its place and the
 * fix.
 */
#ifndef PROFILER_GATE_BUDGET_H
#define PROFILER_GATE_BUDGET_H

#include "profiler/error.h"
#include "profiler/gate/rules.h"

/* An all-zero budget is empty. */
void budget_release(struct budget *b);

/* Appends the statements of FILE. 0, or an error when it cannot be read; mistakes in it are complaints. */
int budget_read_file(struct budget *b, const char *file, struct error *e);

/* Appends `KEY=SIZE` of the n-th --max, `KEY=+P%[+SIZE]` of the n-th --tolerance (from 1). */
void budget_add_max(struct budget *b, const char *argument, unsigned n);
void budget_add_tolerance(struct budget *b, const char *argument, unsigned n);

/* Appends what is compared with a baseline when nobody says otherwise: to be called before the files are read. */
void budget_add_default_baselines(struct budget *b);

#endif
