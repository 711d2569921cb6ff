/* The answer: three tiles, and one bar of what was needed, held idle and free. */
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/html.h"
#include "profiler/view/what_if_words.h"
#include "profiler/view/words.h"

enum { FAR = 3 }; /* times the peak */

static void tile_begin(const struct html *h, const char *kind, const char *title,
		       const char *figure)
{
	fprintf(h->out, "<div class=\"tile %s\"><h3>%s</h3><p class=\"figure\">%s</p><p>", kind,
		title, figure);
}

static void tile_end(const struct html *h)
{
	fputs("</p></div>\n", h->out);
}

static void peak_tile(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	char peak[FORMAT_MAX], limit[FORMAT_MAX], share[FORMAT_MAX], at[FORMAT_MAX],
		when[WORDS_MAX];

	tile_begin(h, "peak", "Peak", format_bytes(peak, t->peak_bytes));
	if (t->limit_bytes != MODEL_NONE) {
		fprintf(h->out, "%s of the %s ",
			format_percent(share, t->peak_bytes, t->limit_bytes),
			format_bytes(limit, t->limit_bytes));
		fputs(strcmp(t->limit_source, "RAM") ? "limit, " : "RAM, ", h->out);
	}
	fprintf(h->out, "at %s ", format_moment(at, t->peak_at_ns));
	html_text(h, words_when(when, sizeof(when), h->m, t->peak_at_ns));
	tile_end(h);
}

static void idle_tile(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	char idle[FORMAT_MAX], average[FORMAT_MAX], peak[FORMAT_MAX], share[FORMAT_MAX];

	if (!t->idle_max_bytes) {
		tile_begin(h, "idle", "Held idle", "nothing");
		fputs(words_has_loaders(h->m) ? "no pool outlived its last batch"
					      : "no data loader was seen",
		      h->out);
		tile_end(h);
		return;
	}
	tile_begin(h, "idle", "Held idle", format_bytes(idle, t->idle_max_bytes));
	fprintf(h->out, "at most; %s on average. Without it the peak is %s",
		format_bytes(average, t->idle_average_bytes),
		format_bytes(peak, t->peak_without_idle_bytes));
	if (t->limit_bytes != MODEL_NONE)
		fprintf(h->out, " (%s)",
			format_percent(share, t->peak_without_idle_bytes, t->limit_bytes));
	tile_end(h);
}

static void do_tile(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	const struct model_finding *f = h->m->finding_count ? &h->m->findings[0] : NULL;
	int64_t gain = t->peak_bytes - t->peak_with_release_bytes;
	char text[FORMAT_MAX], command[WORDS_MAX];

	if (!f) {
		tile_begin(h, "do", "Do", "nothing");
		fprintf(h->out, "no errors, no warnings%s",
			words_failure(command, sizeof(command), h->m));
	} else if (f->severity == MODEL_NOTICE) {
		tile_begin(h, "do", "Do", "nothing urgent");
		html_text(h, words_notices(command, sizeof(command), h->m));
		html_text(h, words_failure(command, sizeof(command), h->m));
	} else if (!f->release_helps) {
		tile_begin(h, "do", "Do", f->bytes ? format_bytes(text, f->bytes) : f->id);
		html_text(h, words_advice(command, sizeof(command), h->m, f));
	} else {
		if (gain >= 1 << 20)
			tile_begin(h, "do", "Do", format_difference(text, -gain));
		else
			tile_begin(h, "do", "Do", format_difference(text, -t->idle_average_bytes));
		fprintf(h->out, "%s, costs no restart: end workers with their last batch</p>",
			gain >= 1 << 20 ? "at the peak" : "on average");
		fputs("<pre class=\"copy\"><code>", h->out);
		html_text(h, words_release(command, sizeof(command), h->m, 0));
		fputs("</code></pre><p>", h->out);
	}
	tile_end(h);
}

/* One part of the bar; parts too thin to be seen are told below it only. */
static void bar_part(const struct html *h, const char *kind, int64_t bytes, int64_t whole)
{
	if (bytes > 0)
		fprintf(h->out, "<span class=\"%s\" style=\"flex-grow:%.4f\"></span>", kind,
			(double)bytes / (double)whole);
}

static void bar_word(const struct html *h, const char *kind, const char *word, int64_t bytes)
{
	char text[FORMAT_MAX];

	if (bytes > 0)
		fprintf(h->out, "<li><i class=\"swatch %s\"></i>%s <b>%s</b></li>", kind, word,
			format_bytes(text, bytes));
}

static void bar(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	int64_t needed = t->peak_without_idle_bytes, idle = t->peak_bytes - needed;
	int64_t free_bytes = t->limit_bytes == MODEL_NONE ? 0 : t->limit_bytes - t->peak_bytes;
	/* a limit far away would leave nothing to see of the rest: then what is free is drawn shorter, with a torn end */
	int far = free_bytes > FAR * t->peak_bytes;
	int64_t drawn = far ? FAR * t->peak_bytes : free_bytes > 0 ? free_bytes : 0;
	int64_t whole = t->peak_bytes + drawn;

	if (whole <= 0)
		return;
	fputs("<div class=\"bar\" aria-hidden=\"true\">", h->out);
	bar_part(h, "needed", needed, whole);
	bar_part(h, "held", idle, whole);
	bar_part(h, far ? "free far" : "free", drawn, whole);
	fputs("</div>\n<ul class=\"legend\">", h->out);
	bar_word(h, "needed", "needed", needed);
	bar_word(h, "held", "peak above that, held idle", idle);
	bar_word(h, "free", far ? "free up to the limit, drawn shorter" : "free up to the limit",
		 free_bytes);
	fputs("</ul>\n", h->out);
}

static void killed(const struct html *h)
{
	const struct model *m = h->m;
	char at[FORMAT_MAX], name[SIGNAL_NAME_MAX];

	if (!m->oom_killed && m->end != MODEL_KILLED)
		return;
	format_moment(at, m->ended_ns == MODEL_NONE ? m->last_ns : m->ended_ns);
	if (m->oom_killed)
		fprintf(h->out, "<p class=\"damage\"><b>Killed</b> by the OOM killer at %s</p>\n",
			at);
	else
		fprintf(h->out, "<p class=\"damage\"><b>Killed</b> by %s at %s</p>\n",
			signal_name(name, m->exit_signal), at);
}

static void answer_to_question(const struct html *h)
{
	struct what_if_words w;

	if (!h->options->what_if)
		return;
	what_if_words(&w, h->m, h->options);
	fputs("<h3>What if</h3>\n<ul class=\"what-if\">", h->out);
	for (size_t i = 0; i < w.count; i++) {
		fputs("<li>", h->out);
		html_text(h, w.sentences[i]);
		fputs("</li>", h->out);
	}
	fputs("</ul>\n", h->out);
}

int html_answer(const struct html *h)
{
	killed(h);
	if (h->m->totals.peak_at_ns == MODEL_NONE) {
		fputs("<p>The session holds no samples.</p>\n", h->out);
		return 0;
	}
	fputs("<div class=\"tiles\">\n", h->out);
	peak_tile(h);
	idle_tile(h);
	do_tile(h);
	fputs("</div>\n", h->out);
	bar(h);
	answer_to_question(h);
	return 0;
}
