/*
 * python_frame.c: variables of frames, by the slots of python_abi.def up to 3.11, by
 * PyFrame_GetVar after.
 */
#include "inject/python_frame.h"

#include <stddef.h>

struct frame_abi {
	int minor;
	long frame_bytes;
	size_t inner;
	size_t slots;
};

static const struct frame_abi abis[] = {
#define PYTHON_FRAME(minor, frame_bytes, inner, slots) {minor, frame_bytes, inner, slots},
#include "inject/python_abi.def"
#undef PYTHON_FRAME
};

/* Compares the one figure that the interpreter tells about its frames with the table's. */
static bool is_true_of(const struct frame_abi *abi, PyObject *frame)
{
	PyObject *type = python_type_of(frame);
	PyObject *size = py.PyObject_GetAttrString(type, "__basicsize__");
	long bytes = size ? py.PyLong_AsLong(size) : -1;

	if (size)
		py.Py_DecRef(size);
	py.PyErr_Clear();
	return bytes == abi->frame_bytes;
}

static const struct frame_abi *abi_of(PyObject *frame)
{
	for (size_t i = 0; i < sizeof(abis) / sizeof(abis[0]); i++)
		if (abis[i].minor == python_api_minor() && is_true_of(&abis[i], frame))
			return &abis[i];
	return NULL;
}

/* A new reference, or NULL when the variable is not set. */
static PyObject *read_slot(const struct frame_abi *abi, PyObject *frame, ssize_t index)
{
	char *base = (char *)frame;
	PyObject *value;

	if (abi->inner)
		base = *(char **)(base + abi->inner);
	value = ((PyObject **)(base + abi->slots))[index];
	if (!value)
		return NULL;
	if (python_type_of(value) == py.PyCell_Type)
		return py.PyCell_Get(value);
	py.Py_IncRef(value);
	return value;
}

static PyObject *read_by_name(PyObject *frame, PyObject *name)
{
	PyObject *value = py.PyFrame_GetVar(frame, name);

	if (!value)
		py.PyErr_Clear();
	return value;
}

PyObject *python_frame_values(PyObject *self, PyObject *args)
{
	PyObject *frame, *names, *values;
	const struct frame_abi *abi = NULL;
	ssize_t count;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "OO", &frame, &names))
		return NULL;
	if (python_api_minor() < 12)
		abi = abi_of(frame);
	count = py.PyTuple_Size(names);
	values = count < 0 ? NULL : py.PyTuple_New(count);
	for (ssize_t i = 0; values && i < count; i++) {
		PyObject *value = NULL;
		if (abi)
			value = read_slot(abi, frame, i);
		else if (python_api_minor() >= 12)
			value = read_by_name(frame, py.PyTuple_GetItem(names, i));
		if (!value) {
			value = python_none();
			py.Py_IncRef(value);
		}
		py.PyTuple_SetItem(values, i, value);
	}
	return values;
}

bool python_frame_is_in(PyObject *frame, const char *prefix)
{
	PyObject *code = py.PyObject_GetAttrString(frame, "f_code");
	PyObject *file = code ? py.PyObject_GetAttrString(code, "co_filename") : NULL;
	PyObject *starts = file ? py.PyObject_CallMethod(file, "startswith", "s", prefix) : NULL;
	bool result = starts && py.PyObject_IsTrue(starts) > 0;

	if (code)
		py.Py_DecRef(code);
	if (file)
		py.Py_DecRef(file);
	if (starts)
		py.Py_DecRef(starts);
	py.PyErr_Clear();
	return result;
}
