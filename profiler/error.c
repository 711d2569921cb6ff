/* Errors of the libraries: formatting only. Text that does not fit is cut, never refused. */
#include "profiler/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
set(struct error *e, enum error_kind kind, const char *format, va_list arguments)
{
	e->kind = kind;
	e->hint[0] = '\0';
	vsnprintf(e->text, sizeof(e->text), format, arguments);
}

int error_set(struct error *e, enum error_kind kind, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set(e, kind, format, arguments);
	va_end(arguments);
	return kind;
}

int error_set_errno(struct error *e, enum error_kind kind, int errnum, const char *format, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	set(e, kind, format, arguments);
	va_end(arguments);
	length = strlen(e->text);
	snprintf(e->text + length, sizeof(e->text) - length, ": %s", strerror(errnum));
	return kind;
}

void error_hint(struct error *e, const char *format, ...)
{
	va_list arguments;
	size_t length = strlen(e->hint);

	if (length && strchr(e->hint, '\n'))
		return;
	if (length && length + 1 < sizeof(e->hint))
		e->hint[length++] = '\n';
	va_start(arguments, format);
	vsnprintf(e->hint + length, sizeof(e->hint) - length, format, arguments);
	va_end(arguments);
}

int error_exit_code(const struct error *e)
{
	switch (e->kind) {
	case ERROR_USAGE:
		return 2;
	case ERROR_UNREADABLE:
		return 3;
	case ERROR_SYSTEM:
	case ERROR_PROGRAM:
		break;
	}
	return 1;
}
