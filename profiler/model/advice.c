/* What a finding advises: the row of advice.def for its case and for the framework whose loops its pools serve. */
#include <string.h>

#include "profiler/model/findings.h"

static const struct {
	const char *id, *which, *frameworks, *text;
} rows[] = {
#define ADVICE(id, which, frameworks, text) {id, which, frameworks, text},
#include "profiler/model/advice.def"
#undef ADVICE
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; length && (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return 1;
	return 0;
}

/* "" when it is not known of one of them, or when they differ. */
static const char *framework_of(const struct model *m, const int *pools, size_t count)
{
	const char *common = NULL;

	for (size_t i = 0; i < (count ? count : m->pool_count); i++) {
		const struct model_pool *pool = &m->pools[count ? (size_t)pools[i] : i];

		if (pool->grouped)
			continue;
		if (common && strcmp(common, pool->framework) != 0)
			return "";
		common = pool->framework;
	}
	return common ? common : "";
}

/* The first row of a finding's case that is of the framework or for every program; ROWS = none. */
static size_t row_of(const char *id, const char *which, const char *framework)
{
	size_t i = 0;

	while (i < ROWS && (strcmp(rows[i].id, id) != 0 || strcmp(rows[i].which, which) != 0 ||
			    (rows[i].frameworks[0] && !is_listed(rows[i].frameworks, framework))))
		i++;
	return i;
}

void finding_advise(const struct model *m, struct model_finding *f, const char *which)
{
	const char *framework = framework_of(m, f->pools, f->pool_count);
	size_t row = row_of(f->id, which, framework);

	if (row == ROWS)
		row = row_of(f->id, "", framework);
	if (row == ROWS)
		return;
	f->advice = rows[row].text;
	f->framework = rows[row].frameworks[0] ? framework : "";
}
