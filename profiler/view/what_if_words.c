/* What is said in answer to --what-if: see the header. */
#include "profiler/view/what_if_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profiler/view/format.h"

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

static void __attribute__((format(printf, 2, 3)))
say(struct what_if_words *w, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(w->sentences[w->count++], sizeof(w->sentences[0]), format, arguments);
	va_end(arguments);
}

static void say_peak(struct what_if_words *w, const struct model *m, const struct report_options *o)
{
	const struct what_if_result *r = o->what_if_result;
	const struct model_totals *t = &m->totals;
	char asked[256] = "", peak[FORMAT_MAX], now[FORMAT_MAX], limit[FORMAT_MAX],
	     share[FORMAT_MAX], of[WORDS_MAX] = "";

	question(asked, sizeof(asked), "workers", o->what_if->workers);
	question(asked, sizeof(asked), "prefetch", o->what_if->prefetch);
	if (t->limit_bytes != MODEL_NONE)
		snprintf(of, sizeof(of), ", %s of %s%s",
			 format_percent(share, r->peak_bytes, t->limit_bytes),
			 format_bytes(limit, t->limit_bytes),
			 r->peak_bytes > t->limit_bytes ? ": over the limit" : "");
	say(w, "%s: the peak is about %s instead of %s%s; within %.0f%% in tests", asked,
	    format_bytes(peak, r->peak_bytes), format_bytes(now, t->peak_bytes), of,
	    100 * WHAT_IF_PEAK_ERROR);
}

static void say_other_peaks(struct what_if_words *w, const struct model *m,
			    const struct what_if_result *r)
{
	char bytes[FORMAT_MAX];

	if (r->peak_with_release_bytes < r->peak_bytes && !m->released)
		say(w, "with --release-idle-workers as well about %s",
		    format_bytes(bytes, r->peak_with_release_bytes));
	if (r->peak_shared_out_bytes != r->peak_bytes)
		say(w,
		    "about %s if what its workers kept until their last batch is a cache of the "
		    "items that each has read: more workers would share it out",
		    format_bytes(bytes, r->peak_shared_out_bytes));
}

static void say_stall(struct what_if_words *w, const struct what_if_result *r)
{
	const char *about = r->stall_at_most ? "at most" : "about";
	char before[FORMAT_MAX], after[FORMAT_MAX], duration[FORMAT_MAX], run[128] = "", error[128];

	if (r->stall_ns == MODEL_NONE) {
		say(w, "how long it would wait for data is not known: batches were not counted");
		return;
	}
	if (r->duration_ns != MODEL_NONE)
		snprintf(run, sizeof(run), ", and run %s %s", about,
			 format_duration(duration, r->duration_ns));
	if (r->computing)
		snprintf(
			error, sizeof(error),
			"a factor of %.0f in tests where loading is computing, as here, and the rest of the machine counts as much",
			1 + WHAT_IF_STALL_ERROR_CPU);
	else
		snprintf(error, sizeof(error), "%.0f%% in tests where loading is waiting",
			 100 * WHAT_IF_STALL_ERROR);
	say(w, "it would wait %s %s for data instead of %s%s; within %s", about,
	    format_duration(after, r->stall_ns), format_duration(before, r->stall_before_ns), run,
	    error);
}

/* Whether more workers would find CPUs to work on. */
static void say_cpus(struct what_if_words *w, const struct model *m, const struct what_if_result *r)
{
	char each[FORMAT_MAX];

	if (m->cpu_count == MODEL_NONE)
		return;
	if (r->crowded)
		say(w, "its workers had to wait for CPUs; others are taken to want as many again");
	if (r->limited_cpu_s > 0)
		say(w,
		    "a batch takes %s of CPU time: on %lld CPUs more than about %.0f workers load no "
		    "faster",
		    format_duration(each, (int64_t)(r->limited_cpu_s * 1e9)),
		    (long long)m->cpu_count, fmax(1, round(r->limited_workers)));
	else if (!r->cpus_known && r->workers_most > m->cpu_count)
		say(w,
		    "a pool of %lld workers on %lld CPUs waits less only as far as the workers wait "
		    "themselves, for disks or networks",
		    (long long)r->workers_most, (long long)m->cpu_count);
}

void what_if_words(struct what_if_words *w, const struct model *m,
		   const struct report_options *options)
{
	const struct what_if_result *r = options->what_if_result;

	w->count = 0;
	say_peak(w, m, options);
	say_other_peaks(w, m, r);
	say_stall(w, r);
	say_cpus(w, m, r);
}
