/* The last section: the totals against the kernel's own figure, what measuring cost, what was left out. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profiler/view/page.h"
#include "profiler/view/words.h"

enum { INDENT = 14 };

static void line(const struct page *p, const char *title, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void line(const struct page *p, const char *title, const char *format, ...)
{
	char text[2 * WORDS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(p->out, "%-*s", INDENT, title);
	page_wrap(p, text, INDENT, INDENT);
}

/* "cgroup 26.9 = processes 26.4 + page cache 0.2 + kernel 0.2 + unexplained 0.1 (0.4%)" */
static void cgroup_line(const struct page *p)
{
	const struct model_reconciliation *r = &p->m->reconciliation;
	char all[FORMAT_MAX], processes[FORMAT_MAX], file[FORMAT_MAX], kernel[FORMAT_MAX],
		rest[FORMAT_MAX], share[FORMAT_MAX];
	int64_t total = r->proportional_bytes + r->unmapped_shm_bytes;
	int elsewhere = r->cgroup_file_bytes < 0;

	page_cell(p, processes, total);
	if (r->cgroup_bytes == MODEL_NONE || r->unexplained_bytes == MODEL_NONE) {
		line(p, "Check", "processes %s; no cgroup of the job's own to compare with",
		     processes);
		return;
	}
	format_percent_fine(share, r->cgroup_bytes
					   ? (double)r->unexplained_bytes / (double)r->cgroup_bytes
					   : 0);
	line(p, "Check", "cgroup %s = processes %s %s %s + kernel %s + unexplained %s (%s)",
	     page_cell(p, all, r->cgroup_bytes), processes,
	     elsewhere ? "- files charged elsewhere" : "+ page cache",
	     page_cell(p, file, elsewhere ? -r->cgroup_file_bytes : r->cgroup_file_bytes),
	     page_cell(p, kernel, r->cgroup_kernel_bytes), page_cell(p, rest, r->unexplained_bytes),
	     share);
}

static void check_lines(const struct page *p)
{
	const struct model *m = p->m;
	char heap[FORMAT_MAX], private_bytes[FORMAT_MAX], rss[FORMAT_MAX];
	const struct model_round *peak = &m->rounds[model_round_at(m, m->totals.peak_at_ns)];

	cgroup_line(p);
	line(p, "", "private bytes add up to %s, live heap seen by the shim to %s",
	     page_cell(p, private_bytes, m->reconciliation.private_bytes),
	     page_cell(p, heap, m->reconciliation.heap_bytes));
	line(p, "", "htop's RES column adds up to %s: it counts shared pages once per process",
	     page_cell(p, rss, peak->rss_sum_bytes));
	if (peak->estimated)
		line(p, "",
		     "the peak lies between two readings of smaps_rollup: carried forward by statm");
}

static void cost_lines(const struct page *p)
{
	const struct model *m = p->m;
	char share[FORMAT_MAX], memory[FORMAT_MAX], samples[FORMAT_MAX], skipped[FORMAT_MAX],
		dropped[FORMAT_MAX];
	char before[FORMAT_MAX], span[FORMAT_MAX];
	double wall = m->collector_wall_seconds;

	line(p, "Cost", "%s of a core, %s, %s samples; skipped %s, dropped %s",
	     format_percent_fine(share, wall > 0 ? m->collector_cpu_seconds / wall : 0),
	     format_bytes(memory, m->collector_memory_bytes),
	     page_hold(format_count(samples, m->samples)), format_count(skipped, m->skipped),
	     format_count(dropped, m->dropped));
	if (m->thinned_before_ns)
		line(p, "", "thinned before %s, to spans of at most %s; peaks are kept",
		     format_moment(before, m->thinned_before_ns),
		     format_duration(span, m->thinned_span_ns));
}

void page_check(const struct page *p)
{
	const struct model *m = p->m;
	char safe[WORDS_MAX];

	fputc('\n', p->out);
	if (m->totals.peak_at_ns != MODEL_NONE)
		check_lines(p);
	cost_lines(p);
	for (size_t i = 0; i < m->note_count; i++) {
		words_safe(safe, sizeof(safe), m->notes[i].text, p->options.utf8);
		if (m->notes[i].count > 1)
			line(p, i ? "" : "Notes", "%s (%lld times)", safe,
			     (long long)m->notes[i].count);
		else
			line(p, i ? "" : "Notes", "%s", safe);
	}
}
