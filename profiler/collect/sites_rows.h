/*
 * sites_rows.h: what the file of sites of one process says, as rows of the session: the other half of sites.h.
 *
 * Rows are given their numbers here, and what has been written is remembered here: equal code of all processes is
 * one row, written once.
 */
#ifndef PROFILER_COLLECT_SITES_ROWS_H
#define PROFILER_COLLECT_SITES_ROWS_H

#include "profiler/collect/sites.h"

struct sites_module_row {
	char *path;
	uint8_t build_id[64];
	size_t build_id_bytes;
	uint64_t bias_now; /* of the process that is being read */
};

struct sites_frame_row {
	int32_t module; /* 0 = a frame of Python, or of no module */
	uint64_t address;
};

/* The process whose file is being read. */
struct sites_reading {
	struct sites *s;
	struct process *p;
	int64_t t_ns;
	struct sites_site rest; /* the sum of those that no row is for */
};

/* For sites_read: writes what comes. `reading` is to outlive the reading. */
struct sites_events sites_rows_events(struct sites_reading *reading);

/* One name of a frame. */
void sites_rows_symbol(struct sites *s, int32_t frame, int depth,
		       const struct sites_symbol *symbol);

#endif
