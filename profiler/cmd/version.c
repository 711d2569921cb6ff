/* loopmem --version: what this binary is made of, for bug reports. */
#include <stdio.h>

#include "profiler/cmd/command.h"
#include "profiler/version.h"

void command_version(void)
{
	printf("loopmem %s\n", LOOPMEM_VERSION);
#ifdef __clang__
	printf("  compiler   %s\n", __VERSION__);
#else
	printf("  compiler   gcc %s\n", __VERSION__);
#endif
}
