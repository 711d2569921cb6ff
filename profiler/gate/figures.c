/* Figures by key: see the header. */
#include "profiler/gate/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *number(const struct model_metric *metric, double value)
{
	int whole = metric->unit == MODEL_UNIT_BYTES || metric->unit == MODEL_UNIT_COUNT;

	return whole ? json_integer((json_int_t)value) : json_real(value);
}

static int add(json_t *figures, const struct subject *subject, const struct model_metric *metric)
{
	double value = subject_value(subject, metric, NULL);
	const json_t *known;
	json_t *key = json_sprintf("%s.%s", subject->name, metric->name);
	int failed = !key;

	known = key ? json_object_get(figures, json_string_value(key)) : NULL;
	if (key && !isnan(value) && (!known || json_number_value(known) < value))
		failed =
			json_object_set_new(figures, json_string_value(key), number(metric, value));
	json_decref(key);
	return failed;
}

json_t *figures_of(const struct run *run)
{
	json_t *figures = json_object();
	int failed = !figures;

	for (size_t m = 0; m < model_metric_count && !failed; m++) {
		for (size_t i = 0; i < run->subjects.count && !failed; i++) {
			const struct subject *subject = &run->subjects.items[i];

			if (subject->kind == (int)model_metrics[m].scope &&
			    subject->judged != SUBJECT_SHARES)
				failed = add(figures, subject, &model_metrics[m]);
		}
	}
	if (failed) {
		json_decref(figures);
		return NULL;
	}
	return figures;
}

json_t *finding_ids_of(const struct run *run)
{
	json_t *ids = json_array();

	for (size_t i = 0; ids && i < run->model_count; i++) {
		for (size_t k = 0; k < run->models[i]->finding_count; k++) {
			const char *id = run->models[i]->findings[k].id;
			size_t at = 0;

			while (at < json_array_size(ids) &&
			       strcmp(json_string_value(json_array_get(ids, at)), id) != 0)
				at++;
			if (at == json_array_size(ids))
				json_array_append_new(ids, json_string(id));
		}
	}
	return ids;
}
