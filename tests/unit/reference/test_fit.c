/* Claims about reference/fit.h: what is built and dropped when, and that it changes no result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference/fit.h"
#include "reference/options.h"
#include "reference/result.h"
#include "reference/workload.h"
#include "tests/unit/reference/processes.h"

/* 50 train items in 5 batches, 30 validation items in 3. */
struct fixture {
	struct options options;
	struct fit_config config;
	struct result result;
	struct failure f;
	char trace[2048];
	int trace_batches;
	unsigned loaders_opened;
	struct workload *workload;
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));
	char name[] = "test";
	char *argv[] = {name, NULL};

	options_parse(&fix->options, 1, argv);
	fix->options.train_items = 50;
	fix->options.val_items = 30;
	fix->options.batch_size = 10;
	fix->options.features = 4;
	fix->options.workers = 0;
	fix->options.val_workers = 0;
	fix->config = (struct fit_config){
		.max_epochs = 2, .check_val_every_n_epoch = 1, .sanity_steps = 2};
	*state = fix;
	alarm(60);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;
	int leftover = has_children();

	result_release(&fix->result);
	free(fix);
	alarm(0);
	return leftover ? -1 : 0;
}

/* Iterators as "+t0 -t0": built or dropped, stage, epoch. */
static void trace(struct fixture *fix, const struct fit_event *event)
{
	static const char stages[] = "otsvxp";
	size_t length = strlen(fix->trace);
	char *end = fix->trace + length;
	size_t room = sizeof(fix->trace) - length;
	char epoch[16] = "";

	if (event->epoch != LOOPMEM_UNKNOWN)
		snprintf(epoch, sizeof(epoch), "%d", event->epoch);
	if (event->kind == FIT_ITERATOR_BUILT || event->kind == FIT_ITERATOR_DROPPED)
		snprintf(end, room, "%s%c%c%s%s", length ? " " : "",
			 event->kind == FIT_ITERATOR_BUILT ? '+' : '-', stages[event->stage], epoch,
			 event->loader ? "b" : "");
	else if (event->kind == FIT_BATCH && fix->trace_batches)
		snprintf(end, room, "%s%c", length ? " " : "", stages[event->stage]);
}

static void on_event(void *context, const struct fit_event *event)
{
	struct fixture *fix = context;

	trace(fix, event);
	result_add(&fix->result, event);
}

static int open_loader(void *context, enum loopmem_stage stage, unsigned index, struct loader **out,
		       struct failure *f)
{
	struct fixture *fix = context;

	fix->loaders_opened++;
	return workload_open_loader(fix->workload, stage, index, out, f);
}

/* Trains from the beginning; the trace and the result are of this run alone. */
static int run(struct fixture *fix, unsigned habits)
{
	struct workload workload;
	struct regression model;
	struct fit fit = {.config = fix->config,
			  .data = {fix, fix->options.val_loaders, open_loader},
			  .observer = {fix, on_event},
			  .model = &model};
	int error;

	fit.config.habits = habits;
	fix->trace[0] = '\0';
	result_release(&fix->result);
	assert_int_equal(workload_open(&workload, &fix->options, &fix->f), 0);
	assert_int_equal(regression_init(&model, fix->options.features, &adamw_usual, &fix->f), 0);
	fix->workload = &workload;
	error = fit_run(&fit, &fix->f);
	if (!error && fix->options.test)
		error = fit_test(&fit, &fix->f);
	if (!error && fix->options.predict)
		error = fit_predict(&fit, &fix->f);
	regression_release(&model);
	workload_close(&workload);
	return error;
}

static void assert_trace(struct fixture *fix, unsigned habits, const char *expected)
{
	assert_int_equal(run(fix, habits), 0);
	assert_string_equal(fix->trace, expected);
}

static void the_new_order_has_one_iterator_at_a_time(void **state)
{
	assert_trace(*state, FIT_NEW_ORDER, "+s -s +t0 -t0 +v0 -v0 +t1 -t1 +v1 -v1");
}

