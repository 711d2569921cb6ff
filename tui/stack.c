/* The layers of the chart; see stack.h. */
#include "tui/stack.h"

#include <stdlib.h>
#include <string.h>

#include "tui/glyphs.h"

#define SECOND INT64_C(1000000000)

const char *stack_measure_name(enum stack_measure measure)
{
	static const char *const names[MEASURES] = {"memory", "private", "heap", "unshared", "shm"};

	return names[measure];
}

static void add(struct stack_column *column, int64_t bytes, wchar_t glyph, enum role role,
		unsigned over)
{
	struct stack_layer *layer;

	if (bytes <= 0)
		return;
	if (column->count == STACK_LAYERS) { /* what has no layer of its own joins the last one */
		column->layers[STACK_LAYERS - 1].bytes += bytes;
		return;
	}
	layer = &column->layers[column->count++];
	*layer = (struct stack_layer){bytes, glyph, (unsigned char)role, (unsigned char)over};
}

static int64_t of_pool(const struct model_pool_moment *pool, enum stack_measure measure)
{
	switch (measure) {
	case MEASURE_PRIVATE:
		return pool->private_bytes;
	case MEASURE_HEAP:
		return pool->live_heap;
	case MEASURE_UNSHARED:
		return pool->unshared;
	case MEASURE_SHM:
		return pool->shm;
	default:
		return pool->memory;
	}
}

static int64_t of_process(const struct model_process_moment *process, enum stack_measure measure)
{
	switch (measure) {
	case MEASURE_PRIVATE:
		return process->private_bytes;
	case MEASURE_HEAP:
		return process->live_heap;
	case MEASURE_UNSHARED:
		return process->unshared;
	case MEASURE_SHM:
		return 0;
	default:
		return process->proportional;
	}
}

static int of_owner(const struct model *m, size_t pool, int owner)
{
	return owner < 0 || m->pools[pool].owner == owner;
}

static int64_t known(int64_t bytes)
{
	return bytes > 0 ? bytes : 0;
}

/* Everything that belongs to no pool. As memory it is the rest of the total, so that the stack adds up. */
static int64_t outside_pools(const struct model *m, const struct model_moment *moment,
			     enum stack_measure measure, int owner)
{
	int64_t bytes = measure == MEASURE_MEMORY && owner < 0 ? moment->round.total_bytes : 0;

	if (measure == MEASURE_MEMORY && owner < 0) {
		for (size_t i = 0; i < m->pool_count; i++)
			bytes -= known(moment->pools[i].memory);
		return known(bytes);
	}
	for (size_t i = 0; i < m->process_count; i++)
		if (moment->processes[i].alive && m->processes[i].role != MODEL_ROLE_WORKER &&
		    (owner < 0 || (int)i == owner))
			bytes += known(of_process(&moment->processes[i], measure));
	return bytes;
}

/* From the bottom: owner, delivering, parked, held idle; within a layer by birth. */
static void stack_pools(const struct model *m, const struct model_moment *moment,
			enum stack_measure measure, int owner, struct stack_column *out)
{
	static const struct {
		enum model_state from, to;
		wchar_t glyph;
		unsigned over;
	} layers[] = {
		{MODEL_STARTING, MODEL_DELIVERING, GLYPH_DELIVERING, OVER_NONE},
		{MODEL_PARKED, MODEL_PARKED, GLYPH_PARKED, OVER_NONE},
		{MODEL_EXHAUSTED, MODEL_EXHAUSTED, GLYPH_IDLE, OVER_IDLE},
	};

	add(out, outside_pools(m, moment, measure, owner), GLYPH_OWNER, ROLE_OWNER_FILL, OVER_NONE);
	for (size_t k = 0; k < sizeof(layers) / sizeof(layers[0]); k++) {
		out->first_idle = out->count;
		for (size_t i = 0; i < m->pool_count; i++) {
			const struct model_pool_moment *pool = &moment->pools[i];

			if (pool->state >= layers[k].from && pool->state <= layers[k].to &&
			    of_owner(m, i, owner))
				add(out, of_pool(pool, measure), layers[k].glyph,
				    role_of_stage_fill(m->pools[i].stage), layers[k].over);
		}
	}
}

static void stack_kinds(const struct model_moment *moment, struct stack_column *out)
{
	const struct model_composition *c = &moment->composition;

	add(out, c->live_heap, GLYPH_OWNER, ROLE_TRAIN_FILL, OVER_NONE);
	add(out, c->unshared, GLYPH_DELIVERING, ROLE_VALIDATE_FILL, OVER_NONE);
	add(out, c->allocator, GLYPH_PARKED, ROLE_PREDICT_FILL, OVER_NONE);
	add(out, c->shm, L's', ROLE_SANITY_FILL, OVER_NONE);
	add(out, c->files, L'f', ROLE_TEST_FILL, OVER_NONE);
	add(out, c->other, GLYPH_FREE, ROLE_OTHER_FILL, OVER_NONE);
	out->first_idle = out->count;
}

