/* The formats of `loopmem diff`. */
#include "profiler/view/diff.h"

static const struct diff_format formats[] = {
	{{"text", NULL}, diff_text},
	{{"json", NULL}, diff_json},
};
const struct output_formats diff_formats = OUTPUT_FORMATS(formats);
