/*
 * Names as people write them, by libiberty: C++, and both manglings of Rust.
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/symbols/symbols.h"

const char *symbols_demangled(const char *name)
{
	static char *last;

	if (!name || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return name;
	free(last);
	last = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	return last ? last : name;
}
