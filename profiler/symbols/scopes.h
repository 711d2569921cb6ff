/*
 * scopes.h: the functions around an address, as they lie in their unit. libdw's own dwarf_getscopes asks every type and
 * variable of the unit for its addresses, which takes four times as long, gives of inlined code what lies around the
 * original, and nothing where the original is in another unit (link-time optimization).
 */
#ifndef PROFILER_SYMBOLS_SCOPES_H
#define PROFILER_SYMBOLS_SCOPES_H

#include <elfutils/libdw.h>

enum { MOST_SCOPES = 64 };

/* One function that was compiled for itself, and what was inlined there around the address, the innermost last. Of more
 * than MOST_SCOPES the innermost are left out. */
struct scopes {
	Dwarf_Die functions[MOST_SCOPES];
	int count;
};

/* Count 0 when the unit does not know the address, which is relative to its file. Dies are valid as long as the unit's. */
void scopes_find(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address);

#endif
