/*
 * modules.c: a table of the objects that were met in stacks, verified once a stack against what the loader says of the
 * address: same place and same build id (or path, where it has none).
 */
#include "inject/modules.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "inject/site_table.h"
#include "inject/stack.h"

enum { MODULES = 1024, BUILD_ID = 64 };

/* Weak: it came with glibc 2.35. */
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));

struct module {
	uint64_t start, end;
	uint64_t seen_in; /* the last stack in which it was looked at */
	uint32_t record, build_id_bytes;
	uint8_t build_id[BUILD_ID];
	uint64_t path_hash; /* of one without a build id */
};

/* LOCK_SITES */
static struct module modules[MODULES];
static uint32_t module_count;
static uint64_t stack_number;
static bool replaced; /* in this stack */

bool modules_are_lock_free(void)
{
	return _dl_find_object != NULL;
}

/* -- one object, by its own headers ---------------------------------------------------------- */

struct object {
	uint64_t start, end, bias;
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_bytes;
};

static void find_build_id(struct object *object, const uint8_t *notes, size_t bytes)
{
	for (size_t i = 0; i + sizeof(ElfW(Nhdr)) < bytes;) {
		const ElfW(Nhdr) *note = (const void *)(notes + i);
		size_t name = sizeof(*note), data = name + ((note->n_namesz + 3) & ~3u);
		if (i + data + note->n_descsz > bytes)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(notes + i + name, "GNU", 4) && note->n_descsz <= BUILD_ID) {
			object->build_id = notes + i + data;
			object->build_id_bytes = note->n_descsz;
			return;
		}
		i += data + ((note->n_descsz + 3) & ~3u);
	}
}

/* The headers are the first bytes that are loaded of an object. */
static void read_headers(struct object *object)
{
	const ElfW(Ehdr) *head = (const void *)object->start;
	const ElfW(Phdr) *segments = (const void *)(object->start + head->e_phoff);

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    object->start + head->e_phoff + head->e_phnum * sizeof(*segments) > object->end)
		return;
	for (int i = 0; i < head->e_phnum && !object->build_id; i++)
		if (segments[i].p_type == PT_NOTE)
			find_build_id(object, (const void *)(object->bias + segments[i].p_vaddr),
				      segments[i].p_memsz);
}

static bool find_object(uint64_t address, struct object *object)
{
	struct dl_find_object found;

	if (!_dl_find_object || _dl_find_object((void *)address, &found))
		return false;
	*object = (struct object){
		.start = (uintptr_t)found.dlfo_map_start,
		.end = (uintptr_t)found.dlfo_map_end,
		.bias = found.dlfo_link_map->l_addr,
		.path = found.dlfo_link_map->l_name,
		.build_id = NULL,
	};
	read_headers(object);
	return true;
}

/* -- where the C library only tells under its lock ------------------------------------------- */

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *object = data;
	uint64_t address = object->start, start = UINT64_MAX, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uint64_t to = from + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = to > end ? to : end;
	}
	if (address < start || address >= end)
		return 0;
	*object = (struct object){
		.start = start, .end = end, .bias = info->dlpi_addr, .path = info->dlpi_name};
	read_headers(object);
	return 1;
}

static bool find_any(uint64_t address, struct object *object)
{
	if (modules_are_lock_free())
		return find_object(address, object);
	object->start = address;
	return dl_iterate_phdr(look_at, object);
}

/* -- the table ------------------------------------------------------------------------------- */

/* The main program has no name. */
static uint32_t make_record(const struct object *object)
{
	char buffer[PATH_MAX];
	const char *path = object->path;
	struct loopmem_record_module head = {
		.start = object->start,
		.end = object->end,
		.bias = object->bias,
		.build_id_bytes = object->build_id_bytes,
	};

	if (!path || !*path) {
		ssize_t n = readlink("/proc/self/exe", buffer, sizeof(buffer) - 1);
		buffer[n > 0 ? n : 0] = '\0';
		path = buffer;
	}
	head.path_bytes = (uint32_t)strlen(path);
	return site_table_module(&head, path,
				 object->build_id ? object->build_id : (const uint8_t *)"");
}

/* The place of what was not met for the longest time; NULL when all are in this stack. */
static struct module *oldest(void)
{
	struct module *found = &modules[0];

	for (uint32_t i = 1; i < module_count; i++)
		if (modules[i].seen_in < found->seen_in)
			found = &modules[i];
	return found->seen_in == stack_number ? NULL : found;
}

/* The place in the table for what begins at `start`: its own, or a new one. */
static struct module *place_of(uint64_t start)
{
	struct module *found;

	for (uint32_t i = 0; i < module_count; i++)
		if (modules[i].start == start)
			return &modules[i];
	found = module_count == MODULES ? oldest() : &modules[module_count++];
	if (found)
		found->record = 0;
	return found;
}

/* FNV-1a. Only where there is no build id to tell objects by. */
static uint64_t path_hash(const struct object *object)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *c = object->build_id || !object->path ? "" : object->path; *c; c++)
		hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	return hash;
}

static bool is_still(const struct module *module, const struct object *object)
{
	return module->record && module->end == object->end &&
	       module->build_id_bytes == object->build_id_bytes &&
	       !memcmp(module->build_id, object->build_id ? object->build_id : module->build_id,
		       object->build_id_bytes) &&
	       module->path_hash == path_hash(object);
}

/* An object is met for the first time: what was remembered of code at its place is of other code. */
static void make_way(const struct object *object)
{
	for (uint32_t i = 0; i < module_count; i++)
		replaced |= modules[i].record && modules[i].start < object->end &&
			    object->start < modules[i].end;
	stack_native_forget(object->start, object->end);
}

static uint32_t look_up(uint64_t address)
{
	struct object object = {0};
	struct module *module = find_any(address, &object) ? place_of(object.start) : NULL;

	if (!module)
		return 0;
	if (!is_still(module, &object)) {
		make_way(&object);
		*module = (struct module){
			.start = object.start,
			.end = object.end,
			.record = make_record(&object),
			.build_id_bytes = object.build_id_bytes,
			.path_hash = path_hash(&object),
		};
		if (object.build_id)
			memcpy(module->build_id, object.build_id, object.build_id_bytes);
	}
	module->seen_in = stack_number;
	return module->record;
}

void modules_begin(void)
{
	stack_number++;
	replaced = false;
}

bool modules_replaced(void)
{
	return replaced;
}

uint32_t modules_at(uint64_t address)
{
	for (uint32_t i = 0; i < module_count; i++)
		if (modules[i].seen_in == stack_number &&
		    address - modules[i].start < modules[i].end - modules[i].start)
			return modules[i].record;
	return look_up(address);
}

void modules_forked(void)
{
	module_count = 0;
}
