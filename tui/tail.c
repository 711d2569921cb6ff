/* The end of a growing file; see tail.h. */
#include "tui/tail.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_AT_MOST = 32 << 10 };

/* Skips an escape sequence: CSI up to its final byte, OSC up to BEL or ST, else two bytes. Returns the byte after it. */
static const char *skip_escape(const char *at, const char *end)
{
	if (++at >= end)
		return end;
	if (*at == ']') {
		while (at < end && *at != '\a' && *at != '\033')
			at++;
		return at < end && *at == '\033' ? at + 2 : at + 1;
	}
	if (*at != '[')
		return at + 1;
	for (at++; at < end && !(*at >= '@' && *at <= '~'); at++)
		;
	return at + 1;
}

void tail_clean(char *out, const char *raw, size_t length)
{
	const char *end = raw + length;
	size_t at = 0;

	while (end > raw && end[-1] == '\r')
		end--;
	for (const char *p = raw; p < end;) {
		if (*p == '\033') {
			p = skip_escape(p, end);
			continue;
		}
		if (*p == '\r')
			at = 0; /* written over from the start */
		else if (*p == '\b')
			at -= at > 0;
		else if (at + 1 < TAIL_LINE_SIZE)
			out[at++] = *p == '\t' ? ' ' : *p;
		p++;
	}
	out[at] = '\0';
}

/* The start of the line that ends before `end`. */
static const char *line_start(const char *from, const char *end)
{
	while (end > from && end[-1] != '\n')
		end--;
	return end;
}

static void split(struct tail *tail, const char *text, size_t length, int lines)
{
	const char *end = text + length, *starts[TAIL_LINES_MAX], *ends[TAIL_LINES_MAX];
	int count = 0;

	if (length && end[-1] == '\n')
		end--;
	while (count < lines && end > text) {
		ends[count] = end;
		starts[count] = line_start(text, end);
		end = starts[count++];
		end -= end > text; /* the newline before it */
	}
	tail->count = count;
	for (int i = 0; i < count; i++)
		tail_clean(tail->lines[count - 1 - i], starts[i], (size_t)(ends[i] - starts[i]));
}

void tail_read(struct tail *tail, const char *file, int lines)
{
	char text[READ_AT_MOST];
	struct stat status;
	ssize_t length = 0;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	tail->count = 0;
	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		length = pread(fd, text, sizeof(text),
			       status.st_size > READ_AT_MOST ? status.st_size - READ_AT_MOST : 0);
	close(fd);
	if (length > 0)
		split(tail, text, (size_t)length, lines < TAIL_LINES_MAX ? lines : TAIL_LINES_MAX);
}
