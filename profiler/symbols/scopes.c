/* A walk down the code of a unit: see the header. */
#include "profiler/symbols/scopes.h"

#include <dwarf.h>

/* Is this a scope that holds other scopes, but has no addresses of its own? */
static int is_name_space(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

static int is_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

static void enter(struct scopes *s, int tag, const Dwarf_Die *die)
{
	if (tag == DW_TAG_subprogram)
		s->count = 0;
	else if (tag != DW_TAG_inlined_subroutine)
		return;
	if (s->count < MOST_SCOPES)
		s->functions[s->count++] = *die;
}

/* 1 when the address was found. */
static int descend(Dwarf_Die *around, Dwarf_Addr address, struct scopes *s)
{
	Dwarf_Die die;
	int more = dwarf_child(around, &die);

	for (; !more; more = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if (is_name_space(tag) && descend(&die, address, s))
			return 1;
		if (!is_code(tag) || dwarf_haspc(&die, address) <= 0)
			continue;
		enter(s, tag, &die);
		descend(&die, address, s);
		return 1;
	}
	return 0;
}

void scopes_find(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address)
{
	s->count = 0;
	descend(unit, address, s);
}
