/* Validated reading of a file of sites: see the header. */
#include "profiler/collect/sites_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/array.h"
#include "profiler/collect/shim_file.h"

enum {
	PATH_MOST = 4096,
	BUILD_ID_MOST = 64,
	KIND_OF_STRING = LOOPMEM_RECORD_STRING,
	UNIT = LOOPMEM_SITES_UNIT
};

int sites_open(struct sites_reader *r, int dir_fd, const char *name)
{
	static const struct shim_file_form form = {
		.magic = LOOPMEM_SITES_MAGIC,
		.version = LOOPMEM_SITES_VERSION,
		.size_bytes = sizeof(struct loopmem_sites),
		.begun_bytes = sizeof(struct loopmem_sites),
		.least_bytes = LOOPMEM_SITES_HEADER,
		.map_bytes = LOOPMEM_SITES_MOST,
	};
	struct stat st;
	int error;

	*r = (struct sites_reader){.dir_fd = dir_fd, .read_bytes = LOOPMEM_SITES_HEADER};
	error = shim_file_open(&r->file, &st, dir_fd, name, &form);
	if (error)
		return error;
	if (strlen(name) >= sizeof(r->name)) {
		mapped_file_close(r->file);
		return -ENAMETOOLONG;
	}
	strcpy(r->name, name);
	r->dev = st.st_dev;
	r->ino = st.st_ino;
	r->map = mapped_file_data(r->file);
	return 0;
}

void sites_close(struct sites_reader *r)
{
	if (!r->map)
		return;
	mapped_file_close(r->file);
	free(r->marks);
	free(r->sites);
	*r = (struct sites_reader){.dir_fd = -1};
}

/* Zeros may also be what a file has that was made longer again. */
static int is_lost(const struct sites_reader *r)
{
	return __atomic_load_n(&r->map->magic, __ATOMIC_ACQUIRE) != LOOPMEM_SITES_MAGIC ||
	       mapped_file_is_lost(r->file);
}

