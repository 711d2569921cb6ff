/* Sizes as people write them: see the header. */
#include "profiler/size.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int suffix_shift(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *letter = *suffix ? strchr(letters, toupper((unsigned char)*suffix)) : NULL;

	if (!*suffix || !strcasecmp(suffix, "B"))
		return 0;
	if (!letter || (suffix[1] && strcasecmp(suffix + 1, "B") && strcasecmp(suffix + 1, "iB")))
		return -1;
	return 10 * (int)(letter - letters + 1);
}

int size_parse(const char *text, int64_t *bytes)
{
	char *end;
	long long number;
	int shift;

	errno = 0;
	number = strtoll(text, &end, 10);
	while (*end == ' ')
		end++;
	shift = suffix_shift(end);
	if (errno || end == text || !isdigit((unsigned char)*text) || shift < 0 ||
	    number > INT64_MAX >> shift)
		return -EINVAL;
	*bytes = (int64_t)number << shift;
	return 0;
}
