/* Names of native functions: see the header. One pass that knows brackets, and the operators that look like them. */
#include "profiler/view/function_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONG_NAME = 60 };

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of "operator()", "operator<<", "operator[]" at `at`; 0 = there is none. Of one with a word, as "operator new", it is
 * that of "operator". */
static size_t operator_at(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;
	const char *sign = name + at + length;

	if (strncmp(name + at, word, length) || (at && is_word(name[at - 1])) || is_word(*sign))
		return 0;
	if (!strncmp(sign, "()", 2) || !strncmp(sign, "[]", 2))
		return length + 2;
	return length + strspn(sign, "<>=!+-*/%^&|~,");
}

/* Past the bracket that begins at `at` and all within it. */
static size_t past_bracket(const char *name, size_t at)
{
	int depth = 0;

	do {
		size_t skipped = operator_at(name, at);

		if (skipped) {
			at += skipped;
			continue;
		}
		if (strchr("(<{[", name[at]))
			depth++;
		else if (strchr(")}]", name[at]) || (name[at] == '>' && name[at - 1] != '-'))
			depth--;
		at++;
	} while (name[at] && depth > 0);
	return at;
}

/* "(anonymous namespace)", the parameters of a function around this one, or what a type is that of. */
static int is_no_parameters(const char *name, size_t at)
{
	return !at || !strncmp(name + at, "(anonymous", 10) ||
	       !strncmp(name + past_bracket(name, at), "::", 2) ||
	       (at >= 9 && !strncmp(name + at - 9, "decltype ", 9)) ||
	       (at >= 8 && !strncmp(name + at - 8, "decltype", 8));
}

static size_t without_parameters(const char *name)
{
	size_t at = 0;

	while (name[at]) {
		size_t skipped = operator_at(name, at);

		if (skipped)
			at += skipped;
		else if (name[at] == '(' && !is_no_parameters(name, at))
			break;
		else
			at = strchr("(<{[", name[at]) ? past_bracket(name, at) : at + 1;
	}
	return at;
}

/* What a long name goes without: '<' or '(', else 0. "<u8 as Trait>", "<lambda>" and "(anonymous namespace)" are names. */
static char left_out(const char *name, size_t at)
{
	char before = at ? name[at - 1] : 0;

	if (!is_word(before) && before != (name[at] == '<' ? ':' : '>'))
		return 0;
	return strchr("<(", name[at]) ? name[at] : 0;
}

static void shorten(char *out, size_t size, const char *whole, size_t length, const char *mark)
{
	size_t written = 0;

	out[0] = '\0';
	for (size_t at = 0; at < length && written < size;) {
		size_t skipped = operator_at(whole, at), step = skipped ? skipped : 1;
		char open = skipped ? 0 : left_out(whole, at);

		if (open)
			written += (size_t)snprintf(out + written, size - written, "%c%s%c", open,
						    mark, open == '<' ? '>' : ')');
		else
			written += (size_t)snprintf(out + written, size - written, "%.*s",
						    (int)step, whole + at);
		at = open ? past_bracket(whole, at) : at + step;
	}
}

char *function_name(char *out, size_t size, const char *whole, const char *mark)
{
	size_t length = without_parameters(whole);

	if (length > LONG_NAME)
		shorten(out, size, whole, length, mark);
	else
		snprintf(out, size, "%.*s", (int)length, whole);
	return out;
}
