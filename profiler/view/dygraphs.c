/* The embedded chart library; mk/dygraphs.sh makes the header. */
#include "profiler/view/dygraphs.h"

#include "profiler/view/html/dygraph.h"

const char *dygraphs_js(void)
{
	return dygraph_js;
}

const char *dygraphs_css(void)
{
	return dygraph_css;
}

const char *dygraphs_version(void)
{
	return dygraph_version;
}
