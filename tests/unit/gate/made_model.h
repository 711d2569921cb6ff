/*
 * made_model.h: a small model made by hand, without a session: one owner, a train and a validate pool in two epochs, one finding. Tests
 * change its figures before they judge it.
 */
#ifndef TESTS_UNIT_GATE_MADE_MODEL_H
#define TESTS_UNIT_GATE_MADE_MODEL_H

#include "profiler/gate/budget.h"
#include "profiler/gate/judge.h"

#define MIB    (1024.0 * 1024)
#define GIB    (1024 * MIB)
#define SECOND INT64_C(1000000000)

enum { TRAIN0, VALIDATE0, TRAIN1, VALIDATE1, MADE_POOLS };
enum { MADE_WORKERS = 2, MADE_PROCESSES = 1 + MADE_POOLS * MADE_WORKERS };

struct made_model {
	struct model model;
	struct model_process processes[MADE_PROCESSES];
	struct model_pool pools[MADE_POOLS];
	int members[MADE_POOLS][MADE_WORKERS];
	struct model_phase phases[MADE_POOLS + 1];
	struct model_round rounds[8];
	struct model_finding finding;
	int finding_pools[MADE_POOLS];
	struct model_fact facts[4];
};

/* Peak 4 GiB of a limit of 8 GiB, held idle 1 GiB, no job id, begun at unix second 1800000000 and 100 s long. */
void made_model_fill(struct made_model *made, const char *file);

/* A budget from lines, without mistakes. */
void made_budget(struct budget *budget, const char *lines);

/* Judges one run of each model against the lines and no baseline. */
struct made_check {
	struct budget budget;
	struct run runs[8];
	struct model *models[8];
	struct baseline baseline;
	struct result result;
	size_t run_count;
	struct judge_options options;
};
void made_check_judge(struct made_check *check, const char *lines, struct made_model *made,
		      size_t count);
void made_check_release(struct made_check *check);

/* The only row with this key and rule kind; fails the test when there is none. */
const struct row *made_check_row(const struct made_check *check, const char *key);

#endif
