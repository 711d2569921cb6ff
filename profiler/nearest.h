/* "Did you mean": the closest known name to one that is not known. */
#ifndef PROFILER_NEAREST_H
#define PROFILER_NEAREST_H

#include <stddef.h>

/*
 * The name of names[0..count) closest to word by edit distance (insert, delete, replace, swap of
 * neighbours), or NULL when none is close enough to be meant: more than a third of the letters
 * would have to change. Of equals the first wins. The result is one of the given pointers.
 */
const char *nearest_name(const char *word, const char *const names[], size_t count);

#endif
