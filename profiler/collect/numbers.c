/* Keys to numbers, by a hash table with open addressing: see the header. Nothing is ever taken out. */
#include "profiler/collect/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"

enum { FIRST_SLOTS = 1024 };

struct numbers_key {
	uint32_t hash;
	uint32_t bytes;
	void *data;
};

/* FNV-1a. Keys are code, not the choice of somebody who wants them to collide. */
static uint32_t hash_of(const void *key, size_t bytes)
{
	const uint8_t *p = key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash ^ hash >> 32);
}

static int is_key(const struct numbers_key *k, const struct numbers_key *wanted)
{
	return k->hash == wanted->hash && k->bytes == wanted->bytes &&
	       !memcmp(k->data, wanted->data, wanted->bytes);
}

/* The slot that has the key's number, or the empty one where it belongs. */
static int32_t *slot_of(const struct numbers *n, const struct numbers_key *wanted)
{
	size_t i = wanted->hash & (n->slot_count - 1);

	while (n->slots[i] && !is_key(&n->keys[n->slots[i] - 1], wanted))
		i = (i + 1) & (n->slot_count - 1);
	return &n->slots[i];
}

static int widen(struct numbers *n)
{
	size_t count = n->slot_count ? 2 * n->slot_count : FIRST_SLOTS;
	int32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	free(n->slots);
	n->slots = slots;
	n->slot_count = count;
	for (size_t i = 0; i < n->count; i++)
		*slot_of(n, &n->keys[i]) = (int32_t)i + 1;
	return 0;
}

/* Copies the key behind the others. 0 or -1. */
static int keep(struct numbers *n, const struct numbers_key *key)
{
	void *data = malloc(key->bytes);
	struct numbers_key *kept =
		data ? array_add_item(&n->keys, &n->count, &n->capacity, sizeof(*n->keys)) : NULL;

	if (!kept) {
		free(data);
		return -1;
	}
	*kept = *key;
	kept->data = memcpy(data, key->data, key->bytes);
	return 0;
}

int32_t numbers_get(struct numbers *n, const void *key, size_t bytes, int *is_new)
{
	const struct numbers_key wanted = {hash_of(key, bytes), (uint32_t)bytes, (void *)key};
	int32_t *slot;

	*is_new = 0;
	if (2 * n->count >= n->slot_count && widen(n))
		return 0;
	slot = slot_of(n, &wanted);
	if (*slot)
		return *slot;
	if (n->count >= (size_t)n->most || keep(n, &wanted))
		return 0;
	*is_new = 1;
	return *slot = (int32_t)n->count;
}

void numbers_release(struct numbers *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->keys[i].data);
	free(n->keys);
	free(n->slots);
	*n = (struct numbers){.most = n->most};
}
