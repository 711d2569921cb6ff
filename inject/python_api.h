/*
 * python_api.h: the running interpreter's functions, and whether they may be called.
 *
 * Nothing here creates Python objects. Found once, on the process's main thread, with the guard
 * raised (dlsym of a missing name allocates); after that read-only.
 */
#ifndef INJECT_PYTHON_API_H
#define INJECT_PYTHON_API_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opaque, but for the second word: its type. (Builds where that does not hold are refused.) */
typedef struct python_object PyObject;

/* PyMethodDef of the stable ABI. */
struct python_method {
	const char *name;
	PyObject *(*call)(PyObject *self, PyObject *args);
	int flags;
	const char *doc;
};
enum { PYTHON_VARARGS = 1, PYTHON_KEYWORDS = 2, PYTHON_NOARGS = 4, PYTHON_ONE = 8 };

/* PyMemAllocatorEx and PyObjectArenaAllocator. */
struct python_allocator {
	void *ctx;
	void *(*malloc)(void *ctx, size_t bytes);
	void *(*calloc)(void *ctx, size_t n, size_t each);
	void *(*realloc)(void *ctx, void *object, size_t bytes);
	void (*free)(void *ctx, void *object);
};
struct python_arenas {
	void *ctx;
	void *(*alloc)(void *ctx, size_t bytes);
	void (*free)(void *ctx, void *arena, size_t bytes);
};

struct python_api {
#define PY(from, to, ret, name, parameters) ret(*name) parameters;
#define PY_DATA(name)                       void *name;
#include "inject/python_api.def"
#undef PY
#undef PY_DATA
};
extern struct python_api py __attribute__((visibility("hidden")));

enum python_found {
	PYTHON_NONE,        /* no interpreter in this process so far */
	PYTHON_UNSUPPORTED, /* `reason` says why not */
	PYTHON_FOUND,
};

/* Looks for the interpreter and fills `py`. */
enum python_found python_api_find(const char **reason);

uint32_t python_api_version(void); /* PY_VERSION_HEX; valid unless PYTHON_NONE */
int python_api_minor(void);

/* True when an interpreter is initialised and the calling thread is one of its main interpreter's
 * that holds the GIL. Safe at any time in any thread; calls nothing that can abort. */
bool python_api_is_ours(void);

static inline PyObject *python_none(void)
{
	return (PyObject *)py._Py_NoneStruct;
}

static inline PyObject *python_exception(void *symbol)
{
	return *(PyObject **)symbol;
}

static inline void *python_type_of(PyObject *object)
{
	return ((void **)object)[1];
}

#endif
