/* The phases; the totals against the kernel's figure, what measuring cost, the environment, the words. */
#include <stdarg.h>

#include "profiler/view/html.h"
#include "profiler/view/words.h"

enum { PHASES_SHOWN = 400 };

static void phase_row(const struct html *h, const struct model_phase *p)
{
	char text[FORMAT_MAX];

	fprintf(h->out, "<tr><th scope=\"row\"><i class=\"swatch %s delivering\"></i>",
		model_stage_name(p->stage));
	html_text(h, p->name);
	fputs("</th>", h->out);
	html_cell(h, "from", format_moment(text, p->start_ns));
	html_cell(h, "time", format_duration_cell(text, p->end_ns - p->start_ns));
	html_bytes_cell(h, "peak", p->peak_bytes);
	html_cell(h, "stall", p->stall_ns > 0 ? format_duration_cell(text, p->stall_ns) : "-");
	fputs("</tr>\n", h->out);
}

int html_phases(const struct html *h)
{
	size_t shown = 0, more = 0;

	fprintf(h->out,
		"<div class=\"wide\"><table class=\"stack\"><caption>%s</caption>\n<thead><tr><th scope=\"col\">phase</th>"
		"<th scope=\"col\" class=\"n\">from</th><th scope=\"col\" class=\"n\">time</th>"
		"<th scope=\"col\" class=\"n\">peak</th><th scope=\"col\" class=\"n\">stall</th></tr></thead><tbody>\n",
		format_unit_name(h->unit));
	for (size_t i = 0; i < h->m->phase_count; i++) {
		if (h->m->phases[i].between)
			continue;
		if (shown++ < PHASES_SHOWN)
			phase_row(h, &h->m->phases[i]);
		else
			more++;
	}
	fputs("</tbody></table></div>\n", h->out);
	if (!shown)
		fputs("<p>No phase is known.</p>\n", h->out);
	if (more)
		fprintf(h->out,
			"<p>%zu more: loopmem export -f csv --table=phases lists all.</p>\n", more);
	return 0;
}

/* A line of a list of facts; `text` may be foreign. */
static void fact(const struct html *h, const char *name, const char *text)
{
	if (!text || !text[0])
		return;
	fputs("<dt>", h->out);
	html_text(h, name);
	fputs("</dt><dd>", h->out);
	html_text(h, text);
	fputs("</dd>\n", h->out);
}

static void factf(const struct html *h, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void factf(const struct html *h, const char *name, const char *format, ...)
{
	char text[2 * WORDS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fact(h, name, text);
}

static void totals(const struct html *h)
{
	const struct model_reconciliation *r = &h->m->reconciliation;
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX], rest[FORMAT_MAX],
		share[FORMAT_MAX];
	int64_t processes = r->proportional_bytes + r->unmapped_shm_bytes;

	if (r->cgroup_bytes == MODEL_NONE || r->unexplained_bytes == MODEL_NONE)
		factf(h, "at the peak", "processes %s; no cgroup of the job's own to compare with",
		      format_bytes(a, processes));
	else
		factf(h, "at the peak",
		      "cgroup %s = processes %s + page cache %s + kernel %s + unexplained %s (%s)",
		      format_bytes(a, r->cgroup_bytes), format_bytes(b, processes),
		      format_bytes(c, r->cgroup_file_bytes),
		      format_bytes(d, r->cgroup_kernel_bytes),
		      format_bytes(rest, r->unexplained_bytes),
		      format_percent_fine(share, r->cgroup_bytes ? (double)r->unexplained_bytes /
									   (double)r->cgroup_bytes
								 : 0));
	factf(h, "private bytes", "add up to %s", format_bytes(a, r->private_bytes));
	factf(h, "live heap", "%s seen by the shim", format_bytes(a, r->heap_bytes));
	factf(h, "htop's RES", "adds up to %s at most: it counts shared pages once per process",
	      format_bytes(a, h->m->totals.peak_rss_sum_bytes));
}

static void kinds(const struct html *h)
{
	const struct model_composition *c = &h->m->peak;
	const struct {
		const char *name;
		int64_t bytes;
	} parts[] = {
		{"live heap", c->live_heap},   {"unshared", c->unshared},
		{"allocator", c->allocator},   {"files", c->files},
		{"parked batches", c->parked}, {"shared memory", c->shm},
		{"other", c->other},
	};
	char bytes[FORMAT_MAX];

	fputs("<dt>made of</dt><dd>", h->out);
	for (size_t i = 0, any = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].bytes > 0)
			fprintf(h->out, "%s%s %s", any++ ? ", " : "", parts[i].name,
				format_bytes(bytes, parts[i].bytes));
	fputs("</dd>\n", h->out);
}

