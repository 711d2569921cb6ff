/*
 * dygraphs.h: the chart library of the HTML page, taken from the system's package when loopmem is built. Built without it, pages have
 * the static picture only.
 */
#ifndef PROFILER_VIEW_DYGRAPHS_H
#define PROFILER_VIEW_DYGRAPHS_H

/* The library and its style sheet; "" when there is none. */
const char *dygraphs_js(void);
const char *dygraphs_css(void);

/* "2.2.1", or "none". */
const char *dygraphs_version(void);

#endif