static void the_old_order_keeps_each_until_its_successor_is_built(void **state)
{
	assert_trace(*state, FIT_OLD_ORDER, "+s +t0 +v0 -s +t1 -t0 +v1 -v0 -t1 -v1");
}

static void validating_inside_keeps_the_train_iterator_over_validation(void **state)
{
	assert_trace(*state, FIT_VALIDATE_INSIDE, "+s -s +t0 +v0 -v0 -t0 +t1 +v1 -v1 -t1");
}

static void keeping_validation_holds_it_through_the_next_epoch(void **state)
{
	assert_trace(*state, FIT_KEEP_VALIDATION, "+s -s +t0 -t0 +v0 +t1 -t1 -v0 +v1 -v1");
}

static void keeping_sanity_holds_it_through_the_first_epoch(void **state)
{
	assert_trace(*state, FIT_KEEP_SANITY, "+s +t0 -t0 -s +v0 -v0 +t1 -t1 +v1 -v1");
}

static void building_before_dropping_matters_where_one_follows_another(void **state)
{
	struct fixture *fix = *state;

	/* every iterator is dropped on time: there is nothing to overlap with */
	assert_trace(fix, FIT_BUILD_BEFORE_DROP, "+s -s +t0 -t0 +v0 -v0 +t1 -t1 +v1 -v1");
	/* no validation comes between: two train iterators at the boundary */
	fix->config.limit_val = (struct fit_amount){.kind = FIT_COUNT, .count = 0};
	assert_trace(fix, FIT_BUILD_BEFORE_DROP, "+t0 +t1 -t0 -t1");
	assert_trace(fix, FIT_NEW_ORDER, "+t0 -t0 +t1 -t1");
}

static void several_validation_loaders_follow_each_other(void **state)
{
	struct fixture *fix = *state;

	fix->options.val_loaders = 2;
	fix->config.max_epochs = 1;
	assert_trace(fix, FIT_NEW_ORDER, "+s -s +sb -sb +t0 -t0 +v0 -v0 +v0b -v0b");
	assert_trace(fix, FIT_OLD_ORDER, "+s +sb -s +t0 +v0 -sb +v0b -v0 -t0 -v0b");
}

static void validation_in_the_middle_never_drops_the_train_iterator(void **state)
{
	struct fixture *fix = *state;

	fix->config.max_epochs = 1;
	fix->config.sanity_steps = 0;
	fix->config.val_check_interval = (struct fit_amount){.kind = FIT_COUNT, .count = 2};
	fix->trace_batches = 1;
	assert_trace(fix, FIT_NEW_ORDER, "+t0 t t +v0 v v v -v0 t t +v0 v v v -v0 t -t0");
}

static void an_interval_can_be_a_fraction_of_the_epoch(void **state)
{
	struct fixture *fix = *state;

	fix->config.max_epochs = 1;
	fix->config.sanity_steps = 0;
	fix->config.limit_val = (struct fit_amount){.kind = FIT_COUNT, .count = 1};
	fix->config.val_check_interval = (struct fit_amount){.kind = FIT_FRACTION, .fraction = 0.4};
	fix->trace_batches = 1;
	assert_trace(fix, FIT_NEW_ORDER, "+t0 t t +v0 v -v0 t t +v0 v -v0 t -t0");
	fix->config.val_check_interval.fraction = 0.01; /* at least one batch */
	assert_trace(fix, FIT_KEEP_VALIDATION | FIT_BUILD_BEFORE_DROP,
		     "+t0 t +v0 v t +v0 -v0 v t +v0 -v0 v t +v0 -v0 v t -t0 +v0 -v0 v -v0");
	fix->config.val_check_interval.fraction = 1;
	assert_trace(fix, FIT_NEW_ORDER, "+t0 t t t t t -t0 +v0 v -v0");
}

