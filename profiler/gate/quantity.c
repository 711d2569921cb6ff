/* Numbers with units: one table of units, and a complaint with the right form for every wrong one. */
#include "profiler/gate/quantity.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

enum { FRACTION_DIGITS = 18 }; /* more are cut: 10^18 fits 64 bits */

/* value = number * multiply / divide */
static const struct unit {
	const char *word;
	enum model_unit of;
	uint64_t multiply, divide;
} units[] = {
	{"B", MODEL_UNIT_BYTES, 1, 1},
	{"KiB", MODEL_UNIT_BYTES, KIB, 1},
	{"MiB", MODEL_UNIT_BYTES, MIB, 1},
	{"GiB", MODEL_UNIT_BYTES, GIB, 1},
	{"TiB", MODEL_UNIT_BYTES, TIB, 1},
	{"kB", MODEL_UNIT_BYTES, 1000, 1},
	{"MB", MODEL_UNIT_BYTES, 1000000, 1},
	{"GB", MODEL_UNIT_BYTES, 1000000000, 1},
	{"TB", MODEL_UNIT_BYTES, 1000000000000, 1},
	{"ms", MODEL_UNIT_SECONDS, 1, 1000},
	{"s", MODEL_UNIT_SECONDS, 1, 1},
	{"min", MODEL_UNIT_SECONDS, 60, 1},
	{"h", MODEL_UNIT_SECONDS, 3600, 1},
	{"MiB.s", MODEL_UNIT_BYTE_SECONDS, MIB, 1},
	{"GiB.s", MODEL_UNIT_BYTE_SECONDS, GIB, 1},
	{"GiB.h", MODEL_UNIT_BYTE_SECONDS, GIB * 3600, 1},
};

/* By enum model_unit. */
static const struct {
	const char *noun, *example, *all;
} kinds[] = {
	[MODEL_UNIT_BYTES] = {"a size", "64 MiB", "B KiB MiB GiB TiB kB MB GB TB"},
	[MODEL_UNIT_SECONDS] = {"a time", "20 s", "ms s min h"},
	[MODEL_UNIT_BYTE_SECONDS] = {"bytes held over time", "20 GiB.s", "MiB.s GiB.s GiB.h"},
	[MODEL_UNIT_COUNT] = {"a count", "5", ""},
};

const char *quantity_example(enum model_unit unit)
{
	return kinds[unit].example;
}

/* The parts of a written quantity: `2.5 GiB`. */
struct written {
	const char *text;
	uint64_t whole, fraction, fraction_scale; /* 2, 5, 10 */
	int too_large;
	size_t number_length, length; /* with the unit */
	const char *unit;
	size_t unit_length;
};

#define complain(q, underline, ...)                                                                \
	((q)->length = (underline), snprintf((q)->complaint, sizeof((q)->complaint), __VA_ARGS__), \
	 -1)

static const char *read_whole(const char *at, struct written *w)
{
	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(w->whole, 10, &w->whole) ||
		    __builtin_add_overflow(w->whole, (uint64_t)(*at - '0'), &w->whole))
			w->too_large = 1;
	return at;
}

static const char *read_fraction(const char *at, struct written *w)
{
	for (int digits = 0; isdigit((unsigned char)*at); at++, digits++) {
		if (digits >= FRACTION_DIGITS)
			continue;
		w->fraction = w->fraction * 10 + (uint64_t)(*at - '0');
		w->fraction_scale *= 10;
	}
	return at;
}

static int is_word_end(char c)
{
	return !c || isspace((unsigned char)c) || c == '#';
}

/* The length of the word at `text`: what is underlined when it is no number at all. */
static size_t word_length(const char *text)
{
	size_t length = 0;

	while (!is_word_end(text[length]))
		length++;
	return length ? length : 1;
}

static int read_number(const char *text, struct written *w, struct quantity *q)
{
	size_t word = word_length(text);
	const char *end;

	*w = (struct written){.text = text, .fraction_scale = 1};
	if (*text == '.' && isdigit((unsigned char)text[1]))
		return complain(q, word, "a number begins with a digit: write 0%.*s", (int)word,
				text);
	if (*text == '+' || *text == '-')
		return complain(q, word, "a limit has no sign");
	if (!isdigit((unsigned char)*text))
		return complain(q, word, "a number is expected here");
	end = read_whole(text, w);
	if (*end == '.' && isdigit((unsigned char)end[1]))
		end = read_fraction(end + 1, w);
	else if (*end == '.' || *end == ',' || *end == '_')
		return complain(q, word,
				"\"%.*s\": the decimal mark is a point with digits after it, and "
				"there is no thousands mark",
				(int)word, text);
	if ((*end == 'e' || *end == 'E') && strchr("+-0123456789", end[1]) && end[1])
		return complain(q, word, "\"%.*s\": no exponent: write the number in full",
				(int)word, text);
	w->number_length = w->length = (size_t)(end - text);
	return 0;
}

static int is_keyword(const char *word, size_t length)
{
	return (length == 8 && !strncmp(word, "optional", 8)) ||
	       (length == 7 && !strncmp(word, "because", 7));
}

/* A unit may stand apart; the words that may follow a bound are none. */
static void read_unit(struct written *w)
{
	const char *at = w->text + w->number_length;
	const char *unit = at;
	size_t length = 0;

	while (*unit == ' ' || *unit == '\t')
		unit++;
	while (isalpha((unsigned char)unit[length]) || unit[length] == '.')
		length++;
	if (!length || (unit > at && is_keyword(unit, length)))
		return;
	w->unit = unit;
	w->unit_length = length;
	w->length = (size_t)(unit - w->text) + length;
}

