/* Sets of numbers: see the header. */
#include "profiler/collect/id_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"

static size_t place_of(const struct id_set *s, uint64_t id)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->items[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int id_set_has(const struct id_set *s, uint64_t id)
{
	size_t at = place_of(s, id);

	return at < s->count && s->items[at] == id;
}

int id_set_add(struct id_set *s, uint64_t id)
{
	size_t at = place_of(s, id);

	if (at < s->count && s->items[at] == id)
		return 0;
	if (!array_add(s))
		return -ENOMEM;
	memmove(&s->items[at + 1], &s->items[at], (s->count - 1 - at) * sizeof(*s->items));
	s->items[at] = id;
	return 1;
}

size_t id_set_shared(const struct id_set *a, const struct id_set *b)
{
	size_t shared = 0;

	for (size_t i = 0; i < a->count; i++)
		shared += (size_t)id_set_has(b, a->items[i]);
	return shared;
}

void id_set_release(struct id_set *s)
{
	free(s->items);
	*s = (struct id_set){0};
}
