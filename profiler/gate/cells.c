/* The last matching line decides: see the header. */
#include "profiler/gate/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/site_group.h"

int rule_matches(const struct budget_rule *rule, const struct subject *subject)
{
	if (rule->kind == BUDGET_FINDING) {
		const struct model_finding *finding = subject->object;

		return subject->kind == SELECT_FINDING &&
		       glob_matches(rule->finding, finding->id) &&
		       selector_matches(&rule->selector, &subject->fields);
	}
	return subject->kind == (int)rule->metric->scope &&
	       selector_matches(&rule->selector, &subject->fields) &&
	       (subject->kind != MODEL_SCOPE_SITE ||
		site_group_has(subject->object, &rule->selector));
}

int rule_occurs(const struct budget_rule *rule, const struct run *runs, size_t run_count)
{
	for (size_t r = 0; r < run_count; r++)
		for (size_t i = 0; i < runs[r].subjects.count; i++)
			if (rule_matches(rule, &runs[r].subjects.items[i]))
				return 1;
	return 0;
}

/* Limits of both kinds may hold at once; `off` lifts either. */
static int applies(const struct budget_rule *rule, enum budget_kind kind, enum budget_bound bound)
{
	return rule->kind == kind && (rule->bound == bound || rule->bound == BUDGET_OFF);
}

/* Whether a later line takes this subject and metric over. Lines about call sites each mean a sum of their own. */
static int is_overruled(const struct budget *b, size_t i, const struct subject *subject,
			enum budget_bound bound)
{
	const struct budget_rule *rule = &b->rules.items[i];

	for (size_t k = i + 1; k < b->rules.count; k++) {
		const struct budget_rule *later = &b->rules.items[k];

		if (applies(later, rule->kind, bound) && later->metric == rule->metric &&
		    (subject->kind == MODEL_SCOPE_SITE ? !strcmp(later->text, rule->text)
						       : rule_matches(later, subject)))
			return 1;
	}
	return 0;
}

/* Call sites are named by the rule that speaks of them. */
static const char *name_of(const struct budget_rule *rule, const struct subject *subject)
{
	return subject->kind == MODEL_SCOPE_SITE ? rule->subject : subject->name;
}

static struct cell *find_cell(struct judge_cells *cells, const struct budget_rule *rule,
			      const char *name)
{
	struct cell *cell;

	for (size_t i = cells->list.count; i-- && cells->list.items[i].rule == rule;)
		if (!strcmp(cells->list.items[i].name, name))
			return &cells->list.items[i];
	cell = array_add(&cells->list);
	if (!cell)
		return NULL;
	cell->rule = rule;
	cell->name = name;
	cell->seen = calloc(cells->run_count, sizeof(*cell->seen));
	return cell->seen ? cell : NULL;
}

/* What makes one subject worse than another: its figure, or the share it is of its limit. */
static double badness(const struct subject *subject, double value, enum budget_bound bound)
{
	return bound == BUDGET_OF_LIMIT && !isnan(subject->limit_bytes)
		       ? value / subject->limit_bytes
		       : value;
}

static void note_value(struct seen *seen, const struct subject *subject, double value,
		       enum budget_bound bound)
{
	if (isnan(value)) {
		seen->unmeasured = subject;
	} else if (!seen->worst ||
		   badness(subject, value, bound) > badness(seen->worst, seen->value, bound)) {
		seen->value = value;
		seen->worst = subject;
	}
}

static int fill_rule(struct judge_cells *cells, const struct budget *b, size_t i,
		     const struct run *runs, enum budget_bound bound)
{
	const struct budget_rule *rule = &b->rules.items[i];

	for (size_t r = 0; r < cells->run_count; r++) {
		for (size_t s = 0; s < runs[r].subjects.count; s++) {
			const struct subject *subject = &runs[r].subjects.items[s];
			struct cell *cell;

			if (subject->judged ==
				    (bound == BUDGET_OF_LIMIT ? SUBJECT_SIZES : SUBJECT_SHARES) ||
			    !rule_matches(rule, subject) || is_overruled(b, i, subject, bound))
				continue;
			cell = find_cell(cells, rule, name_of(rule, subject));
			if (!cell)
				return -1;
			note_value(&cell->seen[r], subject,
				   subject_value(subject, rule->metric, &rule->selector), bound);
		}
	}
	return 0;
}

int judge_cells_fill(struct judge_cells *cells, const struct budget *budget, const struct run *runs,
		     size_t run_count, enum budget_kind kind, enum budget_bound bound)
{
	*cells = (struct judge_cells){.run_count = run_count};
	for (size_t i = 0; i < budget->rules.count; i++) {
		const struct budget_rule *rule = &budget->rules.items[i];

		if (rule->kind == kind && rule->bound == bound &&
		    fill_rule(cells, budget, i, runs, bound))
			return -1;
	}
	return 0;
}

void judge_cells_release(struct judge_cells *cells)
{
	for (size_t i = 0; i < cells->list.count; i++)
		free(cells->list.items[i].seen);
	array_release(&cells->list);
}
