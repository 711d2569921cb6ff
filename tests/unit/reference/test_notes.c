/* Claims about what the loader and the loop tell the profiler: this file stands in for the shim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOPMEM_SHIM
#include "inject/loopmem.h"
#include "reference/fit.h"
#include "reference/options.h"
#include "reference/workload.h"

static char notes[4096];
static loopmem_pool pools;
static pid_t owner;
static struct loopmem_pool_spec last_spec;

/* Only what the owner says counts; workers inherit this process's memory. */
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	size_t length = strlen(notes);
	va_list arguments;

	if (getpid() != owner)
		return;
	va_start(arguments, format);
	vsnprintf(notes + length, sizeof(notes) - length, format, arguments);
	va_end(arguments);
}

loopmem_pool loopmem_pool_begin(const struct loopmem_pool_spec *spec)
{
	last_spec = *spec;
	note("pool %u: stage %d epoch %d workers %d of %d; ", ++pools, spec->stage, spec->epoch,
	     spec->workers, (int)spec->expected_batches);
	return pools;
}

void loopmem_pool_worker(loopmem_pool pool, pid_t pid, int worker_id)
{
	note(pid > 0 ? "worker %u.%d; " : "no pid %u.%d; ", pool, worker_id);
}

void loopmem_pool_expect(loopmem_pool pool, int64_t batches)
{
	note("expect %u: %d; ", pool, (int)batches);
}

void loopmem_next_begin(loopmem_pool pool)
{
	note("next %u ", pool);
}

void loopmem_next_end(loopmem_pool pool, uint32_t batches)
{
	note("-> %u:%u; ", pool, batches);
}

void loopmem_pool_exhausted(loopmem_pool pool)
{
	note("exhausted %u; ", pool);
}

void loopmem_pool_reuse(loopmem_pool pool, int32_t epoch)
{
	note("reuse %u e%d; ", pool, epoch);
}

void loopmem_pool_closing(loopmem_pool pool)
{
	note("closing %u; ", pool);
}

void loopmem_pool_end(loopmem_pool pool)
{
	note("end %u; ", pool);
}

void loopmem_phase_begin(enum loopmem_stage stage, int32_t epoch, const char *name)
{
	(void)name;
	note("[%d e%d: ", stage, epoch);
}

void loopmem_phase_end(void)
{
	note("] ");
}

static void setup_options(struct options *options)
{
	char name[] = "test";
	char *argv[] = {name, NULL};

	options_parse(options, 1, argv);
	options->train_items = 20;
	options->val_items = 30;
	options->batch_size = 10;
	options->workers = 2;
	options->val_workers = 0;
	notes[0] = '\0';
	pools = 0;
	owner = getpid();
	alarm(60);
}

static void train(const struct options *options, const struct fit_config *config)
{
	struct workload workload;
	struct regression model;
	struct failure f;
	struct fit fit = {.config = *config,
			  .data = {&workload, options->val_loaders, workload_open_loader},
			  .model = &model};

	assert_int_equal(workload_open(&workload, options, &f), 0);
	assert_int_equal(regression_init(&model, options->features, &adamw_usual, &f), 0);
	assert_int_equal(fit_run(&fit, &f), 0);
	regression_release(&model);
	workload_close(&workload);
}

/* Stages: 1 train, 2 sanity, 3 validate. */
static void a_training_is_told_from_the_first_fork_to_the_last_end(void **state)
{
	struct fit_config config = {.habits = FIT_OLD_ORDER,
				    .max_epochs = 1,
				    .check_val_every_n_epoch = 1,
				    .sanity_steps = 1};
	struct options options;

	(void)state;
	setup_options(&options);
	train(&options, &config);
	assert_string_equal(
		notes,
		"[2 e-1: pool 1: stage 2 epoch -1 workers 0 of 3; expect 1: 1; next 1 -> 1:1; ] "
		"[1 e0: pool 2: stage 1 epoch 0 workers 2 of 2; worker 2.0; worker 2.1; "
		"next 2 -> 2:1; next 2 -> 2:1; exhausted 2; ] "
		"[3 e0: pool 3: stage 3 epoch 0 workers 0 of 3; end 1; next 3 -> 3:1; "
		"next 3 -> 3:1; next 3 -> 3:1; exhausted 3; ] closing 2; end 2; end 3; ");
}

