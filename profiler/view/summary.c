/* The summary at the end of a run, from the model alone. */
#include "profiler/view/summary.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"

enum { FINDINGS = 3, HOLDERS = 4 };

static const char severity_letters[] = {
	[MODEL_NOTICE] = 'N', [MODEL_WARNING] = 'W', [MODEL_ERROR] = 'E'};

/* "26.4 GiB of 28.0 GiB (94%)" */
static void put_peak(FILE *out, const struct model_totals *t)
{
	char peak[FORMAT_MAX], limit[FORMAT_MAX], share[FORMAT_MAX];

	fprintf(out, "loopmem: peak %s", format_bytes(peak, t->peak_bytes));
	if (t->limit_bytes != MODEL_NONE)
		fprintf(out, " of %s%s (%s)", format_bytes(limit, t->limit_bytes),
			strcmp(t->limit_source, "RAM") ? "" : " RAM",
			format_percent(share, t->peak_bytes, t->limit_bytes));
}

static void peak_line(FILE *out, const struct model *m)
{
	char at[FORMAT_MAX], when[WORDS_MAX];

	put_peak(out, &m->totals);
	words_when(when, sizeof(when), m, m->totals.peak_at_ns);
	fprintf(out, " at %s%s%s\n", format_moment(at, m->totals.peak_at_ns), when[0] ? ", " : "",
		when);
}

static void idle_line(FILE *out, const struct model *m)
{
	const struct model_totals *t = &m->totals;
	char most[FORMAT_MAX], average[FORMAT_MAX], peak[FORMAT_MAX];

	if (m->released && t->released_pools)
		fprintf(out, "loopmem: released %lld idle pool%s, %s at most; restarts added 0 s\n",
			(long long)t->released_pools, t->released_pools == 1 ? "" : "s",
			format_bytes(most, t->released_max_bytes));
	if (t->idle_max_bytes)
		fprintf(out,
			"loopmem: %sheld idle %s at most, %s on average; without it the peak is %s\n",
			m->attached ? "likely " : "", format_bytes(most, t->idle_max_bytes),
			format_bytes(average, t->idle_average_bytes),
			format_bytes(peak, t->peak_without_idle_bytes));
}

/* One line for each reason: of which stages pools were left alone. */
static void kept_lines(FILE *out, const struct model *m)
{
	for (int why = MODEL_NOT_KEPT + 1; why < MODEL_KEPTS; why++) {
		unsigned int seen = 0;

		for (size_t i = 0; i < m->pool_count; i++) {
			const struct model_pool *pool = &m->pools[i];

			if (pool->kept != (enum model_kept)why || seen & 1u << pool->stage)
				continue;
			fprintf(out, "%s%s", seen ? ", " : "loopmem: not released: ",
				model_stage_name(pool->stage));
			seen |= 1u << pool->stage;
		}
		if (seen)
			fprintf(out, " (%s)\n", words_kept((enum model_kept)why));
	}
}

static size_t worth_saying(const struct model *m)
{
	size_t n = 0;

	while (n < m->finding_count && n < FINDINGS && m->findings[n].severity > MODEL_NOTICE)
		n++;
	return n;
}

static void finding_lines(FILE *out, const struct model *m)
{
	size_t count = worth_saying(m);
	int width = 0;

	for (size_t i = 0; i < count; i++)
		width = (int)strlen(m->findings[i].id) > width ? (int)strlen(m->findings[i].id)
							       : width;
	for (size_t i = 0; i < count; i++) {
		const struct model_finding *f = &m->findings[i];
		char line[WORDS_MAX], safe[WORDS_MAX];

		words_finding(line, sizeof(line), f);
		fprintf(out, "loopmem: %c %-*s  %s\n", severity_letters[f->severity], width, f->id,
			words_safe(safe, sizeof(safe), line, 1));
	}
}

static void try_line(FILE *out, const struct model *m)
{
	char command[WORDS_MAX], safe[WORDS_MAX];

	if (worth_saying(m) && m->findings[0].release_helps)
		fprintf(out, "loopmem: try   %s\n",
			words_safe(safe, sizeof(safe),
				   words_release(command, sizeof(command), m, 0), 1));
	else if (worth_saying(m) && m->findings[0].advice[0])
		fprintf(out, "loopmem: try   %s\n",
			words_safe(safe, sizeof(safe),
				   words_advice(command, sizeof(command), m, &m->findings[0]), 1));
}

/* ---- a run that was killed ----------------------------------------------------------------------------- */

/* The last round that is whole: while processes are being killed the figures are of some of them. */
static const struct model_round *last_whole(const struct model *m)
{
	for (size_t i = m->round_count; i-- > 0;)
		if (!m->rounds[i].incomplete && m->rounds[i].processes)
			return &m->rounds[i];
	return m->round_count ? &m->rounds[m->round_count - 1] : NULL;
}

