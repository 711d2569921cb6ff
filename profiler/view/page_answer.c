/* The first lines of the report: how close, what is held for nothing, what to do; and what was run. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/page.h"
#include "profiler/view/words.h"

char *page_cell(const struct page *p, char *out, int64_t bytes)
{
	return format_cell(out, bytes, p->unit, p->unit >= FORMAT_GIB ? 1 : 0);
}

/* A blank at which a line may not end: marked as such, or between a figure and its unit. */
static int holds(const char *text, size_t at)
{
	return text[at] == PAGE_HOLD ||
	       (text[at] == ' ' && at && isdigit((unsigned char)text[at - 1]) &&
		strchr("KMGT", text[at + 1]) && text[at + 1] && !strncmp(text + at + 2, "iB", 2));
}

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (text[n] && (text[n] != ' ' || holds(text, n)))
		n++;
	return n;
}

void page_wrap(const struct page *p, const char *text, int column, int indent)
{
	int at = column, first = 1;

	while (*text) {
		size_t blanks = strspn(text, " "), length = word_length(text + blanks);
		char word[2 * WORDS_MAX];
		int columns;

		snprintf(word, sizeof(word), "%.*s", (int)length, text + blanks);
		for (char *c = word; (c = strchr(c, PAGE_HOLD)); c++)
			*c = ' ';
		columns = words_columns(word);
		if (!first && at + (int)blanks + columns > p->options.width) {
			fprintf(p->out, "\n%*s", indent, "");
			at = indent;
		} else {
			fprintf(p->out, "%*s", (int)blanks, "");
			at += (int)blanks;
		}
		fputs(word, p->out);
		at += columns;
		text += blanks + length;
		first = 0;
	}
	fputc('\n', p->out);
}

char *page_hold(char *text)
{
	for (char *c = text; (c = strchr(c, ' ')); c++)
		*c = PAGE_HOLD;
	return text;
}

static void line(const struct page *p, const char *title, const char *text)
{
	fprintf(p->out, "%-11s", title);
	page_wrap(p, text, 11, 11);
}

static void damaged_line(const struct page *p)
{
	char safe[WORDS_MAX];

	if (p->m->damage)
		line(p, "Damaged", words_safe(safe, sizeof(safe), p->m->damage, p->options.utf8));
}

static void killed_line(const struct page *p)
{
	const struct model *m = p->m;
	char at[FORMAT_MAX], limit[FORMAT_MAX], text[WORDS_MAX], name[SIGNAL_NAME_MAX];

	if (!m->oom_killed && m->end != MODEL_KILLED)
		return;
	format_moment(at, m->ended_ns == MODEL_NONE ? m->last_ns : m->ended_ns);
	if (!m->oom_killed)
		snprintf(text, sizeof(text), "by %s at %s", signal_name(name, m->exit_signal), at);
	else if (m->totals.limit_bytes == MODEL_NONE)
		snprintf(text, sizeof(text), "by the OOM killer at %s", at);
	else
		snprintf(text, sizeof(text), "by the OOM killer at %s, limit %s", at,
			 format_bytes(limit, m->totals.limit_bytes));
	line(p, "Killed", text);
}

static void peak_line(const struct page *p)
{
	const struct model_totals *t = &p->m->totals;
	char peak[FORMAT_MAX], limit[FORMAT_MAX], share[FORMAT_MAX], rest[FORMAT_MAX],
		at[FORMAT_MAX], when[WORDS_MAX];
	char text[2 * WORDS_MAX], *end = text;

	if (t->peak_at_ns == MODEL_NONE) {
		line(p, "Peak", "unknown: the session holds no samples");
		return;
	}
	end += sprintf(end, "%s", format_bytes(peak, t->peak_bytes));
	if (t->limit_bytes != MODEL_NONE) {
		int ram = !strcmp(t->limit_source, "RAM");

		end += sprintf(end, " of %s%s (%s)", format_bytes(limit, t->limit_bytes),
			       ram ? " RAM" : "",
			       format_percent(share, t->peak_bytes, t->limit_bytes));
		if (!ram && t->limit_bytes > t->peak_bytes)
			end += sprintf(end, ", %s free",
				       format_bytes(rest, t->limit_bytes - t->peak_bytes));
	}
	words_when(when, sizeof(when), p->m, t->peak_at_ns);
	snprintf(end, sizeof(text) - (size_t)(end - text), ", at %s%s%s",
		 format_moment(at, t->peak_at_ns), when[0] ? " " : "", when);
	line(p, "Peak", text);
}

static void idle_line(const struct page *p)
{
	const struct model_totals *t = &p->m->totals;
	char most[FORMAT_MAX], average[FORMAT_MAX], peak[FORMAT_MAX], share[FORMAT_MAX],
		text[WORDS_MAX];
	int n;

	if (t->peak_at_ns == MODEL_NONE) {
		line(p, "Held idle", "unknown");
		return;
	}
	if (!t->idle_max_bytes) {
		line(p, "Held idle",
		     words_has_loaders(p->m) ? "nothing" : "nothing: no data loader was seen");
		return;
	}
	n = snprintf(text, sizeof(text),
		     "%s%s at most, %s on average over the run; without it the peak is %s",
		     p->m->attached ? "likely " : "", format_bytes(most, t->idle_max_bytes),
		     format_bytes(average, t->idle_average_bytes),
		     format_bytes(peak, t->peak_without_idle_bytes));
	if (t->limit_bytes != MODEL_NONE)
		snprintf(text + n, sizeof(text) - (size_t)n, " (%s)",
			 format_percent(share, t->peak_without_idle_bytes, t->limit_bytes));
	line(p, "Held idle", text);
}

