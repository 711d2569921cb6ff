/* What this binary is made of, for bug reports. */
#include "profiler/cmd/version.h"

#include <stdio.h>

#include "profiler/version.h"

#ifdef __clang__
#define COMPILER "" /* its __VERSION__ begins with the name */
#else
#define COMPILER "gcc "
#endif

void version_print(void)
{
	printf("loopmem %s\n", LOOPMEM_VERSION);
	printf("  compiler   %s%s\n", COMPILER, __VERSION__);
}
