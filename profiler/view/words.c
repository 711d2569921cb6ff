/* Words and names shared by the outputs. */
#include "profiler/view/words.h"

#include <stdio.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/format.h"

int words_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

int words_fit(const char *text, int columns)
{
	size_t bytes = 0;

	for (; text[bytes]; bytes++)
		if (((unsigned char)text[bytes] & 0xc0) != 0x80 && columns-- <= 0)
			break;
	return (int)bytes;
}

/* How many bytes the UTF-8 character at `p` has; 0 = it is none. */
static size_t utf8_length(const unsigned char *p)
{
	size_t length = *p < 0x80             ? 1
			: (*p & 0xe0) == 0xc0 ? 2
			: (*p & 0xf0) == 0xe0 ? 3
			: (*p & 0xf8) == 0xf0 ? 4
					      : 0;

	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

char *words_safe(char *out, size_t size, const char *text, int utf8)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t at = 0;

	while (*p && at + 5 < size) {
		size_t length = utf8_length(p);
		/* C1 control characters are the two bytes from c2 80 to c2 9f */
		int plain = length == 1 ? *p >= ' ' && *p != 0x7f
					: utf8 && length && !(p[0] == 0xc2 && p[1] < 0xa0);

		if (!length)
			length = 1;
		if (plain) {
			memcpy(out + at, p, length);
			at += length;
		} else {
			out[at++] = '?';
		}
		p += length;
	}
	out[at] = '\0';
	return out;
}

/* The phase of the first owner at or before t, and the next one. */
static void phases_around(const struct model *m, int64_t t_ns, const struct model_phase **before,
			  const struct model_phase **now, const struct model_phase **after)
{
	*before = *now = *after = NULL;
	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *p = &m->phases[i];

		if (p->owner != m->phases[0].owner || p->between)
			continue;
		if (p->start_ns > t_ns) {
			*after = p;
			return;
		}
		*before = p;
		*now = t_ns < p->end_ns ? p : NULL;
	}
}

char *words_when(char *out, size_t size, const struct model *m, int64_t t_ns)
{
	const struct model_phase *before, *now, *after;

	phases_around(m, t_ns, &before, &now, &after);
	if (now)
		snprintf(out, size, "during %s", now->name);
	else if (before && after)
		snprintf(out, size, "between %s and %s", before->name, after->name);
	else if (before)
		snprintf(out, size, "after %s", before->name);
	else if (after)
		snprintf(out, size, "before %s", after->name);
	else
		out[0] = '\0';
	return out;
}

const char *words_doing(const struct model_pool *pool, enum model_state state)
{
	if (state == MODEL_EXHAUSTED)
		return pool->guessed ? "likely idle" : "idle";
	return pool->grouped && state == MODEL_DELIVERING ? "running" : model_state_name(state);
}

char *words_rank(char *out, int64_t rank)
{
	*out = '\0';
	if (rank != MODEL_NONE)
		snprintf(out, WORDS_RANK, ", rank %lld", (long long)rank);
	return out;
}

int words_is_owner(const struct model *m, int process)
{
	enum model_role role = m->processes[process].role;

	return role == MODEL_ROLE_OWNER || (role == MODEL_ROLE_ROOT && !m->pool_count);
}

char *words_process(char *out, size_t size, const struct model *m, int process)
{
	const struct model_process *p = &m->processes[process];
	char rank[WORDS_RANK];

	snprintf(out, size, "%s %lld%s", words_is_owner(m, process) ? "owner" : "process",
		 (long long)p->pid, words_rank(rank, p->rank));
	return out;
}

int words_holds_idle(const struct model_pool *pool)
{
	return pool->workers > 0 || pool->member_count > 0 || pool->idle_max_bytes > 0;
}

int words_any_in_owner(const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].in_owner_max)
			return 1;
	return 0;
}

char *words_pool(char *out, size_t size, const struct model_pool *pool)
{
	char rank[WORDS_RANK];

	snprintf(out, size, "%s%s%s", pool->name, pool->guessed ? "?" : "",
		 words_rank(rank, pool->rank));
	return out;
}

const char *words_kept(enum model_kept kept)
{
	static const char *const reasons[MODEL_KEPTS] = {
		[MODEL_KEPT_PERSISTENT] = "persistent_workers=True",
		[MODEL_KEPT_STATEFUL] = "the loader has a state_dict, which would be lost",
		[MODEL_KEPT_NEEDED] = "validated within the epoch, needed after it",
	};

	return reasons[kept];
}

int words_has_loaders(const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (!m->pools[i].grouped)
			return 1;
	return 0;
}

/* Appends a word as a shell takes it. */
static size_t append_quoted(char *out, size_t size, size_t at, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./,:@%^";

	if (at && at + 1 < size)
		out[at++] = ' ';
	if (*word && !word[strspn(word, plain)]) {
		at += (size_t)snprintf(out + at, size - at, "%s", word);
		return at < size ? at : size - 1;
	}
	at += (size_t)snprintf(out + at, size - at, "'");
	for (; *word && at + 6 < size; word++)
		at += (size_t)snprintf(out + at, size - at, *word == '\'' ? "'\\''" : "%c", *word);
	at += at < size ? (size_t)snprintf(out + at, size - at, "'") : 0;
	return at < size ? at : size - 1;
}

static size_t append_words(char *out, size_t size, size_t at, const struct model *m, size_t count)
{
	for (size_t i = 0; i < count && at + 8 < size; i++)
		at = append_quoted(out, size, at, m->argv[i]);
	return at;
}

char *words_command(char *out, size_t size, const struct model *m)
{
	out[0] = '\0';
	if (!m->argc)
		snprintf(out, size, "%s", m->command);
	append_words(out, size, 0, m, m->argc);
	return out;
}

