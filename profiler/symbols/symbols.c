/* Addresses to lines by libdw: see the header. */
#include "profiler/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/symbols/debug_file.h"
#include "profiler/symbols/scopes.h"

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* of the module's place in dwfl, against the file */
	GElf_Addr end; /* of the module there */
};

static char *debug_path; /* NULL = where the system keeps separate debug files */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = debug_file_find,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static int has_build_id(Dwfl_Module *module, const uint8_t *build_id, size_t bytes)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(module, &bits, &address);

	return !bytes || (n == (int)bytes && !memcmp(bits, build_id, bytes));
}

static uint64_t first_address(Elf *elf)
{
	GElf_Phdr segment;
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			return segment.p_vaddr & -segment.p_align;
	return 0;
}

struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	struct symbols *s = calloc(1, sizeof(*s));
	GElf_Addr bias = 0, start = 0;

	if (!s)
		return NULL;
	s->dwfl = dwfl_begin(&callbacks);
	if (s->dwfl)
		s->module = dwfl_report_offline(s->dwfl, path, path, -1);
	if (s->module)
		dwfl_report_end(s->dwfl, NULL, NULL);
	if (!s->module || !has_build_id(s->module, build_id, build_id_bytes)) {
		symbols_close(s);
		return NULL;
	}
	dwfl_module_info(s->module, NULL, &start, &s->end, NULL, NULL, NULL, NULL);
	s->bias = start - first_address(dwfl_module_getelf(s->module, &bias));
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	if (s->dwfl)
		dwfl_end(s->dwfl);
	free(s);
}

/* -- one address ----------------------------------------------------------------------------- */

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (dwarf_attr_integrate(die, names[i], &attribute))
			return symbols_demangled(dwarf_formstring(&attribute));
	return dwarf_diename(die);
}

/* Whom an answer is for. */
struct asker {
	symbols_answer_fn *fn;
	void *arg;
	size_t index;
};

/* Where an inlined function was called: a file of the unit's table, and a line. */
static void call_place(Dwarf_Die *unit, Dwarf_Die *inlined, struct symbols_line *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;

	line->file = NULL;
	line->line = 0;
	if (dwarf_attr(inlined, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &number) && !dwarf_getsrcfiles(unit, &files, NULL))
		line->file = dwarf_filesrc(files, number, NULL, NULL);
	if (dwarf_attr(inlined, DW_AT_call_line, &attribute) &&
	    !dwarf_formudata(&attribute, &number))
		line->line = (int)number;
}

/* As many lines as functions are around the address. 0 when debug information knows none. */
static int tell_scopes(Dwarf_Die *unit, Dwarf_Addr address, struct symbols_line line,
		       const struct asker *asker)
{
	struct scopes scopes;

	scopes_find(&scopes, unit, address);
	for (int i = scopes.count; i-- > 0;) {
		line.function = name_of(&scopes.functions[i]);
		asker->fn(asker->arg, asker->index, &line);
		if (i)
			call_place(unit, &scopes.functions[i], &line);
	}
	return scopes.count;
}

static struct symbols_line line_of(struct symbols *s, GElf_Addr at)
{
	struct symbols_line line = {0};
	Dwfl_Line *found = dwfl_module_getsrc(s->module, at);

	if (found)
		line.file = dwfl_lineinfo(found, NULL, &line.line, NULL, NULL, NULL);
	return line;
}

/* ---- by symbols ---- */

/* An address that debug information does not know, and the nearest symbol at or before it that was met so far: of
 * those at one place the largest, which is not the alias of a part. */
struct wanted {
	GElf_Addr at, start;
	uint64_t size;
	const char *name; /* libdwfl's; NULL = none */
	size_t index;
};

static int by_address(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int is_function(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* The first one that lies at or behind a symbol's start. */
static struct wanted *first_behind(struct wanted *wanted, size_t count, GElf_Addr start)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (wanted[middle].at < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count ? &wanted[low] : NULL;
}

static int is_better(const struct wanted *w, GElf_Addr start, uint64_t size)
{
	return !w->name || start > w->start || (start == w->start && size > w->size);
}

/* One pass over a table that may have half a million symbols, each held against a few sorted addresses. Names are
 * read only where a symbol is taken: their text is most of what there is to read. */
static void match_symbols(struct symbols *s, struct wanted *wanted, size_t count)
{
	int n = dwfl_module_getsymtab(s->module);
	GElf_Addr start;
	GElf_Sym symbol;

	for (int i = 1; i < n; i++) {
		const char *name =
			dwfl_module_getsym_info(s->module, i, &symbol, &start, NULL, NULL, NULL);
		struct wanted *w = name && is_function(&symbol) ? first_behind(wanted, count, start)
								: NULL;

		if (!w || !is_better(w, start, symbol.st_size) || !*name)
			continue;
		w->start = start;
		w->size = symbol.st_size;
		w->name = name;
	}
	for (size_t i = 1; i < count; i++) /* nothing begins between the two */
		if (wanted[i - 1].name &&
		    is_better(&wanted[i], wanted[i - 1].start, wanted[i - 1].size)) {
			wanted[i].start = wanted[i - 1].start;
			wanted[i].size = wanted[i - 1].size;
			wanted[i].name = wanted[i - 1].name;
		}
}

/* A symbol without a size reaches to the next. */
static void tell_symbols(struct symbols *s, struct wanted *wanted, size_t count,
			 symbols_answer_fn *fn, void *arg)
{
	qsort(wanted, count, sizeof(*wanted), by_address);
	match_symbols(s, wanted, count);
	for (const struct wanted *w = wanted; w < wanted + count; w++) {
		int is_inside = w->name && (!w->size || w->at - w->start < w->size);
		struct symbols_line line = line_of(s, w->at);

		line.function = symbols_demangled(is_inside ? w->name : NULL);
		if (line.function || line.file)
			fn(arg, w->index, &line);
	}
}

/* 0 when debug information does not know the address. */
static int tell_debug(struct symbols *s, GElf_Addr at, const struct asker *asker)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(s->module, at, &bias);

	return unit && tell_scopes(unit, at - bias, line_of(s, at), asker);
}

void symbols_find(struct symbols *s, const uint64_t *addresses, size_t count, symbols_answer_fn *fn,
		  void *arg)
{
	struct wanted *wanted = calloc(count + 1, sizeof(*wanted));
	size_t left = 0;

	for (size_t i = 0; wanted && i < count; i++) {
		GElf_Addr at = addresses[i] + s->bias;

		if (at >= s->end) /* the last symbol may have no size, and would reach there */
			continue;
		if (!tell_debug(s, at, &(struct asker){fn, arg, i}))
			wanted[left++] = (struct wanted){.at = at, .index = i};
	}
	if (left)
		tell_symbols(s, wanted, left, fn, arg);
	free(wanted);
}
