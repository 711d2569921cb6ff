/* Records to rows: see the header. */
#include "profiler/collect/sites_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/collect/pools.h"

enum {
	/* of all processes together; what comes then is with the rest of its process */
	MOST_SITES = 1 << 15,
};

/* Room for row `number` of an array of rows; NULL when out of memory. */
static void *row_at(void *rows, int32_t *room, int32_t number, size_t size)
{
	void **array = rows;
	int32_t wanted = *room ? *room : 256;
	char *grown;

	if (number <= *room)
		return (char *)*array + (size_t)(number - 1) * size;
	while (wanted < number)
		wanted *= 2;
	grown = realloc(*array, (size_t)wanted * size);
	if (!grown)
		return NULL;
	memset(grown + (size_t)*room * size, 0, (size_t)(wanted - *room) * size);
	*array = grown;
	*room = wanted;
	return grown + (size_t)(number - 1) * size;
}

/* Module, build id: hexadecimal for the session. */
static void put_module(struct sites *s, int32_t number, const struct sites_module_row *row)
{
	char hex[2 * sizeof(row->build_id) + 1] = "";

	for (size_t i = 0; i < row->build_id_bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", row->build_id[i]);
	session_put_module(s->recorder->session,
			   &(struct session_module){number, row->path, hex[0] ? hex : NULL});
}

/* The key is path, 0, build id. */
static int32_t number_of_module(struct sites *s, const struct sites_module *m,
				struct sites_module_row **row, int *is_new)
{
	char key[4096 + 1 + 64];
	int32_t number;

	memcpy(key, m->path, m->path_bytes);
	key[m->path_bytes] = '\0';
	memcpy(key + m->path_bytes + 1, m->build_id, m->build_id_bytes);
	number = numbers_get(&s->modules, key, m->path_bytes + 1 + m->build_id_bytes, is_new);
	*row = number ? row_at(&s->module_rows, &s->module_room, number, sizeof(**row)) : NULL;
	return *row ? number : 0;
}

/* Modules of a process are handed out before the frames that refer to them and the same object is never loaded twice
 * at once under one name, so the bias of the process that is read is kept in the row. */
static int32_t take_module(void *arg, const struct sites_module *m)
{
	struct sites_reading *reading = arg;
	struct sites_module_row *row;
	int is_new;
	int32_t number = number_of_module(reading->s, m, &row, &is_new);

	if (!number)
		return 0;
	row->bias_now = m->bias;
	if (!is_new)
		return number;
	row->path = strndup(m->path, m->path_bytes);
	row->build_id_bytes = m->build_id_bytes;
	memcpy(row->build_id, m->build_id, m->build_id_bytes);
	if (row->path)
		put_module(reading->s, number, row);
	return number;
}

static int32_t take_native(void *arg, int32_t module, uint64_t address)
{
	struct sites_reading *reading = arg;
	struct sites *s = reading->s;
	struct {
		uint64_t address;
		int64_t module;
	} key = {address - (module ? s->module_rows[module - 1].bias_now : 0), module};
	struct sites_frame_row *row;
	int is_new;
	int32_t number = numbers_get(&s->frames, &key, sizeof(key), &is_new);

	row = number ? row_at(&s->frame_rows, &s->frame_room, number, sizeof(*row)) : NULL;
	if (!row || !is_new)
		return row ? number : 0;
	*row = (struct sites_frame_row){module, key.address};
	session_put_frame(s->recorder->session,
			  &(struct session_frame){number, module ? module : SESSION_NULL,
						  (int64_t)key.address, 1});
	return number;
}

void sites_rows_symbol(struct sites *s, int32_t frame, int depth, const struct sites_symbol *symbol)
{
	session_put_symbol(s->recorder->session,
			   &(struct session_symbol){frame, depth, symbol->function, symbol->file,
						    symbol->line > 0 ? symbol->line
								     : SESSION_NULL});
}

static int32_t take_python(void *arg, const char *function, const char *file, int line)
{
	struct sites_reading *reading = arg;
	struct sites *s = reading->s;
	char key[2 * LOOPMEM_SITES_TEXT + 32];
	struct sites_frame_row *row;
	int is_new, bytes = snprintf(key, sizeof(key), "%s\n%s\n%d", function, file, line);
	int32_t number = numbers_get(&s->frames, key, (size_t)bytes, &is_new);

	row = number ? row_at(&s->frame_rows, &s->frame_room, number, sizeof(*row)) : NULL;
	if (!row || !is_new)
		return row ? number : 0;
	session_put_frame(s->recorder->session,
			  &(struct session_frame){number, SESSION_NULL, SESSION_NULL, 0});
	sites_rows_symbol(s, number, 0,
			  &(struct sites_symbol){*function ? function : NULL, *file ? file : NULL,
						 line});
	return number;
}

static int32_t take_node(void *arg, int32_t parent, int32_t frame)
{
	struct sites_reading *reading = arg;
	int32_t key[2] = {parent, frame}, number;
	int is_new;

	number = numbers_get(&reading->s->stacks, key, sizeof(key), &is_new);
	if (is_new)
		session_put_stack(reading->s->recorder->session,
				  &(struct session_stack){number, parent ? parent : SESSION_NULL,
							  frame});
	return number;
}

static int64_t blocks_of(uint64_t counted)
{
	return (int64_t)((counted + LOOPMEM_SITES_BLOCK / 2) / LOOPMEM_SITES_BLOCK);
}

static int64_t live_of(uint64_t alloc, uint64_t freed)
{
	return alloc > freed ? (int64_t)(alloc - freed) : 0;
}

static void put_sample(const struct sites_reading *reading, int32_t number,
		       const struct sites_site *site)
{
	const struct loopmem_site_counts *c = &site->counts;
	struct session_site_sample *last = &reading->s->site_rows[number - 1];
	struct session_site_sample now = {
		.t_ns = reading->t_ns,
		.site = number,
		.live_bytes = live_of(c->alloc_bytes, c->free_bytes),
		.live_blocks = blocks_of((uint64_t)live_of(c->alloc_blocks, c->free_blocks)),
		.alloc_bytes = (int64_t)(c->alloc_bytes & INT64_MAX),
		.alloc_blocks = blocks_of(c->alloc_blocks),
		.edge_live_bytes = site->edge_live_bytes < 0 ? SESSION_NULL : site->edge_live_bytes,
	};

	if (last->site && last->live_bytes == now.live_bytes &&
	    last->alloc_bytes == now.alloc_bytes && last->edge_live_bytes == now.edge_live_bytes)
		return;
	*last = now;
	session_put_site_sample(reading->s->recorder->session, &now);
}

/* The number of one that is told for the first time; 0 = its stack is not known, or there are too many, or no memory. The
 * rest of a process always has one. */
static int32_t new_site(const struct sites_reading *reading, const struct sites_site *site)
{
	struct sites *s = reading->s;
	int32_t number = s->site_count + 1;

	if ((!site->is_rest && (!site->node || number > MOST_SITES)) ||
	    !row_at(&s->site_rows, &s->site_room, number, sizeof(*s->site_rows)))
		return 0;
	s->site_count = number;
	session_put_site(s->recorder->session,
			 &(struct session_site){
				 .id = number,
				 .process = reading->p->id,
				 .owner_pool = site->pool_id ? site->pool_id : SESSION_NULL,
				 .stack = site->node ? site->node : SESSION_NULL,
				 .mapped = site->mapped,
				 .stage = site->stage ? pools_stage_name(site->stage - 1) : NULL,
			 });
	return number;
}

static void add_site(struct sites_site *to, const struct sites_site *site)
{
	to->counts.alloc_bytes += site->counts.alloc_bytes;
	to->counts.alloc_blocks += site->counts.alloc_blocks;
	to->counts.free_bytes += site->counts.free_bytes;
	to->counts.free_blocks += site->counts.free_blocks;
	if (site->edge_live_bytes > 0)
		to->edge_live_bytes += site->edge_live_bytes;
}

static int32_t take_site(void *arg, const struct sites_site *given)
{
	struct sites_reading *reading = arg;
	struct sites_site site = *given;
	int32_t number = site.number;

	if (site.is_rest)
		add_site(&site, &reading->rest);
	if (!site.counts.alloc_bytes)
		return number;
	if (!number)
		number = new_site(reading, &site);
	if (number)
		put_sample(reading, number, &site);
	else
		add_site(&reading->rest, &site);
	return number;
}

struct sites_events sites_rows_events(struct sites_reading *reading)
{
	return (struct sites_events){take_module, take_native, take_python,
				     take_node,   take_site,   reading};
}
