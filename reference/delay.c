/* Sleeping to the end; computing by the thread's own clock. */
#include "reference/delay.h"

#include <time.h>

void delay_s(double seconds)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};

	rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
	while ((rest.tv_sec || rest.tv_nsec) && nanosleep(&rest, &rest))
		;
}

static double used_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void work_s(double seconds)
{
	double end;

	if (seconds <= 0)
		return;
	end = used_s() + seconds;
	while (used_s() < end)
		;
}
