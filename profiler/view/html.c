/* The page: head, sections in their order, data, scripts. What is not data lies readable in html/ and is embedded by the build. */
#include "profiler/view/html.h"

#include <string.h>

#include "profiler/view/dygraphs.h"
#include "profiler/view/escape.h"
#include "profiler/view/html/calls_js.h"
#include "profiler/view/html/chart_js.h"
#include "profiler/view/html/data_js.h"
#include "profiler/view/html/flight_js.h"
#include "profiler/view/html/page_js.h"
#include "profiler/view/html/panel_js.h"
#include "profiler/view/html/processes_js.h"
#include "profiler/view/html/style_css.h"
#include "profiler/view/html/theme_js.h"
#include "profiler/view/page.h"
#include "profiler/view/words.h"

/* Rows of the chart, and values of processes over all rows: bounds of the file's size. */
enum { ROWS_MOST = 2000, ROWS_LEAST = 300, VALUES_MOST = 200000 };

void html_text(const struct html *h, const char *text)
{
	escape_xml(h->out, text);
}

void html_cell(const struct html *h, const char *label, const char *text)
{
	fprintf(h->out, "<td class=\"n\" data-label=\"%s\">", label);
	html_text(h, text);
	fputs("</td>", h->out);
}

void html_bytes_cell(const struct html *h, const char *label, int64_t bytes)
{
	char text[FORMAT_MAX];

	if (bytes)
		format_cell(text, bytes, h->unit, h->unit >= FORMAT_GIB ? 1 : 0);
	html_cell(h, label, bytes ? text : "-");
}

double html_seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static void head(const struct html *h)
{
	char peak[FORMAT_MAX];

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
	      h->out);
	fprintf(h->out, "%s peak · ", format_bytes(peak, h->m->totals.peak_bytes));
	html_text(h, h->m->command);
	fprintf(h->out, " · loopmem</title>\n<style>%s%s</style>\n</head>\n", dygraphs_css(),
		style_css);
}

static void header(const struct html *h)
{
	const struct model *m = h->m;
	char command[WORDS_MAX], duration[FORMAT_MAX], end[64];

	fputs("<header>\n<div class=\"title\"><h1>", h->out);
	html_text(h, words_command(command, sizeof(command), m));
	fprintf(h->out, "</h1><p>%s, %s", format_duration(duration, m->totals.duration_ns),
		words_end(end, sizeof(end), m));
	if (m->host[0]) {
		fputs(", ", h->out);
		html_text(h, m->host);
	}
	fprintf(h->out, ", %zu process%s, %zu pool%s%s</p></div>\n", m->process_count,
		m->process_count == 1 ? "" : "es", m->pool_count, m->pool_count == 1 ? "" : "s",
		m->released ? ", idle pools released" : "");
	fputs("<button id=\"theme\" class=\"script\" type=\"button\">Theme: auto</button>\n</header>\n",
	      h->out);
	if (m->damage) {
		fputs("<p class=\"damage\"><b>Damaged:</b> ", h->out);
		html_text(h, m->damage);
		fputs("</p>\n", h->out);
	}
}

static const struct section {
	const char *id, *title;
	int (*print)(const struct html *h);
	int of_several; /* only where there are several ranks */
} sections[] = {
	{"ranks", "Ranks", html_ranks, 1},
	{"answer", "Answer", html_answer, 0},
	{"findings", "Findings", html_findings, 0},
	{"timeline", "Timeline", html_timeline, 0},
	{"pools", "Pools", html_pools, 0},
	{"processes", "Processes", html_processes, 0},
	{"sites", "Where in the code", html_sites, 0},
	{"phases", "Phases", html_phases, 0},
	{"check", "Check", html_check, 0},
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static int is_shown(const struct html *h, int section)
{
	return h->model_count > 1 || !sections[section].of_several;
}

/* Beside the page where there is room, above it elsewhere. */
static void contents(const struct html *h)
{
	fputs("<nav aria-label=\"Contents\"><ul>", h->out);
	for (int i = 0; i < SECTIONS; i++) {
		if (!is_shown(h, i))
			continue;
		fprintf(h->out, "<li><a href=\"#%s\">%s</a></li>", sections[i].id,
			sections[i].title);
	}
	fputs("</ul></nav>\n", h->out);
}

static void scripts(const struct html *h)
{
	const char *const ours[] = {data_js,   theme_js,     panel_js, chart_js,
				    flight_js, processes_js, calls_js, page_js};

	if (dygraphs_js()[0])
		fprintf(h->out, "<script>%s</script>\n", dygraphs_js());
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		fprintf(h->out, "<script>\n%s</script>\n", ours[i]);
}

static int body(const struct html *h)
{
	int failed = 0;

	fputs("<body>\n", h->out);
	header(h);
	fputs("<div class=\"columns\">\n", h->out);
	contents(h);
	fputs("<main>\n", h->out);
	for (int i = 0; i < SECTIONS && !failed; i++) {
		if (!is_shown(h, i))
			continue;
		fprintf(h->out,
			"<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n",
			sections[i].id, sections[i].id, sections[i].id, sections[i].title);
		failed = sections[i].print(h);
		fputs("</section>\n", h->out);
	}
	fputs("</main>\n</div>\n", h->out);
	if (failed || html_data(h) < 0)
		return -1;
	scripts(h);
	fputs("</body>\n</html>\n", h->out);
	return 0;
}

/* As many rows as keep the values of the processes within bounds. */
static size_t row_limit(const struct model *m)
{
	size_t most = 1, rows;

	for (size_t i = 0; i < m->round_count; i++)
		if ((size_t)m->rounds[i].processes > most)
			most = (size_t)m->rounds[i].processes;
	rows = VALUES_MOST / most;
	return rows > ROWS_MOST ? ROWS_MOST : rows < ROWS_LEAST ? ROWS_LEAST : rows;
}

/* Of several ranks the page has a list, and tells the one with the highest peak. */
int report_html(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options)
{
	struct html h = {.out = out,
			 .m = models[0],
			 .models = models,
			 .model_count = count,
			 .options = options};
	int failed;

	for (size_t i = 1; i < count; i++)
		if (models[i]->totals.peak_bytes > h.m->totals.peak_bytes)
			h.m = models[i];
	h.unit = format_unit_for(h.m->totals.peak_bytes);
	failed = html_series_make(&h.series, h.m, row_limit(h.m));
	if (!failed) {
		head(&h);
		failed = body(&h);
	}
	html_series_release(&h.series, h.m);
	return failed ? -1 : 0;
}
