/* Width and characters of the terminal. */
#include "profiler/cmd/terminal.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>

int terminal_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || !size.ws_col ||
	    size.ws_col > TERMINAL_WIDTH_USUAL)
		return TERMINAL_WIDTH_USUAL;
	return size.ws_col < TERMINAL_WIDTH_LEAST ? TERMINAL_WIDTH_LEAST : size.ws_col;
}

bool terminal_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
