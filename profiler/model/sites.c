/*
 * Call sites: lines, stacks and what each allocated over time. The tables are read here and not with the rest: no other figure
 * depends on them.
 *
 * Nothing of the file is trusted: ids are looked up, a stack refers only to stacks before it, so walks end.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

#define OVERLAP_NS INT64_C(2000000000) /* rows of one moment may be committed apart */

static int failed(struct site_tables *t)
{
	t->failed = 1;
	return -1;
}

/* The index of `id` in an array of items that begin with their id, ascending; -1 = none. */
static int find_id(const void *items, size_t count, size_t item_bytes, int64_t id)
{
	size_t low = 0, high = count;
	int64_t at;

	while (low < high) {
		size_t middle = (low + high) / 2;

		memcpy(&at, (const char *)items + middle * item_bytes, sizeof(at));
		if (at == id)
			return (int)middle;
		if (at < id)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}
#define FIND(array, id) find_id((array)->items, (array)->count, sizeof(*(array)->items), id)

static int64_t last_id(const void *items, size_t count, size_t item_bytes)
{
	int64_t id = 0;

	if (count)
		memcpy(&id, (const char *)items + (count - 1) * item_bytes, sizeof(id));
	return id;
}
#define LAST(array) last_id((array)->items, (array)->count, sizeof(*(array)->items))

/* -- reading --------------------------------------------------------------------------------- */

static int add_module(const struct session_module *row, void *arg)
{
	struct model *m = arg;
	struct site_tables *t = &m->priv->sites;
	struct site_module *module = array_add(&t->modules);

	if (!module)
		return failed(t);
	module->id = row->id;
	module->path = strings_keep(&m->priv->tables.strings, row->path);
	if (row->build_id)
		module->build_id = strings_keep(&m->priv->tables.strings, row->build_id);
	return 0;
}

static int add_frame(const struct session_frame *row, void *arg)
{
	struct model *m = arg;
	struct site_tables *t = &m->priv->sites;
	struct site_frame *frame = array_add(&t->frames);

	if (!frame)
		return failed(t);
	frame->id = row->id;
	frame->module = row->module;
	frame->address = row->address;
	frame->native = row->native != 0;
	return 0;
}

/* The line of a frame before anything is known of its code. */
static struct model_line line_of_frame(const struct site_tables *t, const struct site_frame *frame)
{
	int at = frame->module == SESSION_NULL ? -1 : FIND(&t->modules, frame->module);

	return (struct model_line){
		.module = at < 0 ? NULL : t->modules.items[at].path,
		.build_id = at < 0 ? NULL : t->modules.items[at].build_id,
		.address = frame->address,
		.native = frame->native,
	};
}

/* Rows come by frame and depth: the lines of a frame follow each other. */
static int add_symbol(const struct session_symbol *row, void *arg)
{
	struct model *m = arg;
	struct site_tables *t = &m->priv->sites;
	struct strings *strings = &m->priv->tables.strings;
	int at = FIND(&t->frames, row->frame);
	struct model_line *line;

	if (at < 0)
		return 0;
	if (!t->frames.items[at].line_count)
		t->frames.items[at].first_line = t->lines.count;
	line = array_add(&t->lines);
	if (!line)
		return failed(t);
	*line = line_of_frame(t, &t->frames.items[at]);
	line->function = strings_keep(strings, row->function);
	line->file = strings_keep(strings, row->file);
	line->line = row->line > 0 ? row->line : 0;
	t->frames.items[at].line_count++;
	return 0;
}

static int add_line(struct site_tables *t, struct site_frame *frame, const struct site_name *name)
{
	struct model_line *line = array_add(&t->lines);

	if (!line)
		return failed(t);
	*line = line_of_frame(t, frame);
	line->function = name ? name->function : NULL;
	line->file = name ? name->file : NULL;
	line->line = name && name->line > 0 ? name->line : 0;
	frame->line_count++;
	return 0;
}

/* The first of the learned names that is of this frame or a later one. */
static size_t first_name(const struct site_tables *t, int64_t frame)
{
	size_t low = 0, high = t->names.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->names.items[middle].frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Frames that the session does not name: by what was learned since; without a name they have one line all the same. */
static int add_nameless(struct site_tables *t)
{
	for (size_t i = 0; i < t->frames.count; i++) {
		struct site_frame *frame = &t->frames.items[i];

		if (frame->line_count)
			continue;
		frame->first_line = t->lines.count;
		for (size_t n = first_name(t, frame->id);
		     n < t->names.count && t->names.items[n].frame == frame->id; n++)
			if (add_line(t, frame, &t->names.items[n]))
				return -1;
		if (!frame->line_count && add_line(t, frame, NULL))
			return -1;
	}
	return 0;
}

static int add_stack(const struct session_stack *row, void *arg)
{
	struct site_tables *t = arg;
	int parent = row->parent == SESSION_NULL ? -1 : FIND(&t->stack_ids, row->parent);
	int frame = FIND(&t->frames, row->frame);
	struct model_stack *stack = array_add(&t->stacks);
	int64_t *id = array_add(&t->stack_ids);

	if (!stack || !id)
		return failed(t);
	*id = row->id;
	/* first_line holds the frame until the lines are known */
	*stack = (struct model_stack){.parent = parent, .first_line = (size_t)frame, .yours = -1};
	return 0;
}

static int add_site(const struct session_site *row, void *arg)
{
	struct site_tables *t = arg;
	struct model_site *site = array_add(&t->sites);
	struct site_store *store = array_add(&t->stores);
	struct session_site *kept = array_add(&t->rows);

	if (!site || !store || !kept)
		return failed(t);
	*kept = *row;
	kept->stage = NULL; /* it is the reader's */
	store->stage = row->stage ? (int)model_stage_named(row->stage) : -1;
	return 0;
}

static int64_t bounded(int64_t bytes)
{
	const int64_t most = INT64_C(1) << 50;

	return bytes < 0 ? 0 : bytes > most ? most : bytes;
}

static int add_point(const struct session_site_sample *row, void *arg)
{
	struct site_tables *t = arg;
	int at = FIND(&t->rows, row->site), is_new;
	struct site_point *point;

	if (at < 0 || row->t_ns < 0)
		return 0;
	point = array_at_time(&t->stores.items[at].points, row->t_ns, &is_new);
	if (!point)
		return failed(t);
	point->amount = (struct model_site_amount){
		bounded(row->live_bytes), bounded(row->live_blocks), bounded(row->alloc_bytes),
		bounded(row->alloc_blocks),
		row->edge_live_bytes == SESSION_NULL ? MODEL_NONE : bounded(row->edge_live_bytes)};
	if (row->t_ns > t->sample_ns)
		t->sample_ns = row->t_ns;
	return 0;
}

/* -- what they mean -------------------------------------------------------------------------- */

static int holds_any(const char *path, const char *const *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(path, places[i]))
			return 1;
	return 0;
}

/* "python3.11", "libpython3.11.so.1.0": what an interpreter of one's own making does is not one's own code either. */
static int is_interpreter(const char *module)
{
	const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;

	return !strncmp(name, "libpython", 9) ||
	       (!strncmp(name, "python", 6) && !name[6 + strspn(name + 6, "0123456789.")]);
}

static int is_library_module(const char *module)
{
	static const char *const places[] = {"-packages/", "/lib/python3"};

	return !strncmp(module, "/lib", 4) || !strncmp(module, "/usr/lib", 8) || module[0] != '/' ||
	       is_interpreter(module) ||
	       holds_any(module, places, sizeof(places) / sizeof(places[0]));
}

int model_line_is_library(const struct model_line *line)
{
	/* Rust names its standard library by the compiler's commit, or where rustup keeps it; crates lie in cargo's folders */
	static const char *const places[] = {
		"/site-packages/",   "/dist-packages/", "/lib/python3",          "<frozen ",
		"/usr/include/",     "/usr/lib/",       "/include/c++/",         "/rustc/",
		"/lib/rustlib/src/", "/registry/src/",  "/.cargo/git/checkouts/"};

	if (line->native && line->module && is_library_module(line->module))
		return 1;
	if (line->file && holds_any(line->file, places, sizeof(places) / sizeof(places[0])))
		return 1;
	return !line->module && !line->file;
}

/* The library's own steps, around the functions that it wraps, are no part of the program. */
static int is_shim(const struct model_line *line)
{
	static const char name[] = "/libloopmem.so";
	size_t length = line->native && line->module ? strlen(line->module) : 0;

	return length >= sizeof(name) - 1 &&
	       !strcmp(line->module + length - (sizeof(name) - 1), name);
}

/* How well a line answers the question which line it was. Python beside native code is what a person reads. */
static int rank_of(const struct model_line *line)
{
	if (model_line_is_library(line))
		return line->native ? line->function ? 1 : 0 : 2;
	return line->native ? 3 : 4;
}

static int line_of_best(const struct site_tables *t, const struct model_stack *stack, int inherited)
{
	int best = inherited;

	for (size_t i = stack->line_count; i-- > 0;) {
		int line = (int)(stack->first_line + i);

		if (best < 0 || rank_of(&t->lines.items[line]) >= rank_of(&t->lines.items[best]))
			best = line;
	}
	return best;
}

/* Parents come first, so each takes its parent's answer and looks whether its own frame is better. */
static void settle_stacks(struct site_tables *t)
{
	for (size_t i = 0; i < t->stacks.count; i++) {
		struct model_stack *stack = &t->stacks.items[i];
		int frame = (int)stack->first_line;
		int inherited = stack->parent < 0 ? -1 : t->stacks.items[stack->parent].yours;

		if (frame >= 0 && !is_shim(&t->lines.items[t->frames.items[frame].first_line])) {
			stack->first_line = t->frames.items[frame].first_line;
			stack->line_count = t->frames.items[frame].line_count;
		} else {
			stack->first_line = 0;
		}
		stack->yours = line_of_best(t, stack, inherited);
	}
}

static int pool_of(const struct model *m, int process, int64_t owner_pool)
{
	if (owner_pool == SESSION_NULL)
		return m->processes[process].role == MODEL_ROLE_WORKER ? m->processes[process].pool
								       : -1;
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].owner == process &&
		    m->priv->tables.pools.items[i].owner_pool == owner_pool)
			return (int)i;
	return -1;
}

