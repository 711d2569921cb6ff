/* Numbers for lines of code: see the header. */
#include "profiler/view/line_ids.h"

#include <stdlib.h>

struct order {
	const struct model *m;
	int by_function;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	int x = *(const int *)a, y = *(const int *)b;
	int by_text = model_line_compare(order->m, x, y, order->by_function);

	return by_text ? by_text : x - y;
}

int line_ids_init(struct line_ids *ids, const struct model *m, int by_function)
{
	struct order order = {m, by_function};
	int *sorted = malloc((m->line_count + 1) * sizeof(*sorted));

	*ids = (struct line_ids){0};
	ids->first = malloc((m->line_count + 1) * sizeof(*ids->first));
	ids->number = malloc((m->line_count + 1) * sizeof(*ids->number));
	if (!sorted || !ids->first || !ids->number) {
		free(sorted);
		line_ids_release(ids);
		return -1;
	}
	for (size_t i = 0; i < m->line_count; i++) {
		sorted[i] = (int)i;
		ids->number[i] = -1;
	}
	qsort_r(sorted, m->line_count, sizeof(*sorted), compare, &order);
	for (size_t i = 0, head = 0; i < m->line_count; i++) {
		if (model_line_compare(m, sorted[head], sorted[i], by_function))
			head = i;
		ids->first[sorted[i]] = sorted[head];
	}
	free(sorted);
	return 0;
}

void line_ids_release(struct line_ids *ids)
{
	free(ids->first);
	free(ids->number);
	*ids = (struct line_ids){0};
}

int line_ids_of(struct line_ids *ids, int line, int *is_new)
{
	int *number = &ids->number[ids->first[line]];

	*is_new = *number < 0;
	if (*is_new)
		*number = ids->count++;
	return *number;
}
