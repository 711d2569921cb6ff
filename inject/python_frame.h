/*
 * python_frame.h: the file and the variables of a running Python function, read in place.
 *
 * `frame.f_locals` would up to 3.12 hang a dictionary on the frame that keeps every value alive
 * until the function returns. With the GIL, for frames of the calling thread's own stack.
 */
#ifndef INJECT_PYTHON_FRAME_H
#define INJECT_PYTHON_FRAME_H

#include "inject/python_api.h"

/* values(frame, names): a tuple with the value of each variable, None where it is not set. `names`
 * are all variables of the frame's code in the order of their slots. METH_VARARGS. */
PyObject *python_frame_values(PyObject *self, PyObject *args);

/* Whether the code of a frame is from a file whose name begins with `prefix`. Leaves no exception. */
bool python_frame_is_in(PyObject *frame, const char *prefix);

#endif
