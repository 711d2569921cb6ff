/* Growing arrays: doubling, zeroed items, search by the time that begins each item. */
#include "profiler/array.h"

#include <stdlib.h>
#include <string.h>

/* `items` points to a pointer of another type: it is read and written as bytes. */
static char *load(const void *items)
{
	char *p;

	memcpy(&p, items, sizeof(p));
	return p;
}

static int grow(void *items, size_t *capacity, size_t item_bytes)
{
	size_t larger = *capacity ? *capacity * 2 : 16;
	char *p = reallocarray(load(items), larger, item_bytes);

	if (!p)
		return -1;
	memcpy(items, &p, sizeof(p));
	*capacity = larger;
	return 0;
}

void *array_add_item(void *items, size_t *count, size_t *capacity, size_t item_bytes)
{
	if (*count == *capacity && grow(items, capacity, item_bytes) < 0)
		return NULL;
	return memset(load(items) + (*count)++ * item_bytes, 0, item_bytes);
}

static int64_t time_of(const char *item)
{
	int64_t t;

	memcpy(&t, item, sizeof(t));
	return t;
}

size_t array_count_until(const void *items, size_t count, size_t item_bytes, int64_t t_ns)
{
	const char *p = items;
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (time_of(p + middle * item_bytes) <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *array_time_item(void *items, size_t *count, size_t *capacity, size_t item_bytes, int64_t t_ns,
		      int *is_new)
{
	char *p = load(items);
	size_t at = *count;

	/* rows nearly always come in order: look at the end first */
	if (at && time_of(p + (at - 1) * item_bytes) > t_ns)
		at = array_count_until(p, *count, item_bytes, t_ns);
	*is_new = !(at && time_of(p + (at - 1) * item_bytes) == t_ns);
	if (!*is_new)
		return p + (at - 1) * item_bytes;
	if (!array_add_item(items, count, capacity, item_bytes))
		return NULL;
	p = load(items) + at * item_bytes;
	memmove(p + item_bytes, p, (*count - 1 - at) * item_bytes);
	memset(p, 0, item_bytes);
	memcpy(p, &t_ns, sizeof(t_ns));
	return p;
}

void array_free(void *items, size_t *count, size_t *capacity)
{
	char *none = NULL;

	free(load(items));
	memcpy(items, &none, sizeof(none));
	*count = *capacity = 0;
}
