/* Addresses to lines by libdw: see the header. */
#include "profiler/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct function {
	uint64_t start, size;
	const char *name; /* libdwfl's */
};

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* of the module's place in dwfl, against the file */
	/* by start; made when first asked: libdwfl would go through all of them for each address */
	struct function *functions;
	size_t function_count;
	int indexed;
};

static char *debug_path; /* NULL = where the system keeps separate debug files */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
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
	dwfl_module_info(s->module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	s->bias = start - first_address(dwfl_module_getelf(s->module, &bias));
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	if (s->dwfl)
		dwfl_end(s->dwfl);
	free(s->functions);
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

/* The function that contains the address, around the innermost scope: as many lines as were inlined, and one. 0 when
 * debug information does not know it. */
static int tell_scopes(Dwarf_Die *unit, Dwarf_Addr address, struct symbols_line line,
		       void (*fn)(void *, const struct symbols_line *), void *arg)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	int n = dwarf_getscopes(unit, address, &scopes), told = 0;

	if (n > 0) /* the blocks around the innermost one, not around its abstract origin */
		n = dwarf_getscopes_die(&scopes[0], &chain);
	for (int i = 0; i < n; i++) {
		int tag = dwarf_tag(&chain[i]);
		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		line.function = name_of(&chain[i]);
		fn(arg, &line);
		told++;
		if (tag == DW_TAG_subprogram)
			break;
		call_place(unit, &chain[i], &line);
	}
	free(chain);
	free(scopes);
	return told;
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

static int is_function(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static void index_functions(struct symbols *s)
{
	int n = dwfl_module_getsymtab(s->module);
	GElf_Addr start;
	GElf_Sym symbol;

	s->indexed = 1;
	s->functions = n > 0 ? malloc((size_t)n * sizeof(*s->functions)) : NULL;
	for (int i = 1; s->functions && i < n; i++) {
		const char *name =
			dwfl_module_getsym_info(s->module, i, &symbol, &start, NULL, NULL, NULL);

		if (name && *name && is_function(&symbol))
			s->functions[s->function_count++] =
				(struct function){start, symbol.st_size, name};
	}
	if (s->function_count)
		qsort(s->functions, s->function_count, sizeof(*s->functions), by_start);
}

/* The function around an address; one without a size reaches to the next. */
static const char *find_function(struct symbols *s, uint64_t address)
{
	size_t low = 0, high;
	const struct function *f;

	if (!s->indexed)
		index_functions(s);
	for (high = s->function_count; low < high;) {
		size_t middle = (low + high) / 2;

		if (s->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	f = &s->functions[low - 1];
	while (f > s->functions && f[-1].start == f->start) /* the largest at that place */
		f--;
	return !f->size || address - f->start < f->size ? f->name : NULL;
}

static void find_line(struct symbols *s, GElf_Addr address, struct symbols_line *line)
{
	Dwfl_Line *found = dwfl_module_getsrc(s->module, address);

	if (found)
		line->file = dwfl_lineinfo(found, NULL, &line->line, NULL, NULL, NULL);
}

void symbols_find(struct symbols *s, uint64_t address,
		  void (*fn)(void *, const struct symbols_line *), void *arg)
{
	GElf_Addr at = address + s->bias;
	struct symbols_line line = {0};
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(s->module, at, &bias);

	find_line(s, at, &line);
	if (unit && tell_scopes(unit, at - bias, line, fn, arg))
		return;
	line.function = symbols_demangled(find_function(s, at));
	if (line.function || line.file)
		fn(arg, &line);
}
