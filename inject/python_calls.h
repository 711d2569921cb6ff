/*
 * python_calls.h: what the embedded Python files see of the shim: the module `shim`.
 */
#ifndef INJECT_PYTHON_CALLS_H
#define INJECT_PYTHON_CALLS_H

#include "inject/python_api.h"

/* A new module with the calls of the pool API, the constants of loopmem.h, and around and values.
 * It is in no sys.modules. NULL with an exception set. */
PyObject *python_calls_module(void);

#endif
