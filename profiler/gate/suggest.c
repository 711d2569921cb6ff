/* A budget made from runs: see the header. */
#include "profiler/gate/suggest.h"

#include <math.h>
#include <string.h>

#include "profiler/view/escape.h"
#include "profiler/view/format.h"

#define MIB (1024.0 * 1024)
#define GIB (1024 * MIB)

#define HEADROOM       0.10
#define LEAST_HEADROOM (16 * MIB)

static const char *const metrics[] = {"peak_pss_bytes", "idle_retained_bytes_max",
				      "overlap_bytes_max"};

/* Two significant digits, upwards: 6.73 -> 6.8, 732 -> 740. */
static double round_up(double value)
{
	double step = 0.1;

	while (value / step > 99.5)
		step *= 10;
	return ceil(value / step - 1e-9) * step;
}

static void print_size(FILE *out, double bytes)
{
	double value = round_up(bytes >= GIB ? bytes / GIB : bytes / MIB);

	fprintf(out, value < 9.95 ? "%.1f %s" : "%.0f %s", value, bytes >= GIB ? "GiB" : "MiB");
}

static void print_line(FILE *out, const struct model_metric *metric, const struct run *runs,
		       size_t run_count)
{
	double least = INFINITY, most = 0;
	char low[FORMAT_MAX], high[FORMAT_MAX];

	for (size_t i = 0; i < run_count; i++) {
		double value = metric->value(&runs[i].totals);

		least = fmin(least, value);
		most = fmax(most, value);
	}
	fprintf(out, "total.%-26s <= ", metric->name);
	print_size(out, most + fmax(HEADROOM * most, LEAST_HEADROOM));
	format_bytes(low, (int64_t)least);
	format_bytes(high, (int64_t)most);
	if (run_count == 1)
		fprintf(out, "    # 1 run: %s\n", high);
	else
		fprintf(out, "    # %zu runs: %s to %s, spread %.1f%%\n", run_count, low, high,
			most > 0 ? 100 * (most - least) / most : 0);
}

void suggest_budget(FILE *out, const struct run *runs, size_t run_count)
{
	fputs("loopmem-budget 1\n# suggested from ", out);
	escape_text(out, runs[0].models[0]->command);
	fputs("\n# the largest figure and 10% more, at least 16 MiB more, rounded up\n", out);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		print_line(out, model_metric_find(MODEL_SCOPE_TOTAL, metrics[i]), runs, run_count);
	if (run_count < 3)
		fputs("# the spread of fewer than 3 runs says little: give more sessions\n", out);
}
