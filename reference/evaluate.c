/* The loops that only read the model: sanity check, validation, test, prediction. */
#include "reference/delay.h"
#include "reference/run.h"

typedef double evaluate_batch(const struct regression *model, const struct batch *batch);

static double loss_of(const struct regression *model, const struct batch *batch)
{
	return regression_loss(model, batch->items, batch->count);
}

static double mean_prediction(const struct regression *model, const struct batch *batch)
{
	const float *item = batch->items;
	double sum = 0;

	for (uint32_t i = 0; i < batch->count; i++, item += model->features + 1)
		sum += regression_predict(model, item);
	return sum / batch->count;
}

static void report(const struct run *run, const struct pass *pass, enum fit_event_kind kind,
		   uint32_t batch, double value)
{
	run_report(run, &(struct fit_event){.kind = kind,
					    .stage = pass->stage,
					    .epoch = pass->epoch,
					    .loader = pass->index,
					    .batch = batch,
					    .batches = pass->batches,
					    .value = value});
}

/* Takes the pass's batches from the iterator in the slot. */
static int take_batches(struct run *run, const struct pass *pass, struct tally *tally,
			struct failure *f)
{
	int predict = pass->stage == LOOPMEM_STAGE_PREDICT;
	evaluate_batch *evaluate = predict ? mean_prediction : loss_of;

	for (uint32_t n = 0; n < pass->batches; n++) {
		struct batch batch;
		int got = iterator_next(run->evaluation.iterator, &batch, f);
		double value;

		if (got < 0)
			return got;
		value = evaluate(run->fit->model, &batch);
		delay_s(run->fit->config.step_delay_s);
		tally_add(tally, value, batch.count);
		batch_release(&batch);
		report(run, pass, FIT_BATCH, n, value);
	}
	return 0;
}

static int evaluate_loader(struct run *run, const struct pass *pass, struct failure *f)
{
	struct tally tally = {0};
	int error;

	if (!pass->batches)
		return 0;
	error = run_replace(run, &run->evaluation, pass, f);
	if (!error)
		error = take_batches(run, pass, &tally, f);
	if (!error)
		report(run, pass, FIT_RESULT, pass->batches, tally_mean(&tally));
	return error;
}

static uint32_t batches_to_take(const struct fit_config *config, enum loopmem_stage stage,
				const struct loader *loader)
{
	uint32_t batches = run_amount_of(&config->limit_val, loader_length(loader));

	if (stage == LOOPMEM_STAGE_SANITY && config->sanity_steps < batches)
		return config->sanity_steps;
	return batches;
}

int run_validate(struct run *run, enum loopmem_stage stage, int32_t epoch, struct failure *f)
{
	const struct fit_config *config = &run->fit->config;
	unsigned keep = stage == LOOPMEM_STAGE_SANITY ? FIT_KEEP_SANITY : FIT_KEEP_VALIDATION;
	int error = 0;

	run_begin_phase(run, stage, epoch);
	for (unsigned i = 0; i < run->fit->data.val_loaders && !error; i++) {
		struct loader *loader = run->val_loaders[i];
		struct pass pass = {.loader = loader,
				    .index = i,
				    .stage = stage,
				    .epoch = epoch,
				    .batches = batches_to_take(config, stage, loader)};

		error = evaluate_loader(run, &pass, f);
	}
	if (!(config->habits & keep))
		run_drop(run, &run->evaluation);
	if (!error)
		run_end_phase(run, stage, epoch);
	return error;
}

/* Test and prediction: a run of its own with one loader. */
static int evaluate_alone(const struct fit *fit, enum loopmem_stage stage, struct failure *f)
{
	struct run run = {.fit = fit};
	struct pass pass = {.stage = stage, .epoch = LOOPMEM_UNKNOWN};
	int error = fit->data.open_loader(fit->data.context, stage, 0, &pass.loader, f);

	if (error)
		return error;
	pass.batches = loader_length(pass.loader);
	run_begin_phase(&run, stage, LOOPMEM_UNKNOWN);
	error = evaluate_loader(&run, &pass, f);
	run_drop(&run, &run.evaluation);
	run_end_phase(&run, stage, LOOPMEM_UNKNOWN);
	loader_close(pass.loader);
	return error;
}

int fit_test(const struct fit *fit, struct failure *f)
{
	return evaluate_alone(fit, LOOPMEM_STAGE_TEST, f);
}

int fit_predict(const struct fit *fit, struct failure *f)
{
	return evaluate_alone(fit, LOOPMEM_STAGE_PREDICT, f);
}
