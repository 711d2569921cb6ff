/* The rows of a check: what verdicts are called and do, the order of rows, the exit code. */
#include "profiler/gate/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	enum verdict_effect effect;
} verdicts[] = {
#define VERDICT(name, word, effect) {word, EFFECT_##effect},
#include "profiler/gate/verdicts.def"
#undef VERDICT
};

const char *verdict_word(enum verdict verdict)
{
	return verdicts[verdict].word;
}

enum verdict_effect verdict_effect(enum verdict verdict)
{
	return verdicts[verdict].effect;
}

int row_fails(const struct row *row)
{
	return verdict_effect(row->verdict) == EFFECT_FAILS && row->rule->action != BUDGET_WARN;
}

struct row *result_row(struct result *result, const struct budget_rule *rule, enum verdict verdict,
		       const char *key)
{
	struct row *row = array_add(&result->rows);

	if (!row) {
		result->out_of_memory = 1;
		return NULL;
	}
	*row = (struct row){
		.verdict = verdict,
		.rule = rule,
		.key = strings_keep(&result->strings, key),
		.value = NAN,
		.limit = NAN,
		.reason = "",
	};
	return row;
}

void result_notice(struct result *result, const char *format, ...)
{
	va_list arguments;
	const char **notice = array_add(&result->notices);
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (notice)
		*notice = strings_keep(&result->strings, text ? text : "");
	free(text);
}

/* ---- order and exit code --------------------------------------------------------------------------------------- */

static int by_verdict(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (row_fails(x) != row_fails(y))
		return row_fails(y) - row_fails(x);
	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return strcmp(x->key, y->key);
}

static int has_effect(const struct result *result, enum verdict_effect effect)
{
	for (size_t i = 0; i < result->rows.count; i++)
		if (verdict_effect(result->rows.items[i].verdict) == effect &&
		    result->rows.items[i].rule->action != BUDGET_WARN)
			return 1;
	return 0;
}

void result_conclude(struct result *result, const struct judge_options *options)
{
	if (result->rows.count)
		qsort(result->rows.items, result->rows.count, sizeof(struct row), by_verdict);
	for (size_t i = 0; i < result->rows.count; i++) {
		result->counts[result->rows.items[i].verdict]++;
		result->failing += (size_t)row_fails(&result->rows.items[i]);
	}
	if (result->failing)
		result->exit_code = 1;
	else if (has_effect(result, EFFECT_CANNOT) ||
		 (options->require_baseline && has_effect(result, EFFECT_ABSENT)))
		result->exit_code = 3;
}

const char *result_word(const struct result *result)
{
	if (!result->rows.count || !result->exit_code)
		return verdict_word(VERDICT_WITHIN);
	if (result->failing)
		return verdict_word(result->rows.items[0].verdict);
	for (size_t i = 0; i < result->rows.count; i++)
		if (verdict_effect(result->rows.items[i].verdict) == EFFECT_CANNOT)
			return verdict_word(VERDICT_UNMEASURED);
	for (size_t i = 0; i < result->rows.count; i++)
		if (verdict_effect(result->rows.items[i].verdict) == EFFECT_ABSENT)
			return verdict_word(result->rows.items[i].verdict);
	return verdict_word(VERDICT_WITHIN);
}

size_t result_alike(const struct result *result, size_t i)
{
	const struct row *row = &result->rows.items[i];
	size_t count = 1;

	if (row->verdict != VERDICT_NO_BASELINE && row->verdict != VERDICT_INCOMPARABLE)
		return 1;
	while (i + count < result->rows.count &&
	       result->rows.items[i + count].verdict == row->verdict &&
	       !strcmp(result->rows.items[i + count].reason, row->reason))
		count++;
	return count;
}

void result_release(struct result *result)
{
	array_release(&result->rows);
	array_release(&result->notices);
	array_release(&result->new_findings);
	strings_release(&result->strings);
}
