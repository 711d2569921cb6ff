/*
 * symbols.h: functions, files and lines of addresses in an ELF file, by its symbols and debug information. The only
 * user of libelf and libdw.
 *
 * The file on disk may no longer be what was loaded: it is opened only when its build id is the one asked for, so a
 * name is right or absent. Debug information in a file of its own is found by build id and by debuglink. One thread.
 */
#ifndef PROFILER_SYMBOLS_H
#define PROFILER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct symbols_line {
	const char *function, *file; /* NULL = unknown; valid during the call */
	int line;                    /* 0 = unknown */
};

/* NULL when the file cannot be read, is no ELF file, or has another build id than `build_id` (0 bytes: any). */
struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes);
void symbols_close(struct symbols *s);

/* What was found of addresses[index]. */
typedef void symbols_answer_fn(void *arg, size_t index, const struct symbols_line *line);

/* Calls fn for the function at each address of the file: for inlined code once a function, the innermost first. Not
 * at all when nothing is known. In any order of addresses; answers of one come together. One call for all addresses
 * of a file: each goes through its symbols once. */
void symbols_find(struct symbols *s, const uint64_t *addresses, size_t count, symbols_answer_fn *fn,
		  void *arg);

/* A C++ or Rust name as people write it, or the name itself. Valid until the next call. */
const char *symbols_demangled(const char *name);

#endif
