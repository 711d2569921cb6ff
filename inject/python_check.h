/*
 * python_check.h: does a layout describe the frames of the running interpreter?
 */
#ifndef INJECT_PYTHON_CHECK_H
#define INJECT_PYTHON_CHECK_H

#include <stdbool.h>

#include "inject/python_layout.h"

/* Compares words at the layout's offsets with what the interpreter itself says of its innermost frames. Addresses
 * found there are not followed blindly. False when no frame runs: to be asked again. Else *reason is NULL when all
 * agree. With the GIL, the guard raised, no exception set; leaves none. */
bool python_check(const struct python_layout *layout, const char **reason);

#endif
