/*
 * region_table.c: a sorted array. The kernel places mappings next to each other and neighbours join,
 * so the array stays short and moving its tail is cheap beside the system call that was made.
 */
#include "inject/region_table.h"

#include <string.h>

enum { KIND_BITS = 3 }; /* of the low bits, zero in any page address */

static uint64_t end_of(const struct region *row)
{
	return row->end_and_kind & ~(uint64_t)KIND_BITS;
}

static enum loopmem_region_kind kind_of(const struct region *row)
{
	return row->end_and_kind & KIND_BITS;
}

static struct region make(uint64_t start, uint64_t end, enum loopmem_region_kind kind)
{
	return (struct region){start, end | kind};
}

/* The first row that ends behind the address; count when there is none. */
static uint32_t first_behind(const struct region_table *table, uint64_t address)
{
	uint32_t low = 0, high = table->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (end_of(&table->rows[middle]) > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void remove_rows(struct region_table *table, uint32_t at, uint32_t n)
{
	memmove(&table->rows[at], &table->rows[at + n],
		(table->count - at - n) * sizeof(struct region));
	table->count -= n;
}

static bool insert_row(struct region_table *table, uint32_t at, struct region row)
{
	if (table->count == REGIONS)
		return false;
	memmove(&table->rows[at + 1], &table->rows[at],
		(table->count - at) * sizeof(struct region));
	table->rows[at] = row;
	table->count++;
	return true;
}

bool region_table_add(struct region_table *table, uint64_t start, uint64_t end,
		      enum loopmem_region_kind kind)
{
	uint32_t at = first_behind(table, start);
	struct region *before = at > 0 ? &table->rows[at - 1] : NULL;
	struct region *behind = at < table->count ? &table->rows[at] : NULL;
	bool joins_before = before && before->end_and_kind == (start | kind);
	bool joins_behind = behind && behind->start == end && kind_of(behind) == kind;

	if (joins_before && joins_behind) {
		before->end_and_kind = behind->end_and_kind;
		remove_rows(table, at, 1);
	} else if (joins_before) {
		before->end_and_kind = end | kind;
	} else if (joins_behind) {
		behind->start = start;
	} else {
		return insert_row(table, at, make(start, end, kind));
	}
	return true;
}

/* Takes [start, end) out of the row at `at`, of which a part in front may stay and a part behind. */
static bool split(struct region_table *table, uint32_t at, uint64_t start, uint64_t end,
		  uint64_t bytes[LOOPMEM_REGION_KINDS])
{
	struct region *row = &table->rows[at], whole = *row;
	enum loopmem_region_kind kind = kind_of(row);

	*row = make(whole.start, start, kind);
	bytes[kind] += end - start;
	if (end == end_of(&whole))
		return true;
	if (insert_row(table, at + 1, make(end, end_of(&whole), kind)))
		return true;
	bytes[kind] += end_of(&whole) - end;
	return false;
}

bool region_table_cut(struct region_table *table, uint64_t start, uint64_t end,
		      uint64_t bytes[LOOPMEM_REGION_KINDS])
{
	uint32_t at = first_behind(table, start), n = 0;
	bool whole = true;

	if (at < table->count && table->rows[at].start < start) {
		uint64_t row_end = end_of(&table->rows[at]);
		whole = split(table, at, start, row_end < end ? row_end : end, bytes);
		at++;
	}
	while (at + n < table->count && end_of(&table->rows[at + n]) <= end) {
		const struct region *row = &table->rows[at + n++];
		bytes[kind_of(row)] += end_of(row) - row->start;
	}
	if (at + n < table->count && table->rows[at + n].start < end) {
		struct region *row = &table->rows[at + n];
		bytes[kind_of(row)] += end - row->start;
		row->start = end;
	}
	remove_rows(table, at, n);
	return whole;
}

void region_table_overlap(const struct region_table *table, uint64_t start, uint64_t end,
			  uint64_t bytes[LOOPMEM_REGION_KINDS])
{
	for (uint32_t i = first_behind(table, start);
	     i < table->count && table->rows[i].start < end; i++) {
		const struct region *row = &table->rows[i];
		uint64_t from = row->start > start ? row->start : start;
		uint64_t to = end_of(row) < end ? end_of(row) : end;
		bytes[kind_of(row)] += to - from;
	}
}

int region_table_kind(const struct region_table *table, uint64_t address)
{
	uint32_t at = first_behind(table, address);

	if (at == table->count || table->rows[at].start > address)
		return -1;
	return (int)kind_of(&table->rows[at]);
}
