/*
 * libfakepython: says that it is a Python, of the version in FAKE_PYTHON, and is none.
 */
#include <stdlib.h>

const char *Py_GetVersion(void);
const char *Py_GetVersion(void)
{
	const char *version = getenv("FAKE_PYTHON");

	return version ? version : "3.12.1 (main)";
}
