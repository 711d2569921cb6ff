/*
 * html.h: the sections of `report -f html`, each a function that prints it. The page is one file: nothing is fetched, all of it can be read
 * without scripts. Foreign text goes through html_text and escape_xml_attribute only.
 */
#ifndef PROFILER_VIEW_HTML_H
#define PROFILER_VIEW_HTML_H

#include <stdio.h>

#include "profiler/view/format.h"
#include "profiler/view/html_series.h"
#include "profiler/view/report.h"

struct html {
	FILE *out;
	const struct model *m;
	struct model *const *models; /* the ranks of the job, `m` among them */
	size_t model_count;
	struct html_series series;
	enum format_unit unit; /* of tables, by the peak */
	const struct report_options *options;
};

/* 0, or -1 when out of memory. */
int html_answer(const struct html *h);   /* the tiles and the bar */
int html_ranks(const struct html *h);    /* of several */
int html_findings(const struct html *h); /* cards */
int html_timeline(
	const struct html
		*h); /* the picture, its legend, the panel beside it, the same as a table */
int html_pools(const struct html *h);     /* gantt and table */
int html_processes(const struct html *h); /* at the peak */
int html_sites(const struct html *h);     /* the calls that hold the memory */
int html_phases(const struct html *h);
int html_check(const struct html *h); /* totals, cost, environment, words */
int html_data(const struct html *h);  /* the report as JSON, with the series */

/* The calls at the peak as boxes; nothing when no site is alive then. 0, or -1 when out of memory. */
int html_icicle(const struct html *h);

/* The static picture of the timeline: its shapes and labels. */
void html_picture(const struct html *h);

void html_text(const struct html *h, const char *text);
/* `<td class="n" data-label="label">text</td>` */
void html_cell(const struct html *h, const char *label, const char *text);
/* Such a cell with bytes in the page's unit; "-" for 0. */
void html_bytes_cell(const struct html *h, const char *label, int64_t bytes);
/* A number for CSS and scripts. */
double html_seconds(int64_t ns);

#endif