/* The program and its script: the words up to the first one after the program that is no option. */
static size_t short_count(const struct model *m)
{
	for (size_t i = 1; i < m->argc; i++)
		if (m->argv[i][0] != '-')
			return i + 1;
	return m->argc;
}

char *words_release(char *out, size_t size, const struct model *m, int room)
{
	size_t at = (size_t)snprintf(out, size, "loopmem run --release-idle-workers --");

	append_words(out, size, at, m, m->argc);
	if (room && words_columns(out) > room) {
		out[at] = '\0';
		append_words(out, size, at, m, short_count(m));
	}
	return out;
}

char *words_end(char *out, size_t size, const struct model *m)
{
	char name[SIGNAL_NAME_MAX];

	switch (m->end) {
	case MODEL_EXITED:
		snprintf(out, size, "exit %lld", (long long)m->exit_code);
		break;
	case MODEL_KILLED:
		snprintf(out, size, "killed by %s", signal_name(name, m->exit_signal));
		break;
	case MODEL_RUNNING:
		snprintf(out, size, "still running");
		break;
	case MODEL_UNKNOWN_END:
		snprintf(out, size, m->attached && m->complete ? "left running" : "end unknown");
		break;
	}
	return out;
}

char *words_failure(char *out, size_t size, const struct model *m)
{
	char end[WORDS_MAX];

	out[0] = '\0';
	if (m->end == MODEL_EXITED && model_has_failed(m))
		snprintf(out, size, ", but the command failed: %s", words_end(end, sizeof(end), m));
	return out;
}

char *words_workers(char *out, size_t size, int64_t count)
{
	char number[FORMAT_MAX];

	if (count >= MODEL_CAPACITY_MOST)
		snprintf(out, size, "more than 1000");
	else if (count < 10)
		snprintf(out, size, "about %lld", (long long)count);
	else
		snprintf(out, size, "%s", format_estimate(number, (double)count));
	return out;
}

/* "8", "about 15", "more than 1000"; with the stage that is counted, where it is not all. */
static void count_words(char *out, size_t size, const struct model_capacity *c, int64_t count)
{
	char number[FORMAT_MAX];

	if (count == c->workers || count < 1)
		snprintf(number, sizeof(number), "%lld", (long long)count);
	else
		words_workers(number, sizeof(number), count);
	snprintf(out, size, "%s%s%s", number, c->stage < 0 ? "" : " ",
		 c->stage < 0 ? "" : model_stage_name((enum model_stage)c->stage));
}

char *words_capacity(char *out, size_t size, const struct model *m)
{
	const struct model_capacity *c = &m->capacity;
	char now[128], released[128] = "", each[FORMAT_MAX];
	const char *stage =
		c->worker_stage == MODEL_STAGE_OTHER ? "" : model_stage_name(c->worker_stage);

	*out = '\0';
	if (c->workers == MODEL_NONE)
		return out;
	count_words(now, sizeof(now), c, c->as_it_runs);
	if (c->idle_released > c->as_it_runs) {
		count_words(released, sizeof(released), c, c->idle_released);
		strncat(released, " with idle pools released",
			sizeof(released) - strlen(released) - 1);
	}
	snprintf(out, size, "%s fit as it runs%s%s (%s a %s%sworker)", now, *released ? ", " : "",
		 released, format_bytes(each, c->worker_bytes), stage, *stage ? " " : "");
	return out;
}

char *words_release_peak(char *out, size_t size, const struct model *m)
{
	const struct model_totals *t = &m->totals;
	char with[FORMAT_MAX], now[FORMAT_MAX];

	out[0] = '\0';
	if (t->peak_with_release_bytes < t->peak_bytes)
		snprintf(out, size, "then the peak is %s instead of %s",
			 format_bytes(with, t->peak_with_release_bytes),
			 format_bytes(now, t->peak_bytes));
	return out;
}

char *words_advice(char *out, size_t size, const struct model *m, const struct model_finding *f)
{
	char peak[WORDS_MAX];

	words_release_peak(peak, sizeof(peak), m);
	if (f->release_too)
		snprintf(out, size, "%s; --release-idle-workers does it too%s%s", f->advice,
			 peak[0] ? ": " : "", peak);
	else
		snprintf(out, size, "%s", f->advice);
	return out;
}

char *words_finding(char *out, size_t size, const struct model_finding *f)
{
	const char *words = f->brief && f->brief[0] ? f->brief : f->title;
	char bytes[FORMAT_MAX];

	if (f->brief_bytes)
		snprintf(out, size, "%s %s", format_bytes(bytes, f->brief_bytes), words);
	else
		snprintf(out, size, "%s", words);
	return out;
}

char *words_notices(char *out, size_t size, const struct model *m)
{
	size_t n = m->finding_count;

	out[0] = '\0';
	if (n && m->findings[0].severity == MODEL_NOTICE)
		snprintf(out, size, "%zu notice%s: %s%s%s%s", n, n == 1 ? "" : "s",
			 m->findings[0].id, n > 1 ? ", " : "", n > 1 ? m->findings[1].id : "",
			 n > 2 ? ", ..." : "");
	return out;
}

char *words_amount(char *out, size_t size, const struct model_finding *f)
{
	char bytes[FORMAT_MAX], at[FORMAT_MAX];

	format_bytes(bytes, f->bytes);
	if (f->moment_count)
		format_moment(at, f->moments[0]);
	if (f->bytes && f->moment_count)
		snprintf(out, size, "%s at %s. ", bytes, at);
	else if (f->bytes)
		snprintf(out, size, "%s. ", bytes);
	else if (f->moment_count)
		snprintf(out, size, "At %s. ", at);
	else
		*out = '\0';
	return out;
}