/* A worker has no phases of its own: it is there for its pool. Those of a loader that it has for itself are told by that pool. */
static int stage_of(const struct model *m, const struct model_site *site, int own_stage)
{
	int has_own = own_stage >= 0 && !m->processes[site->process].has_loaders;

	if (!has_own && site->pool >= 0 && m->pools[site->pool].owner != site->process)
		return (int)m->pools[site->pool].stage;
	return own_stage;
}

static void settle_sites(struct model *m)
{
	struct site_tables *t = &m->priv->sites;

	for (size_t i = 0; i < t->sites.count; i++) {
		const struct session_site *row = &t->rows.items[i];
		struct model_site *site = &t->sites.items[i];

		site->process = tables_process(&m->priv->tables, row->process);
		site->pool = site->process < 0 ? -1 : pool_of(m, site->process, row->owner_pool);
		site->mapped = row->mapped != 0;
		site->stage = stage_of(m, site, t->stores.items[i].stage);
		site->stack = row->stack == SESSION_NULL ? -1 : FIND(&t->stack_ids, row->stack);
	}
}

/* The names of all frames anew: when frames came, and once more when the collector has named the native ones. */
static int read_code(struct model *m, struct session_reader *r)
{
	struct site_tables *t = &m->priv->sites;

	t->lines.count = 0;
	t->stacks.count = t->stack_ids.count = 0;
	for (size_t i = 0; i < t->frames.count; i++)
		t->frames.items[i].line_count = 0;
	if (session_each_symbol(r, add_symbol, m) || add_nameless(t) ||
	    session_each_stack(r, 0, add_stack, t))
		return -1;
	settle_stacks(t);
	return 0;
}

