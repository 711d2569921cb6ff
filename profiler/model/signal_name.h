/* signal_name.h: what every view calls a signal: "SIGSEGV", "SIGRTMIN+2", or "signal 77" of a number that is no signal here. */
#ifndef PROFILER_MODEL_SIGNAL_NAME_H
#define PROFILER_MODEL_SIGNAL_NAME_H

#include <stdint.h>

enum { SIGNAL_NAME_MAX = 32 };

/* Fills `out`, of SIGNAL_NAME_MAX bytes, and returns it. */
char *signal_name(char *out, int64_t number);

#endif