static void an_interval_longer_than_the_epoch_is_refused(void **state)
{
	struct fixture *fix = *state;

	fix->config.val_check_interval = (struct fit_amount){.kind = FIT_COUNT, .count = 6};
	assert_int_equal(run(fix, FIT_NEW_ORDER), FAILURE_USAGE);
	assert_string_equal(fix->f.text, "a validation every 6 train batches, but an epoch has 5");
}

static void validation_can_be_every_other_epoch(void **state)
{
	struct fixture *fix = *state;

	fix->config.max_epochs = 4;
	fix->config.check_val_every_n_epoch = 2;
	fix->config.sanity_steps = 0;
	assert_trace(fix, FIT_NEW_ORDER, "+t0 -t0 +t1 -t1 +v1 -v1 +t2 -t2 +t3 -t3 +v3 -v3");
}

static void limits_cut_epochs_short(void **state)
{
	struct fixture *fix = *state;

	fix->config.max_epochs = 1;
	fix->config.sanity_steps = 1;
	fix->config.limit_train = (struct fit_amount){.kind = FIT_COUNT, .count = 3};
	fix->config.limit_val = (struct fit_amount){.kind = FIT_FRACTION, .fraction = 0.7};
	fix->trace_batches = 1;
	assert_trace(fix, FIT_NEW_ORDER, "+s s -s +t0 t t t -t0 +v0 v v -v0");
	fix->config.sanity_steps = 100; /* no more than there is */
	assert_trace(fix, FIT_NEW_ORDER, "+s s s -s +t0 t t t -t0 +v0 v v -v0");
}

static void reloading_makes_new_loaders_and_keeps_nothing(void **state)
{
	struct fixture *fix = *state;

	fix->config.max_epochs = 3;
	fix->config.sanity_steps = 0;
	fix->config.reload_every_n_epochs = 2;
	assert_trace(fix, FIT_OLD_ORDER, "+t0 +v0 +t1 -t0 +v1 -v0 -t1 -v1 +t2 +v2 -t2 -v2");
	assert_int_equal(fix->loaders_opened, 4);
}

static void test_and_prediction_follow_the_training(void **state)
{
	struct fixture *fix = *state;
	const struct fit_event *figures;

	fix->config.max_epochs = 1;
	fix->config.sanity_steps = 0;
	fix->options.test = fix->options.predict = 1;
	assert_trace(fix, FIT_OLD_ORDER, "+t0 +v0 -t0 -v0 +x -x +p -p");
	figures = fix->result.figures;
	assert_int_equal(fix->result.count, 4);
	assert_int_equal(figures[2].stage, LOOPMEM_STAGE_TEST);
	assert_int_equal(figures[3].stage, LOOPMEM_STAGE_PREDICT);
	assert_true(figures[2].value > 0);
}

static void training_makes_the_loss_small(void **state)
{
	struct fixture *fix = *state;
	const struct fit_event *last;

	fix->config.max_epochs = 200;
	assert_int_equal(run(fix, FIT_NEW_ORDER), 0);
	last = &fix->result.figures[fix->result.count - 1];
	assert_int_equal(last->stage, LOOPMEM_STAGE_VALIDATE);
	assert_true(fix->result.figures[0].value > 0.2);
	assert_true(last->value < 0.03); /* the noise alone is 0.01 */
}

/* Runs all sixteen orders and compares every figure of every run with the first's, bit for bit. */
static void assert_same_losses_in_every_order(struct fixture *fix)
{
	struct result first;

	assert_int_equal(run(fix, 0), 0);
	first = fix->result;
	fix->result = (struct result){0};
	assert_true(first.count > 0);
	for (unsigned habits = 1; habits <= FIT_OLD_ORDER; habits++) {
		assert_int_equal(run(fix, habits), 0);
		assert_int_equal(fix->result.count, first.count);
		for (size_t i = 0; i < first.count; i++)
			assert_memory_equal(&fix->result.figures[i].value, &first.figures[i].value,
					    sizeof(double));
	}
	result_release(&first);
}

