/* Statements of a budget: limits, baselines, findings. The grammar is in docs/budget.md. */
#include "profiler/gate/statement.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/gate/key.h"
#include "profiler/gate/quantity.h"

#define SECONDS_PER_DAY 86400

static int word_is(const struct parser *p, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(p->at, word, length) && parser_word_length(p->at) == length;
}

/* Passes over `word` and the blanks after it, when it stands here. */
static int take(struct parser *p, const char *word)
{
	if (!word_is(p, word))
		return 0;
	p->at += strlen(word);
	parser_skip_blanks(p);
	return 1;
}

static int expect_end(struct parser *p)
{
	if (parser_at_end(p))
		return 0;
	return parser_complain(p, p->at, parser_word_length(p->at), "\"%.*s\" is not expected here",
			       (int)parser_word_length(p->at), p->at);
}

static int parse_because(struct parser *p, struct budget_rule *rule)
{
	if (!take(p, "because"))
		return 0;
	rule->because = parser_quoted(p);
	parser_skip_blanks(p);
	return rule->because ? 0 : -1;
}

/* ---- bounds ------------------------------------------------------------------------------------------------ */

/* A quantity has been read, or has not: moves on, or complains. */
static int take_quantity(struct parser *p, const struct quantity *q, int wrong)
{
	if (wrong)
		return parser_complain(p, p->at, q->length, "%s", q->complaint);
	p->at += q->length;
	return 0;
}

static int parse_share(struct parser *p, struct budget_rule *rule)
{
	const char *from = p->at;
	struct quantity q;

	if (take_quantity(p, &q, quantity_read_percent(p->at, &q)))
		return -1;
	parser_skip_blanks(p);
	if (!take(p, "of") || !take(p, "limit"))
		return parser_complain(p, from, (size_t)(p->at - from),
				       "a share is written \"%.*s of limit\"", (int)q.length, from);
	if (rule->metric->unit != MODEL_UNIT_BYTES)
		return parser_complain(
			p, from, (size_t)(p->at - from),
			"the limit is one of memory, %s is not: write for example \"%s\"",
			rule->metric->name, quantity_example(rule->metric->unit));
	rule->bound = BUDGET_OF_LIMIT;
	rule->value = q.value;
	return 0;
}

int statement_parse_bound(struct parser *p, struct budget_rule *rule)
{
	struct quantity q;

	if (take(p, "off")) {
		rule->bound = BUDGET_OFF;
		return 0;
	}
	if (quantity_is_percent(p->at))
		return parse_share(p, rule);
	rule->bound = BUDGET_ABSOLUTE;
	if (take_quantity(p, &q, quantity_read(p->at, rule->metric->unit, rule->metric->name, &q)))
		return -1;
	rule->value = q.value;
	parser_skip_blanks(p);
	return 0;
}

static int parse_floor(struct parser *p, struct budget_rule *rule)
{
	struct quantity q;

	if (*p->at != '+')
		return 0;
	p->at++;
	if (take_quantity(p, &q, quantity_read(p->at, rule->metric->unit, rule->metric->name, &q)))
		return -1;
	rule->floor = q.value;
	parser_skip_blanks(p);
	return 0;
}

int statement_parse_growth(struct parser *p, struct budget_rule *rule)
{
	struct quantity q;

	if (take(p, "off")) {
		rule->bound = BUDGET_OFF;
		return 0;
	}
	rule->bound = BUDGET_ABSOLUTE;
	if (*p->at != '+')
		return parser_complain(p, p->at, parser_word_length(p->at),
				       "growth is written \"+5%%\" or \"+5%% +%s\"",
				       quantity_example(rule->metric->unit));
	p->at++;
	if (take_quantity(p, &q, quantity_read_percent(p->at, &q)))
		return -1;
	rule->percent = q.value;
	parser_skip_blanks(p);
	return parse_floor(p, rule);
}

/* ---- limits and baselines ------------------------------------------------------------------------------- */

static int parse_limit(struct parser *p, struct budget_rule *rule)
{
	rule->kind = BUDGET_LIMIT;
	if (key_parse(p, rule))
		return -1;
	parser_skip_blanks(p);
	if (strncmp(p->at, "<=", 2))
		return parser_complain(p, p->at, parser_word_length(p->at),
				       "\"<=\" is expected after a key, such as  %s <= %s",
				       rule->text, quantity_example(rule->metric->unit));
	p->at += 2;
	parser_skip_blanks(p);
	if (statement_parse_bound(p, rule))
		return -1;
	rule->optional = take(p, "optional");
	return parse_because(p, rule);
}

int statement_check_comparable(const struct parser *p, const struct budget_rule *rule,
			       const char *from)
{
	if (rule->metric->scope == MODEL_SCOPE_SITE)
		return parser_complain(p, from, strlen(rule->text),
				       "a baseline holds no call sites: write a limit");
	for (size_t i = 0; i < rule->selector.count; i++)
		if (rule->selector.terms[i].field == SELECT_EPOCH)
			return parser_complain(
				p, from, strlen(rule->text),
				"a baseline knows no single epoch: leave the epoch out");
	return 0;
}

