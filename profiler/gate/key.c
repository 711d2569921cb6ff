/* Subjects of rules: `pool(train,label=val_*).private_bytes_max`, `idle-pool-retained(train)`. */
#include "profiler/gate/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/findings.h"
#include "profiler/nearest.h"

enum { MOST_NAMES = 64, MOST_TERMS = 8, FEW_NAMES = 6 };

#define IN_KEYS "loopmem check --list-keys has them all"

#define LOWER "abcdefghijklmnopqrstuvwxyz"

static int is_glob_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-./:*?", c)) || (unsigned char)c >= 0x80;
}

static size_t glob_length(const char *at)
{
	size_t length = 0;

	while (is_glob_character(at[length]))
		length++;
	return length;
}

static const char *keep(const struct parser *p, const char *from, size_t length)
{
	char *copy = strndup(from, length);
	const char *kept = copy ? strings_keep(&p->budget->strings, copy) : NULL;

	if (!copy || (length && !*kept))
		p->budget->out_of_memory = 1;
	free(copy);
	return kept ? kept : "";
}

/* Words that can stand at a place. */
struct vocabulary {
	const char *what;
	const char *const *names;
	size_t count;
	const char *listed; /* where they all are, when they are many */
};

/* Complains of a word that is none of them, with the nearest that is, or with all where they are few. */
static int complain_unknown(const struct parser *p, const char *from, size_t length,
			    const struct vocabulary *known)
{
	const char *near = nearest_name(keep(p, from, length), known->names, known->count);
	char all[128] = "";
	int at = 0;

	if (near)
		return parser_complain(p, from, length, "unknown %s \"%.*s\": did you mean \"%s\"?",
				       known->what, (int)length, from, near);
	for (size_t i = 0; i < known->count && known->count <= FEW_NAMES; i++)
		at += snprintf(all + at, sizeof(all) - (size_t)at, "%s%s",
			       i                   ? ", "
			       : known->count == 1 ? "only "
						   : "one of ",
			       known->names[i]);
	return parser_complain(p, from, length, "unknown %s \"%.*s\": %s", known->what, (int)length,
			       from, at ? all : known->listed);
}

/* ---- selectors ---------------------------------------------------------------------------------------- */

static int complain_field(const struct parser *p, const char *from, size_t length, int kind)
{
	const char *names[SELECT_FIELDS];
	size_t count = 0;

	for (int f = 0; f < SELECT_FIELDS; f++)
		if (select_field_applies((enum select_field)f, kind))
			names[count++] = select_field_word((enum select_field)f);
	return complain_unknown(p, from, length,
				&(struct vocabulary){"field", names, count, IN_KEYS});
}

/* `field=`, or the default field. */
static int parse_field(struct parser *p, int kind, struct select_term *term)
{
	size_t length = strspn(p->at, LOWER);
	int field;

	if (!length || p->at[length] != '=') {
		term->field = select_default_field(kind);
		return 0;
	}
	field = select_field_find(keep(p, p->at, length));
	if (field < 0 || !select_field_applies((enum select_field)field, kind))
		return complain_field(p, p->at, length, kind);
	term->field = (enum select_field)field;
	p->at += length + 1;
	return 0;
}

/* A stage or severity that is written in full must be one that can occur. */
static int check_word(const struct parser *p, const struct select_term *term, const char *from)
{
	static const char *const severities[] = {"error", "warning", "notice",
						 "high",  "medium",  "low"};
	const char *stages[MODEL_STAGES];

	if (!glob_is_literal(term->glob))
		return 0;
	if (term->field == SELECT_SEVERITY) {
		for (size_t i = 0; i < sizeof(severities) / sizeof(severities[0]); i++)
			if (!strcmp(severities[i], term->glob))
				return 0;
		return complain_unknown(
			p, from, strlen(term->glob),
			&(struct vocabulary){"severity", severities,
					     sizeof(severities) / sizeof(severities[0]), IN_KEYS});
	}
	if (term->field != SELECT_STAGE)
		return 0;
	for (int s = 0; s < MODEL_STAGES; s++) {
		stages[s] = model_stage_name((enum model_stage)s);
		if (!strcmp(stages[s], term->glob))
			return 0;
	}
	return complain_unknown(p, from, strlen(term->glob),
				&(struct vocabulary){"stage", stages, MODEL_STAGES, IN_KEYS});
}

