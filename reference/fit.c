/* The training loop. */
#include "reference/fit.h"

#include <stdlib.h>

#include "reference/delay.h"
#include "reference/run.h"

static int open_loaders(struct run *run, struct failure *f)
{
	const struct fit_data *data = &run->fit->data;
	int error;

	run->val_loaders = calloc(data->val_loaders + 1, sizeof(struct loader *));
	if (!run->val_loaders)
		return failure_system(f, "no memory for the loaders");
	error = data->open_loader(data->context, LOOPMEM_STAGE_TRAIN, 0, &run->train_loader, f);
	for (unsigned i = 0; i < data->val_loaders && !error; i++)
		error = data->open_loader(data->context, LOOPMEM_STAGE_VALIDATE, i,
					  &run->val_loaders[i], f);
	return error;
}

static uint32_t train_batches(const struct run *run)
{
	return run_amount_of(&run->fit->config.limit_train, loader_length(run->train_loader));
}

static int check(const struct run *run, struct failure *f)
{
	const struct fit_config *c = &run->fit->config;
	uint32_t batches = train_batches(run);

	if (batches == 0)
		return failure_set(f, FAILURE_USAGE, "no train batches");
	if (c->val_check_interval.kind == FIT_COUNT &&
	    (c->val_check_interval.count == 0 || c->val_check_interval.count > batches))
		return failure_set(f, FAILURE_USAGE,
				   "a validation every %u train batches, but an epoch has %u",
				   c->val_check_interval.count, batches);
	if (c->check_val_every_n_epoch == 0)
		return failure_set(f, FAILURE_USAGE, "a validation every 0 epochs");
	return 0;
}

static int has_validation(const struct run *run)
{
	const struct fit_amount *limit = &run->fit->config.limit_val;

	return run->fit->data.val_loaders && !(limit->kind == FIT_COUNT && limit->count == 0);
}

static int validation_is_due(const struct run *run, const struct pass *pass, uint32_t batch)
{
	const struct fit_config *c = &run->fit->config;
	uint32_t interval = run_amount_of(&c->val_check_interval, pass->batches);

	if (!has_validation(run) || ((uint32_t)pass->epoch + 1) % c->check_val_every_n_epoch)
		return 0;
	return (batch + 1) % interval == 0;
}

static void report(const struct run *run, const struct pass *pass, enum fit_event_kind kind,
		   uint32_t batch, double value)
{
	run_report(run, &(struct fit_event){.kind = kind,
					    .stage = pass->stage,
					    .epoch = pass->epoch,
					    .batch = batch,
					    .batches = pass->batches,
					    .value = value});
}

static int train_batch(struct run *run, const struct pass *pass, uint32_t n, struct tally *tally,
		       struct failure *f)
{
	struct batch batch;
	int got = iterator_next(run->train.iterator, &batch, f);
	double loss;

	if (got < 0)
		return got;
	loss = regression_train(run->fit->model, batch.items, batch.count);
	delay_s(run->fit->config.step_delay_s);
	tally_add(tally, loss, batch.count);
	batch_release(&batch);
	report(run, pass, FIT_BATCH, n, loss);
	return 0;
}

/* Validates after train batch `n`. Once that was the last, the train iterator has nothing more to give:
 * whether it is dropped before or after validation is the first of the habits. */
static int validate(struct run *run, const struct pass *pass, uint32_t n, struct failure *f)
{
	int exhausted = n + 1 == pass->batches;

	if (exhausted && !(run->fit->config.habits & FIT_VALIDATE_INSIDE))
		run_drop(run, &run->train);
	return run_validate(run, LOOPMEM_STAGE_VALIDATE, pass->epoch, f);
}

static int train_and_validate(struct run *run, const struct pass *pass, struct failure *f)
{
	struct tally tally = {0};
	int error = 0;

	for (uint32_t n = 0; n < pass->batches && !error; n++) {
		error = train_batch(run, pass, n, &tally, f);
		if (!error && n + 1 == pass->batches) {
			report(run, pass, FIT_RESULT, n, tally_mean(&tally));
			run_end_phase(run, pass->stage, pass->epoch);
		}
		if (!error && validation_is_due(run, pass, n))
			error = validate(run, pass, n, f);
	}
	return error;
}

static int reload_is_due(const struct run *run, unsigned epoch)
{
	unsigned every = run->fit->config.reload_every_n_epochs;

	return every && epoch && epoch % every == 0;
}

/* The new loaders are other objects, so nothing of the old ones can stay. */
static int reload(struct run *run, struct failure *f)
{
	run_finish(run);
	return open_loaders(run, f);
}

static int run_epoch(struct run *run, unsigned epoch, struct failure *f)
{
	struct pass pass = {.stage = LOOPMEM_STAGE_TRAIN, .epoch = (int32_t)epoch};
	int error = reload_is_due(run, epoch) ? reload(run, f) : 0;

	if (error)
		return error;
	pass.loader = run->train_loader;
	pass.batches = train_batches(run);
	run_begin_phase(run, pass.stage, pass.epoch);
	error = run_replace(run, &run->train, &pass, f);
	if (!error)
		error = train_and_validate(run, &pass, f);
	if (!(run->fit->config.habits & FIT_BUILD_BEFORE_DROP))
		run_drop(run, &run->train);
	return error;
}

int fit_run(const struct fit *fit, struct failure *f)
{
	struct run run = {.fit = fit};
	int error = open_loaders(&run, f);

	if (!error)
		error = check(&run, f);
	if (!error && fit->config.sanity_steps && has_validation(&run))
		error = run_validate(&run, LOOPMEM_STAGE_SANITY, LOOPMEM_UNKNOWN, f);
	for (unsigned epoch = 0; epoch < fit->config.max_epochs && !error; epoch++)
		error = run_epoch(&run, epoch, f);
	run_finish(&run);
	return error;
}
