/* Call sites into the session: see the header. */
#include "profiler/collect/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/pools.h"

#define MS INT64_C(1000000)

enum {
	MOST_MODULES = 1 << 13,
	MOST_FRAMES = 1 << 17,
	MOST_STACKS = 1 << 18,
	MOST_SITES =
		1
		<< 15, /* of all processes together; what comes then is with the rest of its process */
};

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

struct sites_site_row {
	int64_t live_bytes, live_blocks, alloc_bytes, alloc_blocks,
		edge_live_bytes; /* as last written */
	int written;
};

static int64_t in_ns(struct timespec t)
{
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

void sites_init(struct sites *s, struct recorder *r)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*s = (struct sites){
		.recorder = r,
		.began_ns = in_ns(now),
		.modules.most = MOST_MODULES,
		.frames.most = MOST_FRAMES,
		.stacks.most = MOST_STACKS,
	};
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->modules.count; i++)
		free(s->module_rows[i].path);
	free(s->module_rows);
	free(s->frame_rows);
	free(s->site_rows);
	numbers_release(&s->modules);
	numbers_release(&s->frames);
	numbers_release(&s->stacks);
}

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

/* ---- records of a process to rows of the session ---- */

/* The process whose file is being read. */
struct reading {
	struct sites *s;
	struct process *p;
	int64_t t_ns;
	struct sites_site rest; /* the sum of those that no row is for */
};

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
	struct reading *reading = arg;
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
	struct reading *reading = arg;
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

static void put_symbol(struct sites *s, int32_t frame, int depth, const struct sites_symbol *symbol)
{
	session_put_symbol(s->recorder->session,
			   &(struct session_symbol){frame, depth, symbol->function, symbol->file,
						    symbol->line > 0 ? symbol->line
								     : SESSION_NULL});
}

static int32_t take_python(void *arg, const char *function, const char *file, int line)
{
	struct reading *reading = arg;
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
	put_symbol(s, number, 0,
		   &(struct sites_symbol){*function ? function : NULL, *file ? file : NULL, line});
	return number;
}

static int32_t take_node(void *arg, int32_t parent, int32_t frame)
{
	struct reading *reading = arg;
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

static void put_sample(struct reading *reading, int32_t number, struct sites_site_row *row,
		       const struct sites_site *site)
{
	const struct loopmem_site_counts *c = &site->counts;
	struct sites_site_row now = {
		.live_bytes = live_of(c->alloc_bytes, c->free_bytes),
		.live_blocks = blocks_of((uint64_t)live_of(c->alloc_blocks, c->free_blocks)),
		.alloc_bytes = (int64_t)(c->alloc_bytes & INT64_MAX),
		.alloc_blocks = blocks_of(c->alloc_blocks),
		.edge_live_bytes = site->edge_live_bytes < 0 ? SESSION_NULL : site->edge_live_bytes,
		.written = 1,
	};

	if (row->written && row->live_bytes == now.live_bytes &&
	    row->alloc_bytes == now.alloc_bytes && row->edge_live_bytes == now.edge_live_bytes)
		return;
	*row = now;
	session_put_site_sample(reading->s->recorder->session,
				&(struct session_site_sample){
					.t_ns = reading->t_ns,
					.site = number,
					.live_bytes = now.live_bytes,
					.live_blocks = now.live_blocks,
					.alloc_bytes = now.alloc_bytes,
					.alloc_blocks = now.alloc_blocks,
					.edge_live_bytes = now.edge_live_bytes,
				});
}

/* The number of one that is told for the first time; 0 = its stack is not known, or there are too many, or no memory. The
 * rest of a process always has one. */
static int32_t new_site(const struct reading *reading, const struct sites_site *site)
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
	struct reading *reading = arg;
	struct sites_site site = *given;
	int32_t number = site.number;

	if (site.is_rest)
		add_site(&site, &reading->rest);
	if (!site.counts.alloc_bytes)
		return number;
	if (!number)
		number = new_site(reading, &site);
	if (number)
		put_sample(reading, number, &reading->s->site_rows[number - 1], &site);
	else
		add_site(&reading->rest, &site);
	return number;
}

