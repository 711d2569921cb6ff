/* Filling in a struct failure. */
#include "reference/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int failure_set(struct failure *f, enum failure_kind kind, const char *format, ...)
{
	va_list arguments;

	*f = (struct failure){.kind = kind};
	va_start(arguments, format);
	vsnprintf(f->text, sizeof(f->text), format, arguments);
	va_end(arguments);
	return kind;
}

int failure_system(struct failure *f, const char *what)
{
	return failure_set(f, FAILURE_SYSTEM, "%s: %s", what, strerror(errno));
}