static void losses_are_the_same_to_the_bit_in_all_sixteen_orders(void **state)
{
	struct fixture *fix = *state;

	fix->options.workers = fix->options.val_workers = 2;
	fix->options.val_loaders = 2;
	fix->options.test = fix->options.predict = 1;
	assert_same_losses_in_every_order(fix);
}

static void and_when_epochs_are_cut_and_workers_persist(void **state)
{
	struct fixture *fix = *state;

	fix->options.workers = fix->options.val_workers = 2;
	fix->options.persistent = 1;
	fix->config.max_epochs = 3;
	fix->config.limit_train = (struct fit_amount){.kind = FIT_COUNT, .count = 4};
	fix->config.val_check_interval = (struct fit_amount){.kind = FIT_COUNT, .count = 3};
	fix->config.reload_every_n_epochs = 2;
	assert_same_losses_in_every_order(fix);
}

static void and_with_another_number_of_workers(void **state)
{
	struct fixture *fix = *state;
	double alone;

	assert_int_equal(run(fix, FIT_NEW_ORDER), 0);
	alone = fix->result.figures[fix->result.count - 1].value;
	fix->options.workers = 3;
	fix->options.val_workers = 1;
	assert_int_equal(run(fix, FIT_OLD_ORDER), 0);
	assert_memory_equal(&fix->result.figures[fix->result.count - 1].value, &alone,
			    sizeof(alone));
}

/* The second epoch's validation loader cannot be opened. */
static int open_until_reload(void *context, enum loopmem_stage stage, unsigned index,
			     struct loader **out, struct failure *f)
{
	struct fixture *fix = context;

	if (fix->loaders_opened == 3)
		return failure_set(f, FAILURE_DATASET, "the disk is gone");
	return open_loader(context, stage, index, out, f);
}

static void a_failure_in_the_middle_ends_all_workers(void **state)
{
	struct fixture *fix = *state;
	struct workload workload;
	struct regression model;
	struct fit fit = {
		.config = fix->config, .data = {fix, 1, open_until_reload}, .model = &model};

	fit.config.habits = FIT_OLD_ORDER;
	fit.config.reload_every_n_epochs = 1;
	fix->options.workers = fix->options.val_workers = 2;
	assert_int_equal(workload_open(&workload, &fix->options, &fix->f), 0);
	assert_int_equal(regression_init(&model, fix->options.features, &adamw_usual, &fix->f), 0);
	fix->workload = &workload;
	assert_int_equal(fit_run(&fit, &fix->f), FAILURE_DATASET);
	assert_string_equal(fix->f.text, "the disk is gone");
	assert_false(has_children());
	regression_release(&model);
	workload_close(&workload);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(the_new_order_has_one_iterator_at_a_time),
		CLAIM(the_old_order_keeps_each_until_its_successor_is_built),
		CLAIM(validating_inside_keeps_the_train_iterator_over_validation),
		CLAIM(keeping_validation_holds_it_through_the_next_epoch),
		CLAIM(keeping_sanity_holds_it_through_the_first_epoch),
		CLAIM(building_before_dropping_matters_where_one_follows_another),
		CLAIM(several_validation_loaders_follow_each_other),
		CLAIM(validation_in_the_middle_never_drops_the_train_iterator),
		CLAIM(an_interval_can_be_a_fraction_of_the_epoch),
		CLAIM(an_interval_longer_than_the_epoch_is_refused),
		CLAIM(validation_can_be_every_other_epoch),
		CLAIM(limits_cut_epochs_short),
		CLAIM(reloading_makes_new_loaders_and_keeps_nothing),
		CLAIM(test_and_prediction_follow_the_training),
		CLAIM(training_makes_the_loss_small),
		CLAIM(losses_are_the_same_to_the_bit_in_all_sixteen_orders),
		CLAIM(and_when_epochs_are_cut_and_workers_persist),
		CLAIM(and_with_another_number_of_workers),
		CLAIM(a_failure_in_the_middle_ends_all_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
