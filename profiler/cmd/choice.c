/* One of a few words: see the header. */
#include "profiler/cmd/choice.h"

#include <stdio.h>
#include <string.h>

#include "profiler/cmd/command.h"

int option_choice(const struct argp_state *state, const char *option, const char *text,
		  const char *const *names)
{
	char list[256] = "";
	size_t at = 0;

	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], text))
			return i;
		if (at < sizeof(list))
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "",
					       names[i]);
	}
	command_misuse(state, "%s %s: not one of %s", option, text, list);
}
