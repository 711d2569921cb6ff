/*
 * python_around.c: our calls around the user's functions. The GIL is held everywhere here.
 *
 * What is called is a built-in function whose `self` is the tuple (function, before, after); wrappers.py
 * gives it the looks of the function.
 */
#include "inject/python_around.h"

#include <stddef.h>

#include "inject/python_frame.h"
#include "inject/self.h"
#include "inject/thread.h"

static PyObject *judge;               /* raised_by_user of faults.py, once it was needed */
static PyObject *(*find_judge)(void); /* gives it */
static PyObject *nothing;             /* an empty dictionary: the keywords of calls without any */

void python_set_judge(PyObject *(*find)(void))
{
	find_judge = find;
}

void *python_untraced_enter(void)
{
	void *state;

	guard_enter();
	if (python_api_minor() < 11)
		return NULL;
	state = python_api_minor() >= 13 ? py.PyThreadState_GetUnchecked()
					 : py._PyThreadState_UncheckedGet();
	py.PyThreadState_EnterTracing(state);
	return state;
}

void python_untraced_leave(void *state)
{
	if (state)
		py.PyThreadState_LeaveTracing(state);
	guard_leave();
}

static PyObject *call_untraced(PyObject *function, PyObject *first, PyObject *second)
{
	void *state = python_untraced_enter();
	PyObject *result = py.PyObject_CallFunctionObjArgs(function, first, second, NULL);

	python_untraced_leave(state);
	return result;
}

struct error {
	PyObject *type, *value, *trace;
};

/* The exception that is set, taken away, as an object with its traceback. */
static struct error take_error(void)
{
	struct error error;

	py.PyErr_Fetch(&error.type, &error.value, &error.trace);
	py.PyErr_NormalizeException(&error.type, &error.value, &error.trace);
	if (error.trace)
		py.PyException_SetTraceback(error.value, error.trace);
	return error;
}

static void forget_error(struct error error)
{
	if (error.type)
		py.Py_DecRef(error.type);
	if (error.value)
		py.Py_DecRef(error.value);
	if (error.trace)
		py.Py_DecRef(error.trace);
}

/* Sets the exception again, without our frames at the outer end of its traceback. */
static void pass_on(struct error error)
{
	while (error.trace && error.trace != python_none()) {
		PyObject *next, *frame = py.PyObject_GetAttrString(error.trace, "tb_frame");
		bool ours = frame && python_frame_is_in(frame, "<loopmem>");

		if (frame)
			py.Py_DecRef(frame);
		if (!ours)
			break;
		next = py.PyObject_GetAttrString(error.trace, "tb_next");
		py.Py_DecRef(error.trace);
		error.trace = next;
	}
	if (error.trace == python_none()) {
		py.Py_DecRef(error.trace);
		error.trace = NULL;
	}
	py.PyException_SetTraceback(error.value, error.trace ? error.trace : python_none());
	py.PyErr_Restore(error.type, error.value, error.trace);
}

static bool is_exception(void)
{
	return py.PyErr_ExceptionMatches(python_exception(py.PyExc_Exception));
}

static PyObject *the_judge(void)
{
	void *state;

	if (!judge && find_judge) {
		state = python_untraced_enter();
		judge = find_judge();
		python_untraced_leave(state);
	}
	return judge;
}

/* The judge's verdict. It may be interrupted itself, by an exception that is then set. */
static bool is_users(PyObject *value)
{
	PyObject *verdict = the_judge() ? call_untraced(judge, value, NULL) : NULL;
	bool users = verdict && py.PyObject_IsTrue(verdict) > 0;

	if (verdict)
		py.Py_DecRef(verdict);
	if (py.PyErr_Occurred() && is_exception())
		py.PyErr_Clear();
	return users;
}

enum python_outcome python_judge(void)
{
	bool plain = py.PyErr_Occurred() && is_exception();
	struct error error;

