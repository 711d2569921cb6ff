/*
 * python_offsets.c: the columns of inject/python_stack.def as the headers of the CPython that this is compiled with have them.
 * A test compiles a program with it for every CPython whose internal headers are installed.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>

#define MINOR PY_MINOR_VERSION

#if MINOR >= 11
#include <internal/pycore_frame.h>
#if MINOR >= 14
#include <internal/pycore_interpframe_structs.h>
#endif
#define FRAME(field)    offsetof(_PyInterpreterFrame, field)
#define AT_BACK         FRAME(previous)
#define AT_OWNER        FRAME(owner)
#define AT_OBJECT_FRAME offsetof(struct _frame, f_frame)
#define AT_QUALNAME     offsetof(PyCodeObject, co_qualname)
#define AT_BYTECODE     offsetof(PyCodeObject, co_code_adaptive)
#define AT_TRACEABLE    offsetof(PyCodeObject, _co_firsttraceable)
#else
#define FRAME(field)    offsetof(PyFrameObject, field)
#define AT_BACK         FRAME(f_back)
#define AT_OWNER        -1
#define AT_OBJECT_FRAME -1
#define AT_QUALNAME     -1
#define AT_BYTECODE     -1
#define AT_TRACEABLE    -1
#endif

#if MINOR >= 13
#define AT_TOP         offsetof(PyThreadState, current_frame)
#define AT_CODE        FRAME(f_executable)
#define AT_INSTRUCTION FRAME(instr_ptr)
#elif MINOR >= 11
#define AT_TOP         offsetof(PyThreadState, cframe)
#define AT_CODE        FRAME(f_code)
#define AT_INSTRUCTION FRAME(prev_instr)
#else
#define AT_TOP         offsetof(PyThreadState, frame)
#define AT_CODE        FRAME(f_code)
#define AT_INSTRUCTION FRAME(f_lasti)
#endif

#if MINOR == 11 || MINOR == 12
#define AT_CURRENT     offsetof(_PyCFrame, current_frame)
#define AT_CFRAME      offsetof(PyThreadState, cframe)
#define AT_CFRAME_NEXT offsetof(_PyCFrame, previous)
#elif MINOR == 10
#define AT_CURRENT     -1
#define AT_CFRAME      offsetof(PyThreadState, cframe)
#define AT_CFRAME_NEXT offsetof(CFrame, previous)
#else
#define AT_CURRENT     -1
#define AT_CFRAME      -1
#define AT_CFRAME_NEXT -1
#endif

#if MINOR == 11
#define AT_ENTRY FRAME(is_entry)
#else
#define AT_ENTRY -1
#endif

#if MINOR >= 10
#define AT_LINETABLE offsetof(PyCodeObject, co_linetable)
#else
#define AT_LINETABLE offsetof(PyCodeObject, co_lnotab)
#endif

static const int in_headers[] = {
	MINOR,
	AT_TOP,
	AT_CURRENT,
	AT_CFRAME,
	AT_CFRAME_NEXT,
	AT_BACK,
	AT_CODE,
	AT_INSTRUCTION,
	AT_OWNER,
	AT_ENTRY,
	AT_OBJECT_FRAME,
	offsetof(PyCodeObject, co_filename),
	offsetof(PyCodeObject, co_name),
	AT_QUALNAME,
	offsetof(PyCodeObject, co_firstlineno),
	AT_LINETABLE,
	AT_BYTECODE,
	AT_TRACEABLE,
	sizeof(PyASCIIObject),
	sizeof(PyCompactUnicodeObject),
};

static const int in_table[][sizeof(in_headers) / sizeof(in_headers[0])] = {
#define PYTHON_STACK(...) {__VA_ARGS__},
#define PYTHON_DEBUG_OFFSETS(...)
#include "inject/python_stack.def"
#undef PYTHON_STACK
#undef PYTHON_DEBUG_OFFSETS
};

#if MINOR >= 13
#include <internal/pycore_runtime.h>
#define WORD(group) ((int)(offsetof(_Py_DebugOffsets, group) / 8))

static const int groups[][4] = {
#define PYTHON_STACK(...)
#define PYTHON_DEBUG_OFFSETS(...) {__VA_ARGS__},
#include "inject/python_stack.def"
};

static int groups_differ(void)
{
	for (size_t row = 0; row < sizeof(groups) / sizeof(groups[0]); row++)
		if (groups[row][0] == MINOR)
			return groups[row][1] != WORD(thread_state) ||
			       groups[row][2] != WORD(interpreter_frame) ||
			       groups[row][3] != WORD(code_object);
	return 1;
}
#else
static int groups_differ(void)
{
	return 0;
}
#endif

/* Prints every column that differs, by its place in the row. 0 when there is a row and none does. */
int main(void)
{
	int known = 0, differ = groups_differ();

	if (differ)
		printf("the groups of _Py_DebugOffsets are elsewhere\n");

	for (size_t row = 0; row < sizeof(in_table) / sizeof(in_table[0]); row++) {
		if (in_table[row][0] != MINOR)
			continue;
		known = 1;
		for (size_t i = 0; i < sizeof(in_headers) / sizeof(in_headers[0]); i++)
			if (in_table[row][i] != in_headers[i]) {
				printf("column %zu: %d, in the headers %d\n", i, in_table[row][i],
				       in_headers[i]);
				differ = 1;
			}
	}
	return !known || differ;
}
