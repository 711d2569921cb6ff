/* The formats of the report, and the text report as the row of its sections. */
#include "profiler/view/report.h"

#include "profiler/view/page.h"

static const struct report_format formats[] = {
	{{"text", ".txt"}, REPORT_FULL | REPORT_WIDTH | REPORT_ASCII, report_text},
	{{"markdown", ".md"}, REPORT_FULL | REPORT_MAX_BYTES, report_markdown},
	{{"html", ".html"}, 0, report_html},
	{{"json", ".json"}, 0, report_json},
};
const struct output_formats report_formats = OUTPUT_FORMATS(formats);

static int report_one(FILE *out, const struct model *m, const struct report_options *options)
{
	struct page p = {
		.out = out,
		.m = m,
		.options = *options,
		.unit = format_unit_for(m->totals.peak_bytes),
	};

	page_answer(&p);
	page_what_if(&p);
	page_header(&p);
	if (page_chart(&p) < 0 || page_peak(&p) < 0)
		return -1;
	page_pools(&p);
	page_findings(&p);
	if (page_sites(&p) < 0)
		return -1;
	page_check(&p);
	return 0;
}

int report_text(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options)
{
	return count == 1 ? report_one(out, models[0], options)
			  : page_ranks(out, models, count, options);
}
