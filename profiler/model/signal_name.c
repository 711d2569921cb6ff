/* Names of signals: see the header. */
#include "profiler/model/signal_name.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

char *signal_name(char *out, int64_t number)
{
	const char *name = number > 0 && number < NSIG ? sigabbrev_np((int)number) : NULL;
	int64_t real_time = number - SIGRTMIN;

	if (name)
		snprintf(out, SIGNAL_NAME_MAX, "SIG%s", name);
	else if (real_time >= 0 && number <= SIGRTMAX)
		snprintf(out, SIGNAL_NAME_MAX, real_time ? "SIGRTMIN+%" PRId64 : "SIGRTMIN",
			 real_time);
	else
		snprintf(out, SIGNAL_NAME_MAX, "signal %" PRId64, number);
	return out;
}