static const struct unit *find_unit(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].word) == length && !strncmp(units[i].word, word, length))
			return &units[i];
	return NULL;
}

/* number * multiply, rounded down; -1 = more than 64 bits. */
static int scale(const struct written *w, uint64_t multiply, uint64_t *value)
{
	unsigned __int128 whole = (unsigned __int128)w->whole * multiply;
	unsigned __int128 part = (unsigned __int128)w->fraction * multiply / w->fraction_scale;

	if (w->too_large || whole + part > UINT64_MAX)
		return -1;
	*value = (uint64_t)(whole + part);
	return 0;
}

/* "2.5G", "2.5 mb", "3gib": what was nearly said. */
static int complain_unclear(const struct written *w, struct quantity *q)
{
	static const char letters[] = "KMGT";
	static const char *const binary[] = {"KiB", "MiB", "GiB", "TiB"};
	static const char *const decimal[] = {"kB", "MB", "GB", "TB"};
	const char *letter = strchr(letters, toupper((unsigned char)w->unit[0]));
	size_t rest = w->unit_length - 1, i;
	int number = (int)w->number_length, all = (int)w->length;
	uint64_t binary_bytes, decimal_bytes;

	if (!letter || rest > 2 || strncasecmp(w->unit + 1, rest == 2 ? "ib" : "b", rest))
		return 0;
	i = (size_t)(letter - letters);
	if (rest == 2)
		return complain(q, w->length, "\"%.*s\": write \"%.*s %s\"", all, w->text, number,
				w->text, binary[i]);
	if (scale(w, find_unit(binary[i], 3)->multiply, &binary_bytes) ||
	    scale(w, find_unit(decimal[i], 2)->multiply, &decimal_bytes))
		return complain(q, w->length, "\"%.*s\" is more than 16 EiB", all, w->text);
	return complain(
		q, w->length,
		"\"%.*s\" has no clear unit: write \"%.*s %s\" (%llu bytes) or \"%.*s %s\" (%llu bytes)",
		all, w->text, number, w->text, binary[i], (unsigned long long)binary_bytes, number,
		w->text, decimal[i], (unsigned long long)decimal_bytes);
}

static int complain_unknown(const struct written *w, enum model_unit unit, const char *what,
			    struct quantity *q)
{
	if (complain_unclear(w, q))
		return -1;
	if (unit == MODEL_UNIT_COUNT)
		return complain(q, w->length, "%s is a count: write \"%.*s\" without a unit", what,
				(int)w->number_length, w->text);
	return complain(q, w->length, "no unit \"%.*s\": %s is written in %s", (int)w->unit_length,
			w->unit, kinds[unit].noun, kinds[unit].all);
}

static int complain_without(const struct written *w, enum model_unit unit, struct quantity *q)
{
	int number = (int)w->number_length;

	if (unit != MODEL_UNIT_BYTES)
		return complain(q, w->length, "\"%.*s\" needs a unit: write for example \"%s\"",
				number, w->text, kinds[unit].example);
	if (!w->whole && !w->fraction)
		return complain(q, w->length, "\"%.*s\" needs a unit: write \"0 B\"", number,
				w->text);
	return complain(q, w->length, "\"%.*s\" needs a unit: write \"%.*s MiB\" or \"%.*s B\"",
			number, w->text, number, w->text, number, w->text);
}

static int read_count(const struct written *w, struct quantity *q)
{
	if (w->fraction_scale > 1)
		return complain(q, w->length, "\"%.*s\": a count is a whole number", (int)w->length,
				w->text);
	if (w->too_large)
		return complain(q, w->length, "\"%.*s\" is too large", (int)w->length, w->text);
	q->value = (double)w->whole;
	q->length = w->length;
	return 0;
}

int quantity_read(const char *text, enum model_unit unit, const char *what, struct quantity *q)
{
	struct written w;
	const struct unit *u;
	uint64_t value;

	if (read_number(text, &w, q))
		return -1;
	read_unit(&w);
	if (!w.unit)
		return unit == MODEL_UNIT_COUNT ? read_count(&w, q) : complain_without(&w, unit, q);
	u = find_unit(w.unit, w.unit_length);
	if (!u)
		return complain_unknown(&w, unit, what, q);
	if (u->of != unit)
		return complain(q, w.length,
				"\"%.*s\" is %s, but %s is %s: write for example \"%s\"",
				(int)w.length, w.text, kinds[u->of].noun, what, kinds[unit].noun,
				kinds[unit].example);
	if (scale(&w, u->multiply, &value))
		return complain(q, w.length, "\"%.*s\" is too large: more than 64 bits",
				(int)w.length, w.text);
	/* only bytes round down; the fraction of the rest counts */
	q->value = u->of == MODEL_UNIT_BYTES
			   ? (double)value
			   : ((double)w.whole + (double)w.fraction / (double)w.fraction_scale) *
				     (double)u->multiply / (double)u->divide;
	q->length = w.length;
	return 0;
}

int quantity_is_percent(const char *text)
{
	size_t length = strspn(text, "0123456789.");

	length += strspn(text + length, " \t");
	return length && text[length] == '%';
}

int quantity_read_percent(const char *text, struct quantity *q)
{
	struct written w;

	if (read_number(text, &w, q))
		return -1;
	if (w.text[w.length] != '%')
		return complain(q, w.length, "\"%.*s\" is a share: write \"%.*s%%\"", (int)w.length,
				w.text, (int)w.length, w.text);
	q->value = (double)w.whole + (double)w.fraction / (double)w.fraction_scale;
	q->length = w.length + 1;
	return 0;
}
