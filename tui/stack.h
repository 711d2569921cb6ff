/*
 * stack.h: what the chart stacks in each of its columns: the layers of one instant, from the bottom. It draws nothing.
 * A column shows the sample with the highest total in it, all layers from that one instant: the peak survives every zoom
 * and the layers add up.
 */
#ifndef TUI_STACK_H
#define TUI_STACK_H

#include <wchar.h>

#include "profiler/model/model.h"
#include "profiler/view/chart_scale.h"
#include "tui/roles.h"

enum stack_kind { STACK_POOLS, STACK_KINDS, STACK_WORKERS, STACK_KIND_COUNT };
enum stack_measure {
	MEASURE_MEMORY,
	MEASURE_PRIVATE,
	MEASURE_HEAP,
	MEASURE_UNSHARED,
	MEASURE_SHM,
	MEASURES
};

/* What a person chose to see. */
struct stack_choice {
	enum stack_kind kind;
	enum stack_measure measure;
	int owner; /* process index, -1 = all */
};

enum { STACK_LAYERS = 40 };

struct stack_layer {
	int64_t bytes;
	wchar_t glyph;
	unsigned char role, over;
};

struct stack_column {
	int64_t t_ns; /* of the sample; MODEL_NONE = none */
	int gap;      /* nothing was sampled here, and it should have been */
	int64_t limit_bytes;
	int count, first_idle; /* layers; from first_idle on they are held idle */
	struct stack_layer layers[STACK_LAYERS];
};

struct stack {
	struct stack_column *columns;
	int count;
	struct stack_choice choice; /* what the columns were made for */
	struct chart_span span;
};

/* Fills stack->columns for `span`; columns whose sample is the same as last time are kept. 0, or -1 when out of memory. */
int stack_update(struct stack *stack, const struct model *m, const struct chart_span *span,
		 const struct stack_choice *choice);
void stack_release(struct stack *stack);

/* The layers of a moment that was read already (the bar of the header). */
void stack_moment(const struct model *m, const struct model_moment *moment,
		  const struct stack_choice *choice, struct stack_column *out);

const char *stack_measure_name(enum stack_measure measure); /* "memory" */

#endif
