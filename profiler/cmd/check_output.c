/* The outputs of a check: see the header. */
#include "profiler/cmd/check_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/whole_file.h"
#include "profiler/gate/output.h"
#include "profiler/gate/text.h"
#include "profiler/view/report.h"

/* GitHub shows nothing at all of a step whose summaries are larger than 1 MiB together. */
enum { SUMMARY_BYTES = 65536, STEP_BYTES = 1000000, LEAST_REPORT = 4096 };

static int say_failed(const char *name, const char *file)
{
	command_say(name, "cannot write %s: %s", file, strerror(errno));
	return 1;
}

/* ---- files named on the command line ------------------------------------------------------------------------ */

static int end_file(struct whole_file *w, const char *name, const char *file)
{
	return whole_file_end(w, file) ? say_failed(name, file) : 0;
}

static int write_form(const char *name, const char *file, const struct result *result,
		      result_write *write)
{
	struct whole_file w;

	if (whole_file_begin(&w))
		return say_failed(name, file);
	if (write(w.out, result)) {
		whole_file_drop(&w);
		errno = ENOMEM;
		return say_failed(name, file);
	}
	return end_file(&w, name, file);
}

/* ---- files of the step -------------------------------------------------------------------------------------------- */

static void append_outputs(const struct result *result, const char *name)
{
	const char *file = getenv("GITHUB_OUTPUT");
	FILE *out = file && *file ? fopen(file, "ae") : NULL;

	if (file && *file && !out)
		say_failed(name, file);
	if (!out)
		return;
	github_outputs(out, result);
	if (fclose(out))
		say_failed(name, file);
}

/* The run that is told of: the one that fails, else the first. */
static const struct run *told_run(const struct result *result)
{
	const struct row *worst = result->failing ? &result->rows.items[0] : NULL;

	return worst && worst->run ? worst->run : &result->runs[0];
}

/* The verdict, then as much of the run's story as fits. NULL = out of memory. */
static char *make_summary(const struct result *result, size_t *size)
{
	static const struct report_options usual;
	struct report_options options = usual;
	const struct run *run = told_run(result);
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	github_summary(out, result, 0);
	fflush(out);
	if (*size + LEAST_REPORT <= SUMMARY_BYTES) {
		fputc('\n', out);
		options.max_bytes = SUMMARY_BYTES - *size - 1;
		report_markdown(out, run->models, run->model_count, &options);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void append_summary(const struct result *result, const char *name)
{
	const char *file = getenv("GITHUB_STEP_SUMMARY");
	FILE *out = file && *file ? fopen(file, "ae") : NULL;
	struct stat present;
	size_t size = 0;
	char *text;

	if (file && *file && !out)
		say_failed(name, file);
	if (!out)
		return;
	if (fstat(fileno(out), &present))
		present.st_size = 0;
	text = make_summary(result, &size);
	if (text && size <= SUMMARY_BYTES && (size_t)present.st_size + size <= STEP_BYTES)
		fwrite(text, 1, size, out);
	else
		github_summary(out, result, 1);
	free(text);
	if (fclose(out))
		say_failed(name, file);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int check_write_outputs(const struct check_request *r, const char *name,
			const struct result *result, int judged, FILE *out)
{
	const struct text_options options = {.verbose = r->verbose, .explain = r->explain};
	int failed = 0;

	if (!judged)
		return 0;
	if (!r->quiet)
		text_result(out, result, &options);
	if (r->github) {
		github_annotations(out, result);
		append_summary(result, name);
		append_outputs(result, name);
	}
	fflush(out);
	for (int form = 0; form < RESULT_FORMS; form++)
		if (r->files_of[form])
			failed |= write_form(name, r->files_of[form], result, result_forms[form]);
	return failed;
}

void check_write_error(const struct check_request *r, const char *name, const struct error *e,
		       FILE *out)
{
	const char *junit = r->files_of[RESULT_JUNIT];
	struct whole_file w;

	if (junit && whole_file_begin(&w)) {
		say_failed(name, junit);
	} else if (junit) {
		junit_error(w.out, e);
		end_file(&w, name, junit);
	}
	if (r->github)
		github_error(out, e);
}
