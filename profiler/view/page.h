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

void page_answer(const struct page *p);  /* the three lines */
void page_what_if(const struct page *p); /* the answer to a question, when one was asked */
void page_header(const struct page *p);  /* what was run */
int page_chart(const struct page *p);    /* -1 when out of memory */
int page_peak(const struct page *p);     /* what the peak is made of */
void page_pools(const struct page *p);
void page_findings(const struct page *p);
int page_sites(const struct page *p); /* -1 when out of memory */
void page_check(
	const struct page *p); /* the totals against the kernel's; what measuring cost; notes */

/* Several models: the machines' sums and the ranks. -1 when out of memory. */
int page_ranks(FILE *out, struct model *const *models, size_t count,
	       const struct report_options *options);

/* The rank of a session's owner; `place` when it told none. */
int64_t page_rank_of(const struct model *m, size_t place);

/* Prints words wrapped at the page's width, lines after the first indented by `indent`; `column` is where it begins. A line never ends
 * between a figure and its unit, nor at a PAGE_HOLD, which is printed as a blank. */
#define PAGE_HOLD '\x1f'
void page_wrap(const struct page *p, const char *text, int column, int indent);

/* Makes every blank of `text` hold: what is to be copied, or read as one. Returns it. */
char *page_hold(char *text);

/* A cell in the page's unit with one decimal (none in MiB). */
char *page_cell(const struct page *p, char *out, int64_t bytes);

#endif