	if (!py.PyErr_Occurred()) {
		self_drop(LOOPMEM_DROP_HOOK);
		return PYTHON_OURS;
	}
	error = take_error();
	if (!plain || (is_users(error.value) && !py.PyErr_Occurred())) {
		pass_on(error);
		return PYTHON_USERS;
	}
	forget_error(error);
	self_drop(LOOPMEM_DROP_HOOK);
	return py.PyErr_Occurred() ? PYTHON_USERS : PYTHON_OURS;
}

/* Calls function(first, second) up to the first NULL, untraced and with the guard raised.
 * *result is a new reference or NULL. No exception may be set. */
static enum python_outcome call_ours(PyObject **result, PyObject *function, PyObject *first,
				     PyObject *second)
{
	*result = call_untraced(function, first, second);
	return *result ? PYTHON_OK : python_judge();
}

/* Calls after(args, failed), and again if a handler of the user's raised in it, whose exception is
 * then set. */
static enum python_outcome call_after(PyObject *after, PyObject *args, PyObject *failed)
{
	enum python_outcome outcome = PYTHON_USERS;
	struct error interruption = {0};
	PyObject *ignored;

	for (int i = 0; i < 2 && outcome == PYTHON_USERS; i++) {
		outcome = call_ours(&ignored, after, args, failed);
		if (ignored)
			py.Py_DecRef(ignored);
		if (outcome == PYTHON_USERS) {
			forget_error(interruption);
			interruption = take_error();
		}
	}
	if (!interruption.type)
		return outcome;
	pass_on(interruption);
	return PYTHON_USERS;
}

/* The wrapped function has returned `result` or raised. Returns what the caller gets. */
static PyObject *finish(PyObject *after, PyObject *args, PyObject *result)
{
	struct error error = {0};

	if (!result)
		py.PyErr_Fetch(&error.type, &error.value, &error.trace);
	if (call_after(after, args, error.type ? error.type : python_none()) != PYTHON_USERS) {
		if (!result)
			py.PyErr_Restore(error.type, error.value, error.trace);
		return result;
	}
	if (result)
		py.Py_DecRef(result);
	forget_error(error);
	return NULL;
}

static PyObject *call_around(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *after = py.PyTuple_GetItem(self, 2), *wanted, *result = NULL;
	enum python_outcome outcome;
	bool skip;

	outcome = call_ours(&wanted, py.PyTuple_GetItem(self, 1), args,
			    keywords ? keywords : nothing);
	skip = wanted == python_none();
	if (wanted)
		py.Py_DecRef(wanted);
	if (outcome != PYTHON_USERS)
		result = py.PyObject_Call(py.PyTuple_GetItem(self, 0), args, keywords);
	return skip ? result : finish(after, args, result);
}

static struct python_method definition = {.name = "call",
					  .flags = PYTHON_VARARGS | PYTHON_KEYWORDS};

PyObject *python_around(PyObject *self, PyObject *args)
{
	PyObject *parts[3], *tuple, *call;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "OOO", &parts[0], &parts[1], &parts[2]))
		return NULL;
	if (!nothing)
		nothing = py.PyDict_New();
	tuple = nothing ? py.PyTuple_New(3) : NULL;
	if (!tuple)
		return NULL;
	for (int i = 0; i < 3; i++) {
		py.Py_IncRef(parts[i]);
		py.PyTuple_SetItem(tuple, i, parts[i]);
	}
	definition.call = (PyObject * (*)(PyObject *, PyObject *))(void (*)(void))call_around;
	call = py.PyCFunction_NewEx(&definition, tuple, NULL);
	py.Py_DecRef(tuple);
	return call;
}

PyObject *python_method(PyObject *self, PyObject *args)
{
	PyObject *callable;

	(void)self;
	return py.PyArg_ParseTuple(args, "O", &callable) ? py.PyInstanceMethod_New(callable) : NULL;
}
