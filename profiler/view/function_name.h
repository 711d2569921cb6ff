/*
 * function_name.h: the name of a native function as a person reads it. C++ and Rust names come demangled and whole, with
 * parameters and arguments of templates: some are longer than a screen is wide.
 */
#ifndef PROFILER_VIEW_FUNCTION_NAME_H
#define PROFILER_VIEW_FUNCTION_NAME_H

#include <stddef.h>

/* Without its parameters, and where it is longer than 60 bytes without what its other brackets hold, for which `mark` stands:
 * "Cache<int>::put", "std::vector<…>::push_back", "main::{lambda(int)#1}::operator()". Cut to `size`; returns `out`. */
char *function_name(char *out, size_t size, const char *whole, const char *mark);

#endif