static int parse_glob(struct parser *p, struct select_term *term)
{
	const char *from = p->at;
	size_t length;

	if (*p->at == '"') {
		term->glob = parser_quoted(p);
		return term->glob ? 0 : -1;
	}
	length = glob_length(from);
	if (!length && (*from == ' ' || *from == '\t'))
		return parser_complain(p, from, 1, "no blanks between parentheses, but in quotes");
	if (!length && *from && *from != ')' && *from != ',')
		return parser_complain(p, from, 1, "\"%c\" must be in quotes here", *from);
	if (!length)
		return parser_complain(p, from, 1,
				       "a name or a pattern is missing; * stands for any");
	term->glob = keep(p, from, length);
	p->at += length;
	return check_word(p, term, from);
}

/* Two names for one field can never both match. */
static int check_twice(const struct parser *p, const struct selector *s, const char *from)
{
	const struct select_term *last = &s->terms[s->count - 1];

	for (size_t i = 0; i + 1 < s->count; i++)
		if (s->terms[i].field == last->field && !s->terms[i].negated && !last->negated)
			return parser_complain(
				p, from, (size_t)(p->at - from),
				"a second %s: all terms must match, write one line for each",
				select_field_word(last->field));
	return 0;
}

static int parse_term(struct parser *p, int kind, struct selector *s)
{
	struct select_term *term = &s->terms[s->count++], empty = {0};
	const char *from = p->at;

	*term = empty;
	term->glob = "";
	if (parse_field(p, kind, term))
		return -1;
	if (*p->at == '!') {
		term->negated = 1;
		p->at++;
	}
	return parse_glob(p, term) || check_twice(p, s, from) ? -1 : 0;
}

static int parse_selectors(struct parser *p, int kind, struct selector *s)
{
	const char *open = p->at;

	s->terms = calloc(MOST_TERMS, sizeof(*s->terms));
	if (!s->terms) {
		p->budget->out_of_memory = 1;
		return -1;
	}
	do {
		p->at++;
		if (s->count == MOST_TERMS)
			return parser_complain(p, p->at, 1, "more than %d terms", MOST_TERMS);
		if (parse_term(p, kind, s))
			return -1;
	} while (*p->at == ',');
	if (*p->at == ' ' || *p->at == '\t')
		return parser_complain(p, p->at, 1, "no blanks between parentheses, but in quotes");
	if (!*p->at)
		return parser_complain(p, open, (size_t)(p->at - open), "\"(\" has no \")\"");
	if (*p->at != ')')
		return parser_complain(p, p->at, 1, "\"%c\" is not expected here: close with \")\"",
				       *p->at);
	p->at++;
	return 0;
}

/* ---- scope and metric --------------------------------------------------------------------------------- */

static int find_scope(const char *word, size_t length)
{
	for (int s = 0; s < MODEL_SCOPES; s++)
		if (strlen(model_scope_word((enum model_scope)s)) == length &&
		    !strncmp(model_scope_word((enum model_scope)s), word, length))
			return s;
	return -1;
}

/* The first word is neither a scope nor a keyword. */
static int complain_scope(const struct parser *p, const char *from, size_t length)
{
	static const char *const keywords[] = {"warn", "baseline", "deny", "allow"};
	const char *names[MOST_NAMES];
	size_t count = 0;

	for (int s = 0; s < MODEL_SCOPES; s++)
		names[count++] = model_scope_word((enum model_scope)s);
	for (size_t i = 0; p->from_file && i < sizeof(keywords) / sizeof(keywords[0]); i++)
		names[count++] = keywords[i];
	if (!length)
		return parser_complain(p, from, 1,
				       "a key is expected here, such as total.peak_pss_bytes");
	return complain_unknown(p, from, length,
				&(struct vocabulary){"key", names, count, IN_KEYS});
}

static int has_one_subject(int scope)
{
	return scope == MODEL_SCOPE_TOTAL || scope == MODEL_SCOPE_OVERHEAD ||
	       scope == MODEL_SCOPE_LOSS;
}

