/*
 * site_table.h: this process's file of sites (sites.h): records are found again or appended.
 *
 * References are offsets into the file, 0 = there is none (the file is full or cannot be made). Functions marked
 * LOCK_SITES are called with that lock held; the counters are updated without one. Nothing here allocates.
 */
#ifndef INJECT_SITE_TABLE_H
#define INJECT_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/sites.h"

/* Makes the file if that was not tried yet. False when there is none. LOCK_SITES. */
bool site_table_open(void);

/* LOCK_SITES. Strings are cut to LOOPMEM_SITES_TEXT. */
uint32_t site_table_module(const struct loopmem_record_module *head, const char *path,
			   const uint8_t *build_id);
uint32_t site_table_python(const char *function, size_t function_bytes, const char *file,
			   size_t file_bytes, int line);
uint32_t site_table_native(uint32_t module, uint64_t address);
uint32_t site_table_node(uint32_t parent, uint32_t frame);

/* LOCK_SITES. Whether a node is that of a frame: the record of Python, or where that is 0 an address in a module. If so the
 * node becomes its parent. */
bool site_table_climb(uint32_t *node, uint32_t python, uint32_t module, uint64_t address);

/* LOCK_SITES. */
uint32_t site_table_site(const struct loopmem_record_site *site); /* its first four fields */

/* The counters of a site; those of `other` for 0. NULL without a file. Valid until the next fork. */
struct loopmem_site_counts *site_table_counts(uint32_t site);
static inline void site_count(uint64_t *counter, uint64_t more)
{
	__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/* NULL before the first sample and where the file cannot be made. */
struct loopmem_sites *site_table_header(void);

/* How many edges there were between phases, by one thread at a time. */
void site_table_edges(uint32_t count);

/* What the file says of Python stacks, also when it is made later. */
void site_table_python_state(enum loopmem_python_stacks state, const char *reason);

void site_table_python_objects(enum loopmem_python_objects objects);

/* In the child of a fork: its file is made anew. References of the parent are worthless from here on. */
void site_table_forked(void);

#endif
