/*
 * python_around.c: our calls around the user's functions. The GIL is held everywhere here.
 *
 * A wrapper is a built-in function whose `self` is the tuple (function, before, after), inside an
 * instancemethod, which binds it to instances as a Python function would be.
 */
#include "inject/python_around.h"

#include <string.h>

#include "inject/self.h"
#include "inject/thread.h"

static PyObject *judge;   /* raised_by_user of hook.py */
static PyObject *nothing; /* an empty dictionary: the keywords of calls without any */

void python_set_judge(PyObject *function)
{
	py.Py_IncRef(function);
	judge = function;
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

static PyObject *call_untraced(PyObject *function, PyObject *first, PyObject *second,
			       PyObject *third)
{
	void *state = python_untraced_enter();
	PyObject *result = py.PyObject_CallFunctionObjArgs(function, first, second, third, NULL);

	python_untraced_leave(state);
	return result;
}

/* The judge's verdict; what itself raises is ours unless it is no Exception (Ctrl-C). */
static bool is_users(PyObject *value)
{
	PyObject *verdict = judge ? call_untraced(judge, value, NULL, NULL) : NULL;
	bool users = verdict && py.PyObject_IsTrue(verdict) > 0;

	if (verdict)
		py.Py_DecRef(verdict);
	return users;
}

enum python_outcome python_judge(void)
{
	PyObject *type, *value, *trace;
	bool users;

	if (!py.PyErr_ExceptionMatches(python_exception(py.PyExc_Exception)))
		return PYTHON_USERS;
	py.PyErr_Fetch(&type, &value, &trace);
	py.PyErr_NormalizeException(&type, &value, &trace);
	if (trace)
		py.PyException_SetTraceback(value, trace);
	users = is_users(value);
	if (py.PyErr_Occurred() && py.PyErr_ExceptionMatches(python_exception(py.PyExc_Exception)))
		py.PyErr_Clear();
	if (users && !py.PyErr_Occurred()) {
		py.PyErr_Restore(type, value, trace);
		return PYTHON_USERS;
	}
	self_drop(LOOPMEM_DROP_HOOK);
	py.Py_DecRef(type);
	py.Py_DecRef(value);
	if (trace)
		py.Py_DecRef(trace);
	return py.PyErr_Occurred() ? PYTHON_USERS : PYTHON_OURS;
}

enum python_outcome python_call_ours(PyObject **result, PyObject *function, PyObject *first,
				     PyObject *second, PyObject *third)
{
	*result = call_untraced(function, first, second, third);
	return *result ? PYTHON_OK : python_judge();
}

/* What is left of `after` once the function returned `result` or raised. Returns what the caller
 * gets. */
static PyObject *finish(PyObject *after, PyObject *token, PyObject *args, PyObject *result)
{
	PyObject *type = NULL, *value = NULL, *trace = NULL, *ignored;
	enum python_outcome outcome;

	if (!result)
		py.PyErr_Fetch(&type, &value, &trace);
	outcome = python_call_ours(&ignored, after, token, args, type ? type : python_none());
	if (ignored)
		py.Py_DecRef(ignored);
	if (outcome != PYTHON_USERS) {
		if (!result)
			py.PyErr_Restore(type, value, trace);
		return result;
	}
	if (result)
		py.Py_DecRef(result);
	if (type)
		py.Py_DecRef(type);
	if (value)
		py.Py_DecRef(value);
	if (trace)
		py.Py_DecRef(trace);
	return NULL;
}

static PyObject *call_around(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *function = py.PyTuple_GetItem(self, 0), *token, *result;
	enum python_outcome outcome;

	outcome = python_call_ours(&token, py.PyTuple_GetItem(self, 1), args,
				   keywords ? keywords : nothing, NULL);
	if (outcome == PYTHON_USERS)
		return NULL;
	result = py.PyObject_Call(function, args, keywords);
	if (token && token != python_none())
		result = finish(py.PyTuple_GetItem(self, 2), token, args, result);
	if (token)
		py.Py_DecRef(token);
	return result;
}

/* Method definitions live as long as the functions made of them: one for each name that is
 * wrapped. */
static struct python_method *definition(const char *name)
{
	static struct python_method methods[] = {
		{.name = "__init__"},          {.name = "_reset"},
		{.name = "_next_data"},        {.name = "exec_module"},
		{.name = "_shutdown_workers"}, {.name = "wrapped"},
	};
	size_t i = 0, last = sizeof(methods) / sizeof(methods[0]) - 1;

	while (i < last && strcmp(methods[i].name, name) != 0)
		i++;
	methods[i].call = (PyObject * (*)(PyObject *, PyObject *))(void (*)(void))call_around;
	methods[i].flags = PYTHON_VARARGS | PYTHON_KEYWORDS;
	return &methods[i];
}

PyObject *python_around(PyObject *self, PyObject *args)
{
	const char *name;
	PyObject *parts[3], *tuple, *function, *method = NULL;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "sOOO", &name, &parts[0], &parts[1], &parts[2]))
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
	function = py.PyCFunction_NewEx(definition(name), tuple, NULL);
	py.Py_DecRef(tuple);
	if (function) {
		method = py.PyInstanceMethod_New(function);
		py.Py_DecRef(function);
	}
	return method;
}
