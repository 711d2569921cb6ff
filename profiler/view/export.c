/* The formats of `loopmem export`. */
#include "profiler/view/export.h"

const struct export_format export_formats[] = {
	{"openmetrics", ".prom", "Prometheus, GitLab and whatever reads its text",
	 EXPORT_PER_WORKER | EXPORT_TOTALS | EXPORT_ROUND | EXPORT_SITES, export_openmetrics},
	{"perfetto", ".trace.json", "ui.perfetto.dev and chrome://tracing", 0, export_perfetto},
	{"csv", ".csv", "spreadsheets, one table at a time", EXPORT_TABLE, export_csv},
};
const size_t export_format_count = sizeof(export_formats) / sizeof(export_formats[0]);
