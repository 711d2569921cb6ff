/* Names of call sites: see the header. */
#include "profiler/view/site_words.h"

#include <stdio.h>
#include <string.h>

#include "profiler/view/function_name.h"
#include "profiler/view/words.h"

/* What follows the last slash, or the last but one. */
static const char *tail(const char *path, int parts)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --parts > 0))
		at--;
	return at;
}

const char *site_short_path(const char *path)
{
	int installed = strstr(path, "-packages/") || strstr(path, "/lib/python3");

	return tail(path, installed ? 2 : 1);
}

/* A module and an address, for a frame without a name. */
static void name_address(char *out, size_t size, const struct model_line *line)
{
	if (line->module)
		snprintf(out, size, "%s+0x%llx", tail(line->module, 1),
			 (unsigned long long)line->address);
	else if (line->native)
		snprintf(out, size, "generated code at 0x%llx", (unsigned long long)line->address);
	else
		snprintf(out, size, "(name lost)");
}

/* Where a function without a line is: its module, or its file. */
static const char *place_of(const struct model_line *line)
{
	if (line->module)
		return tail(line->module, 1);
	return line->file ? line->file : "";
}

char *site_row_words(char *out, size_t size, const struct model *m,
		     const struct model_site_row *row, int utf8)
{
	size_t length;

	site_words(out, size, m, row->line, utf8);
	length = strlen(out);
	if (row->mapped)
		snprintf(out + length, size - length, "  (mapped)");
	return out;
}

char *site_words(char *out, size_t size, const struct model *m, int at, int utf8)
{
	char text[WORDS_MAX], name[WORDS_MAX] = "";
	const struct model_line *line = at < 0 ? NULL : &m->lines[at];

	if (line && line->function)
		function_name(name, sizeof(name), line->function, utf8 ? "…" : "...");
	if (!line)
		snprintf(text, sizeof(text), "(stack not known)");
	else if (line->file && line->line)
		snprintf(text, sizeof(text), "%s:%lld%s%s", site_short_path(line->file),
			 (long long)line->line, *name ? " " : "", name);
	else if (line->function)
		snprintf(text, sizeof(text), "%s%s%s", place_of(line), *place_of(line) ? " " : "",
			 name);
	else
		name_address(text, sizeof(text), line);
	return words_safe(out, size, text, utf8);
}

char *site_of_finding(char *out, size_t size, const struct model *m, const struct model_finding *f,
		      int utf8)
{
	char name[WORDS_MAX];

	if (size)
		*out = '\0';
	if (f->line_bytes)
		snprintf(out, size, "%s of it was allocated at %s.",
			 f->line_bytes >= f->bytes / 2 ? "Most" : "The largest part",
			 site_words(name, sizeof(name), m, f->line, utf8));
	return out;
}

char *site_identity(char *out, size_t size, const struct model *m, int at)
{
	const struct model_line *line = at < 0 ? NULL : &m->lines[at];

	if (!line)
		snprintf(out, size, "(stack not known)");
	else if (line->function && line->file)
		snprintf(out, size, "%s %s", site_short_path(line->file), line->function);
	else
		site_words(out, size, m, at, 1);
	return out;
}

char *site_owner(char *out, size_t size, const struct model *m, const struct model_site_row *row,
		 int utf8)
{
	char text[WORDS_MAX];

	if (row->pool >= 0)
		snprintf(text, sizeof(text), "%s", m->pools[row->pool].name);
	else
		words_process(text, sizeof(text), m, row->process);
	return words_safe(out, size, text, utf8);
}

int site_line_is_import(const struct model *m, int line)
{
	static const char machinery[] = "<frozen importlib._bootstrap";
	const char *file = line >= 0 ? m->lines[line].file : NULL;

	return file && !strncmp(file, machinery, sizeof(machinery) - 1);
}

const char *site_why_none(const struct model *m, const char **remedy)
{
	*remedy = "";
	if (m->damage)
		return m->damage;
	if (model_has_shim(m)) {
		*remedy = "loopmem run --sample-bytes=1 follows every allocation";
		return "too little was allocated to be sampled";
	}
	if (m->attached) {
		*remedy = "start the program with loopmem run";
		return "the program was watched from outside, without the shim";
	}
	*remedy = "it loads into programs that are linked dynamically and not setuid";
	return "the shim was in no process";
}

int site_lifetime(const struct model *m, const struct model_site_filter *filter, int64_t *first_ns,
		  int64_t *last_ns)
{
	int found = -1;

	for (size_t i = 0; i < m->site_count; i++) {
		const struct model_process *process = &m->processes[m->sites[i].process];
		int64_t end = process->ended_ns == MODEL_NONE ? m->last_ns : process->ended_ns;

		if (!model_site_is_wanted(m, &m->sites[i], filter))
			continue;
		*first_ns = found < 0 || process->born_ns < *first_ns ? process->born_ns
								      : *first_ns;
		*last_ns = found < 0 || end > *last_ns ? end : *last_ns;
		found = 0;
	}
	return found;
}
