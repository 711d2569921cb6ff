/* Budgets: files and flags to statements. */
#include "profiler/gate/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/key.h"
#include "profiler/gate/quantity.h"
#include "profiler/gate/statement.h"
#include "profiler/view/escape.h"

#define HEADER "loopmem-budget"

enum { BUDGET_MAX_BYTES = 1 << 20 };

void budget_release(struct budget *b)
{
	for (size_t i = 0; i < b->rules.count; i++)
		free(b->rules.items[i].selector.terms);
	array_release(&b->rules);
	strings_release(&b->strings);
	memset(b, 0, sizeof(*b));
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* Whether the line can be read at all; a complaint says why not. */
static int check_line(const struct parser *p, size_t length)
{
	char *clean;
	size_t same = 0;

	if (strlen(p->line) != length)
		return parser_complain(p, p->line + strlen(p->line), 1,
				       "the line holds a NUL byte");
	if (strchr(p->line, '\r'))
		return parser_complain(p, strchr(p->line, '\r'), 1,
				       "a carriage return: save the file with line feeds only");
	clean = escape_utf8(p->line);
	while (clean && clean[same] && clean[same] == p->line[same])
		same++;
	if (clean && (clean[same] || p->line[same])) {
		free(clean);
		return parser_complain(p, p->line + same, 1, "byte 0x%02X is not UTF-8",
				       (unsigned char)p->line[same]);
	}
	free(clean);
	return 0;
}

/* The first statement of a file: `loopmem-budget 1`. */
static int check_header(struct parser *p)
{
	size_t length = strlen(HEADER);
	const char *from = p->at;

	if (strncmp(p->at, HEADER, length) || !strchr(" \t", p->at[length]) || !p->at[length])
		return parser_complain(p, from, parser_word_length(from),
				       "first line must be \"" HEADER " 1\"");
	p->at += length;
	parser_skip_blanks(p);
	length = strspn(p->at, "0123456789");
	if (length == 1 && *p->at == '1') {
		p->at++;
		parser_skip_blanks(p);
		if (parser_at_end(p))
			return 0;
	} else if (length) {
		return parser_complain(p, from, parser_word_length(from),
				       "first line must be \"" HEADER
				       " 1\"; this file says %.*s, written for a "
				       "newer loopmem",
				       (int)length, p->at);
	}
	return parser_complain(p, from, strlen(from), "first line must be \"" HEADER " 1\"");
}

enum header { HEADER_WANTED, HEADER_SEEN, HEADER_WRONG };

static void read_line(struct parser *p, size_t length, enum header *header)
{
	if (check_line(p, length)) {
		if (*header == HEADER_WANTED)
			*header = HEADER_WRONG;
		return;
	}
	p->at = p->line;
	parser_skip_blanks(p);
	if (parser_at_end(p))
		return;
	if (*header == HEADER_WANTED)
		*header = check_header(p) ? HEADER_WRONG : HEADER_SEEN;
	else
		statement_parse(p);
}

/* A file of another kind would only give a complaint for each of its lines: its first one is enough. */
static void read_lines(struct parser *p, char *text, size_t length)
{
	enum header header = HEADER_WANTED;

	for (char *end = text + length; text < end && header != HEADER_WRONG;) {
		char *line_end = memchr(text, '\n', (size_t)(end - text));

		line_end = line_end ? line_end : end;
		*line_end = '\0';
		p->line = text;
		p->line_number++;
		read_line(p, (size_t)(line_end - text), &header);
		text = line_end + 1;
	}
	if (header == HEADER_WANTED) {
		p->line = p->at = "";
		p->line_number = 1;
		parser_complain(p, p->line, 1,
				"first line must be \"" HEADER " 1\"; this file has none");
	}
}

/* Reads less than `capacity` bytes of a file of any kind. 0 or an errno; EFBIG when there are more. */
static int load(const char *file, char *text, size_t capacity, size_t *length)
{
	FILE *in = fopen(file, "re");
	int failed = 0;

	if (!in)
		return errno;
	errno = 0;
	*length = fread(text, 1, capacity, in);
	if (ferror(in))
		failed = errno ? errno : EIO;
	else if (*length == capacity)
		failed = EFBIG;
	fclose(in);
	return failed;
}

/* A budget that keeps nothing out is green for ever. */
static int check_rules(const struct budget *b, const char *file, size_t rules, size_t complaints,
		       struct error *e)
{
	if (b->out_of_memory)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read the budget %s", file);
	if (b->rules.count > rules || b->complaint_count > complaints)
		return 0;
	error_set(e, ERROR_USAGE, "%s holds no rule: it would keep nothing out", file);
	error_hint(e, "write one, such as  total.peak_pss_bytes <= 6 GiB");
	error_hint(e, "or have them written: loopmem check --suggest SESSION");
	return ERROR_USAGE;
}

int budget_read_file(struct budget *b, const char *file, struct error *e)
{
	struct parser p = {.budget = b, .file = strings_keep(&b->strings, file), .from_file = 1};
	size_t rules = b->rules.count, complaints = b->complaint_count, length = 0;
	char *text = malloc(BUDGET_MAX_BYTES);
	int failed = text ? load(file, text, BUDGET_MAX_BYTES, &length) : ENOMEM;

	if (!failed)
		read_lines(&p, text, length);
	free(text);
	if (failed)
		return error_set_errno(e, ERROR_USAGE, failed, "cannot read the budget %s", file);
	return check_rules(b, file, rules, complaints, e);
}

/* ---- flags ---------------------------------------------------------------------------------------------------- */

static void add_flag(struct budget *b, const char *flag, const char *argument, unsigned n,
		     enum budget_kind kind)
{
	struct parser p = {
		.budget = b, .file = flag, .line_number = n, .line = argument, .at = argument};
	struct budget_rule rule = {.kind = kind, .file = flag, .line = n, .column = 1};
	int wrong = check_line(&p, strlen(argument)) || key_parse(&p, &rule) ||
		    (kind == BUDGET_BASELINE && statement_check_comparable(&p, &rule, argument));

	if (!wrong && *p.at != '=')
		wrong = parser_complain(&p, p.at, parser_word_length(p.at),
					"\"=\" is expected after the key: %s=%s", rule.text,
					kind == BUDGET_LIMIT ? quantity_example(rule.metric->unit)
							     : "+5%");
	if (!wrong) {
		p.at++;
		wrong = kind == BUDGET_LIMIT ? statement_parse_bound(&p, &rule)
					     : statement_parse_growth(&p, &rule);
	}
	if (!wrong && *p.at)
		wrong = parser_complain(&p, p.at, strlen(p.at), "\"%s\" is not expected here",
					p.at);
	if (wrong)
		free(rule.selector.terms);
	else
		statement_add_rule(&p, &rule);
}

void budget_add_max(struct budget *b, const char *argument, unsigned n)
{
	add_flag(b, "--max", argument, n, BUDGET_LIMIT);
}

void budget_add_tolerance(struct budget *b, const char *argument, unsigned n)
{
	add_flag(b, "--tolerance", argument, n, BUDGET_BASELINE);
}

void budget_add_default_baselines(struct budget *b)
{
	static const char *const lines[] = {
		"baseline total.peak_pss_bytes +5% +16 MiB",
		"baseline total.idle_retained_bytes_max +5% +16 MiB",
		"baseline total.overlap_bytes_max +5% +16 MiB",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct parser p = {.budget = b,
				   .file = "default",
				   .line_number = (unsigned)i + 1,
				   .line = lines[i],
				   .at = lines[i]};

		statement_parse(&p);
	}
}
