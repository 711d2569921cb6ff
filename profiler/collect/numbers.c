/* Keys to numbers, in libc's balanced tree: see the header. */
#include "profiler/collect/numbers.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct numbered {
	int32_t number;
	size_t bytes;
	const void *key; /* behind the entry, but in one that is only looked for */
};

static int compare(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return memcmp(x->key, y->key, x->bytes);
}

static struct numbered *new_entry(const void *key, size_t bytes)
{
	struct numbered *entry = malloc(sizeof(*entry) + bytes);

	if (!entry)
		return NULL;
	entry->bytes = bytes;
	entry->key = memcpy(entry + 1, key, bytes);
	return entry;
}

int32_t numbers_get(struct numbers *n, const void *key, size_t bytes, int *is_new)
{
	struct numbered wanted = {.bytes = bytes, .key = key}, *entry;
	struct numbered **found = tfind(&wanted, &n->root, compare);

	*is_new = 0;
	if (found)
		return (*found)->number;
	entry = n->count < n->most ? new_entry(key, bytes) : NULL;
	if (!entry)
		return 0;
	if (!tsearch(entry, &n->root, compare)) {
		free(entry);
		return 0;
	}
	*is_new = 1;
	return entry->number = ++n->count;
}

void numbers_release(struct numbers *n)
{
	tdestroy(n->root, free);
	n->root = NULL;
	n->count = 0;
}
