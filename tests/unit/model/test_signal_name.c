/* Claims about profiler/model/signal_name.h. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/model/signal_name.h"

static void a_signal_is_called_as_in_signal_h(void **state)
{
	char name[SIGNAL_NAME_MAX];

	(void)state;
	assert_string_equal(signal_name(name, SIGSEGV), "SIGSEGV");
	assert_string_equal(signal_name(name, SIGINT), "SIGINT");
	assert_string_equal(signal_name(name, SIGRTMIN), "SIGRTMIN");
	assert_string_equal(signal_name(name, SIGRTMIN + 2), "SIGRTMIN+2");
}

static void a_number_that_is_no_signal_stays_a_number(void **state)
{
	char name[SIGNAL_NAME_MAX];

	(void)state;
	assert_string_equal(signal_name(name, 0), "signal 0");
	assert_string_equal(signal_name(name, -3), "signal -3");
	assert_string_equal(signal_name(name, SIGRTMAX + 1), "signal 65");
	assert_string_equal(signal_name(name, INT64_C(1) << 40), "signal 1099511627776");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_is_called_as_in_signal_h),
		cmocka_unit_test(a_number_that_is_no_signal_stays_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
