/* The last section: the totals against the kernel's own figure, what measuring cost, what was left out. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/page.h"
#include "profiler/view/words.h"

static void cgroup_line(const struct page *p)
{
	const struct model_reconciliation *r = &p->m->reconciliation;
	char all[FORMAT_MAX], processes[FORMAT_MAX], file[FORMAT_MAX], kernel[FORMAT_MAX],
		rest[FORMAT_MAX], share[FORMAT_MAX];
	int64_t total = r->proportional_bytes + r->unmapped_shm_bytes;

	if (r->cgroup_bytes == MODEL_NONE || r->unexplained_bytes == MODEL_NONE) {
		fprintf(p->out, "processes %s; no cgroup of the job's own to compare with\n",
			page_cell(p, processes, total));
		return;
	}
	fprintf(p->out, "cgroup %s = processes %s %s %s + kernel %s + unexplained %s (%s)\n",
		page_cell(p, all, r->cgroup_bytes), page_cell(p, processes, total),
		r->cgroup_file_bytes < 0 ? "- files charged elsewhere" : "+ page cache",
		page_cell(p, file,
			  r->cgroup_file_bytes < 0 ? -r->cgroup_file_bytes : r->cgroup_file_bytes),
		page_cell(p, kernel, r->cgroup_kernel_bytes),
		page_cell(p, rest, r->unexplained_bytes),
		format_percent_fine(share, r->cgroup_bytes ? (double)r->unexplained_bytes /
								     (double)r->cgroup_bytes
							   : 0));
}

static void check_lines(const struct page *p)
{
	const struct model *m = p->m;
	const struct model_reconciliation *r = &m->reconciliation;
	char heap[FORMAT_MAX], private_bytes[FORMAT_MAX], rss[FORMAT_MAX];
	int round = model_round_at(m, m->totals.peak_at_ns);

	if (m->totals.peak_at_ns == MODEL_NONE)
		return;
	fprintf(p->out, "\nCheck         ");
	cgroup_line(p);
	fprintf(p->out,
		"              private bytes add up to %s, live heap seen by the shim to %s\n",
		page_cell(p, private_bytes, r->private_bytes), page_cell(p, heap, r->heap_bytes));
	fprintf(p->out,
		"              htop's RES column adds up to %s: it counts shared pages once per process\n",
		page_cell(p, rss, m->rounds[round].rss_sum_bytes));
	if (m->rounds[round].estimated)
		fprintf(p->out,
			"              the peak lies between two readings of smaps_rollup: carried forward by statm\n");
}

static void cost_lines(const struct page *p)
{
	const struct model *m = p->m;
	char share[FORMAT_MAX], memory[FORMAT_MAX], samples[FORMAT_MAX], skipped[FORMAT_MAX],
		dropped[FORMAT_MAX];
	char before[FORMAT_MAX], span[FORMAT_MAX];
	double wall = m->collector_wall_seconds;

	fprintf(p->out, "%sCost          %s of a core, %s, %s samples; skipped %s, dropped %s\n",
		m->totals.peak_at_ns == MODEL_NONE ? "\n" : "",
		format_percent_fine(share, wall > 0 ? m->collector_cpu_seconds / wall : 0),
		format_bytes(memory, m->collector_memory_bytes), format_count(samples, m->samples),
		format_count(skipped, m->skipped), format_count(dropped, m->dropped));
	if (m->thinned_before_ns)
		fprintf(p->out,
			"              thinned before %s, to one round every %s at least; peaks are kept\n",
			format_moment(before, m->thinned_before_ns),
			format_duration(span, m->thinned_span_ns));
}

void page_check(const struct page *p)
{
	const struct model *m = p->m;
	char safe[WORDS_MAX], text[2 * WORDS_MAX];

	check_lines(p);
	cost_lines(p);
	for (size_t i = 0; i < m->note_count; i++) {
		words_safe(safe, sizeof(safe), m->notes[i].text, p->options.utf8);
		if (m->notes[i].count > 1)
			snprintf(text, sizeof(text), "%s (%lld times)", safe,
				 (long long)m->notes[i].count);
		else
			snprintf(text, sizeof(text), "%s", safe);
		fprintf(p->out, "%-14s", i ? "" : "Notes");
		page_wrap(p, text, 14, 14);
	}
}
