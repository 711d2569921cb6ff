/* What this binary is made of and what it finds at run time, for bug reports. */
#include "profiler/cmd/version.h"

#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "profiler/session/session.h"
#include "profiler/version.h"
#include "profiler/view/dygraphs.h"

#ifdef __clang__
#define COMPILER "" /* its __VERSION__ begins with the name */
#else
#define COMPILER "gcc "
#endif

static void line(const char *what, const char *version)
{
	printf("  %-10s %s\n", what, version);
}

void version_print(void)
{
	struct utsname system;

	printf("loopmem %s (session format %d)\n", LOOPMEM_VERSION, SESSION_VERSION);
	line("compiler", COMPILER __VERSION__);
	line("sqlite", session_sqlite_version());
	line("jansson", jansson_version_str());
	line("dygraphs",
	     dygraphs_js()[0] ? dygraphs_version() : "none: HTML reports have static pictures");
	line("glibc", gnu_get_libc_version());
	if (!uname(&system))
		line("kernel", system.release);
}