/* ---- readings ---- */

static void name_of_file(const struct process *p, char *name, size_t size)
{
	size_t stem = strlen(p->segment_name);

	if (stem > strlen(LOOPMEM_SEGMENT_SUFFIX))
		stem -= strlen(LOOPMEM_SEGMENT_SUFFIX);
	snprintf(name, size, "%.*s%s", (int)stem, p->segment_name, LOOPMEM_SITES_SUFFIX);
}

static int open_file(struct sites *s, const struct job *j, struct process *p)
{
	char name[sizeof(p->segment_name) + sizeof(LOOPMEM_SITES_SUFFIX)];
	int error;

	if (p->sites.map)
		return 1;
	if (!p->segment_name[0])
		return 0;
	name_of_file(p, name, sizeof(name));
	error = sites_open(&p->sites, j->segment_dir_fd, name);
	if (error == -EPROTO && !s->foreign_version++)
		recorder_note(s->recorder, "warning",
			      "call sites of another version of libloopmem.so are not read");
	return !error;
}

/* Once each: what of the wish to follow objects became. */
static void look_at_objects(struct sites *s, const struct loopmem_sites *head)
{
	static const char *const why_not[] = {
		[LOOPMEM_OBJECTS_TAKEN] =
			"another tool (tracemalloc?) had wrapped Python's allocators before",
		[LOOPMEM_OBJECTS_NO_STACKS] = "Python's frames cannot be read",
	};
	uint32_t objects = head->python_objects;

	if (objects == LOOPMEM_OBJECTS_FOLLOWED && !s->objects_told++)
		session_put_int(s->recorder->session, "python_objects", 1);
	if (objects < sizeof(why_not) / sizeof(why_not[0]) && why_not[objects])
		recorder_note(s->recorder, "warning", "objects of Python are not followed: %s",
			      why_not[objects]);
}

/* Once a process and state: why its stacks have no frames of Python. */
static void look_at_head(struct sites *s, struct process *p)
{
	struct loopmem_sites head;

	if (sites_head(&p->sites, &head))
		return;
	if (p->sites_objects != head.python_objects) {
		p->sites_objects = head.python_objects;
		look_at_objects(s, &head);
	}
	if (!s->mean_told++)
		session_put_int(s->recorder->session, "sample_bytes", (int64_t)head.mean_bytes);
	if (head.coarsest_bytes > s->coarsest_bytes) {
		s->coarsest_bytes = head.coarsest_bytes;
		session_put_int(s->recorder->session, "sample_bytes_most",
				(int64_t)head.coarsest_bytes);
	}
	if (p->sites_state == head.python_stacks)
		return;
	p->sites_state = head.python_stacks;
	if (head.python_stacks == LOOPMEM_STACKS_OFF)
		recorder_note(s->recorder, "warning", "no Python lines of call sites: %s",
			      head.python_reason);
}

static void read_process(struct sites *s, const struct job *j, struct process *p, int64_t t_ns)
{
	struct reading reading = {.s = s, .p = p, .t_ns = t_ns};
	const struct sites_events events = {take_module, take_native, take_python,
					    take_node,   take_site,   &reading};

	if (!open_file(s, j, p))
		return;
	if (sites_read(&p->sites, &events) == -EIO)
		recorder_note(s->recorder, "warning",
			      "the call sites of pid %d were cut short: they end before it does",
			      (int)p->pid);
	look_at_head(s, p);
}

/* At first often, for short runs; then every ten seconds. */
static int64_t period_ns(int64_t t_ns)
{
	const int64_t least_ns = 1000 * MS, most_ns = 10000 * MS;
	int64_t period = t_ns / 30;

	return period < least_ns ? least_ns : period > most_ns ? most_ns : period;
}

