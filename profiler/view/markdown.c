/*
 * The report as Markdown, for job summaries and pull requests: the heading is the verdict, the rest in the order in which it may be cut.
 * Foreign text goes through escape.h; inside a fence no line begins with it.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/escape.h"
#include "profiler/view/page.h"
#include "profiler/view/site_words.h"
#include "profiler/view/what_if_words.h"
#include "profiler/view/words.h"

enum { MAX_BYTES = 60000, CHART_COLUMNS = 76, POOLS_SHOWN = 12, SITES_SHOWN = 5, RANKS_SHOWN = 64 };

#define SITES_HEADING "\n| live at the peak | of | call site, from samples |\n|--:|---|---|\n"

static FILE *cell(const struct page *p, const char *between)
{
	fputs(between, p->out);
	return p->out;
}

/* ---- the verdict and its figures ---- */

static void heading(FILE *out, int64_t peak, int64_t limit, int64_t idle)
{
	char bytes[FORMAT_MAX];

	fprintf(out, "### loopmem: peak %s", format_bytes(bytes, peak));
	if (limit != MODEL_NONE)
		fprintf(out, " of %s", format_bytes(bytes, limit));
	fprintf(out, idle ? ", %s held idle\n\n" : ", nothing held idle\n\n",
		format_bytes(bytes, idle));
}

static void figure(const struct page *p, const char *words, int64_t bytes, int strong)
{
	const struct model_totals *t = &p->m->totals;
	char text[FORMAT_MAX];

	fprintf(p->out, strong ? "| %s | **%s** |" : "| %s | %s |", words,
		format_bytes(text, bytes));
	if (t->limit_bytes != MODEL_NONE)
		fprintf(p->out, " %s |", format_percent(text, bytes, t->limit_bytes));
	fputc('\n', p->out);
}

static void figures(const struct page *p)
{
	const struct model_totals *t = &p->m->totals;
	char text[FORMAT_MAX];
	int limited = t->limit_bytes != MODEL_NONE;

	fprintf(p->out, limited ? "| | this run | of the limit |\n|---|--:|--:|\n"
				: "| | this run |\n|---|--:|\n");
	figure(p, "Peak", t->peak_bytes, 1);
	figure(p, "Held idle, at most", t->idle_max_bytes, t->idle_max_bytes > 0);
	if (t->idle_max_bytes) {
		figure(p, "Held idle, average", t->idle_average_bytes, 0);
		figure(p, "Peak without held idle", t->peak_without_idle_bytes, 0);
	}
	if (t->overlap_max_bytes)
		figure(p, "Overlap of pools", t->overlap_max_bytes, 0);
	fprintf(p->out, limited ? "| Time | %s | |\n" : "| Time | %s |\n",
		format_duration(text, t->duration_ns));
}

static void answer_to_question(const struct page *p)
{
	struct what_if_words w;

	if (!p->options.what_if)
		return;
	what_if_words(&w, p->m, &p->options);
	fputs("\n**What if**\n\n", p->out);
	for (size_t i = 0; i < w.count; i++) {
		fputs("- ", p->out);
		escape_markdown(p->out, w.sentences[i]);
		fputc('\n', p->out);
	}
}

static void verdict(const struct page *p)
{
	const struct model *m = p->m;
	const struct model_totals *t = &m->totals;
	char name[SIGNAL_NAME_MAX], notices[WORDS_MAX], failure[WORDS_MAX];

	if (t->peak_at_ns == MODEL_NONE) {
		fputs("### loopmem: the session holds no samples\n", p->out);
		return;
	}
	heading(p->out, t->peak_bytes, t->limit_bytes, t->idle_max_bytes);
	if (m->oom_killed || m->end == MODEL_KILLED)
		fprintf(p->out, "**Killed by %s.**\n\n",
			m->oom_killed ? "the OOM killer" : signal_name(name, m->exit_signal));
	figures(p);
	answer_to_question(p);
	if (!m->finding_count || m->findings[0].severity == MODEL_NOTICE)
		fprintf(p->out, "\nNo errors, no warnings%s%s%s.\n", m->finding_count ? "; " : "",
			words_notices(notices, sizeof(notices), m),
			words_failure(failure, sizeof(failure), m));
}

/* ---- findings ---- */

