/*
 * debug_file.h: where debug information lies that is in a file of its own.
 */
#ifndef PROFILER_SYMBOLS_DEBUG_FILE_H
#define PROFILER_SYMBOLS_DEBUG_FILE_H

#include <elfutils/libdwfl.h>

/* A find_debuginfo of Dwfl_Callbacks: by build id, by debuglink, and from the servers in $DEBUGINFOD_URLS when
 * there are any. libdwfl's own search loads the library that downloads, and some twenty more with it, for every
 * file that has no debug information: 5 ms each time. */
int debug_file_find(Dwfl_Module *module, void **user_data, const char *module_name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word link_crc, char **found);

#endif
