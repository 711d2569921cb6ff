/*
 * region_table.h: address ranges with a kind, sorted, never overlapping; neighbours of one kind are
 * one row. Plain data: the caller locks. Addresses are multiples of the page size.
 */
#ifndef INJECT_REGION_TABLE_H
#define INJECT_REGION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/segment.h"

enum { REGIONS = 16384 };

struct region {
	uint64_t start;
	uint64_t end_and_kind; /* the kind is in the low bits of the end */
};

struct region_table {
	uint32_t count;
	struct region rows[REGIONS];
};

/* Adds a range that overlaps none. False when the table is full. */
bool region_table_add(struct region_table *table, uint64_t start, uint64_t end,
		      enum loopmem_region_kind kind);

/* Removes what overlaps the range and adds its bytes to bytes[kind]. False when a row had to be split
 * and the table is full: then what lies behind the range is removed and counted too. */
bool region_table_cut(struct region_table *table, uint64_t start, uint64_t end,
		      uint64_t bytes[LOOPMEM_REGION_KINDS]);

/* Adds the bytes that overlap the range to bytes[kind]. */
void region_table_overlap(const struct region_table *table, uint64_t start, uint64_t end,
			  uint64_t bytes[LOOPMEM_REGION_KINDS]);

/* The kind at an address, or -1. */
int region_table_kind(const struct region_table *table, uint64_t address);

#endif