static void parts(const struct page *p, const struct model_finding *f)
{
	const char *between = ": ";
	char bytes[FORMAT_MAX];

	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct model_evidence *e = &f->evidence[i];

		if (!e->listed || e->kind != MODEL_BYTES)
			continue;
		escape_markdown(cell(p, between), e->label);
		fprintf(p->out, " %s", format_bytes(bytes, (int64_t)e->value));
		between = ", ";
	}
}

static void advice(const struct page *p, const struct model_finding *f, const char *before)
{
	char text[WORDS_MAX];

	if (!f->advice[0])
		return;
	fputs(before, p->out);
	escape_markdown(p->out, words_advice(text, sizeof(text), p->m, f));
}

static void remedy(const struct page *p, const struct model_finding *f)
{
	char text[WORDS_MAX];

	if (!f->release_helps) {
		advice(p, f, "\nTo do: ");
	} else {
		fputs("\n```\n", p->out);
		escape_text(p->out, words_release(text, sizeof(text), p->m, 0));
		fputs("\n```\n", p->out);
		fputs(words_release_peak(text, sizeof(text), p->m), p->out);
		if (f->framework[0])
			advice(p, f, text[0] ? ". Or " : "Or ");
	}
	fputc('\n', p->out);
}

static void place(const struct page *p, const struct model_finding *f, const char *before)
{
	char text[2 * WORDS_MAX];

	if (!site_of_finding(text, sizeof(text), p->m, f, 1)[0])
		return;
	fputs(before, p->out);
	escape_markdown(p->out, text);
}

/* Errors and warnings in full. */
static void important(const struct page *p)
{
	for (size_t i = 0; i < p->m->finding_count; i++) {
		const struct model_finding *f = &p->m->findings[i];
		char amount[WORDS_MAX];

		if (f->severity == MODEL_NOTICE)
			continue;
		fprintf(p->out, "\n**%s.** %s", f->id, words_amount(amount, sizeof(amount), f));
		escape_markdown(p->out, f->title);
		parts(p, f);
		fputs(". ", p->out);
		escape_markdown(p->out, f->text);
		place(p, f, " ");
		fputc('\n', p->out);
		remedy(p, f);
	}
}

static void notices(const struct page *p)
{
	char bytes[FORMAT_MAX];
	int begun = 0;

	for (size_t i = 0; i < p->m->finding_count; i++) {
		const struct model_finding *f = &p->m->findings[i];

		if (f->severity != MODEL_NOTICE)
			continue;
		fprintf(p->out, "%s- **%s**%s%s: ", begun++ ? "" : "\n", f->id, f->bytes ? " " : "",
			f->bytes ? format_bytes(bytes, f->bytes) : "");
		escape_markdown(p->out, f->title);
		place(p, f, ". ");
		advice(p, f, f->line_bytes ? " " : ". ");
		fputc('\n', p->out);
	}
}

/* ---- the chart ---- */

static void chart(const struct page *p)
{
	if (p->m->round_count < 2)
		return;
	fputs("\n```", p->out);
	page_chart(p);
	fputs("```\n", p->out);
}

/* ---- pools ---- */

static void pool_row(const struct page *p, const struct model_pool *pool)
{
	char text[FORMAT_MAX], name[WORDS_MAX];

	escape_markdown(cell(p, "| "), words_pool(name, sizeof(name), pool));
	if (pool->kept)
		fprintf(p->out, ", not released: %s", words_kept(pool->kept));
	fprintf(p->out, " | %zu", pool->member_count);
	if (pool->in_owner_max)
		fprintf(p->out, " | %s in the owner", format_bytes(text, pool->in_owner_max));
	else
		fprintf(p->out, " | %s", format_bytes(text, pool->memory_max));
	fprintf(p->out, " | %s",
		pool->idle_max_bytes ? format_bytes(text, pool->idle_max_bytes) : "");
	fprintf(p->out, " | %s", pool->idle_max_bytes ? format_duration(text, pool->idle_ns) : "");
	fprintf(p->out, " | %s |\n",
		pool->start_ns == MODEL_NONE ? "" : format_duration(text, pool->start_ns));
}

/* How many pools take more memory than this one: its place. */
static size_t place_of(const struct model *m, size_t index)
{
	size_t place = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		place += m->pools[i].memory_max > m->pools[index].memory_max ||
			 (m->pools[i].memory_max == m->pools[index].memory_max && i < index);
	return place;
}

