/*
 * Rules read from unwind tables lead where the compiler's own unwinder goes, on stacks of every shape.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include <cmocka.h>

#include "inject/frame_rule.h"

enum { BASE_POINTER = 6, FRAMES = 200 };

/* -- a stack, by the unwinder ---------------------------------------------------------------- */

struct seen {
	uint64_t address, sp, bp;
	struct frame_rule rule;
	struct {
		uint64_t address, sp, bp;
	} caller; /* by the rule */
};

static struct {
	struct seen frames[FRAMES];
	int count;
	bool ended; /* the last one has no caller */
} stack;

static __attribute__((no_sanitize("address"))) uint64_t word_below(uint64_t end, uint64_t bytes)
{
	return *(const uint64_t *)(uintptr_t)(end - bytes);
}

static void find_caller(struct seen *frame)
{
	const struct frame_rule *rule = &frame->rule;
	uint64_t end = (rule->kind == FRAME_RULE_FROM_SP ? frame->sp : frame->bp) + rule->bytes;

	frame->caller.sp = end;
	frame->caller.address = word_below(end, 8) - 1;
	frame->caller.bp = rule->bp_below ? word_below(end, rule->bp_below) : frame->bp;
}

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *data)
{
	int before_instruction = 0;
	uint64_t address = _Unwind_GetIPInfo(context, &before_instruction);
	struct seen *here = &stack.frames[stack.count];

	(void)data;
	stack.ended = !address;
	if (stack.ended)
		return _URC_END_OF_STACK;
	*here = (struct seen){.address = address - !before_instruction,
			      .sp = _Unwind_GetCFA(context),
			      .bp = _Unwind_GetGR(context, BASE_POINTER)};
	here->rule = frame_rule_at(here->address);
	if (here->rule.kind == FRAME_RULE_FROM_SP || here->rule.kind == FRAME_RULE_FROM_BP)
		find_caller(here);
	return ++stack.count < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void __attribute__((noinline)) look(void)
{
	stack.count = 0;
	_Unwind_Backtrace(see, NULL);
	__asm__ volatile(""); /* not a tail call */
}

/* -- what rules say of it -------------------------------------------------------------------- */

static void assert_leads_to(const struct seen *frame, const struct seen *caller)
{
	assert_int_equal(frame->caller.address, caller->address);
	assert_int_equal(frame->caller.sp, caller->sp);
	assert_int_equal(frame->caller.bp, caller->bp);
}

/* Gives how many frames have a rule of that kind. */
static int assert_rules(enum frame_rule_kind counted)
{
	int count = 0;

	assert_true(stack.count > 3);
	for (int i = 0; i < stack.count; i++) {
		const struct seen *frame = &stack.frames[i];
		count += frame->rule.kind == counted;
		if (frame->rule.kind == FRAME_RULE_OUTERMOST)
			assert_int_equal(i, stack.count - 1);
		else if (frame->rule.kind != FRAME_RULE_HARD && i + 1 < stack.count)
			assert_leads_to(frame, &stack.frames[i + 1]);
	}
	return count;
}

/* -- stacks ---------------------------------------------------------------------------------- */

static volatile int sink;

static void __attribute__((noinline)) deep(int depth)
{
	volatile char room[40];

	room[depth % 40] = (char)depth;
	if (depth)
		deep(depth - 1);
	else
		look();
	sink += room[0];
}

static int compare_deeply(const void *a, const void *b)
{
	deep(3);
	return *(const int *)a - *(const int *)b;
}

static void __attribute__((noinline)) of_any_size(size_t bytes)
{
	volatile char *room = alloca(bytes);

	room[bytes - 1] = 1;
	deep(2);
	sink += room[bytes - 1];
}

static void __attribute__((noinline)) aligned(void)
{
	volatile char room[128] __attribute__((aligned(128)));

	room[0] = 1;
	deep(2);
	sink += room[0];
}

static void on_signal(int number)
{
	(void)number;
	deep(2);
}

static void *in_thread(void *data)
{
	deep(5);
	return data;
}

/* -- claims ---------------------------------------------------------------------------------- */

static void plain_calls_are_simple(void **state)
{
	(void)state;
	deep(50);
	assert_true(assert_rules(FRAME_RULE_FROM_SP) + assert_rules(FRAME_RULE_FROM_BP) > 50);
}

static void calls_through_the_c_library_are_simple(void **state)
{
	int numbers[] = {3, 1, 2};

	(void)state;
	qsort(numbers, 3, sizeof(*numbers), compare_deeply);
	assert_rules(FRAME_RULE_FROM_SP);
	assert_int_equal(numbers[0], 1);
}

static void frames_of_any_size_go_by_the_base_pointer(void **state)
{
	(void)state;
	for (size_t bytes = 1; bytes < 3000; bytes = bytes * 3 + 7) {
		of_any_size(bytes);
		assert_true(assert_rules(FRAME_RULE_FROM_BP) > 0);
	}
}

static void an_aligned_stack_leads_home(void **state)
{
	(void)state;
	aligned();
	assert_rules(FRAME_RULE_FROM_BP);
}

static void a_signal_is_hard(void **state)
{
	struct sigaction action = {.sa_handler = on_signal}, old;

	(void)state;
	sigaction(SIGUSR1, &action, &old);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
	assert_true(assert_rules(FRAME_RULE_HARD) > 0);
}

static void a_thread_ends_at_its_outermost_frame(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_true(stack.ended);
	assert_int_equal(assert_rules(FRAME_RULE_OUTERMOST), 1);
}

static void what_is_no_code_is_hard(void **state)
{
	static const char text[64] = "no code";

	(void)state;
	assert_int_equal(frame_rule_at((uintptr_t)text).kind, FRAME_RULE_HARD);
	assert_int_equal(frame_rule_at((uintptr_t)&text[8]).kind, FRAME_RULE_HARD);
	assert_int_equal(frame_rule_at(1).kind, FRAME_RULE_HARD);
	assert_int_equal(frame_rule_at(UINT64_MAX).kind, FRAME_RULE_HARD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_calls_are_simple),
		cmocka_unit_test(calls_through_the_c_library_are_simple),
		cmocka_unit_test(frames_of_any_size_go_by_the_base_pointer),
		cmocka_unit_test(an_aligned_stack_leads_home),
		cmocka_unit_test(a_signal_is_hard),
		cmocka_unit_test(a_thread_ends_at_its_outermost_frame),
		cmocka_unit_test(what_is_no_code_is_hard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
