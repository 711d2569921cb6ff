/* choice.h: options that take one of a few words; what is none of them is refused with the list. */
#ifndef PROFILER_CMD_CHOICE_H
#define PROFILER_CMD_CHOICE_H

#include <argp.h>

/* The index of `text` in `names`, which ends with NULL. Exits when it is none of them. */
int option_choice(const struct argp_state *state, const char *option, const char *text,
		  const char *const *names);

#endif
