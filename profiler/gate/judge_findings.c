/*
 * Findings: there or not. With several runs a finding counts when more than half of them have it. The last line that matches
 * decides; an allowance whose last day is over decides nothing, but is told.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/judge_parts.h"
#include "profiler/model/findings.h"

#define SECONDS_PER_DAY  86400
#define WARN_BEFORE_DAYS 14

/* One name of findings that one rule decides about. */
struct case_of {
	const struct budget_rule *rule, *expired;
	const char *name;
	const struct subject *subject; /* of the last run that has it */
	const struct run *run;
	size_t runs; /* that have it */
};

struct cases {
	ARRAY(struct case_of) list;
};

/* Judged at the session's time, not at today's: an old session gets its old answer again. */
static int64_t now_of(const struct run *run)
{
	return run->models[0]->started_unix_ns / 1000000000;
}

static const struct budget_rule *deciding(const struct budget *b, const struct subject *s,
					  int64_t now_s, const struct budget_rule **expired)
{
	*expired = NULL;
	for (size_t i = b->rules.count; i--;) {
		const struct budget_rule *rule = &b->rules.items[i];

		if (rule->kind != BUDGET_FINDING || !rule_matches(rule, s))
			continue;
		if (rule->action != BUDGET_ALLOW || now_s < rule->until_unix_s)
			return rule;
		if (!*expired)
			*expired = rule;
	}
	return NULL;
}

static struct case_of *find_case(struct cases *cases, const struct budget_rule *rule,
				 const char *name)
{
	struct case_of *added;

	for (size_t i = 0; i < cases->list.count; i++)
		if (cases->list.items[i].rule == rule && !strcmp(cases->list.items[i].name, name))
			return &cases->list.items[i];
	added = array_add(&cases->list);
	if (added) {
		added->rule = rule;
		added->name = name;
	}
	return added;
}

static int add_run(struct cases *cases, const struct budget *budget, const struct run *run)
{
	for (size_t i = 0; i < run->subjects.count; i++) {
		const struct subject *s = &run->subjects.items[i];
		const struct budget_rule *expired, *rule;
		struct case_of *found;

		if (s->kind != SELECT_FINDING)
			continue;
		rule = deciding(budget, s, now_of(run), &expired);
		if (!rule)
			continue;
		found = find_case(cases, rule, s->name);
		if (!found)
			return -1;
		found->expired = expired;
		if (found->run != run) /* several subjects of one name count once a run */
			found->runs++;
		found->subject = s;
		found->run = run;
	}
	return 0;
}

static void note_end(struct result *result, const struct budget_rule *rule, const struct run *run)
{
	if (now_of(run) + WARN_BEFORE_DAYS * SECONDS_PER_DAY >= rule->until_unix_s)
		result_notice(result, "%s is allowed until %s only: %s", rule->text, rule->until,
			      rule->because);
}

static void add_row(struct result *result, const struct case_of *c)
{
	int counts = 2 * c->runs > result->run_count;
	enum verdict verdict = !counts                           ? VERDICT_WITHIN
			       : c->rule->action == BUDGET_ALLOW ? VERDICT_ALLOWED
								 : VERDICT_DENIED;
	struct row *row = result_row(result, c->rule, verdict, c->name);

	if (!row)
		return;
	row->subject = c->subject;
	row->run = c->run;
	row->head_runs = c->runs;
	row->expired = c->expired;
	if (!counts)
		row->reason = strings_format(&result->strings, "in %zu of %zu runs", c->runs,
					     result->run_count);
	if (verdict == VERDICT_ALLOWED)
		note_end(result, c->rule, c->run);
}

/* What is denied and did not occur is a rule that held. */
static void add_kept(struct result *result, const struct budget *budget)
{
	for (size_t i = 0; i < budget->rules.count; i++) {
		const struct budget_rule *rule = &budget->rules.items[i];

		if (rule->kind == BUDGET_FINDING && rule->action != BUDGET_ALLOW &&
		    !rule_occurs(rule, result->runs, result->run_count))
			result_row(result, rule, VERDICT_WITHIN, rule->text);
	}
}

/* ---- new since the baseline ----------------------------------------------------------------------------------- */

static int has_id(const json_t *ids, const char *id)
{
	for (size_t i = 0; i < json_array_size(ids); i++) {
		const char *known = json_string_value(json_array_get(ids, i));

		if (known && !strcmp(known, id))
			return 1;
	}
	return 0;
}

static size_t runs_with(const struct result *result, const char *id)
{
	size_t count = 0;

	for (size_t r = 0; r < result->run_count; r++) {
		int found = 0;

		for (size_t i = 0; i < result->runs[r].subjects.count; i++) {
			const struct subject *s = &result->runs[r].subjects.items[i];
			const struct model_finding *f = s->object;

			found |= s->kind == SELECT_FINDING && !strcmp(f->id, id);
		}
		count += (size_t)found;
	}
	return count;
}

static void add_new(struct result *result)
{
	const struct baseline *b = result->baseline;

	for (size_t k = 0; k < finding_kind_count && b->runs.count; k++) {
		const char *id = finding_kinds[k].id;
		const char **added;
		int known = 0;

		for (size_t i = 0; i < b->runs.count; i++)
			known |= has_id(b->runs.items[i].findings, id);
		if (known || 2 * runs_with(result, id) <= result->run_count)
			continue;
		added = array_add(&result->new_findings);
		if (added)
			*added = id;
	}
}

int judge_findings(struct result *result, const struct budget *budget)
{
	struct cases cases = {0};
	int failed = 0;

	for (size_t r = 0; r < result->run_count && !failed; r++)
		failed = add_run(&cases, budget, &result->runs[r]);
	for (size_t i = 0; i < cases.list.count && !failed; i++)
		add_row(result, &cases.list.items[i]);
	add_kept(result, budget);
	add_new(result);
	array_release(&cases.list);
	return failed;
}