/* The worst finding that asks for something. */
static const struct model_finding *to_do(const struct model *m)
{
	return m->finding_count && m->findings[0].severity > MODEL_NOTICE ? &m->findings[0] : NULL;
}

/* What the command brings: less at the peak; when the peak lies elsewhere, less on average. */
static char *gain_of_release(char *out, size_t size, const struct model *m)
{
	const struct model_totals *t = &m->totals;
	int64_t gain = t->peak_bytes - t->peak_with_release_bytes;
	char bytes[FORMAT_MAX];

	if (gain >= 1 << 20)
		snprintf(out, size, "%s", format_difference(bytes, -gain));
	else
		snprintf(out, size, "%s on average",
			 format_difference(bytes, -t->idle_average_bytes));
	return out;
}

static void do_line(const struct page *p)
{
	const struct model_finding *f = to_do(p->m);
	char command[WORDS_MAX], safe[WORDS_MAX], gain[FORMAT_MAX * 3], text[2 * WORDS_MAX];

	if (!f && p->m->totals.peak_at_ns == MODEL_NONE) {
		line(p, "Do", "unknown");
		return;
	}
	if (!f) {
		words_notices(command, sizeof(command), p->m);
		snprintf(text, sizeof(text), "%s%s%s",
			 *command ? "nothing urgent; " : "nothing: no errors, no warnings", command,
			 words_failure(safe, sizeof(safe), p->m));
		line(p, "Do", text);
		return;
	}
	if (!f->release_helps) {
		words_advice(command, sizeof(command), p->m, f);
		line(p, "Do", words_safe(safe, sizeof(safe), command, p->options.utf8));
		return;
	}
	gain_of_release(gain, sizeof(gain), p->m);
	/* title, gap, gain and its words */
	words_release(command, sizeof(command), p->m,
		      p->options.width - 11 - 6 - (int)strlen(gain) - 18);
	strcat(gain, ", costs no restart");
	snprintf(text, sizeof(text), "%s      %s",
		 page_hold(words_safe(safe, sizeof(safe), command, p->options.utf8)),
		 page_hold(gain));
	line(p, "Do", text);
}

void page_answer(const struct page *p)
{
	damaged_line(p);
	killed_line(p);
	peak_line(p);
	idle_line(p);
	do_line(p);
}

/* "7 pools of 8 workers", "3 pools of 2 to 8 workers". */
static void describe_pools(char *out, size_t size, const struct model *m)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < m->pool_count; i++) {
		least = m->pools[i].workers < least ? m->pools[i].workers : least;
		most = m->pools[i].workers > most ? m->pools[i].workers : most;
	}
	if (!m->pool_count)
		snprintf(out, size, "no pools");
	else if (most == 0)
		snprintf(out, size, "%zu pool%s without workers", m->pool_count,
			 m->pool_count == 1 ? "" : "s");
	else if (least == most)
		snprintf(out, size, "%zu pool%s of %lld worker%s", m->pool_count,
			 m->pool_count == 1 ? "" : "s", (long long)most, most == 1 ? "" : "s");
	else
		snprintf(out, size, "%zu pools of %lld to %lld workers", m->pool_count,
			 (long long)least, (long long)most);
}

static size_t count_owners(const struct model *m)
{
	size_t owners = 0;

	for (size_t i = 0; i < m->process_count; i++)
		owners += m->processes[i].role == MODEL_ROLE_OWNER;
	return owners;
}

void page_header(const struct page *p)
{
	const struct model *m = p->m;
	char command[WORDS_MAX], safe[WORDS_MAX], duration[FORMAT_MAX], end[64], pools[128],
		facts[WORDS_MAX];
	size_t owners = count_owners(m);
	int n;

	words_safe(safe, sizeof(safe), words_command(command, sizeof(command), m), p->options.utf8);
	describe_pools(pools, sizeof(pools), m);
	n = snprintf(facts, sizeof(facts), "%s, %s",
		     format_duration(duration, m->totals.duration_ns),
		     words_end(end, sizeof(end), m));
	if (m->host[0])
		n += snprintf(facts + n, sizeof(facts) - (size_t)n, ", %.64s", m->host);
	if (owners)
		n += snprintf(facts + n, sizeof(facts) - (size_t)n, ", %zu owner%s", owners,
			      owners == 1 ? "" : "s");
	snprintf(facts + n, sizeof(facts) - (size_t)n, ", %s%s", pools,
		 m->released ? ", idle pools released" : "");
	if (words_columns(safe) + 4 + (int)strlen(facts) <= p->options.width) {
		fprintf(p->out, "\n%s    %s\n", safe, facts);
	} else {
		fprintf(p->out, "\n%.*s\n    ", words_fit(safe, p->options.width), safe);
		page_wrap(p, facts, 4, 4);
	}
}
