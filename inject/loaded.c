/*
 * loaded.c: looks a name up in the GNU hash table of each loaded object.
 *
 * The table (DT_GNU_HASH): a header, a bloom filter of words, buckets that hold the first symbol of
 * a chain, and a hash for each symbol whose lowest bit marks the end of the chain.
 */
#include "inject/loaded.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct search {
	const char *name;
	uint32_t hash;
	const void *found;
};

struct tables {
	const uint32_t *hash;
	const ElfW(Sym) * symbols;
	const char *strings;
};

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Most objects have relocated pointers there, the vdso has offsets. */
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static bool find_tables(struct tables *tables, const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *entry = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		const void *at = pointer(info, entry->d_un.d_ptr);
		if (entry->d_tag == DT_GNU_HASH)
			tables->hash = at;
		else if (entry->d_tag == DT_SYMTAB)
			tables->symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			tables->strings = at;
	}
	return tables->hash && tables->symbols && tables->strings;
}

/* A symbol that is only called has no section, though it may have an address for all to agree on. */
static bool is_it(const struct tables *tables, const ElfW(Sym) * symbol, const char *name)
{
	return symbol->st_shndx != SHN_UNDEF && !strcmp(tables->strings + symbol->st_name, name);
}

static const ElfW(Sym) * find_symbol(const struct tables *tables, const struct search *search)
{
	const uint32_t *header = tables->hash;
	uint32_t n_buckets = header[0], first = header[1], n_bloom = header[2];
	const ElfW(Addr) *bloom = (const void *)(header + 4);
	const uint32_t *buckets = (const void *)(bloom + n_bloom);
	const uint32_t *chain = buckets + n_buckets;
	uint32_t i;

	if (n_buckets == 0)
		return NULL;
	i = buckets[search->hash % n_buckets];
	if (i < first)
		return NULL;
	for (;; i++) {
		uint32_t hash = chain[i - first];
		if ((hash | 1) == (search->hash | 1) &&
		    is_it(tables, &tables->symbols[i], search->name))
			return &tables->symbols[i];
		if (hash & 1)
			return NULL;
	}
}

static int look_in(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct tables tables = {0};
	const ElfW(Sym) *symbol = NULL;

	(void)size;
	if (find_tables(&tables, info))
		symbol = find_symbol(&tables, search);
	if (symbol)
		search->found = (const void *)(info->dlpi_addr + symbol->st_value);
	return symbol != NULL;
}

const void *loaded_first(const char *symbol)
{
	struct search search = {symbol, gnu_hash(symbol), NULL};

	dl_iterate_phdr(look_in, &search);
	return search.found;
}