static void pools(const struct page *p)
{
	const struct model *m = p->m;
	int64_t most = 0, idle = 0;
	char bytes[FORMAT_MAX], held[FORMAT_MAX];
	size_t folded = 0;

	if (!m->pool_count)
		return;
	fputs("\n| pool | workers | memory | held idle | for | start |\n|---|--:|--:|--:|--:|--:|\n",
	      p->out);
	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];

		if (p->options.full || place_of(m, i) < POOLS_SHOWN) {
			pool_row(p, pool);
			continue;
		}
		folded++;
		most = pool->memory_max > most ? pool->memory_max : most;
		idle = pool->idle_max_bytes > idle ? pool->idle_max_bytes : idle;
	}
	if (folded)
		fprintf(p->out, "| %zu more | | up to %s | up to %s | | |\n", folded,
			format_bytes(bytes, most), format_bytes(held, idle));
}

/* ---- call sites ---- */

/* The largest at the peak: those of a hundredth of all that is live there, or more. */
static void sites(const struct page *p)
{
	const struct model_site_filter peak = {MODEL_NONE, -1, -1, 0, 0};
	struct model_site_row *rows;
	char text[WORDS_MAX];
	size_t count, shown = 0;
	int64_t live;

	if (model_sites_rank(p->m, &peak, &rows, &count))
		return;
	live = model_site_rows_live(rows, count);
	while (shown < count && shown < SITES_SHOWN && rows[shown].live_bytes > 0 &&
	       rows[shown].live_bytes * 100 >= live) {
		const struct model_site_row *row = &rows[shown++];

		fprintf(p->out, "%s| %s", shown == 1 ? SITES_HEADING : "",
			format_bytes(text, row->live_bytes));
		escape_markdown(cell(p, " | "), site_owner(text, sizeof(text), p->m, row, 1));
		escape_markdown(cell(p, " | "), site_row_words(text, sizeof(text), p->m, row, 1));
		fputs(" |\n", p->out);
	}
	free(rows);
}

static void details(const struct page *p)
{
	size_t notice_count = 0;

	for (size_t i = 0; i < p->m->finding_count; i++)
		notice_count += p->m->findings[i].severity == MODEL_NOTICE;
	if (!p->m->pool_count && !notice_count && !p->m->site_count)
		return;
	fprintf(p->out, "\n<details><summary>Pools (%zu)", p->m->pool_count);
	if (notice_count)
		fprintf(p->out, ", notices (%zu)", notice_count);
	if (p->m->site_count)
		fputs(", call sites", p->out);
	fputs("</summary>\n", p->out);
	pools(p);
	notices(p);
	sites(p);
	fputs("\n</details>\n", p->out);
}

/* ---- the last line ---- */

static void footer(const struct page *p)
{
	const struct model *m = p->m;
	char share[FORMAT_MAX], text[FORMAT_MAX], command[WORDS_MAX];
	const char *slash = strrchr(m->file, '/');
	double wall = m->collector_wall_seconds;

	snprintf(command, sizeof(command), "loopmem report %s", slash ? slash + 1 : m->file);
	fputs("\nReproduce: ", p->out);
	escape_markdown_code(p->out, command);
	fprintf(p->out, " · %zu process%s, %zu pool%s · loopmem took %s of a core, ",
		m->process_count, m->process_count == 1 ? "" : "es", m->pool_count,
		m->pool_count == 1 ? "" : "s",
		format_percent_fine(share, wall > 0 ? m->collector_cpu_seconds / wall : 0));
	if (m->dropped || m->skipped)
		fprintf(p->out, "dropped %lld events, skipped %s samples", (long long)m->dropped,
			format_count(text, m->skipped));
	else
		fputs("nothing dropped", p->out);
	if (m->version && m->version[0])
		escape_markdown(cell(p, " · loopmem "), m->version);
	fputc('\n', p->out);
	if (m->damage)
		escape_markdown(cell(p, "\nDamaged: "), m->damage);
	for (size_t i = 0; i < m->note_count && i < POOLS_SHOWN; i++)
		escape_markdown(cell(p, "\n\nNote: "), m->notes[i].text);
	if (m->damage || m->note_count)
		fputc('\n', p->out);
}

/* ---- cutting to size ---- */