static int parse_scope(struct parser *p, struct selector *selector)
{
	const char *from = p->at;
	size_t length = strspn(from, LOWER);
	int scope = find_scope(from, length);

	if (scope < 0)
		return complain_scope(p, from, length ? length : parser_word_length(from));
	p->at += length;
	if (*p->at == '(' && has_one_subject(scope))
		return parser_complain(p, p->at, 1, "\"%s\" is one: it takes no selector",
				       model_scope_word((enum model_scope)scope));
	if (*p->at != '(' && !has_one_subject(scope))
		return parser_complain(p, from, length, "\"%s\" needs a selector: write %s(*)",
				       model_scope_word((enum model_scope)scope),
				       model_scope_word((enum model_scope)scope));
	if (*p->at == '(' && parse_selectors(p, scope, selector))
		return -1;
	return scope;
}

static int has_word(const char *name, const char *word, size_t length)
{
	for (const char *at = name; at; at = strchr(at, '_') ? strchr(at, '_') + 1 : NULL)
		if (strcspn(at, "_") == length && !strncmp(at, word, length))
			return 1;
	return 0;
}

/* Whether every word of `words` ("unshared_max") is one of `name` ("unshared_bytes_max"). */
static int has_words(const char *name, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, "_")) {
		size_t length = strcspn(at, "_");

		if (!has_word(name, at, length))
			return 0;
		at += length;
	}
	return 1;
}

static const char *nearest_metric(const char *word, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_words(names[i], word))
			return names[i];
	return nearest_name(word, names, count);
}

static int complain_metric(const struct parser *p, const char *from, size_t length, int scope)
{
	const char *names[MOST_NAMES], *near;
	const char *word = model_scope_word((enum model_scope)scope);
	size_t count = 0;

	for (size_t i = 0; i < model_metric_count && count < MOST_NAMES; i++)
		if ((int)model_metrics[i].scope == scope)
			names[count++] = model_metrics[i].name;
	if (!length)
		return parser_complain(p, from, 1, "a metric is missing, such as .%s", names[0]);
	if (memmem(from, length, "rss", 3))
		return parser_complain(
			p, from, length,
			"resident bytes count shared pages once per process and are not gated: "
			"use total.peak_pss_bytes");
	near = nearest_metric(keep(p, from, length), names, count);
	if (!near)
		return parser_complain(
			p, from, length,
			"unknown metric \"%.*s\" for %s: loopmem check --list-keys has them all",
			(int)length, from, word);
	return parser_complain(p, from, length,
			       "unknown metric \"%.*s\" for %s: did you mean \"%s\"?", (int)length,
			       from, word, near);
}

int key_parse(struct parser *p, struct budget_rule *rule)
{
	const char *from = p->at;
	int scope = parse_scope(p, &rule->selector);
	size_t length;

	if (scope < 0)
		return -1;
	if (*p->at != '.')
		return complain_metric(p, p->at, 0, scope);
	rule->subject = keep(p, from, (size_t)(p->at - from));
	p->at++;
	length = strspn(p->at, LOWER "_0123456789");
	rule->metric = model_metric_find((enum model_scope)scope, keep(p, p->at, length));
	if (!rule->metric)
		return complain_metric(p, p->at, length, scope);
	p->at += length;
	rule->text = keep(p, from, (size_t)(p->at - from));
	return 0;
}

/* ---- findings ------------------------------------------------------------------------------------------ */

static int is_known_finding(const char *glob)
{
	for (size_t i = 0; i < finding_kind_count; i++)
		if (glob_matches(glob, finding_kinds[i].id))
			return 1;
	return 0;
}

int key_parse_finding(struct parser *p, struct budget_rule *rule)
{
	const char *from = p->at, *names[MOST_NAMES];
	size_t length = glob_length(from), count = 0;

	if (!length)
		return parser_complain(p, from, 1, "the id of a finding is missing, such as \"%s\"",
				       finding_kinds[0].id);
	rule->finding = keep(p, from, length);
	for (; count < finding_kind_count && count < MOST_NAMES; count++)
		names[count] = finding_kinds[count].id;
	if (!is_known_finding(rule->finding))
		return complain_unknown(p, from, length,
					&(struct vocabulary){"finding", names, count,
							     "loopmem help lists them"});
	p->at += length;
	if (*p->at == '(' && parse_selectors(p, SELECT_FINDING, &rule->selector))
		return -1;
	rule->text = keep(p, from, (size_t)(p->at - from));
	return 0;
}
