/*
 * site_table.c: an append-only file, mapped once at its largest size and reserved step by step, and a hash table in
 * private memory, doubling, that finds its records again by their content. A slot is one word: what of the hash it does not
 * hold is worked out anew from the record when the table doubles.
 */
#include "inject/site_table.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/claim.h"
#include "inject/locks.h"
#include "inject/rate.h"
#include "inject/real.h"
#include "inject/segment_file.h"
#include "inject/self.h"
#include "inject/text.h"
#include "inject/thread.h"

enum {
	LEAST_SLOTS = 1 << 9, /* with the place of the one before, a page */
	MOST_SLOTS = 1 << 18, /* a power of 2, more than records fit the file */
	UNIT_BITS =
		19, /* of a slot: where a record is, in units; above them the same bits of its hash */
};
_Static_assert(LOOPMEM_SITES_MOST / LOOPMEM_SITES_UNIT == 1 << UNIT_BITS,
	       "a slot holds any offset");
_Static_assert(MOST_SLOTS * 16 * 3 / 4 > LOOPMEM_SITES_MOST / 2,
	       "the table fills up before the file");

/* Slots; 0 = free. The table of n slots lies at slot n, and behind it the one that it grows into: a short program touches few pages, a long one gives those of the old table back.
 * LOCK_SITES. Alone on its pages, so that a fork's child can drop them. */
static union {
	uint32_t slot[2 * MOST_SLOTS];
	char pages[2 * MOST_SLOTS * sizeof(uint32_t)];
} index_pages __attribute__((aligned(65536)));

/* LOCK_SITES, but for `header`, which is set once between two forks. */
static struct loopmem_sites *header;
static uint64_t reserved_bytes;
static uint32_t records, slots = LEAST_SLOTS;
static uint32_t edges; /* as the header tells, also before there is one; atomic */
static bool refused;   /* no file can be made, or no more of it */
static enum loopmem_python_stacks python_stacks;
static enum loopmem_python_objects python_objects;
static char python_reason[sizeof(((struct loopmem_sites *)0)->python_reason)];

static void *at(uint32_t offset)
{
	return (char *)header + offset;
}

/* -- the file -------------------------------------------------------------------------------- */

static int open_file(bool anew)
{
	return segment_file_open(self_directory(), self_segment->pid, self_segment->birth_ns,
				 LOOPMEM_SITES_SUFFIX, anew);
}

static bool reserve_in_file(uint64_t bytes, bool anew)
{
	int fd = open_file(anew);
	bool done = fd >= 0 && segment_file_reserve(fd, bytes);

	if (fd >= 0)
		close(fd);
	return done;
}

/* No descriptor is kept: programs that close all they do not know would hand its number to another file. */
static bool reserve(uint64_t bytes, bool anew)
{
	uint64_t wanted =
		(bytes + LOOPMEM_SITES_STEP - 1) / LOOPMEM_SITES_STEP * LOOPMEM_SITES_STEP;

	if (bytes <= reserved_bytes)
		return true;
	if (refused || wanted > LOOPMEM_SITES_MOST || !reserve_in_file(wanted, anew)) {
		refused = true;
		return false;
	}
	reserved_bytes = wanted;
	return true;
}

