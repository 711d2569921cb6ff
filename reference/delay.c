/* Sleeping to the end. */
#include "reference/delay.h"

#include <time.h>

void delay_s(double seconds)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};

	rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
	while ((rest.tv_sec || rest.tv_nsec) && nanosleep(&rest, &rest))
		;
}
