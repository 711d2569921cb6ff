/* Call sites of the JSON report: the largest rows of `loopmem sites`, each with the stack of its largest site. */
#include <stdlib.h>

#include "profiler/view/json_parts.h"
#include "profiler/view/json_values.h"

enum { ROWS_MOST = 100, FRAMES_MOST = 200 };

static json_t *frame_json(const struct model_line *line)
{
	json_t *o = json_object();

	json_object_set_new(o, "function", json_text(line->function));
	json_object_set_new(o, "file", json_text(line->file));
	json_object_set_new(o, "line", line->line ? json_integer(line->line) : json_null());
	json_object_set_new(o, "module", json_text(line->module));
	json_object_set_new(o, "address", line->native ? json_integer(line->address) : json_null());
	return o;
}

/* The innermost first. */
static json_t *stack_json(const struct model *m, int stack)
{
	json_t *frames = json_array();

	for (; stack >= 0; stack = m->stacks[stack].parent)
		for (size_t i = 0; i < m->stacks[stack].line_count; i++)
			if (json_array_size(frames) < FRAMES_MOST)
				json_array_append_new(
					frames,
					frame_json(&m->lines[m->stacks[stack].first_line + i]));
	return frames;
}

static json_t *row_json(const struct model *m, const struct model_site_row *row)
{
	const struct model_line *line = row->line < 0 ? NULL : &m->lines[row->line];
	json_t *o = json_object();

	json_object_set_new(o, "pool",
			    row->pool < 0 ? json_null() : json_integer(m->pools[row->pool].number));
	json_object_set_new(o, "pid",
			    row->pool < 0 ? json_integer(m->processes[row->process].pid)
					  : json_null());
	json_object_set_new(o, "processes", json_integer((json_int_t)row->processes));
	json_object_set_new(o, "function", json_text(line ? line->function : NULL));
	json_object_set_new(o, "file", json_text(line ? line->file : NULL));
	json_object_set_new(o, "line", line && line->line ? json_integer(line->line) : json_null());
	json_object_set_new(o, "mapped", json_boolean(row->mapped));
	json_object_set_new(o, "live_bytes", json_integer(row->live_bytes));
	json_object_set_new(o, "live_blocks", json_integer(row->live_blocks));
	json_object_set_new(o, "alloc_bytes", json_integer(row->alloc_bytes));
	json_object_set_new(o, "alloc_blocks", json_integer(row->alloc_blocks));
	json_object_set_new(o, "stack", stack_json(m, m->sites[row->site].stack));
	return o;
}

json_t *json_sites(const struct model *m)
{
	const struct model_site_filter all = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1};
	struct model_site_row *rows;
	json_t *list;
	size_t count;

	if (model_sites_rank(m, &all, &rows, &count))
		return NULL;
	list = json_array();
	for (size_t i = 0; i < count && i < ROWS_MOST && rows[i].live_bytes > 0; i++)
		json_array_append_new(list, row_json(m, &rows[i]));
	free(rows);
	return list;
}
