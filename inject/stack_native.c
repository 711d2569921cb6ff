/*
 * stack_native.c: the native stack, by the unwinder of the compiler's runtime.
 *
 * It is linked in (libgcc_eh.a) and hidden, so this library needs no other, and no exception of the program passes
 * through it: its copy exports nothing. With glibc 2.35 it finds unwind tables without a lock, and it keeps nothing
 * of code that was unloaded.
 */
#include <unwind.h>

#include "inject/stack.h"

/* Of the linker: where this library lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

struct walk {
	struct stack *stack;
	uint64_t outermost; /* the last marker of Python; 0 = to the end */
};

static bool is_ours(uint64_t address)
{
	return address - (uintptr_t)__ehdr_start < (uintptr_t)(_etext - __ehdr_start);
}

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	struct stack *stack = walk->stack;
	int before_instruction = 0;
	uint64_t address = _Unwind_GetIPInfo(context, &before_instruction);
	uint64_t sp = _Unwind_GetCFA(context);

	if (!address || stack->native_count == STACK_NATIVE)
		return _URC_END_OF_STACK;
	if (!before_instruction)
		address--; /* a return address: the call is before it */
	if (stack->native_count == 0 && is_ours(address))
		return _URC_NO_REASON;
	stack->native[stack->native_count++] = (struct stack_native){address, sp};
	return walk->outermost && sp > walk->outermost ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void stack_native(struct stack *stack)
{
	struct walk walk = {.stack = stack};

	stack->native_count = 0;
	if (stack->group_count)
		walk.outermost = stack->groups[stack->group_count - 1].marker;
	_Unwind_Backtrace(take, &walk);
}
