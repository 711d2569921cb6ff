/* The judge: every kind of rule has a part of its own; what speaks of nothing, and what is to be known of the runs. */
#include "profiler/gate/judge.h"

#include <errno.h>

#include "profiler/gate/judge_parts.h"
#include "profiler/model/signal_name.h"

/* ---- rules without a subject -------------------------------------------------------------------------------- */

/* A line that names something that is not there: a renamed loader must not switch the gate off. */
static void add_unmatched(struct result *result, const struct budget *budget)
{
	for (size_t i = 0; i < budget->rules.count; i++) {
		const struct budget_rule *rule = &budget->rules.items[i];
		int forgiven = rule->optional || !selector_is_literal(&rule->selector);
		struct row *row;

		if (rule->kind == BUDGET_FINDING || rule->bound == BUDGET_OFF ||
		    rule_occurs(rule, result->runs, result->run_count))
			continue;
		row = result_row(result, rule, forgiven ? VERDICT_SKIPPED : VERDICT_UNMATCHED,
				 rule->text);
		if (row)
			row->reason = strings_format(&result->strings, "no %s matches%s",
						     model_scope_word(rule->metric->scope),
						     rule->optional ? " (optional)" : "");
	}
}

/* ---- notices ------------------------------------------------------------------------------------------------------ */

static void note_ends(struct result *result, const struct model *m)
{
	char name[SIGNAL_NAME_MAX];

	if (m->end == MODEL_KILLED)
		result_notice(
			result,
			"%s: the program was killed by %s: the figures are of a part of a run",
			m->file, signal_name(name, m->exit_signal));
	else if (m->end == MODEL_EXITED && m->exit_code)
		result_notice(
			result,
			"%s: the program failed with exit %lld: the figures may be of a part of a run",
			m->file, (long long)m->exit_code);
	if (m->dropped)
		result_notice(result, "%s: data lost: %lld events did not fit", m->file,
			      (long long)m->dropped);
}

static void note_runs(struct result *result)
{
	for (size_t r = 0; r < result->run_count; r++)
		for (size_t i = 0; i < result->runs[r].model_count; i++)
			note_ends(result, result->runs[r].models[i]);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

int judge(struct result *result, const struct budget *budget, const struct run *runs,
	  size_t run_count, const struct baseline *baseline, const struct judge_options *options,
	  struct error *e)
{
	*result = (struct result){.runs = runs, .run_count = run_count, .baseline = baseline};
	note_runs(result);
	if (judge_limits(result, budget, BUDGET_ABSOLUTE) ||
	    judge_limits(result, budget, BUDGET_OF_LIMIT) ||
	    judge_baselines(result, budget, options) || judge_findings(result, budget))
		result->out_of_memory = 1;
	add_unmatched(result, budget);
	result_conclude(result, options);
	if (result->out_of_memory || result->strings.failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot judge %s",
				       runs[0].models[0]->file);
	return 0;
}
