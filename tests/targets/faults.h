/*
 * faults.h: what programs with one fault of several share: `PROGRAM FAULT [MIB]` runs the fault, `PROGRAM FAULT-not [MIB]` the same work
 * without it. A fault prints what it knows of itself.
 */
#ifndef TESTS_TARGETS_FAULTS_H
#define TESTS_TARGETS_FAULTS_H

#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct fault {
	const char *name;
	void (*run)(int faulty);
};

static size_t size; /* MIB in bytes, 20 MiB when it is not given */

static void pause_s(double seconds)
{
	poll(NULL, 0, (int)(seconds * 1000));
}

/* The status of main(): 2 when there is no such fault. */
static int run_fault(const struct fault *faults, size_t count, int argc, char **argv)
{
	if (argc < 2)
		return 2;
	size = (size_t)(argc > 2 ? atoi(argv[2]) : 20) << 20;
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(faults[i].name);

		if (strncmp(argv[1], faults[i].name, length) ||
		    (argv[1][length] && strcmp(argv[1] + length, "-not")))
			continue;
		pause_s(0.2); /* as a program that starts up */
		faults[i].run(!argv[1][length]);
		return 0;
	}
	return 2;
}

#endif
