/*
 * explain.h: the words of a row, the same in every output: its figures, where its rule stands, what was there at that moment, the cause and
 * the remedy. Texts are plain and may hold foreign text: whoever prints them escapes for the format. New strings are
 * the caller's to free; NULL = out of memory.
 */
#ifndef PROFILER_GATE_EXPLAIN_H
#define PROFILER_GATE_EXPLAIN_H

#include "profiler/gate/result.h"

/* "732 MiB > 64 MiB, +668 MiB"; "6.12 GiB, +9.8% (+560 MiB); tolerance 5%, noise 1.9%" (" assumed" where too few runs tell it); the reason where there is no figure. */
char *explain_figures(const struct row *row);

/* "loopmem.budget:5", "--max 2", "default" */
char *explain_place(const struct budget_rule *rule);

/* Who held it, when and during what: "at 17:41, during validate e2: train #6 e2 10.2 GiB held idle, ..."; "" = nothing to say. */
char *explain_why(const struct row *row);

/* Whether a reader wants to know who held it. */
int explain_wants_why(const struct row *row);

/* The file and line of the sources where the subject's pool was made, when that file is here: relative to the working directory, which in CI is
 * the repository. A new string, or NULL. */
char *explain_source(const struct subject *subject, unsigned *line);

/* The finding that explains the row best; NULL = none. *model is the session it is of. */
const struct model_finding *explain_cause(const struct row *row, const struct model **model);

/* "10.2 GiB of train workers alive during validation" */
char *explain_finding(const struct model_finding *f);

/* What to do about a finding: a command, or words. The effect on the peak, where it is predicted: "peak 18.1 GiB then", else "". */
char *explain_fix(const struct model_finding *f, const struct model *m);
char *explain_effect(const struct model_finding *f, const struct model *m);

#endif
