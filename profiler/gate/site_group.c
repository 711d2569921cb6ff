/* Sums of call sites for a rule: see the header. */
#include "profiler/gate/site_group.h"

#include <math.h>

/* Native code without a source file is told by its module. */
static int term_fits(const struct select_term *term, const struct model_line *line)
{
	const char *file = line->file ? line->file : line->module;
	const char *value = term->field == SELECT_FUNCTION ? line->function : file;

	return glob_matches(term->glob, value ? value : "");
}

/* 1 = all terms that must match do; -1 = one does that must not. */
static int line_fits(const struct selector *selector, const struct model_line *line)
{
	int fits = 1;

	for (size_t i = 0; i < selector->count; i++) {
		const struct select_term *term = &selector->terms[i];

		if (!select_is_of_frame(term))
			continue;
		if (term->negated && term_fits(term, line))
			return -1;
		if (!term->negated && !term_fits(term, line))
			fits = 0;
	}
	return fits;
}

static int has_frame_terms(const struct selector *selector)
{
	for (size_t i = 0; i < selector->count; i++)
		if (select_is_of_frame(&selector->terms[i]) && !selector->terms[i].negated)
			return 1;
	return 0;
}

static int stack_fits(const struct model *m, int stack, const struct selector *selector)
{
	int fits = !has_frame_terms(selector);

	for (; stack >= 0; stack = m->stacks[stack].parent)
		for (size_t i = 0; i < m->stacks[stack].line_count; i++) {
			int line = line_fits(selector, &m->lines[m->stacks[stack].first_line + i]);

			if (line < 0)
				return 0;
			fits |= line;
		}
	return fits;
}

static int is_meant(const struct site_group *group, size_t i, const struct selector *selector)
{
	const struct model_site *site = &group->model->sites[i];
	int is_here = group->pool >= 0 ? site->pool == group->pool
				       : site->pool < 0 && site->process == group->process;

	return is_here && stack_fits(group->model, site->stack, selector);
}

static int is_blind(const struct site_group *group)
{
	return group->pool < 0 && group->process < 0;
}

int site_group_has(const struct site_group *group, const struct selector *selector)
{
	if (is_blind(group))
		return 1;
	for (size_t i = 0; i < group->model->site_count; i++)
		if (is_meant(group, i, selector))
			return 1;
	return 0;
}

double site_group_live(const struct site_group *group, const struct selector *selector)
{
	const struct model_site_filter all = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1};
	const struct model *m = group->model;
	int64_t t_ns, sum = 0;

	if (is_blind(group))
		return NAN;
	t_ns = model_sites_moment(m, &all);
	for (size_t i = 0; i < m->site_count; i++)
		if (is_meant(group, i, selector))
			sum += model_site_at(m, i, t_ns).live_bytes;
	return (double)sum;
}
