/* The formats of `loopmem export`. */
#include "profiler/view/export.h"

static const struct export_format formats[] = {
	{{"openmetrics", ".prom"},
	 "Prometheus, GitLab and whatever reads its text",
	 EXPORT_PER_WORKER | EXPORT_TOTALS | EXPORT_ROUND | EXPORT_SITES,
	 export_openmetrics,
	 0},
	{{"perfetto", ".trace.json"},
	 "ui.perfetto.dev and chrome://tracing",
	 0,
	 export_perfetto,
	 0},
	{{"csv", ".csv"}, "spreadsheets, one table at a time", EXPORT_TABLE, export_csv, 0},
	{{"collapsed", ".collapsed"},
	 "flamegraph.pl and its likes",
	 EXPORT_FILTER | EXPORT_WEIGHT | EXPORT_LINES,
	 export_collapsed,
	 0},
	{{"speedscope", ".speedscope.json"},
	 "speedscope.app",
	 EXPORT_FILTER | EXPORT_WEIGHT,
	 export_speedscope,
	 0},
	{{"pprof", ".pb.gz"},
	 "pprof, Pyroscope, Parca",
	 EXPORT_FILTER | EXPORT_WEIGHT,
	 export_pprof,
	 1},
};
const struct output_formats export_formats = OUTPUT_FORMATS(formats);
