/* The answer to --what-if, under the three lines: the peak, the stall, what the words take for granted. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/page.h"
#include "profiler/view/words.h"

enum { INDENT = 11 };

static void line(const struct page *p, const char *title, const char *text)
{
	fprintf(p->out, "%-*s", INDENT, title);
	page_wrap(p, text, INDENT, INDENT);
}

/* "workers=4, prefetch=2", "workers(train)=4" */
static void question(char *out, size_t size, const char *name, const int64_t *by_stage)
{
	int64_t first = by_stage[0];
	int alike = first != MODEL_NONE;
	size_t at = strlen(out);

	for (int i = 1; i < MODEL_STAGES; i++)
		alike &= by_stage[i] == first;
	for (int i = 0; i < (alike ? 1 : MODEL_STAGES); i++) {
		if (by_stage[i] == MODEL_NONE || at >= size)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%s%s%s%s=%lld", at ? ", " : "", name,
				       alike ? "" : "(",
				       alike ? "" : model_stage_name((enum model_stage)i),
				       alike ? "" : ")", (long long)by_stage[i]);
	}
}

static void peak_line(const struct page *p)
{
	const struct what_if_result *r = p->options.what_if_result;
	const struct model_totals *t = &p->m->totals;
	char asked[256] = "", peak[FORMAT_MAX], now[FORMAT_MAX], limit[FORMAT_MAX],
	     share[FORMAT_MAX], text[2 * WORDS_MAX];
	int n;

	question(asked, sizeof(asked), "workers", p->options.what_if->workers);
	question(asked, sizeof(asked), "prefetch", p->options.what_if->prefetch);
	n = snprintf(text, sizeof(text), "%s: the peak is about %s instead of %s", asked,
		     format_bytes(peak, r->peak_bytes), format_bytes(now, t->peak_bytes));
	if (t->limit_bytes != MODEL_NONE)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %s of %s%s",
			      format_percent(share, r->peak_bytes, t->limit_bytes),
			      format_bytes(limit, t->limit_bytes),
			      r->peak_bytes > t->limit_bytes ? ": over the limit" : "");
	snprintf(text + n, sizeof(text) - (size_t)n, "; within %.0f%% in tests",
		 100 * WHAT_IF_PEAK_ERROR);
	line(p, "What if", text);
}

static void other_peaks(const struct page *p)
{
	const struct what_if_result *r = p->options.what_if_result;
	char bytes[FORMAT_MAX], text[WORDS_MAX];

	if (r->peak_with_release_bytes < r->peak_bytes && !p->m->released) {
		snprintf(text, sizeof(text), "with --release-idle-workers as well about %s",
			 format_bytes(bytes, r->peak_with_release_bytes));
		line(p, "", text);
	}
	if (r->peak_shared_out_bytes == r->peak_bytes)
		return;
	snprintf(text, sizeof(text),
		 "about %s if what its workers kept until their last batch is a cache of the items "
		 "that each has read: more workers would share it out",
		 format_bytes(bytes, r->peak_shared_out_bytes));
	line(p, "", text);
}

static void stall_line(const struct page *p)
{
	const struct what_if_result *r = p->options.what_if_result;
	char before[FORMAT_MAX], after[FORMAT_MAX], duration[FORMAT_MAX], text[WORDS_MAX];
	int n;

	if (r->stall_ns == MODEL_NONE) {
		line(p, "",
		     "how long it would wait for data is not known: batches were not counted");
		return;
	}
	n = snprintf(text, sizeof(text), "it would wait %s %s for data instead of %s",
		     r->stall_at_most ? "at most" : "about", format_duration(after, r->stall_ns),
		     format_duration(before, r->stall_before_ns));
	if (r->duration_ns != MODEL_NONE)
		snprintf(text + n, sizeof(text) - (size_t)n, ", and run %s %s",
			 r->stall_at_most ? "at most" : "about",
			 format_duration(duration, r->duration_ns));
	line(p, "", text);
}

void page_what_if(const struct page *p)
{
	const struct what_if_result *r = p->options.what_if_result;
	char text[WORDS_MAX];

	if (!p->options.what_if)
		return;
	peak_line(p);
	other_peaks(p);
	stall_line(p);
	if (p->m->cpu_count == MODEL_NONE || r->workers_most <= p->m->cpu_count)
		return;
	snprintf(text, sizeof(text),
		 "a pool of %lld workers on %lld CPUs waits less only as far as the workers wait "
		 "themselves, for disks or networks",
		 (long long)r->workers_most, (long long)p->m->cpu_count);
	line(p, "", text);
}
