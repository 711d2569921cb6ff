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

void work_s(double seconds)
{
	struct timespec now;
	double end = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		if (end == 0)
			end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}