/* The parts in the order of the page. Those with a name may be left out, the last one first. */
static const struct part {
	const char *name;
	void (*print)(const struct page *p);
} sequence[] = {
	{NULL, verdict},    {"findings", important}, {"the chart", chart},
	{"pools", details}, {NULL, footer},
};
enum { PARTS = sizeof(sequence) / sizeof(sequence[0]), CUT_WORDS = 160 };

static char *printed(const struct page *p, const struct part *part)
{
	struct page copy = *p;
	char *text = NULL;
	size_t size;

	copy.out = open_memstream(&text, &size);
	if (!copy.out)
		return NULL;
	part->print(&copy);
	if (fclose(copy.out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void leave_out(char *const *texts, char *kept, size_t max_bytes)
{
	size_t total = CUT_WORDS;

	for (int i = 0; i < PARTS; i++)
		total += strlen(texts[i]);
	for (int i = PARTS - 1; i >= 0 && total > max_bytes; i--)
		if (sequence[i].name && texts[i][0]) {
			kept[i] = 0;
			total -= strlen(texts[i]);
		}
}

static void print_kept(FILE *out, char *const *texts, const char *kept)
{
	const char *between = "\nLeft out, the page would be too large: ";

	for (int i = 0; i < PARTS - 1; i++)
		if (kept[i])
			fputs(texts[i], out);
	for (int i = 0; i < PARTS - 1; i++)
		if (!kept[i]) {
			fprintf(out, "%s%s", between, sequence[i].name);
			between = ", ";
		}
	if (*between == ',')
		fputs(".\n", out);
	fputs(texts[PARTS - 1], out);
}

static int markdown_one(FILE *out, const struct model *m, const struct report_options *options)
{
	struct page p = {
		.m = m, .options = *options, .unit = format_unit_for(m->totals.peak_bytes)};
	char *texts[PARTS] = {0}, kept[PARTS];
	int failed = 0;

	p.options.width = CHART_COLUMNS;
	p.options.utf8 = 0; /* code fonts do not align block glyphs everywhere */
	memset(kept, 1, sizeof(kept));
	for (int i = 0; i < PARTS; i++) {
		texts[i] = printed(&p, &sequence[i]);
		failed |= !texts[i];
	}
	if (!failed) {
		leave_out(texts, kept, options->max_bytes ? options->max_bytes : MAX_BYTES);
		print_kept(out, texts, kept);
	}
	for (int i = 0; i < PARTS; i++)
		free(texts[i]);
	return failed ? -1 : 0;
}

/* ---- several ranks ---- */

static void rank_row(FILE *out, const struct model *m, size_t place)
{
	char text[FORMAT_MAX];

	fprintf(out, "| %lld | ", (long long)page_rank_of(m, place));
	escape_markdown(out, m->host);
	fprintf(out, " | %s", format_bytes(text, m->totals.peak_bytes));
	fprintf(out, " | %s", format_bytes(text, m->totals.idle_max_bytes));
	fprintf(out, " | %s |\n", format_bytes(text, m->totals.peak_without_idle_bytes));
}

/* The ranks in a table, the worst of them as if it were alone. */
int report_markdown(FILE *out, struct model *const *models, size_t count,
		    const struct report_options *options)
{
	struct report_options rest = *options;
	size_t worst = 0, shown = count < RANKS_SHOWN || options->full ? count : RANKS_SHOWN;

	if (count == 1)
		return markdown_one(out, models[0], options);
	for (size_t i = 1; i < count; i++)
		if (models[i]->totals.peak_bytes > models[worst]->totals.peak_bytes)
			worst = i;
	fprintf(out, "### loopmem: %zu ranks\n\n", count);
	fputs("| rank | machine | peak | held idle | peak without it |\n|--:|---|--:|--:|--:|\n",
	      out);
	for (size_t i = 0; i < shown; i++)
		rank_row(out, models[i], i);
	if (shown < count)
		fprintf(out, "\n%zu more ranks are not listed.\n", count - shown);
	fprintf(out, "\nThe rank with the highest peak, %lld:\n\n",
		(long long)page_rank_of(models[worst], worst));
	/* a row is at most some 350 bytes */
	rest.max_bytes = options->max_bytes ? options->max_bytes : MAX_BYTES;
	rest.max_bytes = rest.max_bytes > 400 * shown ? rest.max_bytes - 400 * shown : 1;
	return markdown_one(out, models[worst], &rest);
}
