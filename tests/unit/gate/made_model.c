/* A model made by hand: see the header. */
#include "tests/unit/gate/made_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill_pool(struct made_model *made, int index, enum model_stage stage, const char *name,
		      const char *label)
{
	struct model_pool *pool = &made->pools[index];

	*pool = (struct model_pool){
		.number = index + 1,
		.owner = 0,
		.stage = stage,
		.epoch = index / 2,
		.name = name,
		.short_name = name,
		.label = label,
		.dataset = "",
		.origin = "train.py:88",
		.start_method = "fork",
		.workers = MADE_WORKERS,
		.private_max = (int64_t)((index + 1) * 100 * MIB),
		.unshared_max = (int64_t)(10 * MIB),
		.idle_max_bytes = stage == MODEL_STAGE_TRAIN ? (int64_t)(600 * MIB) : 0,
		.idle_max_at_ns = 50 * SECOND,
		.idle_ns = stage == MODEL_STAGE_TRAIN ? 20 * SECOND : 0,
		.stall_ns = 3 * SECOND,
		.members = made->members[index],
		.member_count = MADE_WORKERS,
	};
	made->phases[index] = (struct model_phase){
		.pool = index,
		.stage = stage,
		.epoch = pool->epoch,
		.name = name,
		.start_ns = index * 20 * SECOND,
		.end_ns = (index + 1) * 20 * SECOND,
		.peak_bytes = (int64_t)((index + 1) * GIB),
		.stall_ns = 3 * SECOND,
	};
	for (int i = 0; i < MADE_WORKERS; i++) {
		int process = 1 + index * MADE_WORKERS + i;

		made->members[index][i] = process;
		made->processes[process] = (struct model_process){
			.pid = 100 + process,
			.pool = index,
			.worker_id = i,
			.role = MODEL_ROLE_WORKER,
			.instrumented = 1,
			.rank = MODEL_NONE,
			.private_max = (int64_t)((index + 1) * 50 * MIB),
			.live_heap_max = (int64_t)(40 * MIB),
			.unshared_max = (int64_t)(5 * MIB),
		};
	}
}

static void fill_totals(struct model *m)
{
	m->totals = (struct model_totals){
		.duration_ns = 100 * SECOND,
		.peak_bytes = (int64_t)(4 * GIB),
		.peak_at_ns = 50 * SECOND,
		.peak_without_idle_bytes = (int64_t)(3 * GIB),
		.peak_without_idle_at_ns = 50 * SECOND,
		.peak_with_release_bytes = (int64_t)(3 * GIB),
		.idle_max_bytes = (int64_t)GIB,
		.idle_max_at_ns = 50 * SECOND,
		.idle_ns = 20 * SECOND,
		.idle_byte_seconds = 20 * GIB,
		.overlap_max_at_ns = MODEL_NONE,
		.limit_bytes = (int64_t)(8 * GIB),
		.limit_source = "cgroup",
	};
}

static void fill_finding(struct made_model *made)
{
	made->finding_pools[0] = TRAIN0;
	made->finding_pools[1] = TRAIN1;
	made->finding = (struct model_finding){
		.id = "idle-pool-retained",
		.severity = MODEL_WARNING,
		.title = "Workers that handed out their last batch stay alive",
		.text = "",
		.brief = "of train workers alive during validation",
		.brief_bytes = (int64_t)(600 * MIB),
		.advice = "",
		.release_helps = 1,
		.bytes = (int64_t)GIB,
		.pools = made->finding_pools,
		.pool_count = 2,
	};
}

void made_model_fill(struct made_model *made, const char *file)
{
	static const char *const argv[] = {"python", "train.py"};
	struct model *m = &made->model;

	memset(made, 0, sizeof(*made));
	fill_pool(made, TRAIN0, MODEL_STAGE_TRAIN, "train #1 e0", "train_loader");
	fill_pool(made, VALIDATE0, MODEL_STAGE_VALIDATE, "validate #2 e0", "");
	fill_pool(made, TRAIN1, MODEL_STAGE_TRAIN, "train #3 e1", "train_loader");
	fill_pool(made, VALIDATE1, MODEL_STAGE_VALIDATE, "validate #4 e1", "");
	made->phases[MADE_POOLS] = (struct model_phase){.between = 1,
							.pool = -1,
							.stage = MODEL_STAGE_VALIDATE,
							.name = "between",
							.peak_bytes = INT64_MAX};
	made->processes[0] = (struct model_process){.pid = 100,
						    .pool = -1,
						    .role = MODEL_ROLE_OWNER,
						    .instrumented = 1,
						    .rank = MODEL_NONE,
						    .allocator = "glibc",
						    .python = "3.11.9",
						    .private_max = (int64_t)(2 * GIB)};
	fill_finding(made);
	*m = (struct model){
		.file = file,
		.command = "python train.py",
		.host = "node17",
		.job = "",
		.argv = argv,
		.argc = 2,
		.started_unix_ns = 1800000000 * SECOND,
		.last_ns = 100 * SECOND,
		.complete = 1,
		.end = MODEL_EXITED,
		.processes = made->processes,
		.process_count = MADE_PROCESSES,
		.pools = made->pools,
		.pool_count = MADE_POOLS,
		.phases = made->phases,
		.phase_count = MADE_POOLS + 1,
		.rounds = made->rounds,
		.findings = &made->finding,
		.finding_count = 1,
		.facts = made->facts,
	};
	fill_totals(m);
}

void made_budget(struct budget *budget, const char *lines)
{
	char file[] = "/tmp/made_budget.XXXXXX";
	FILE *out = fdopen(mkstemp(file), "w");
	struct error e = {0};
	int failed;

	fprintf(out, "loopmem-budget 1\n%s\n", lines);
	fclose(out);
	failed = *lines ? budget_read_file(budget, file, &e) : 0;
	unlink(file);
	if (failed || budget->complaint_count)
		fail_msg("%s%s", e.text, budget->complaint_count ? budget->complaints[0].text : "");
}

void made_check_judge(struct made_check *check, const char *lines, struct made_model *made,
		      size_t count)
{
	struct error e;

	made_budget(&check->budget, lines);
	check->run_count = count;
	for (size_t i = 0; i < count; i++) {
		check->models[i] = &made[i].model;
		assert_int_equal(run_make(&check->runs[i], &check->models[i], 1, &e), 0);
	}
	assert_int_equal(judge(&check->result, &check->budget, check->runs, count, &check->baseline,
			       &check->options, &e),
			 0);
}

void made_check_release(struct made_check *check)
{
	result_release(&check->result);
	baseline_release(&check->baseline);
	for (size_t i = 0; i < check->run_count; i++)
		run_release(&check->runs[i]);
	budget_release(&check->budget);
	memset(check, 0, sizeof(*check));
}

const struct row *made_check_row(const struct made_check *check, const char *key)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < check->result.rows.count; i++) {
		if (strcmp(check->result.rows.items[i].key, key) != 0)
			continue;
		assert_null(found);
		found = &check->result.rows.items[i];
	}
	if (!found)
		fail_msg("no row %s", key);
	return found;
}