/* A worker is drawn as the last digit of its number. */
static void stack_workers(const struct model *m, const struct model_moment *moment,
			  enum stack_measure measure, int owner, struct stack_column *out)
{
	int64_t rest = measure == MEASURE_MEMORY && owner < 0
			       ? moment->round.total_bytes
			       : outside_pools(m, moment, measure, owner);
	struct stack_column workers = {.count = 0};

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *process = &m->processes[i];
		int64_t bytes = known(of_process(&moment->processes[i], measure));

		if (!moment->processes[i].alive || process->role != MODEL_ROLE_WORKER ||
		    process->pool < 0)
			continue;
		if (!of_owner(m, (size_t)process->pool, owner))
			continue;
		add(&workers, bytes,
		    L'0' + (wchar_t)(process->worker_id > 0 ? process->worker_id % 10 : 0),
		    role_of_stage_fill(m->pools[process->pool].stage),
		    moment->pools[process->pool].state == MODEL_EXHAUSTED ? OVER_IDLE : OVER_NONE);
		if (measure == MEASURE_MEMORY && owner < 0)
			rest -= bytes;
	}
	add(out, rest, GLYPH_OWNER, ROLE_OWNER_FILL, OVER_NONE);
	for (int i = 0; i < workers.count; i++)
		add(out, workers.layers[i].bytes, workers.layers[i].glyph, workers.layers[i].role,
		    workers.layers[i].over);
	out->first_idle = out->count;
}

void stack_moment(const struct model *m, const struct model_moment *moment,
		  const struct stack_choice *choice, struct stack_column *out)
{
	out->t_ns = moment->round.t_ns;
	out->limit_bytes = moment->round.limit_bytes;
	out->count = out->first_idle = 0;
	if (choice->kind == STACK_KINDS)
		stack_kinds(moment, out);
	else if (choice->kind == STACK_WORKERS)
		stack_workers(m, moment, choice->measure, choice->owner, out);
	else
		stack_pools(m, moment, choice->measure, choice->owner, out);
}

/* Nothing was sampled where something should have been: model_reduce carries figures over what is no gap. */
static int is_gap(const struct model *m, const struct chart_span *span, int column,
		  const struct model_round *reduced)
{
	int64_t start_ns = chart_column_ns(span, column);

	return reduced->t_ns == MODEL_NONE && m->round_count && start_ns > m->rounds[0].t_ns &&
	       start_ns < m->rounds[m->round_count - 1].t_ns;
}

static int same_request(const struct stack *stack, const struct chart_span *span,
			const struct stack_choice *choice)
{
	return stack->count == span->columns && stack->choice.kind == choice->kind &&
	       stack->choice.measure == choice->measure && stack->choice.owner == choice->owner;
}

static int make_room(struct stack *stack, int count)
{
	struct stack_column *columns =
		reallocarray(stack->columns, (size_t)count, sizeof(*columns));

	if (!columns)
		return -1;
	stack->columns = columns;
	stack->count = count;
	return 0;
}

static void fill_column(struct stack_column *column, const struct model *m,
			const struct stack *stack, int64_t t_ns)
{
	struct model_moment moment;

	column->t_ns = MODEL_NONE;
	column->count = column->first_idle = 0;
	column->limit_bytes = MODEL_NONE;
	if (t_ns == MODEL_NONE || model_at(m, t_ns, &moment))
		return;
	stack_moment(m, &moment, &stack->choice, column);
	column->t_ns = t_ns;
	model_moment_release(&moment);
}

int stack_update(struct stack *stack, const struct model *m, const struct chart_span *span,
		 const struct stack_choice *choice)
{
	struct model_round *rounds = calloc((size_t)span->columns, sizeof(*rounds));
	int keep = same_request(stack, span, choice);

	if (!rounds || (!keep && make_room(stack, span->columns))) {
		free(rounds);
		return -1;
	}
	stack->choice = *choice;
	model_reduce(m, span->start_ns, span->end_ns, (size_t)span->columns, rounds);
	for (int i = 0; i < span->columns; i++) {
		struct stack_column *column = &stack->columns[i];
		int64_t t_ns = rounds[i].t_ns;

		/* the newest samples may still be corrected */
		if (!keep || column->t_ns != t_ns || t_ns == MODEL_NONE ||
		    t_ns + 2 * SECOND > m->last_ns)
			fill_column(column, m, stack, t_ns);
		column->gap = is_gap(m, span, i, &rounds[i]);
	}
	stack->span = *span;
	free(rounds);
	return 0;
}

void stack_release(struct stack *stack)
{
	free(stack->columns);
	memset(stack, 0, sizeof(*stack));
}