static void publish(struct model *m)
{
	struct site_tables *t = &m->priv->sites;

	settle_sites(m);
	m->lines = t->lines.items;
	m->line_count = t->lines.count;
	m->stacks = t->stacks.items;
	m->stack_count = t->stacks.count;
	m->sites = t->sites.items;
	m->site_count = t->sites.count;
}

int sites_name_again(struct model *m)
{
	if (read_code(m, m->priv->reader))
		return -1;
	publish(m);
	return 0;
}

int sites_build(struct model *m)
{
	struct site_tables *t = &m->priv->sites;
	struct session_reader *r = m->priv->reader;
	size_t frames = t->frames.count;
	int64_t since = t->sample_ns > OVERLAP_NS ? t->sample_ns - OVERLAP_NS : -1;
	int64_t stacks = t->stack_ids.count ? t->stack_ids.items[t->stack_ids.count - 1] : 0;

	if (session_each_module(r, LAST(&t->modules), add_module, m) ||
	    session_each_frame(r, LAST(&t->frames), add_frame, m))
		return -1;
	if ((t->frames.count != frames || t->named != m->complete || !stacks) && read_code(m, r))
		return -1;
	t->named = m->complete;
	if (session_each_site(r, LAST(&t->rows), add_site, t) ||
	    session_each_site_sample(r, since, add_point, t) || t->failed)
		return -1;
	publish(m);
	m->sample_bytes = session_int(r, "sample_bytes");
	m->sample_bytes_most = session_int(r, "sample_bytes_most");
	return 0;
}

void sites_drop(struct model *m)
{
	struct site_tables *t = &m->priv->sites;

	for (size_t i = 0; i < t->stores.count; i++)
		array_release(&t->stores.items[i].points);
	array_release(&t->lines);
	array_release(&t->stacks);
	array_release(&t->sites);
	array_release(&t->stores);
	array_release(&t->rows);
	array_release(&t->modules);
	array_release(&t->frames);
	array_release(&t->stack_ids);
	array_release(&t->names);
}

int64_t model_sites_read_from(const struct model *m)
{
	int64_t first = MODEL_NONE;

	for (size_t i = 0; i < m->site_count; i++) {
		const struct site_store *store = &m->priv->sites.stores.items[i];

		if (store->points.count &&
		    (first == MODEL_NONE || store->points.items[0].t_ns < first))
			first = store->points.items[0].t_ns;
	}
	return first;
}

struct model_site_amount model_site_at(const struct model *m, size_t site, int64_t t_ns)
{
	const struct site_store *store = &m->priv->sites.stores.items[site];
	size_t n = array_until(&store->points, t_ns);
	struct model_site_amount amount = {.edge_live_bytes = MODEL_NONE};
	int process = m->sites[site].process;

	if (n)
		amount = store->points.items[n - 1].amount;
	if (process >= 0 && m->processes[process].ended_ns != MODEL_NONE &&
	    m->processes[process].ended_ns < t_ns) /* its last reading is of its end */
		amount.live_bytes = amount.live_blocks = 0;
	return amount;
}
