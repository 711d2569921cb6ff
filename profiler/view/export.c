/* The formats of `loopmem export`. */
#include "profiler/view/export.h"

static const struct export_format formats[] = {
	{{"openmetrics", ".prom"},
	 "Prometheus, GitLab and whatever reads its text",
	 EXPORT_PER_WORKER | EXPORT_TOTALS | EXPORT_ROUND | EXPORT_SITES,
	 export_openmetrics},
	{{"perfetto", ".trace.json"}, "ui.perfetto.dev and chrome://tracing", 0, export_perfetto},
	{{"csv", ".csv"}, "spreadsheets, one table at a time", EXPORT_TABLE, export_csv},
};
const struct output_formats export_formats = OUTPUT_FORMATS(formats);
