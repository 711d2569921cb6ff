/* Outputs in one piece: see the header. */
#include "profiler/cmd/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int whole_file_begin(struct whole_file *w)
{
	*w = (struct whole_file){0};
	w->out = open_memstream(&w->text, &w->size);
	return w->out ? 0 : -1;
}

static void remove_half(const char *file)
{
	struct stat s;

	if (!lstat(file, &s) && S_ISREG(s.st_mode))
		unlink(file);
}

/* 0 or an errno. */
static int write_all(const char *text, size_t size, const char *file)
{
	FILE *out = file ? fopen(file, "we") : stdout;
	int number;

	if (!out)
		return errno;
	number = fwrite(text, 1, size, out) < size || fflush(out) ? errno : 0;
	if (file && fclose(out) && !number)
		number = errno;
	if (number && file)
		remove_half(file);
	return number;
}

int whole_file_end(struct whole_file *w, const char *file)
{
	int failed = ferror(w->out), number = ENOMEM;

	if (!fclose(w->out) && !failed)
		number = write_all(w->text, w->size, file);
	free(w->text);
	errno = number;
	return number ? -1 : 0;
}

void whole_file_drop(struct whole_file *w)
{
	fclose(w->out);
	free(w->text);
}
