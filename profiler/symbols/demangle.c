/*
 * Names as people write them, by the C++ library that is installed: __cxa_demangle. It is looked for once; without it
 * names stay as the linker knows them.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/symbols/symbols.h"

typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);

static demangle_fn *find_demangler(void)
{
	static demangle_fn *demangle;
	static int looked;
	void *library;

	if (looked)
		return demangle;
	looked = 1;
	library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (library)
		demangle = (demangle_fn *)dlsym(library, "__cxa_demangle");
	return demangle;
}

/* Rust's first mangling looks like C++ with a hash at the end: "core::fmt::write::h0123456789abcdef". */
static void drop_rust_hash(char *name)
{
	enum { HASH = 16 };
	size_t length = strlen(name), at;

	if (length < HASH + 4)
		return;
	at = length - HASH - 3;
	if (strncmp(name + at, "::h", 3))
		return;
	for (size_t i = at + 3; i < length; i++)
		if (!isxdigit((unsigned char)name[i]))
			return;
	name[at] = '\0';
}

const char *symbols_demangled(const char *name)
{
	static char *last;
	demangle_fn *demangle;
	int status = -1;

	if (!name || strncmp(name, "_Z", 2))
		return name;
	demangle = find_demangler();
	free(last);
	last = demangle ? demangle(name, NULL, NULL, &status) : NULL;
	if (!last)
		return name;
	drop_rust_hash(last);
	return last;
}
