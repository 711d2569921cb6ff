/* Collecting and printing figures. */
#include "reference/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const stage_names[] = {
	[LOOPMEM_STAGE_OTHER] = "other",   [LOOPMEM_STAGE_TRAIN] = "train",
	[LOOPMEM_STAGE_SANITY] = "sanity", [LOOPMEM_STAGE_VALIDATE] = "validate",
	[LOOPMEM_STAGE_TEST] = "test",     [LOOPMEM_STAGE_PREDICT] = "predict",
};

static const char *const habit_names[] = {
#define HABIT(name, option, meaning) option,
#include "reference/habits.def"
};

static int grow(struct result *result)
{
	size_t capacity = result->capacity ? 2 * result->capacity : 16;
	struct fit_event *figures = realloc(result->figures, capacity * sizeof(*figures));

	if (!figures)
		return -1;
	result->figures = figures;
	result->capacity = capacity;
	return 0;
}

void result_add(struct result *result, const struct fit_event *event)
{
	if (event->kind != FIT_RESULT)
		return;
	if (result->count == result->capacity && grow(result))
		result->incomplete = 1;
	else
		result->figures[result->count++] = *event;
}

static void print_figure(const struct fit_event *figure, FILE *out)
{
	char epoch[16] = "null", value[32] = "null"; /* a model can diverge */

	if (figure->epoch != LOOPMEM_UNKNOWN)
		snprintf(epoch, sizeof(epoch), "%" PRId32, figure->epoch);
	if (isfinite(figure->value))
		snprintf(value, sizeof(value), "%.6g", figure->value);
	fprintf(out,
		"{\"stage\": \"%s\", \"epoch\": %s, \"loader\": %u, \"batches\": %" PRIu32
		", \"value\": %s, \"hex\": \"%a\"}",
		stage_names[figure->stage], epoch, figure->loader, figure->batches, value,
		figure->value);
}

static void print_habits(unsigned habits, FILE *out)
{
	const char *separator = "";

	for (unsigned i = 0; i < FIT_HABITS; i++) {
		if (!(habits & (1u << i)))
			continue;
		fprintf(out, "%s\"%s\"", separator, habit_names[i]);
		separator = ", ";
	}
}

int result_print(const struct result *result, unsigned habits, uint64_t steps, double seconds,
		 FILE *out)
{
	if (result->incomplete) {
		errno = ENOMEM;
		return -1;
	}
	fputs("{\"habits\": [", out);
	print_habits(habits, out);
	fprintf(out, "], \"steps\": %" PRIu64 ", \"seconds\": %.3f, \"results\": [", steps,
		seconds);
	for (size_t i = 0; i < result->count; i++) {
		fputs(i ? ", " : "", out);
		print_figure(&result->figures[i], out);
	}
	fputs("]}\n", out);
	return fflush(out) || ferror(out) ? -1 : 0;
}

void result_release(struct result *result)
{
	free(result->figures);
	*result = (struct result){0};
}
