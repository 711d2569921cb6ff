/*
 * loaded.h: who defines a symbol in this process? As dlsym would say, but a symbol that is not there
 * costs no allocation (dlsym would allocate its message in the program's name), and the answer is
 * the definition, never the entry by which a program that is not position independent calls it.
 */
#ifndef INJECT_LOADED_H
#define INJECT_LOADED_H

/* The first definition in the order of loading, also in objects of local scope; NULL when there is
 * none. Takes the loader's lock. */
const void *loaded_first(const char *symbol);

#endif
