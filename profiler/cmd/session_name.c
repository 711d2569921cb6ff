/* Names of sessions: see the header. */
#include "profiler/cmd/session_name.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

const char *session_name(char *out, size_t size, const char *stem)
{
	time_t now = time(NULL);
	struct tm local;
	char when[32];

	localtime_r(&now, &local);
	strftime(when, sizeof(when), "%m%d-%H%M%S", &local);
	snprintf(out, size, "%s-%s.loopmem", stem, when);
	for (int i = 2; !access(out, F_OK) && i < 1000; i++)
		snprintf(out, size, "%s-%s-%d.loopmem", stem, when, i);
	return out;
}
