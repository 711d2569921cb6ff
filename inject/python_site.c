/* python_site.c: walks the interpreter's frames by their attributes. */
#include "inject/python_site.h"

#include <limits.h>
#include <string.h>

#include "inject/text.h"

enum { SHOWN = 200 }; /* frames looked at, from the innermost */

enum kind {
	KIND_OURS,
	KIND_STANDARD,
	KIND_PACKAGE,
	KIND_USERS,
};

/* The folder of the standard library with its slash, "" until it is known. With the GIL. */
static char standard[PATH_MAX];

/* The UTF-8 of an attribute that is a string; owns *bytes until it is let go of. NULL = none. */
static const char *string_of(PyObject *object, const char *name, PyObject **bytes)
{
	PyObject *value = object ? py.PyObject_GetAttrString(object, name) : NULL;

	*bytes = value ? py.PyUnicode_AsUTF8String(value) : NULL;
	if (value)
		py.Py_DecRef(value);
	py.PyErr_Clear();
	return *bytes ? py.PyBytes_AsString(*bytes) : NULL;
}

static void find_standard(void)
{
	PyObject *modules = py.PySys_GetObject("modules"), *bytes;
	PyObject *os = modules ? py.PyDict_GetItemString(modules, "os") : NULL;
	const char *file = string_of(os, "__file__", &bytes);
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (slash && (size_t)(slash - file) + 2 < sizeof(standard)) {
		memcpy(standard, file, (size_t)(slash - file) + 1);
		standard[slash - file + 1] = '\0';
	}
	if (bytes)
		py.Py_DecRef(bytes);
}

static enum kind kind_of(const char *file)
{
	if (!strncmp(file, "<loopmem>/", 10))
		return KIND_OURS;
	if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/"))
		return KIND_PACKAGE;
	if (!strncmp(file, "<frozen ", 8))
		return KIND_STANDARD;
	return *standard && !strncmp(file, standard, strlen(standard)) ? KIND_STANDARD : KIND_USERS;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

static bool starts_processes(const char *file)
{
	return ends_with(file, "/multiprocessing/popen_fork.py") ||
	       ends_with(file, "/multiprocessing/forkserver.py");
}

static void write_line(struct fork_site *site, PyObject *frame, const char *file)
{
	PyObject *number = py.PyObject_GetAttrString(frame, "f_lineno");
	const char *slash = strrchr(file, '/');
	struct text text = text_into(site->text, sizeof(site->text));
	long line = number ? py.PyLong_AsLong(number) : 0;

	text_put(&text, slash ? slash + 1 : file);
	text_put_char(&text, ':');
	text_put_number(&text, line > 0 ? (uint64_t)line : 0, 10);
	if (number)
		py.Py_DecRef(number);
	py.PyErr_Clear();
}

/* Looks at one frame; *best is the kind that the site has so far, KIND_OURS before any other frame
 * was seen. True when no better can come. */
static bool look_at(struct fork_site *site, PyObject *frame, enum kind *best)
{
	PyObject *code = py.PyObject_GetAttrString(frame, "f_code"), *bytes;
	const char *file = string_of(code, "co_filename", &bytes);
	enum kind kind = file ? kind_of(file) : KIND_OURS;

	if (*best == KIND_OURS && kind != KIND_OURS)
		site->claimed = starts_processes(file);
	if (kind > *best && kind > KIND_STANDARD)
		write_line(site, frame, file);
	if (kind > *best)
		*best = kind;
	if (bytes)
		py.Py_DecRef(bytes);
	if (code)
		py.Py_DecRef(code);
	return kind == KIND_USERS;
}

void python_site_find(struct fork_site *site)
{
	PyObject *frame = py.PyEval_GetFrame();
	enum kind best = KIND_OURS;

	*site = (struct fork_site){.text = ""};
	if (!*standard)
		find_standard();
	if (frame)
		py.Py_IncRef(frame);
	for (int i = 0; frame && i < SHOWN; i++) {
		bool found = look_at(site, frame, &best);
		PyObject *back = found ? NULL : py.PyObject_GetAttrString(frame, "f_back");

		py.Py_DecRef(frame);
		frame = back;
		if (frame == python_none()) {
			py.Py_DecRef(frame);
			frame = NULL;
		}
	}
	if (frame)
		py.Py_DecRef(frame);
	py.PyErr_Clear();
}
