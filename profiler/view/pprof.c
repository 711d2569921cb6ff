/*
 * A pprof profile (google/pprof, proto/profile.proto), gzipped. A sample is one call site of one process with all four figures, labelled
 * with whose it is; locations are frames, so functions inlined into one share it. Processes have their modules at different places,
 * so the addresses told are made: module after module, each from a place of its own, by the address in its file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profiler/view/escape.h"
#include "profiler/view/export.h"
#include "profiler/view/format.h"
#include "profiler/view/line_ids.h"
#include "profiler/view/proto.h"
#include "profiler/view/site_words.h"

/* Numbers of fields, by message. */
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_FILE = 5, MAPPING_BUILD_ID };
enum { MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES, MAPPING_HAS_LINES, MAPPING_HAS_INLINED };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE
};

/* The names that readers of heap profiles know, in their order. */
static const struct {
	const char *name, *unit;
	enum call_weight weight;
} types[] = {
	{"alloc_objects", "count", CALL_ALLOC_BLOCKS},
	{"alloc_space", "bytes", CALL_ALLOCATED},
	{"inuse_objects", "count", CALL_BLOCKS},
	{"inuse_space", "bytes", CALL_LIVE},
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

#define MODULE_BYTES (INT64_C(1) << 40) /* between the places of two modules */

/* Of a sample: whose it is. */
enum label {
	LABEL_STAGE,
	LABEL_POOL,
	LABEL_START_METHOD,
	LABEL_PID,
	LABEL_WORKER,
	LABEL_RANK,
	LABEL_EPOCH,
	LABELS
};
static const char *const label_names[LABELS] = {
	[LABEL_STAGE] = "stage", [LABEL_POOL] = "pool",     [LABEL_START_METHOD] = "start_method",
	[LABEL_PID] = "pid",     [LABEL_WORKER] = "worker", [LABEL_RANK] = "rank",
	[LABEL_EPOCH] = "epoch",
};

/* Frames that are no code. */
enum { FRAME_MAPPED, FRAME_UNKNOWN, FRAMES_OWN };
static const char *const own_frames[FRAMES_OWN] = {"(mapped)", "(stack not known)"};

struct module {
	const char *path, *build_id;
	int has_functions, has_files; /* of some address */
};

struct profile {
	const struct model *m;
	struct proto out, strings; /* the messages, the string table */
	/* what is being written, a message in it, and a function that is met meanwhile */
	struct proto message, part, function;
	int64_t string_count, label_keys[LABELS];
	struct line_ids functions;
	int64_t *locations; /* by first line of a frame; 0 = not written yet */
	int64_t location_count;
	size_t sample_count;
	struct module *modules; /* mapping ids are their places, from 1 */
	size_t module_count;
};

/* -- strings and functions --------------------------------------------------------------------- */

/* The number of a new string. */
static int64_t put_string(struct profile *p, const char *text)
{
	char *utf8 = escape_utf8(text);

	p->strings.failed |= !utf8;
	proto_text(&p->strings, PROFILE_STRING, utf8 ? utf8 : "");
	free(utf8);
	return p->string_count++;
}

/* Readers shorten names of C++ where the name is the one that the system has: of "<module>" nothing would be left. */
static void put_function(struct profile *p, int64_t id, const char *name, const char *file,
			 int native)
{
	int64_t text = put_string(p, name);

	proto_integer(&p->function, FUNCTION_ID, id);
	proto_integer(&p->function, FUNCTION_NAME, text);
	if (native)
		proto_integer(&p->function, FUNCTION_SYSTEM_NAME, text);
	if (file)
		proto_integer(&p->function, FUNCTION_FILE, put_string(p, file));
	proto_message(&p->out, PROFILE_FUNCTION, &p->function);
}

/* Ids begin with 1, and with the frames that are no code. */
static int64_t function_of(struct profile *p, int line)
{
	const struct model_line *l = &p->m->lines[line];
	int is_new, number = line_ids_of(&p->functions, line, &is_new);
	int64_t id = 1 + FRAMES_OWN + number;

	if (is_new)
		put_function(p, id, l->function ? l->function : "?", l->file, l->native);
	return id;
}

/* -- mappings ---------------------------------------------------------------------------------- */

/* Texts of a model are kept once: their addresses are compared. */
static size_t module_of(const struct profile *p, const struct model_line *line)
{
	size_t i = 0;

	while (i < p->module_count &&
	       (p->modules[i].path != line->module || p->modules[i].build_id != line->build_id))
		i++;
	return i;
}

/* The first mapping is taken for the program: the first that is no library. */
static void put_program_first(struct profile *p)
{
	for (size_t i = 0; i < p->module_count; i++) {
		const struct module program = p->modules[i];

		if (strstr(site_short_path(program.path), ".so"))
			continue;
		p->modules[i] = p->modules[0];
		p->modules[0] = program;
		return;
	}
}

static int collect_modules(struct profile *p)
{
	for (size_t i = 0; i < p->m->line_count; i++) {
		const struct model_line *line = &p->m->lines[i];
		size_t at = line->module ? module_of(p, line) : 0;
		struct module *grown;

		if (!line->module)
			continue;
		if (at == p->module_count) {
			grown = reallocarray(p->modules, at + 1, sizeof(*grown));
			if (!grown)
				return -1;
			p->modules = grown;
			p->modules[p->module_count++] =
				(struct module){line->module, line->build_id, 0, 0};
		}
		p->modules[at].has_functions |= !!line->function;
		p->modules[at].has_files |= !!line->file;
	}
	put_program_first(p);
	return 0;
}

/* What is said to be there is not looked for again by the reader. */
static void put_mapping(struct profile *p, size_t i)
{
	const struct module *module = &p->modules[i];
	int64_t start = (int64_t)(i + 1) * MODULE_BYTES;

	proto_integer(&p->message, MAPPING_ID, (int64_t)i + 1);
	proto_integer(&p->message, MAPPING_START, start);
	proto_integer(&p->message, MAPPING_LIMIT, start + MODULE_BYTES);
	proto_integer(&p->message, MAPPING_FILE, put_string(p, module->path));
	if (module->build_id)
		proto_integer(&p->message, MAPPING_BUILD_ID, put_string(p, module->build_id));
	proto_integer(&p->message, MAPPING_HAS_FUNCTIONS, module->has_functions);
	proto_integer(&p->message, MAPPING_HAS_FILES, module->has_files);
	proto_integer(&p->message, MAPPING_HAS_LINES, module->has_files);
	proto_integer(&p->message, MAPPING_HAS_INLINED, module->has_files);
	proto_message(&p->out, PROFILE_MAPPING, &p->message);
}

/* -- locations --------------------------------------------------------------------------------- */

static void put_own_locations(struct profile *p)
{
	for (int i = 0; i < FRAMES_OWN; i++) {
		put_function(p, i + 1, own_frames[i], NULL, 0);
		proto_integer(&p->part, LINE_FUNCTION, i + 1);
		proto_integer(&p->message, LOCATION_ID, i + 1);
		proto_message(&p->message, LOCATION_LINE, &p->part);
		proto_message(&p->out, PROFILE_LOCATION, &p->message);
	}
	p->location_count = FRAMES_OWN;
}

/* A frame: its lines, the innermost of inlined functions first. One without a name is an address alone. */
static void put_location(struct profile *p, int64_t id, const struct model_stack *frame)
{
	const struct model_line *first = &p->m->lines[frame->first_line];

	for (size_t i = 0; i < frame->line_count; i++) {
		const struct model_line *line = &first[i];

		if (line->native && !line->function && !line->file)
			continue;
		proto_integer(&p->part, LINE_FUNCTION,
			      function_of(p, (int)(frame->first_line + i)));
		proto_integer(&p->part, LINE_LINE, line->line);
		proto_message(&p->message, LOCATION_LINE, &p->part);
	}
	proto_integer(&p->message, LOCATION_ID, id);
	if (first->module) {
		int64_t module = (int64_t)module_of(p, first) + 1;

		proto_integer(&p->message, LOCATION_MAPPING, module);
		proto_integer(&p->message, LOCATION_ADDRESS,
			      module * MODULE_BYTES + first->address);
	} else if (first->native) {
		proto_integer(&p->message, LOCATION_ADDRESS, first->address);
	}
	proto_message(&p->out, PROFILE_LOCATION, &p->message);
}

static int64_t location_of(struct profile *p, const struct model_stack *frame)
{
	int64_t *id = &p->locations[frame->first_line];

	if (!*id) {
		*id = ++p->location_count;
		put_location(p, *id, frame);
	}
	return *id;
}

/* -- samples ----------------------------------------------------------------------------------- */

static void put_label(struct profile *p, struct proto *sample, enum label label, const char *text)
{
	if (!*text)
		return;
	proto_integer(&p->part, LABEL_KEY, p->label_keys[label]);
	proto_integer(&p->part, LABEL_TEXT, put_string(p, text));
	proto_message(sample, SAMPLE_LABEL, &p->part);
}

/* As a text: for readers a label with the number 0 has no value at all, and worker 0, rank 0 and epoch 0 are many. */
static void put_number(struct profile *p, struct proto *sample, enum label label, int64_t number)
{
	char digits[24];

	if (number == MODEL_NONE)
		return;
	snprintf(digits, sizeof(digits), "%" PRId64, number);
	put_label(p, sample, label, digits);
}

static void put_labels(struct profile *p, struct proto *sample, const struct model_site *site)
{
	const struct model_process *process = &p->m->processes[site->process];
	const struct model_pool *pool = site->pool < 0 ? NULL : &p->m->pools[site->pool];

	if (pool) {
		put_label(p, sample, LABEL_STAGE, model_stage_name(pool->stage));
		put_label(p, sample, LABEL_POOL, pool->name);
		put_label(p, sample, LABEL_START_METHOD, pool->start_method);
		put_number(p, sample, LABEL_EPOCH, pool->epoch);
	}
	put_number(p, sample, LABEL_PID, process->pid);
	put_number(p, sample, LABEL_WORKER, process->worker_id);
	put_number(p, sample, LABEL_RANK, process->rank);
}

static void put_sample(struct profile *p, const struct model_site *site,
		       const struct model_site_amount *amount)
{
	struct proto sample = {0};

	if (site->mapped)
		proto_integer(&sample, SAMPLE_LOCATION, 1 + FRAME_MAPPED);
	if (site->stack < 0)
		proto_integer(&sample, SAMPLE_LOCATION, 1 + FRAME_UNKNOWN);
	for (int at = site->stack; at >= 0; at = p->m->stacks[at].parent)
		if (p->m->stacks[at].line_count)
			proto_integer(&sample, SAMPLE_LOCATION, location_of(p, &p->m->stacks[at]));
	for (size_t i = 0; i < TYPES; i++)
		proto_integer(&sample, SAMPLE_VALUE, call_weight_of(amount, types[i].weight));
	put_labels(p, &sample, site);
	proto_message(&p->out, PROFILE_SAMPLE, &sample);
	proto_release(&sample);
	p->sample_count++;
}

static void put_samples(struct profile *p, const struct model_site_filter *filter)
{
	int64_t t_ns = model_sites_moment(p->m, filter);

	for (size_t i = 0; i < p->m->site_count; i++) {
		struct model_site_amount amount;

		if (!model_site_is_wanted(p->m, &p->m->sites[i], filter))
			continue;
		amount = model_site_at(p->m, i, t_ns);
		if (amount.alloc_bytes > 0)
			put_sample(p, &p->m->sites[i], &amount);
	}
}

/* -- the whole --------------------------------------------------------------------------------- */

static void put_type(struct profile *p, unsigned field, const char *name, const char *unit)
{
	proto_integer(&p->message, VALUE_TYPE_TYPE, put_string(p, name));
	proto_integer(&p->message, VALUE_TYPE_UNIT, put_string(p, unit));
	proto_message(&p->out, field, &p->message);
}

static void put_comments(struct profile *p, const struct model_site_filter *filter)
{
	char text[128], moment[FORMAT_MAX];

	snprintf(text, sizeof(text),
		 "loopmem %s: in use = live at %s of the run, estimated from samples",
		 p->m->version, format_moment(moment, model_sites_moment(p->m, filter)));
	proto_integer(&p->out, PROFILE_COMMENT, put_string(p, text));
	proto_integer(&p->out, PROFILE_COMMENT, put_string(p, p->m->command));
}

static void put_profile(struct profile *p, const struct export_options *options)
{
	enum call_weight shown = options->given & EXPORT_WEIGHT ? options->weight : CALL_LIVE;

	put_string(p, ""); /* number 0 by definition */
	for (int i = 0; i < LABELS; i++)
		p->label_keys[i] = put_string(p, label_names[i]);
	for (size_t i = 0; i < TYPES; i++)
		put_type(p, PROFILE_SAMPLE_TYPE, types[i].name, types[i].unit);
	for (size_t i = 0; i < p->module_count; i++)
		put_mapping(p, i);
	put_own_locations(p);
	put_samples(p, &options->filter);
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].weight == shown)
			proto_integer(&p->out, PROFILE_DEFAULT_TYPE, put_string(p, types[i].name));
	proto_integer(&p->out, PROFILE_TIME, p->m->started_unix_ns);
	proto_integer(&p->out, PROFILE_DURATION, p->m->totals.duration_ns);
	put_type(p, PROFILE_PERIOD_TYPE, "space", "bytes");
	proto_integer(&p->out, PROFILE_PERIOD, p->m->sample_bytes > 0 ? p->m->sample_bytes : 1);
	put_comments(p, &options->filter);
}

