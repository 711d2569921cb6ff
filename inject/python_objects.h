/*
 * python_objects.h: each object of Python as an allocation of its own (LOOPMEM_PYTHON_ALLOCATORS=1).
 *
 * Objects of up to 512 bytes never pass malloc: the interpreter cuts them out of arenas that it maps. By default a new arena
 * is a sample of the line that needed it; here the interpreter's allocators are wrapped (PyMem_SetAllocator), objects take
 * part in the countdown like blocks, and arenas do not count. Larger objects come from malloc and are seen there.
 */
#ifndef INJECT_PYTHON_OBJECTS_H
#define INJECT_PYTHON_OBJECTS_H

#include <stdbool.h>

/* Before threads: whether objects are to be followed. */
void python_objects_want(bool wanted);

/* Wraps the allocators, once; with the GIL, in the pending call of the bootstrap. `stacks`: Python's frames can be read,
 * without which objects would have no lines. */
void python_objects_start(bool stacks);

#endif
