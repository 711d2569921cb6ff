/* The forms of a result that are files. */
#include "profiler/gate/output.h"

result_write *const result_forms[RESULT_FORMS] = {
	[RESULT_JUNIT] = junit_result,
	[RESULT_CODE_QUALITY] = code_quality,
	[RESULT_OPENMETRICS] = openmetrics_result,
	[RESULT_JSON] = json_result,
};
