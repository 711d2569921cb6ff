/* Claims about profiler/model/metrics.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "profiler/model/metrics.h"

static double value(enum model_scope scope, const char *name, const void *object)
{
	const struct model_metric *metric = model_metric_find(scope, name);

	assert_non_null(metric);
	return metric->value(object);
}

static void a_figure_is_read_in_its_unit(void **state)
{
	const struct model_totals totals = {
		.peak_bytes = 7, .idle_ns = INT64_C(1500000000), .idle_byte_seconds = 2.5};
	const struct model m = {.dropped = 3, .collector_cpu_seconds = 0.25};

	(void)state;
	assert_true(value(MODEL_SCOPE_TOTAL, "peak_pss_bytes", &totals) == 7);
	assert_true(value(MODEL_SCOPE_TOTAL, "idle_retained_seconds", &totals) == 1.5);
	assert_true(value(MODEL_SCOPE_TOTAL, "idle_retained_byte_seconds", &totals) == 2.5);
	assert_true(value(MODEL_SCOPE_LOSS, "dropped_events", &m) == 3);
	assert_true(value(MODEL_SCOPE_OVERHEAD, "cpu_seconds", &m) == 0.25);
}

static void what_a_session_does_not_tell_is_not_a_number(void **state)
{
	const struct model_pool pool = {.unshared_max = MODEL_NONE};

	(void)state;
	assert_true(isnan(value(MODEL_SCOPE_POOL, "unshared_bytes_max", &pool)));
	assert_false(isnan(value(MODEL_SCOPE_POOL, "private_bytes_max", &pool)));
}

static void a_name_belongs_to_its_scope(void **state)
{
	(void)state;
	assert_null(model_metric_find(MODEL_SCOPE_TOTAL, "unshared_bytes_max"));
	assert_null(model_metric_find(MODEL_SCOPE_TOTAL, "peak_rss_sum_bytes"));
	assert_string_equal(model_scope_word(MODEL_SCOPE_LOSS), "loss");
}

/* What the unit of a name says: the last of its words that is one. */
static enum model_unit unit_in(const char *name)
{
	if (strstr(name, "byte_seconds"))
		return MODEL_UNIT_BYTE_SECONDS;
	if (strstr(name, "bytes"))
		return MODEL_UNIT_BYTES;
	if (strstr(name, "seconds") || !strcmp(name + strlen(name) - 2, "_s"))
		return MODEL_UNIT_SECONDS;
	return MODEL_UNIT_COUNT;
}

static void the_unit_is_in_the_name_and_no_name_comes_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < model_metric_count; i++) {
		const struct model_metric *metric = &model_metrics[i];

		assert_int_equal(metric->unit, unit_in(metric->name));
		assert_ptr_equal(model_metric_find(metric->scope, metric->name), metric);
		assert_true(i == 0 || model_metrics[i - 1].scope <= metric->scope);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_is_read_in_its_unit),
		cmocka_unit_test(what_a_session_does_not_tell_is_not_a_number),
		cmocka_unit_test(a_name_belongs_to_its_scope),
		cmocka_unit_test(the_unit_is_in_the_name_and_no_name_comes_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
