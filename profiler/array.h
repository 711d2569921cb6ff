/*
 * array.h: arrays that grow. Items are plain structs; an array that is all zero bytes is empty. An array "by time" holds
 * items whose first member is their time, an int64_t, in ascending order, one per time.
 */
#ifndef PROFILER_ARRAY_H
#define PROFILER_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY(type)              \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/* A new zeroed item at the end; NULL when out of memory, the array is as it was. */
#define array_add(a)                                                                      \
	((__typeof__((a)->items))array_add_item(&(a)->items, &(a)->count, &(a)->capacity, \
						sizeof(*(a)->items)))

/* The item of an array by time for `t`: an existing one or a new zeroed one put in its place (*is_new). */
#define array_at_time(a, t, is_new)                                                        \
	((__typeof__((a)->items))array_time_item(&(a)->items, &(a)->count, &(a)->capacity, \
						 sizeof(*(a)->items), t, is_new))

/* How many items of an array by time are at or before `t`. */
#define array_until(a, t) array_count_until((a)->items, (a)->count, sizeof(*(a)->items), t)

#define array_release(a) array_free(&(a)->items, &(a)->count, &(a)->capacity)

/* Behind the macros. `items` is the address of the pointer to the items. */
void *array_add_item(void *items, size_t *count, size_t *capacity, size_t item_bytes);
void *array_time_item(void *items, size_t *count, size_t *capacity, size_t item_bytes, int64_t t_ns,
		      int *is_new);
size_t array_count_until(const void *items, size_t count, size_t item_bytes, int64_t t_ns);
void array_free(void *items, size_t *count, size_t *capacity);

#endif