static void killed_line(FILE *out, const struct model *m)
{
	char at[FORMAT_MAX], limit[FORMAT_MAX], name[SIGNAL_NAME_MAX];

	format_moment(at, m->ended_ns == MODEL_NONE ? m->last_ns : m->ended_ns);
	if (!m->oom_killed) {
		fprintf(out, "loopmem: ended by %s at %s\n", signal_name(name, m->exit_signal), at);
		return;
	}
	fprintf(out, "loopmem: killed by the kernel's OOM killer at %s (%s", at,
		signal_name(name, m->exit_signal > 0 ? m->exit_signal : SIGKILL));
	if (m->totals.oom_kills)
		fprintf(out, ", oom_kill +%lld", (long long)m->totals.oom_kills);
	fputc(')', out);
	if (m->totals.limit_bytes != MODEL_NONE)
		fprintf(out, ", limit %s", format_bytes(limit, m->totals.limit_bytes));
	fputc('\n', out);
}

struct holder {
	const char *name;
	int64_t bytes;
	int idle;
};

static int largest_first(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static void last_seen_line(FILE *out, const struct model *m, const struct model_moment *last)
{
	struct holder *holders = calloc(m->pool_count + 1, sizeof(*holders));
	char bytes[FORMAT_MAX], name[WORDS_MAX];
	size_t count = 0;

	if (!holders)
		return;
	holders[count++] = (struct holder){"owner", last->round.owner_bytes, 0};
	for (size_t i = 0; i < m->pool_count; i++)
		if (last->pools[i].memory && last->pools[i].state != MODEL_ENDED)
			holders[count++] = (struct holder){m->pools[i].short_name,
							   last->pools[i].memory,
							   last->pools[i].state == MODEL_EXHAUSTED};
	qsort(holders, count, sizeof(*holders), largest_first);
	fprintf(out, "loopmem: last seen %s:", format_bytes(bytes, last->round.total_bytes));
	for (size_t i = 0; i < count && i < HOLDERS; i++)
		fprintf(out, "%s %s %s%s", i ? "," : "",
			words_safe(name, sizeof(name), holders[i].name, 1),
			format_bytes_like(bytes, holders[i].bytes, last->round.total_bytes),
			holders[i].idle ? " (idle)" : "");
	fputs(count > HOLDERS ? ", ...\n" : "\n", out);
	free(holders);
}

static void last_idle_lines(FILE *out, const struct model *m, const struct model_moment *last)
{
	char held[FORMAT_MAX], rest[FORMAT_MAX], peak[FORMAT_MAX], name[WORDS_MAX],
		before[FORMAT_MAX];
	int64_t without = last->round.total_bytes - last->round.held_idle_bytes;
	int named = 0;

	if (!last->round.held_idle_bytes)
		return;
	fprintf(out,
		"loopmem: %s of it was held idle: without it this moment needs %s, the peak so far is %s\n",
		format_bytes(held, last->round.held_idle_bytes), format_bytes(rest, without),
		format_bytes_like(peak, m->totals.peak_without_idle_bytes, without));
	fprintf(out, "loopmem: E idle-pool-retained ");
	for (size_t i = 0; i < m->pool_count; i++) {
		int64_t ns = last->t_ns - last->pools[i].since_ns;

		if (last->pools[i].state != MODEL_EXHAUSTED || !last->pools[i].held_idle ||
		    named == HOLDERS)
			continue;
		fprintf(out, "%s %s exhausted %s before", named++ ? "," : "",
			words_safe(name, sizeof(name), m->pools[i].short_name, 1),
			format_duration(before, ns));
	}
	fputc('\n', out);
}

static int killed(FILE *out, const struct model *m, const char *file)
{
	const struct model_round *round = last_whole(m);
	struct model_moment last;

	killed_line(out, m);
	if (round) {
		if (model_at(m, round->t_ns, &last) < 0)
			return -1;
		last_seen_line(out, m, &last);
		last_idle_lines(out, m, &last);
		if (last.round.held_idle_bytes)
			try_line(out, m);
		model_moment_release(&last);
	}
	fprintf(out, "loopmem: more  loopmem report %s\n", file);
	return 0;
}

/* ---- the usual end ---------------------------------------------------------------------------------------- */

int summary_print(FILE *out, const struct model *m, const char *file)
{
	char notices[WORDS_MAX];

	if (m->totals.peak_at_ns == MODEL_NONE) {
		if (m->end == MODEL_KILLED)
			killed_line(out, m);
		fprintf(out, "loopmem: ended before its memory was read once\n");
		return 0;
	}
	if (m->oom_killed)
		return killed(out, m, file);
	if (m->end == MODEL_KILLED)
		killed_line(out, m);
	words_notices(notices, sizeof(notices), m);
	if (!m->pool_count && !(worth_saying(m) && m->findings[0].leads)) {
		put_peak(out, &m->totals);
		fprintf(out, "%s%s; more: loopmem report %s\n", *notices ? "; " : "", notices,
			file);
		return 0;
	}
	if (!m->totals.idle_max_bytes && !worth_saying(m) && !m->totals.released_pools) {
		peak_line(out, m);
		kept_lines(out, m);
		fprintf(out, "loopmem: nothing held idle%s%s; more: loopmem report %s\n",
			*notices ? "; " : "", notices, file);
		return 0;
	}
	peak_line(out, m);
	idle_line(out, m);
	kept_lines(out, m);
	finding_lines(out, m);
	try_line(out, m);
	fprintf(out, "loopmem: more  loopmem report %s\n", file);
	return 0;
}
