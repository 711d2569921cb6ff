/*
 * loaded.h: does anything in this process define a symbol? As dlsym would say, but a symbol that is
 * not there costs no allocation: dlsym would allocate its message in the program's name.
 */
#ifndef INJECT_LOADED_H
#define INJECT_LOADED_H

#include <stdbool.h>

/* Looks in every loaded object, also in those of local scope. Takes the loader's lock. */
bool loaded_defines(const char *symbol);

#endif