static void cost(const struct html *h)
{
	const struct model *m = h->m;
	char share[FORMAT_MAX], memory[FORMAT_MAX], samples[FORMAT_MAX], skipped[FORMAT_MAX],
		before[FORMAT_MAX], span[FORMAT_MAX];
	double wall = m->collector_wall_seconds;

	factf(h, "cost of measuring", "%s of a core, %s, %s samples; skipped %s, dropped %lld",
	      format_percent_fine(share, wall > 0 ? m->collector_cpu_seconds / wall : 0),
	      format_bytes(memory, m->collector_memory_bytes), format_count(samples, m->samples),
	      format_count(skipped, m->skipped), (long long)m->dropped);
	if (m->thinned_before_ns)
		factf(h, "thinned", "before %s, to spans of at most %s; peaks are kept",
		      format_moment(before, m->thinned_before_ns),
		      format_duration(span, m->thinned_span_ns));
	factf(h, "shown here",
	      "%zu of %zu moments; the peak and both sides of every change are kept",
	      h->series.rows.count, m->round_count);
	for (size_t i = 0; i < m->note_count; i++)
		fact(h, i ? "" : "notes", m->notes[i].text);
}

static void environment(const struct html *h)
{
	const struct model *m = h->m;
	char command[WORDS_MAX];

	fact(h, "command", words_command(command, sizeof(command), m));
	fact(h, "session", m->file);
	for (size_t i = 0; i < m->fact_count; i++)
		fact(h, m->facts[i].words, m->facts[i].value);
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER) {
			fact(h, "Python", m->processes[i].python);
			fact(h, "allocator", m->processes[i].allocator);
			break;
		}
	fact(h, "loopmem", m->version);
}

/* The words of docs/glossary.md that the page uses. */
static const char *const glossary[][2] = {
	{"pool", "one live data-loader iterator with the worker processes made for it"},
	{"held idle",
	 "private bytes and finished batches of a pool that handed out its last batch and is alive"},
	{"memory",
	 "proportional bytes: each page divided by the number of processes that map it; the only figure that adds up"},
	{"private", "what comes back when the process ends"},
	{"unshared", "memory inherited at a fork, shared then, private now"},
	{"parked", "alive, not asked, and it is not known that it never will be"},
	{"stall", "time the owner waited for batches"},
	{"start", "from the making of a pool to its first batch: the price of a restart"},
};

int html_check(const struct html *h)
{
	fputs("<dl class=\"facts\">\n", h->out);
	if (h->m->totals.peak_at_ns != MODEL_NONE) {
		totals(h);
		kinds(h);
	}
	cost(h);
	fputs("</dl>\n<h3>Environment</h3>\n<dl class=\"facts\">\n", h->out);
	environment(h);
	fputs("</dl>\n<h3>Words</h3>\n<dl class=\"facts\">\n", h->out);
	for (size_t i = 0; i < sizeof(glossary) / sizeof(glossary[0]); i++)
		fact(h, glossary[i][0], glossary[i][1]);
	fputs("</dl>\n", h->out);
	return 0;
}
