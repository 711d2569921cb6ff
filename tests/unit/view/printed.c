#include "printed.h"

#include <stdlib.h>

static char *text;
static size_t size;

FILE *print_begin(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &size);
}

const char *printed(FILE *out)
{
	fclose(out);
	return text;
}
