/*
 * python_around.h: calls of ours around a Python function of the user's, of which the user sees
 * nothing.
 *
 * What is called is built in: it has no frame, so tracebacks, warnings with a stack level
 * and sys._getframe() are as without it. What our calls raise is swallowed and counted, unless it
 * is the user's own: a signal handler that raised while they ran.
 */
#ifndef INJECT_PYTHON_AROUND_H
#define INJECT_PYTHON_AROUND_H

#include "inject/python_api.h"

/*
 * around(function, before, after): a callable that calls
 *	before(args, kwargs); function(*args, **kwargs); after(args, failed)
 * and returns or raises what `function` did; `failed` is None or the type of the exception. after
 * is left out when before returns None. A signal handler of the user's may raise in before: then
 * function is not called but after is; or in after, which is then called once more: it has to bear
 * being called twice. METH_VARARGS.
 */
PyObject *python_around(PyObject *self, PyObject *args);

/* method(callable): it as a method of a class, bound to instances as a Python function would be. METH_VARARGS. */
PyObject *python_method(PyObject *self, PyObject *args);

/* Between these the guard is raised and trace and profile functions of the user see nothing (from
 * Python 3.11 on, where that can be asked for). */
void *python_untraced_enter(void);
void python_untraced_leave(void *state);

enum python_outcome {
	PYTHON_OK,
	PYTHON_OURS,  /* it failed; counted, and no exception is set */
	PYTHON_USERS, /* an exception of the user's is set and must go on */
};

/* Sorts the exception that is set. */
enum python_outcome python_judge(void);

/* What gives, when it is first needed, a new reference to the function that says whether an exception is the user's: called with it,
 * returns a truth value. */
void python_set_judge(PyObject *(*find)(void));

#endif
