/* forms.h: the forms of a result that go to a file of their own, one by each option that names such a file. */
#ifndef PROFILER_GATE_FORMS_H
#define PROFILER_GATE_FORMS_H

enum result_form {
	RESULT_JUNIT,
	RESULT_CODE_QUALITY,
	RESULT_OPENMETRICS,
	RESULT_JSON,
	RESULT_FORMS
};

#endif