static int parse_baseline(struct parser *p, struct budget_rule *rule)
{
	const char *from = p->at;

	rule->kind = BUDGET_BASELINE;
	if (key_parse(p, rule) || statement_check_comparable(p, rule, from))
		return -1;
	parser_skip_blanks(p);
	return statement_parse_growth(p, rule) ? -1 : parse_because(p, rule);
}

/* ---- findings ------------------------------------------------------------------------------------------- */

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01 to a day of the Gregorian calendar: whole years, their leap days, then the day of the year. */
static int64_t days_since_epoch(int year, int month, int day)
{
	int64_t before = year - 1;
	int64_t days = before * 365 + before / 4 - before / 100 + before / 400 - 719162;

	for (int m = 1; m < month; m++)
		days += days_in_month(year, m);
	return days + day - 1;
}

static int has_date_form(const char *text)
{
	static const char form[] = "dddd-dd-dd";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return 0;
	return 1;
}

static int parse_date(struct parser *p, struct budget_rule *rule)
{
	size_t length = parser_word_length(p->at);
	char text[] = "dddd-dd-dd";
	int year, month, day;

	if (length != sizeof(text) - 1 || !has_date_form(p->at)) {
		parser_complain(p, p->at, length, "a date is written 2027-03-31");
		p->at += length;
		return -1;
	}
	memcpy(text, p->at, length);
	year = atoi(text);
	month = atoi(text + 5);
	day = atoi(text + 8);
	p->at += length;
	if (!year || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return parser_complain(p, p->at - length, length, "%s is not a date", text);
	rule->until = strings_keep(&p->budget->strings, text);
	rule->until_unix_s = (days_since_epoch(year, month, day) + 1) * SECONDS_PER_DAY;
	return 0;
}

/* `until DATE because "…"`: everything that is missing or wrong is said, not only the first. `from` is "allow". */
static int parse_allowance(struct parser *p, struct budget_rule *rule, const char *from)
{
	int wrong = 0;

	if (!take(p, "until"))
		wrong |= parser_complain(p, from, strlen("allow"),
					 "\"allow\" needs a last day: add  until 2027-03-31");
	else
		wrong |= parse_date(p, rule);
	parser_skip_blanks(p);
	if (!word_is(p, "because"))
		wrong |= parser_complain(p, from, strlen("allow"),
					 "\"allow\" needs a reason: add  because \"...\"");
	else
		wrong |= parse_because(p, rule);
	return wrong;
}

static int parse_finding(struct parser *p, struct budget_rule *rule, const char *from)
{
	rule->kind = BUDGET_FINDING;
	if (!take(p, "finding"))
		return parser_complain(p, from, parser_word_length(from),
				       "\"%.*s\" is followed by \"finding\"",
				       (int)parser_word_length(from), from);
	if (key_parse_finding(p, rule))
		return -1;
	parser_skip_blanks(p);
	return rule->action == BUDGET_ALLOW ? parse_allowance(p, rule, from) : 0;
}

/* ---- statements ----------------------------------------------------------------------------------------- */

static int parse(struct parser *p, struct budget_rule *rule)
{
	const char *from = p->at;

	if (take(p, "deny"))
		return parse_finding(p, rule, from);
	if (take(p, "allow")) {
		rule->action = BUDGET_ALLOW;
		return parse_finding(p, rule, from);
	}
	if (take(p, "warn"))
		rule->action = BUDGET_WARN;
	if (rule->action == BUDGET_WARN && word_is(p, "finding"))
		return parse_finding(p, rule, from);
	return take(p, "baseline") ? parse_baseline(p, rule) : parse_limit(p, rule);
}

/* The statement as it was written, without what is around it. */
static const char *whole_statement(const struct parser *p, const struct budget_rule *rule)
{
	const char *from = p->line + rule->column - 1;
	size_t length = (size_t)(p->at - from);
	char *copy;
	const char *kept;

	while (length && strchr(" \t", from[length - 1]))
		length--;
	copy = strndup(from, length);
	kept = copy ? strings_keep(&p->budget->strings, copy) : "";
	free(copy);
	return kept;
}

void statement_add_rule(struct parser *p, const struct budget_rule *rule)
{
	struct budget_rule *added = array_add(&p->budget->rules);

	if (!added) {
		p->budget->out_of_memory = 1;
		free(rule->selector.terms);
		return;
	}
	*added = *rule;
	added->source = whole_statement(p, rule);
	p->budget->out_of_memory |= p->budget->strings.failed;
}

void statement_parse(struct parser *p)
{
	struct budget_rule rule = {
		.file = p->file, .line = p->line_number, .column = 1, .from_file = p->from_file};

	parser_skip_blanks(p);
	if (parser_at_end(p))
		return;
	rule.column = (unsigned)(p->at - p->line) + 1;
	if (parse(p, &rule) || expect_end(p))
		free(rule.selector.terms);
	else
		statement_add_rule(p, &rule);
}