static int write_gzip(FILE *out, const struct proto *parts[2])
{
	enum { GZIP = 16, MEMORY = 8 };
	unsigned char block[1 << 16];
	z_stream z = {0};
	int state = Z_OK;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	for (int i = 0; i < 2; i++) {
		z.next_in = parts[i]->bytes;
		z.avail_in = (uInt)parts[i]->count;
		do {
			z.next_out = block;
			z.avail_out = sizeof(block);
			state = deflate(&z, i ? Z_FINISH : Z_NO_FLUSH);
			fwrite(block, 1, sizeof(block) - z.avail_out, out);
		} while (!z.avail_out);
	}
	deflateEnd(&z);
	return state == Z_STREAM_END ? 0 : -1;
}

static void release(struct profile *p)
{
	proto_release(&p->out);
	proto_release(&p->strings);
	proto_release(&p->message);
	proto_release(&p->part);
	proto_release(&p->function);
	line_ids_release(&p->functions);
	free(p->locations);
	free(p->modules);
}

int export_pprof(FILE *out, const struct model *m, const struct export_options *options,
		 struct error *e)
{
	struct profile p = {.m = m};
	const struct proto *parts[] = {&p.out, &p.strings};
	int failed;

	p.locations = calloc(m->line_count + 1, sizeof(*p.locations));
	failed = !p.locations || line_ids_init(&p.functions, m, 1) || collect_modules(&p);
	if (!failed) {
		put_profile(&p, options);
		failed = p.out.failed || p.strings.failed || write_gzip(out, parts);
	}
	release(&p);
	if (failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the profile");
	return p.sample_count ? 0 : export_no_sites(m, &options->filter, e);
}