static void *map_file(void)
{
	int fd = open_file(false);
	void *map;

	if (fd < 0)
		return NULL;
	map = REAL(mmap)(NULL, LOOPMEM_SITES_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static void put_python_state(void)
{
	text_copy(header->python_reason, sizeof(header->python_reason), python_reason);
	header->python_objects = python_objects;
	__atomic_store_n(&header->python_stacks, python_stacks, __ATOMIC_RELEASE);
}

static void fill_header(struct loopmem_sites *made)
{
	made->version = LOOPMEM_SITES_VERSION;
	made->header_bytes = sizeof(*made);
	made->pid = self_segment->pid;
	made->birth_ns = self_segment->birth_ns;
	made->mean_bytes = made->coarsest_bytes = rate_mean(0);
	made->used_bytes = LOOPMEM_SITES_HEADER;
	made->edges = __atomic_load_n(&edges, __ATOMIC_RELAXED);
	__atomic_store_n(&header, made, __ATOMIC_RELEASE);
	put_python_state();
	__atomic_store_n(&made->magic, LOOPMEM_SITES_MAGIC, __ATOMIC_RELEASE);
}

bool site_table_open(void)
{
	struct loopmem_sites *made;

	if (header || refused)
		return header;
	if (!self_is_published())
		return false;
	made = reserve(LOOPMEM_SITES_HEADER, true) ? map_file() : NULL;
	if (made)
		fill_header(made);
	refused |= !header;
	return header;
}

struct loopmem_sites *site_table_header(void)
{
	return __atomic_load_n(&header, __ATOMIC_ACQUIRE);
}

void site_table_edges(uint32_t count)
{
	struct loopmem_sites *present = site_table_header();

	__atomic_store_n(&edges, count, __ATOMIC_RELAXED);
	if (present)
		__atomic_store_n(&present->edges, count, __ATOMIC_RELAXED);
}

void site_table_python_state(enum loopmem_python_stacks state, const char *reason)
{
	if (!lock_enter(LOCK_SITES))
		return;
	python_stacks = state;
	text_copy(python_reason, sizeof(python_reason), reason);
	if (header)
		put_python_state();
	lock_leave(LOCK_SITES);
}

void site_table_python_objects(enum loopmem_python_objects objects)
{
	if (!lock_enter(LOCK_SITES))
		return;
	python_objects = objects;
	if (header)
		put_python_state();
	lock_leave(LOCK_SITES);
}

struct loopmem_site_counts *site_table_counts(uint32_t site)
{
	struct loopmem_sites *present = site_table_header();

	if (!present)
		return NULL;
	return site ? &((struct loopmem_record_site *)at(site))->counts : &present->other;
}

void site_table_forked(void)
{
	if (header) {
		REAL(munmap)(header, LOOPMEM_SITES_MOST);
		REAL(madvise)(&index_pages, sizeof(index_pages), MADV_DONTNEED);
	}
	header = NULL;
	reserved_bytes = 0;
	records = 0;
	slots = LEAST_SLOTS;
	edges = 0;
	refused = false;
}

/* -- records --------------------------------------------------------------------------------- */

/* What makes a record of a kind the same as another: some bytes of its fixed part, and the texts behind that. */
static const struct form {
	uint32_t from, bytes; /* of the fixed part */
	uint32_t fixed_bytes; /* all of it */
} forms[] = {
#define FIXED(struct_, first, last)       \
	.from = offsetof(struct_, first), \
	.bytes = offsetof(struct_, last) + sizeof(((struct_ *)0)->last) - offsetof(struct_, first)
	[LOOPMEM_RECORD_MODULE] = {FIXED(struct loopmem_record_module, start, build_id_bytes),
				   .fixed_bytes = sizeof(struct loopmem_record_module)},
	[LOOPMEM_RECORD_STRING] = {FIXED(struct loopmem_record_string, text_bytes, text_bytes),
				   .fixed_bytes = offsetof(struct loopmem_record_string, text)},
	[LOOPMEM_RECORD_PYTHON] = {FIXED(struct loopmem_record_python, function, line),
				   .fixed_bytes = sizeof(struct loopmem_record_python)},
	[LOOPMEM_RECORD_NATIVE] = {FIXED(struct loopmem_record_native, module, address),
				   .fixed_bytes = sizeof(struct loopmem_record_native)},
	[LOOPMEM_RECORD_NODE] = {0, sizeof(struct loopmem_record_node),
				 .fixed_bytes = sizeof(struct loopmem_record_node)},
	[LOOPMEM_RECORD_SITE] = {FIXED(struct loopmem_record_site, node, stage),
				 .fixed_bytes = sizeof(struct loopmem_record_site)},
#undef FIXED
};

/* A record that is looked for, or one of the file. */
struct content {
	uint32_t kind;
	const void *fixed;
	const void *text[2];
	uint32_t text_bytes[2];
};

static struct content content_at(uint32_t offset)
{
	const struct loopmem_record *record = at(offset);
	const char *text = (const char *)record + forms[record->kind].fixed_bytes;
	struct content c = {.kind = record->kind, .fixed = record, .text = {text, text}};

	if (record->kind == LOOPMEM_RECORD_STRING) {
		c.text_bytes[0] = ((const struct loopmem_record_string *)record)->text_bytes;
	} else if (record->kind == LOOPMEM_RECORD_MODULE) {
		c.text_bytes[0] = ((const struct loopmem_record_module *)record)->path_bytes;
		c.text_bytes[1] = ((const struct loopmem_record_module *)record)->build_id_bytes;
		c.text[1] = text + c.text_bytes[0];
	}
	return c;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Most content is two to four numbers, so by words. */
static uint64_t mix(uint64_t hash, const void *data, uint32_t bytes)
{
	const uint8_t *byte = data;
	uint64_t word;
	uint32_t half;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), byte += sizeof(word)) {
		memcpy(&word, byte, sizeof(word));
		hash = mix_word(hash, word);
	}
	if (bytes >= sizeof(half)) {
		memcpy(&half, byte, sizeof(half));
		hash = mix_word(hash, half);
		bytes -= sizeof(half);
		byte += sizeof(half);
	}
	for (; bytes; bytes--)
		hash = mix_word(hash, *byte++);
	return hash;
}

static uint32_t hash_of(const struct content *c)
{
	const struct form *form = &forms[c->kind];
	uint64_t hash = mix(c->kind, (const char *)c->fixed + form->from, form->bytes);

	for (int i = 0; i < 2; i++)
		hash = mix(hash, c->text[i], c->text_bytes[i]);
	return (uint32_t)hash;
}

static bool is_same(uint32_t offset, const struct content *c)
{
	const struct loopmem_record *record = at(offset);
	const struct form *form = &forms[c->kind];
	const char *text = (const char *)record + form->fixed_bytes;

	return record->kind == c->kind &&
	       !memcmp((const char *)record + form->from, (const char *)c->fixed + form->from,
		       form->bytes) &&
	       (!c->text_bytes[0] || !memcmp(text, c->text[0], c->text_bytes[0])) &&
	       (!c->text_bytes[1] ||
		!memcmp(text + c->text_bytes[0], c->text[1], c->text_bytes[1]));
}

static uint32_t append(const struct content *c)
{
	uint64_t used = header->used_bytes;
	uint32_t fixed_bytes = forms[c->kind].fixed_bytes;
	uint32_t bytes =
		(fixed_bytes + c->text_bytes[0] + c->text_bytes[1] + LOOPMEM_SITES_UNIT - 1) &
		~(LOOPMEM_SITES_UNIT - 1u);
	struct loopmem_record *record = at((uint32_t)used);
	char *text = (char *)record + fixed_bytes;

	CLAIM(thread.holds && used % LOOPMEM_SITES_UNIT == 0 && used >= LOOPMEM_SITES_HEADER);
	if (records > MOST_SLOTS * 3 / 4 || !reserve(used + bytes, false))
		return 0;
	memcpy(record, c->fixed, fixed_bytes);
	memcpy(text, c->text[0], c->text_bytes[0]);
	memcpy(text + c->text_bytes[0], c->text[1], c->text_bytes[1]);
	record->kind = c->kind & 0xff;
	if (c->kind != LOOPMEM_RECORD_NODE)
		record->bytes = bytes;
	__atomic_store_n(&header->used_bytes, used + bytes, __ATOMIC_RELEASE);
	records++;
	return (uint32_t)used;
}

/* -- the index ------------------------------------------------------------------------------- */

static uint32_t offset_of(uint32_t slot)
{
	return (slot & ((1 << UNIT_BITS) - 1)) * LOOPMEM_SITES_UNIT;
}

static uint32_t slot_for(uint32_t hash, uint32_t offset)
{
	return (hash & ~((1u << UNIT_BITS) - 1)) | offset / LOOPMEM_SITES_UNIT;
}

/* The slot of what has that hash and content, or the free one where it belongs; content NULL: the free one. */
static uint32_t *find(uint32_t hash, const struct content *c)
{
	uint32_t *table = &index_pages.slot[slots];

	for (uint32_t i = hash;; i++) {
		uint32_t *slot = &table[i & (slots - 1)];
		if (!*slot || (c && *slot == slot_for(hash, offset_of(*slot)) &&
			       is_same(offset_of(*slot), c)))
			return slot;
	}
}

/* The table that was outgrown, as far as it fills pages of any size. */
static void drop_old(uint32_t n)
{
	size_t bytes = 2 * n * sizeof(uint32_t) / 65536 * 65536;

	if (bytes)
		REAL(madvise)(&index_pages, bytes, MADV_DONTNEED);
}

static void make_room(void)
{
	const uint32_t *old = &index_pages.slot[slots];
	uint32_t n = slots;

	if (records < n / 4 * 3 || n == MOST_SLOTS)
		return;
	slots = 2 * n;
	for (uint32_t i = 0; i < n; i++) {
		struct content c;
		if (!old[i])
			continue;
		c = content_at(offset_of(old[i]));
		*find(hash_of(&c), NULL) = old[i];
	}
	drop_old(n);
}

/* LOCK_SITES. */
static uint32_t intern(const struct content *c)
{
	uint32_t hash = hash_of(c), *slot;

	if (!header)
		return 0;
	make_room();
	slot = find(hash, c);
	if (!*slot) {
		uint32_t offset = append(c);
		*slot = offset ? slot_for(hash, offset) : 0;
	}
	return offset_of(*slot);
}

/* -- each kind ------------------------------------------------------------------------------- */

uint32_t site_table_module(const struct loopmem_record_module *head, const char *path,
			   const uint8_t *build_id)
{
	return intern(&(struct content){
		.kind = LOOPMEM_RECORD_MODULE,
		.fixed = head,
		.text = {path, build_id},
		.text_bytes = {head->path_bytes, head->build_id_bytes},
	});
}

static uint32_t string(const char *text, size_t bytes)
{
	struct loopmem_record_string head = {
		.text_bytes = (uint32_t)(bytes < LOOPMEM_SITES_TEXT ? bytes : LOOPMEM_SITES_TEXT)};

	return intern(&(struct content){
		.kind = LOOPMEM_RECORD_STRING,
		.fixed = &head,
		.text = {text, ""},
		.text_bytes = {head.text_bytes, 0},
	});
}

/* A record without text. */
#define INTERN(kind_, struct_, ...) \
	intern(&(struct content){.kind = kind_, .fixed = &(struct_){__VA_ARGS__}, .text = {"", ""}})

uint32_t site_table_python(const char *function, size_t function_bytes, const char *file,
			   size_t file_bytes, int line)
{
	uint32_t function_text = string(function, function_bytes);
	uint32_t file_text = string(file, file_bytes);

	if (!function_text || !file_text)
		return 0;
	return INTERN(LOOPMEM_RECORD_PYTHON, struct loopmem_record_python,
		      .function = function_text, .file = file_text, .line = line);
}

uint32_t site_table_native(uint32_t module, uint64_t address)
{
	return INTERN(LOOPMEM_RECORD_NATIVE, struct loopmem_record_native, .module = module,
		      .address = address);
}

uint32_t site_table_node(uint32_t parent, uint32_t frame)
{
	return INTERN(LOOPMEM_RECORD_NODE, struct loopmem_record_node, .kind = LOOPMEM_RECORD_NODE,
		      .frame_unit = frame / LOOPMEM_SITES_UNIT, .parent = parent);
}

bool site_table_climb(uint32_t *node, uint32_t python, uint32_t module, uint64_t address)
{
	const struct loopmem_record_node *here = at(*node);
	uint32_t frame = here->frame_unit * LOOPMEM_SITES_UNIT;
	const struct loopmem_record_native *native = at(frame);

	CLAIM(here->kind == LOOPMEM_RECORD_NODE);
	if (python ? frame != python
		   : native->record.kind != LOOPMEM_RECORD_NATIVE || native->module != module ||
			     native->address != address)
		return false;
	*node = here->parent;
	return true;
}

uint32_t site_table_site(const struct loopmem_record_site *site)
{
	return INTERN(LOOPMEM_RECORD_SITE, struct loopmem_record_site, .node = site->node,
		      .pool_id = site->pool_id, .mapped = site->mapped, .stage = site->stage);
}