static void a_persistent_pool_is_begun_once_and_reused(void **state)
{
	struct fit_config config = {.habits = FIT_OLD_ORDER,
				    .max_epochs = 2,
				    .check_val_every_n_epoch = 1,
				    .limit_val = {.kind = FIT_COUNT}};
	struct options options;

	(void)state;
	setup_options(&options);
	options.persistent = 1;
	train(&options, &config);
	assert_int_equal(last_spec.flags, LOOPMEM_POOL_PERSISTENT);
	assert_int_equal(last_spec.start, LOOPMEM_START_FORK);
	assert_int_equal(last_spec.batch_size, 10);
	assert_int_equal(last_spec.prefetch, 2);
	assert_string_equal(
		notes,
		"[1 e0: pool 1: stage 1 epoch 0 workers 2 of 2; worker 1.0; worker 1.1; "
		"next 1 -> 1:1; next 1 -> 1:1; exhausted 1; ] "
		"[1 e1: reuse 1 e1; next 1 -> 1:1; next 1 -> 1:1; exhausted 1; ] closing 1; end 1; ");
}

static void a_validation_in_the_middle_is_a_phase_within_the_epoch(void **state)
{
	struct fit_config config = {
		.max_epochs = 1,
		.check_val_every_n_epoch = 1,
		.limit_val = {.kind = FIT_COUNT, .count = 1},
		.val_check_interval = {.kind = FIT_COUNT, .count = 1},
	};
	struct options options;

	(void)state;
	setup_options(&options);
	options.workers = 0;
	train(&options, &config);
	assert_string_equal(
		notes,
		"[1 e0: pool 1: stage 1 epoch 0 workers 0 of 2; next 1 -> 1:1; "
		"[3 e0: pool 2: stage 3 epoch 0 workers 0 of 3; expect 2: 1; next 2 -> 2:1; end 2; ] "
		"next 1 -> 1:1; exhausted 1; ] end 1; "
		"[3 e0: pool 3: stage 3 epoch 0 workers 0 of 3; expect 3: 1; next 3 -> 3:1; end 3; ] ");
}

static void the_call_after_the_last_batch_brings_none(void **state)
{
	struct loader_config config = {.batch_size = 30};
	struct options options;
	struct workload workload;
	struct loader *loader;
	struct iterator *it;
	struct batch batch;
	struct failure f;

	(void)state;
	setup_options(&options);
	assert_int_equal(workload_open(&workload, &options, &f), 0);
	assert_int_equal(loader_open(&loader, &workload.train, &config, &f), 0);
	assert_int_equal(loader_iterate(&it, loader, LOOPMEM_STAGE_OTHER, 7, &f), 0);
	assert_int_equal(iterator_next(it, &batch, &f), 1);
	batch_release(&batch);
	assert_int_equal(iterator_next(it, &batch, &f), 0);
	iterator_close(it);
	loader_close(loader);
	workload_close(&workload);
	assert_string_equal(notes, "pool 1: stage 0 epoch 7 workers 0 of 1; next 1 -> 1:1; "
				   "exhausted 1; next 1 -> 1:0; end 1; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_training_is_told_from_the_first_fork_to_the_last_end),
		cmocka_unit_test(a_persistent_pool_is_begun_once_and_reused),
		cmocka_unit_test(a_validation_in_the_middle_is_a_phase_within_the_epoch),
		cmocka_unit_test(the_call_after_the_last_batch_brings_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
