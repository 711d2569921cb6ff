/*
 * python_check.c: the self-check before any frame is read without the interpreter's help.
 *
 * It asks for frame objects, which allocates and is allowed here, and compares: the word at an offset must be the
 * address that the interpreter gave. Memory is read through the kernel, so a wrong offset is a refusal and no crash.
 */
#include "inject/python_check.h"

#include <sys/uio.h>
#include <unistd.h>

#include "inject/python_api.h"

enum { FRAMES = 8, HOPS = 3, TEXT = 256 };

static bool peek(const char *object, int offset, void *out, size_t bytes)
{
	struct iovec to = {out, bytes}, from = {(char *)object + offset, bytes};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

static char *word(const char *object, int offset)
{
	char *value = NULL;

	return object && offset >= 0 && peek(object, offset, &value, sizeof(value)) ? value : NULL;
}

/* The attribute of an object; NULL without an exception when there is none. The caller releases it. */
static PyObject *attribute(PyObject *object, const char *name)
{
	PyObject *value = object ? py.PyObject_GetAttrString(object, name) : NULL;

	py.PyErr_Clear();
	return value;
}

static void release(PyObject *object)
{
	if (object)
		py.Py_DecRef(object);
}

/* The word is the very object that the attribute gives. */
static bool is_object(const char *holder, int offset, PyObject *object, const char *name)
{
	PyObject *value = attribute(object, name);
	bool is = value && word(holder, offset) == (char *)value;

	release(value);
	return is;
}

static bool is_number(const char *holder, int offset, PyObject *object, const char *name)
{
	PyObject *value = attribute(object, name);
	int number = -1;
	bool is = value && peek(holder, offset, &number, sizeof(number)) &&
		  number == py.PyLong_AsLong(value);

	release(value);
	py.PyErr_Clear();
	return is;
}

static bool is_text(const struct python_layout *layout, PyObject *object, const char *name)
{
	PyObject *value = attribute(object, name);
	PyObject *bytes = value ? py.PyUnicode_AsUTF8String(value) : NULL;
	char text[TEXT];
	bool is = true;

	if (bytes) {
		size_t n = python_text(layout, (const char *)value, text, sizeof(text) - 1);
		text[n] = '\0';
		is = !strncmp(py.PyBytes_AsString(bytes), text, n) &&
		     (n || !*py.PyBytes_AsString(bytes));
	}
	py.PyErr_Clear(); /* a name that UTF-8 has no form for says nothing */
	release(bytes);
	release(value);
	return is && value;
}

static bool is_code(const struct python_layout *layout, const char *code, PyObject *object)
{
	return word(code, 8) == py.PyCode_Type &&
	       is_object(code, layout->filename, object, "co_filename") &&
	       is_object(code, layout->name, object, "co_name") &&
	       (layout->qualname < 0 || is_object(code, layout->qualname, object, "co_qualname")) &&
	       is_number(code, layout->firstlineno, object, "co_firstlineno") &&
	       is_text(layout, object, "co_filename") && is_text(layout, object, "co_name");
}

/* The line that the instruction word leads to is the one that the frame says. */
static bool is_line(const struct python_layout *layout, const char *frame, const char *code,
		    PyObject *object)
{
	PyObject *value = attribute(object, "f_lineno");
	char *pointer = word(frame, layout->instruction);
	long line = value ? py.PyLong_AsLong(value) : -1;
	int instruction = (int)(intptr_t)pointer;

	if (layout->minor >= 11)
		instruction = (int)(pointer - (code + layout->bytecode));
	else if (layout->minor == 10)
		instruction *= 2;
	release(value);
	py.PyErr_Clear();
	return instruction >= -2 && instruction < 1 << 24 &&
	       py.PyCode_Addr2Line((PyObject *)code, instruction) == line;
}

/* What a frame object stands for. */
static const char *frame_of(const struct python_layout *layout, PyObject *object)
{
	return layout->object_frame < 0 ? (const char *)object
					: word((const char *)object, layout->object_frame);
}

/* `wanted` is `from` or one of the frames right behind it: those in between mark evaluation loops. */
static bool leads_to(const struct python_layout *layout, const char *from, const char *wanted)
{
	for (int hop = 0; from && hop < HOPS; hop++, from = word(from, layout->back))
		if (from == wanted)
			return true;
	return false;
}

static bool is_frame(const struct python_layout *layout, const char *frame, PyObject *object)
{
	PyObject *code = attribute(object, "f_code");
	bool is = frame && code && python_code(layout, word(frame, layout->code)) == (char *)code &&
		  is_code(layout, (const char *)code, code) &&
		  is_line(layout, frame, (const char *)code, object);

	release(code);
	return is;
}

static const char *top_frame(const struct python_layout *layout)
{
	const char *state = layout->minor >= 13 ? py.PyThreadState_GetUnchecked()
						: py._PyThreadState_UncheckedGet();
	const char *top = word(state, layout->top);

	return layout->current < 0 ? top : word(top, layout->current);
}

bool python_check(const struct python_layout *layout, const char **reason)
{
	PyObject *object = py.PyEval_GetFrame(), *back;
	const char *from = top_frame(layout);
	bool agrees = true;
	int frames = 0;

	if (!object)
		return false;
	py.Py_IncRef(object);
	while (agrees && object != python_none() && frames++ < FRAMES) {
		const char *frame = frame_of(layout, object);
		agrees = leads_to(layout, from, frame) && is_frame(layout, frame, object);
		from = frame ? word(frame, layout->back) : NULL;
		back = attribute(object, "f_back");
		release(object);
		object = back ? back : python_none();
		if (!back)
			py.Py_IncRef(object);
	}
	release(object);
	*reason = agrees ? NULL : "its frames are not where they should be";
	return true;
}
