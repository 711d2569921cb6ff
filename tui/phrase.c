/* Names and phrases that several screens use, each written once. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/chart.h"
#include "profiler/view/format.h"
#include "tui/ui.h"

static const struct model_phase *phase_at(const struct model *m, int64_t t_ns, size_t *index)
{
	const struct model_phase *found = NULL;

	for (size_t i = 0; i < m->phase_count && m->phases[i].start_ns <= t_ns; i++)
		if (t_ns <= m->phases[i].end_ns) {
			found = &m->phases[i];
			*index = i;
		}
	return found;
}

/* The next phase of the same owner, NULL at the end. */
static const struct model_phase *phase_after(const struct model *m, size_t index, int direction)
{
	for (size_t i = index + (size_t)direction; i < m->phase_count; i += (size_t)direction)
		if (m->phases[i].owner == m->phases[index].owner && !m->phases[i].between)
			return &m->phases[i];
	return NULL;
}

static void between(const struct model_phase *before, const struct model_phase *after, int in_full,
		    char *out, size_t size)
{
	if (in_full && before && after)
		snprintf(out, size, "between %s and %s", before->name, after->name);
	else if (before && after && before->epoch != MODEL_NONE && after->epoch != MODEL_NONE &&
		 before->epoch != after->epoch)
		snprintf(out, size, "between e%lld e%lld", (long long)before->epoch,
			 (long long)after->epoch);
	else if (before)
		snprintf(out, size, "after %s", before->name);
	else
		snprintf(out, size, "between");
}

void phrase_phase(const struct model *m, int64_t t_ns, int in_full, char *out, size_t size)
{
	size_t index = 0;
	const struct model_phase *phase = phase_at(m, t_ns, &index);

	if (!phase && (!m->phase_count || t_ns < m->phases[0].start_ns))
		snprintf(out, size, "starting");
	else if (!phase)
		snprintf(out, size, "after the last phase");
	else if (phase->between)
		between(phase_after(m, index, -1), phase_after(m, index, 1), in_full, out, size);
	else
		snprintf(out, size, "%s", phase->name);
}

void phrase_pool(const struct model_pool *pool, char *out, size_t size)
{
	if (text_width(pool->short_name) <= 9)
		snprintf(out, size, "%s", pool->short_name);
	else
		snprintf(out, size, "%s #%lld", chart_stage_brief(pool->stage),
			 (long long)pool->number);
}

/* Program and script: the first words up to one that is no option, if there is such a word at all. */
static size_t script_words(const struct model *m)
{
	for (size_t i = 1; i < m->argc; i++)
		if (m->argv[i][0] != '-')
			return i + 1;
	return m->argc ? 1 : 0;
}

void phrase_command(const struct model *m, int width, char *out, size_t size)
{
	char words[1024] = "";
	size_t at = 0, count = script_words(m);

	if (text_width(m->command) <= width) {
		snprintf(out, size, "%s", m->command);
		return;
	}
	for (size_t i = 0; i < count && at < sizeof(words); i++) {
		const char *slash =
			i ? NULL : strrchr(m->argv[i], '/'); /* the program without its directory */

		at += (size_t)snprintf(words + at, sizeof(words) - at, "%s%s", i ? " " : "",
				       slash ? slash + 1 : m->argv[i]);
	}
	text_cut(out, size, count ? words : m->command, width, CUT_END);
}

void phrase_file(const struct model *m, char *out, size_t size)
{
	const char *slash = strrchr(m->file, '/');

	snprintf(out, size, "%s", slash ? slash + 1 : m->file);
}
