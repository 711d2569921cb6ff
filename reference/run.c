/* Slots, phases, events and amounts of a run. */
#include "reference/run.h"

#include <stdlib.h>

uint32_t run_amount_of(const struct fit_amount *amount, uint32_t length)
{
	uint32_t batches = length;

	if (amount->kind == FIT_COUNT)
		batches = amount->count;
	if (amount->kind == FIT_FRACTION) {
		batches = (uint32_t)(length * amount->fraction);
		batches = batches ? batches : 1;
	}
	return batches < length ? batches : length;
}

void tally_add(struct tally *tally, double batch_mean, uint32_t items)
{
	tally->sum += batch_mean * items;
	tally->items += items;
}

double tally_mean(const struct tally *tally)
{
	return tally->items > 0 ? tally->sum / tally->items : 0;
}

void run_report(const struct run *run, const struct fit_event *event)
{
	const struct fit_observer *observer = &run->fit->observer;

	if (observer->event)
		observer->event(observer->context, event);
}

void run_begin_phase(struct run *run, enum loopmem_stage stage, int32_t epoch)
{
	loopmem_phase_begin(stage, epoch, NULL);
	run->phases++;
	run_report(run, &(struct fit_event){FIT_PHASE_BEGIN, .stage = stage, .epoch = epoch});
}

void run_end_phase(struct run *run, enum loopmem_stage stage, int32_t epoch)
{
	loopmem_phase_end();
	run->phases--;
	run_report(run, &(struct fit_event){FIT_PHASE_END, .stage = stage, .epoch = epoch});
}

static void report_slot(const struct run *run, const struct slot *slot, enum fit_event_kind kind)
{
	run_report(run, &(struct fit_event){.kind = kind,
					    .stage = slot->stage,
					    .epoch = slot->epoch,
					    .loader = slot->loader});
}

void run_drop(struct run *run, struct slot *slot)
{
	if (!slot->iterator)
		return;
	iterator_close(slot->iterator);
	slot->iterator = NULL;
	report_slot(run, slot, FIT_ITERATOR_DROPPED);
}

static int build(struct run *run, struct slot *slot, const struct pass *pass, struct failure *f)
{
	int error = loader_iterate(&slot->iterator, pass->loader, pass->stage, pass->epoch, f);

	if (error)
		return error;
	slot->stage = pass->stage;
	slot->epoch = pass->epoch;
	slot->loader = pass->index;
	if (pass->batches < loader_length(pass->loader))
		iterator_expect(slot->iterator, pass->batches);
	report_slot(run, slot, FIT_ITERATOR_BUILT);
	return 0;
}

int run_replace(struct run *run, struct slot *slot, const struct pass *pass, struct failure *f)
{
	struct slot next = {0};
	int error;

	if (!(run->fit->config.habits & FIT_BUILD_BEFORE_DROP))
		run_drop(run, slot);
	error = build(run, &next, pass, f);
	run_drop(run, slot);
	*slot = next;
	return error;
}

void run_finish(struct run *run)
{
	run_drop(run, &run->train);
	run_drop(run, &run->evaluation);
	loader_close(run->train_loader);
	for (unsigned i = 0; run->val_loaders && i < run->fit->data.val_loaders; i++)
		loader_close(run->val_loaders[i]);
	free(run->val_loaders);
	run->train_loader = NULL;
	run->val_loaders = NULL;
	for (; run->phases; run->phases--)
		loopmem_phase_end();
}