/* Pages behind the file's end must not be touched, whatever the head says. */
static uint64_t readable_bytes(const struct sites_reader *r)
{
	uint64_t used = __atomic_load_n(&r->map->used_bytes, __ATOMIC_ACQUIRE);
	struct stat st;

	if (fstatat(r->dir_fd, r->name, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != r->dev ||
	    st.st_ino != r->ino)
		return r->read_bytes;
	if (used > (uint64_t)st.st_size || used > LOOPMEM_SITES_MOST || used % UNIT)
		return r->read_bytes;
	return used;
}

static int make_marks(struct sites_reader *r, uint64_t bytes)
{
	size_t count = bytes / UNIT, room = r->mark_count ? r->mark_count : 4096;
	struct sites_mark *grown;

	if (count <= r->mark_count)
		return 0;
	while (room < count)
		room *= 2;
	grown = realloc(r->marks, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + r->mark_count, 0, (room - r->mark_count) * sizeof(*grown));
	r->marks = grown;
	r->mark_count = room;
	return 0;
}

/* The number of an earlier record of that kind, 0 = there is none. */
static int32_t number_of(const struct sites_reader *r, uint32_t offset, uint8_t kind)
{
	const struct sites_mark *mark = &r->marks[offset / UNIT];

	if (offset % UNIT || offset >= r->read_bytes || mark->kind != kind)
		return 0;
	return mark->number;
}

/* A string record is marked with the bytes of its text and one: names of Python may be empty. */
static int copy_string(const struct sites_reader *r, uint32_t offset,
		       char out[LOOPMEM_SITES_TEXT + 1])
{
	const struct loopmem_record_string *record = (const void *)((const char *)r->map + offset);
	int32_t bytes = number_of(r, offset, KIND_OF_STRING);

	if (bytes <= 0)
		return 0;
	memcpy(out, record->text, (size_t)bytes - 1);
	out[bytes - 1] = '\0';
	return 1;
}

static int32_t take_module(const struct loopmem_record_module *m, uint32_t bytes,
			   const struct sites_events *events)
{
	uint32_t path_bytes = m->path_bytes, id_bytes = m->build_id_bytes;
	struct sites_module module = {
		.path = (const char *)m->data,
		.path_bytes = path_bytes,
		.build_id = m->data + path_bytes,
		.build_id_bytes = id_bytes,
		.start = m->start,
		.end = m->end,
		.bias = m->bias,
	};

	if (path_bytes > PATH_MOST || id_bytes > BUILD_ID_MOST ||
	    sizeof(*m) + path_bytes + id_bytes > bytes)
		return 0;
	return events->module(events->arg, &module);
}

static int32_t take_string(const struct loopmem_record_string *s, uint32_t bytes)
{
	uint32_t text_bytes = s->text_bytes;

	if (text_bytes > LOOPMEM_SITES_TEXT ||
	    offsetof(struct loopmem_record_string, text) + text_bytes > bytes)
		return 0;
	return (int32_t)text_bytes + 1;
}

static int32_t take_python(const struct sites_reader *r, const struct loopmem_record_python *p,
			   const struct sites_events *events)
{
	char function[LOOPMEM_SITES_TEXT + 1], file[LOOPMEM_SITES_TEXT + 1];

	if (!copy_string(r, p->function, function) || !copy_string(r, p->file, file))
		return 0;
	return events->python(events->arg, function, file, p->line);
}

static int32_t take_node(const struct sites_reader *r, const struct loopmem_record_node *n,
			 const struct sites_events *events)
{
	uint32_t parent_offset = n->parent, frame_offset = n->frame_unit * UNIT;
	int32_t parent = number_of(r, parent_offset, LOOPMEM_RECORD_NODE);
	int32_t frame = number_of(r, frame_offset, LOOPMEM_RECORD_PYTHON);

	if (!frame)
		frame = number_of(r, frame_offset, LOOPMEM_RECORD_NATIVE);
	if (!frame || (parent_offset && !parent))
		return 0;
	return events->node(events->arg, parent, frame);
}

/* The smallest record of each kind. */
static const uint32_t least_bytes[] = {
	[LOOPMEM_RECORD_MODULE] = sizeof(struct loopmem_record_module),
	[LOOPMEM_RECORD_STRING] = offsetof(struct loopmem_record_string, text),
	[LOOPMEM_RECORD_PYTHON] = sizeof(struct loopmem_record_python),
	[LOOPMEM_RECORD_NATIVE] = sizeof(struct loopmem_record_native),
	[LOOPMEM_RECORD_NODE] = sizeof(struct loopmem_record_node),
	[LOOPMEM_RECORD_SITE] = sizeof(struct loopmem_record_site),
};
enum { KINDS = sizeof(least_bytes) / sizeof(least_bytes[0]) };

static int32_t take_record(struct sites_reader *r, uint32_t kind, uint32_t bytes,
			   const struct sites_events *events)
{
	const void *record = (const char *)r->map + r->read_bytes;
	const struct loopmem_record_native *native = record;
	const struct loopmem_record_site *site = record;

	switch (kind) {
	case LOOPMEM_RECORD_MODULE:
		return take_module(record, bytes, events);
	case LOOPMEM_RECORD_STRING:
		return take_string(record, bytes);
	case LOOPMEM_RECORD_PYTHON:
		return take_python(r, record, events);
	case LOOPMEM_RECORD_NATIVE:
		return events->native(events->arg,
				      number_of(r, native->module, LOOPMEM_RECORD_MODULE),
				      native->address);
	case LOOPMEM_RECORD_NODE:
		return take_node(r, record, events);
	default:
		return number_of(r, site->node, LOOPMEM_RECORD_NODE);
	}
}

/* A site will be handed out at every reading. */
static int remember_site(struct sites_reader *r, uint32_t offset)
{
	struct sites_place *place =
		array_add_item(&r->sites, &r->site_count, &r->site_capacity, sizeof(*place));

	if (!place)
		return -ENOMEM;
	place->offset = offset;
	return 0;
}

/* 0 when there is no whole record of a known kind, or no memory to follow it. */
static int take_next(struct sites_reader *r, uint64_t end, const struct sites_events *events)
{
	const struct loopmem_record *record = (const void *)((const char *)r->map + r->read_bytes);
	uint32_t kind, bytes;
	int32_t number;

	if (end - r->read_bytes < sizeof(*record))
		return 0;
	kind = record->kind;
	bytes = kind == LOOPMEM_RECORD_NODE ? sizeof(struct loopmem_record_node) : record->bytes;
	if (kind == 0 || kind >= KINDS || bytes % UNIT || bytes < least_bytes[kind] ||
	    bytes > end - r->read_bytes)
		return 0;
	number = take_record(r, kind, bytes, events);
	if (kind == LOOPMEM_RECORD_SITE && remember_site(r, (uint32_t)r->read_bytes))
		return 0;
	r->marks[r->read_bytes / UNIT] =
		(struct sites_mark){.kind = (uint8_t)kind, .number = number};
	r->read_bytes += bytes;
	return 1;
}

static void copy_counts(const struct loopmem_site_counts *from, struct loopmem_site_counts *to)
{
	to->edge = __atomic_load_n(&from->edge, __ATOMIC_ACQUIRE);
	to->edge_live_bytes = __atomic_load_n(&from->edge_live_bytes, __ATOMIC_ACQUIRE);
	/* What was freed first: it never exceeds what was allocated. */
	to->free_bytes = __atomic_load_n(&from->free_bytes, __ATOMIC_ACQUIRE);
	to->free_blocks = __atomic_load_n(&from->free_blocks, __ATOMIC_ACQUIRE);
	to->alloc_bytes = __atomic_load_n(&from->alloc_bytes, __ATOMIC_RELAXED);
	to->alloc_blocks = __atomic_load_n(&from->alloc_blocks, __ATOMIC_RELAXED);
}

static int32_t hand_out_site(const struct sites_reader *r, struct sites_site site,
			     const struct loopmem_site_counts *counts,
			     const struct sites_events *events)
{
	uint32_t edges = __atomic_load_n(&r->map->edges, __ATOMIC_RELAXED);
	struct loopmem_site_counts *c = &site.counts;
	uint64_t live;

	copy_counts(counts, c);
	live = c->alloc_bytes > c->free_bytes ? c->alloc_bytes - c->free_bytes : 0;
	if (c->edge >= edges)
		live = c->edge_live_bytes;
	site.edge_live_bytes = edges ? (int64_t)(live & INT64_MAX) : -1;
	if (is_lost(r)) /* not zeros for what was known */
		return site.number;
	return events->site(events->arg, &site);
}

static void hand_out_sites(struct sites_reader *r, const struct sites_events *events)
{
	for (size_t i = 0; i < r->site_count; i++) {
		struct sites_place *place = &r->sites[i];
		uint32_t at = place->offset;
		const struct loopmem_record_site *row = (const void *)((const char *)r->map + at);

		place->number =
			hand_out_site(r,
				      (struct sites_site){.number = place->number,
							  .node = r->marks[at / UNIT].number,
							  .pool_id = row->pool_id,
							  .mapped = row->mapped != 0,
							  .stage = row->stage},
				      &row->counts, events);
	}
	r->rest_number = hand_out_site(r,
				       (struct sites_site){.number = r->rest_number, .is_rest = 1},
				       &r->map->other, events);
}

int sites_read(struct sites_reader *r, const struct sites_events *events)
{
	uint64_t end = readable_bytes(r);
	int knew_it = r->lost;

	if (make_marks(r, end))
		return -ENOMEM;
	while (!r->broken && !r->lost && r->read_bytes < end)
		r->broken = !take_next(r, end, events);
	if (!r->lost)
		hand_out_sites(r, events);
	r->lost |= is_lost(r);
	return r->lost && !knew_it ? -EIO : 0;
}

int sites_head(const struct sites_reader *r, struct loopmem_sites *out)
{
	memcpy(out, r->map, sizeof(*out));
	out->python_reason[sizeof(out->python_reason) - 1] = '\0';
	return is_lost(r) ? -EIO : 0;
}