static int is_due(const struct sites *s, int64_t t_ns, int64_t height_bytes)
{
	const int64_t pause_ns = 50 * MS, edge_pause_ns = 500 * MS;
	int64_t passed_ns = t_ns - s->read_ns;

	if (height_bytes > s->height_bytes + s->height_bytes / 50)
		return passed_ns >= pause_ns;
	if (s->edge)
		return passed_ns >= edge_pause_ns;
	return passed_ns >= period_ns(t_ns);
}

void sites_step(struct sites *s, struct job *j, int64_t t_ns, int64_t height_bytes)
{
	struct process *p;

	if (!is_due(s, t_ns, height_bytes))
		return;
	JOB_EACH_ALIVE(j, p)
		if (p->segment.map)
			read_process(s, j, p, t_ns);
	s->read_ns = t_ns;
	s->edge = 0;
	if (height_bytes > s->height_bytes)
		s->height_bytes = height_bytes;
}

void sites_finish(struct sites *s, struct job *j, struct process *p)
{
	char name[sizeof(p->segment_name) + sizeof(LOOPMEM_SITES_SUFFIX)];
	int64_t t_ns = p->ended_ns != SESSION_NULL ? p->ended_ns : recorder_now(s->recorder);

	read_process(s, j, p, t_ns);
	sites_close(&p->sites);
	if (!p->segment_name[0] || j->segment_dir_fd < 0)
		return;
	name_of_file(p, name, sizeof(name));
	unlinkat(j->segment_dir_fd, name, 0);
}

/* ---- names ---- */

struct answers {
	struct sites *s;
	const int32_t *frames; /* by index of the question */
	int32_t last;
	int depth;
};

static void take_answer(void *arg, size_t index, const struct sites_symbol *symbol)
{
	struct answers *answers = arg;
	int32_t frame = answers->frames[index];

	answers->depth = frame == answers->last ? answers->depth + 1 : 0;
	answers->last = frame;
	put_symbol(answers->s, frame, answers->depth, symbol);
}

/* May the file be what was loaded? Who opens it compares the build id; without one it must be as it was when the run
 * began. */
static int may_be_what_ran(const struct sites *s, const struct sites_module_row *row)
{
	struct stat st;

	return row->build_id_bytes || (!stat(row->path, &st) && in_ns(st.st_ctim) < s->began_ns);
}

static int64_t resolve_module(struct sites *s, int32_t module, sites_resolve_fn *resolve,
			      uint64_t *addresses, int32_t *frames)
{
	const struct sites_module_row *row = &s->module_rows[module - 1];
	struct answers answers = {.s = s, .frames = frames};
	size_t count = 0;

	for (size_t i = 0; i < s->frames.count; i++) {
		if (s->frame_rows[i].module != module)
			continue;
		addresses[count] = s->frame_rows[i].address;
		frames[count++] = (int32_t)i + 1;
	}
	if (!count || !row->path || !may_be_what_ran(s, row))
		return 0;
	return resolve(&(struct sites_question){row->path, row->build_id, row->build_id_bytes,
						addresses, count, 0},
		       take_answer, &answers);
}

int64_t sites_resolve(struct sites *s, sites_resolve_fn *resolve)
{
	const int64_t patience_ns = 15000 * MS;
	int64_t until_ns = clock_monotonic_ns() + patience_ns, cpu_ns = 0;
	size_t count = s->frames.count;
	uint64_t *addresses = malloc((count + 1) * sizeof(*addresses));
	int32_t *frames = malloc((count + 1) * sizeof(*frames));

	for (int32_t m = 1; resolve && addresses && frames && (size_t)m <= s->modules.count; m++) {
		if (clock_monotonic_ns() > until_ns) {
			recorder_note(s->recorder, "notice",
				      "naming native frames took too long: some have no name");
			break;
		}
		cpu_ns += resolve_module(s, m, resolve, addresses, frames);
	}
	free(addresses);
	free(frames);
	return cpu_ns;
}
