/* The formats of `loopmem export`. */
#include "profiler/view/export.h"

static const struct export_format formats[] = {
	{{"openmetrics", ".prom"},
	 "Prometheus, GitLab and whatever reads its text",
	 EXPORT_PER_WORKER | EXPORT_TOTALS | EXPORT_ROUND | EXPORT_SITES,
	 export_openmetrics},
	{{"perfetto", ".trace.json"}, "ui.perfetto.dev and chrome://tracing", 0, export_perfetto},
	{{"csv", ".csv"}, "spreadsheets, one table at a time", EXPORT_TABLE, export_csv},
	{{"collapsed", ".collapsed"},
	 "flamegraph.pl and its likes",
	 EXPORT_FILTER | EXPORT_WEIGHT | EXPORT_LINES,
	 export_collapsed},
	{{"speedscope", ".speedscope.json"},
	 "speedscope.app",
	 EXPORT_FILTER | EXPORT_WEIGHT,
	 export_speedscope},
	{{"pprof", ".pb.gz"},
	 "pprof, Pyroscope, Parca",
	 EXPORT_FILTER | EXPORT_WEIGHT,
	 export_pprof},
};
const struct output_formats export_formats = OUTPUT_FORMATS(formats);
