/*
 * html_series.h: the columns of the page's stacked chart, and the memory of every process, at the moments that the page shows. Pools that do not
 * live at the same time share a lane of their stage, so that a run of a thousand epochs has no more columns than one of two.
 */
#ifndef PROFILER_VIEW_HTML_SERIES_H
#define PROFILER_VIEW_HTML_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/array.h"
#include "profiler/model/model.h"
#include "profiler/view/timeline.h"

enum { HTML_LANES = 8 }; /* later pools share the last lane of their stage */

/* In the order in which they lie on each other, the uppermost first. */
enum html_kind { HTML_IDLE, HTML_PARKED, HTML_DELIVERING, HTML_OWNER, HTML_KINDS };

struct html_column {
	enum html_kind kind;
	int lane; /* -1 = the owners */
	enum model_stage stage;
	int64_t *bytes; /* one per row */
};

struct html_process_row {
	int64_t proportional, private_bytes;
};

struct html_process {
	size_t first;                        /* row in which it is alive */
	ARRAY(struct html_process_row) rows; /* from there on, while it is alive */
};

struct html_series {
	struct timeline rows;
	struct model_round *rounds; /* one per row */
	int64_t *
		batch_bytes; /* finished batches of all pools that wait in shared memory, one per row */
	struct html_column *columns;
	size_t column_count;
	int *lanes; /* of the pools */
	struct html_process *processes;
};

/* At most `limit` rows. 0, or -1 when out of memory; the caller releases it in both cases. */
int html_series_make(struct html_series *s, const struct model *m, size_t limit);
void html_series_release(struct html_series *s, const struct model *m);

/* "idle", "parked", "delivering", "owner". */
const char *html_kind_name(enum html_kind kind);

#endif
