/*
 * page.h: the sections of the text report, each a function that prints it. What they share is the page: where to, how wide, which glyphs, and
 * the one unit in which all tables of a report are told.
 */
#ifndef PROFILER_VIEW_PAGE_H
#define PROFILER_VIEW_PAGE_H

#include <stdio.h>

#include "profiler/view/format.h"
#include "profiler/view/report.h"

struct page {
	FILE *out;
	const struct model *m;
	struct report_options options;
	enum format_unit unit; /* by the peak */
};

void page_answer(const struct page *p); /* the three lines */
void page_header(const struct page *p); /* what was run */
int page_chart(const struct page *p);   /* -1 when out of memory */
int page_peak(const struct page *p);    /* what the peak is made of */
void page_pools(const struct page *p);
void page_findings(const struct page *p);
void page_check(
	const struct page *p); /* the totals against the kernel's; what measuring cost; notes */

/* Prints words wrapped at the page's width, lines after the first indented by `indent`; `column` is where it begins. */
void page_wrap(const struct page *p, const char *text, int column, int indent);

/* A cell in the page's unit with one decimal (none in MiB). */
char *page_cell(const struct page *p, char *out, int64_t bytes);

#endif
