/*
 * stack_native.c: the native stack, by the unwinder of the compiler's runtime.
 *
 * It is linked in (libgcc_eh.a) and hidden, so this library needs no other, and no exception of the program passes
 * through it: its copy exports nothing. With glibc 2.35 it finds unwind tables without a lock, and it keeps nothing
 * of code that was unloaded.
 *
 * It takes 2,000 instructions a frame, and a loop comes by the same frames again and again. So steps from a frame to its
 * caller are remembered, by the frame's address of code and place on the stack. A step is taken from memory only while the
 * return address still stands where it stood, below the caller's place; a stack that is known to its end needs no unwinder.
 */
#include <unwind.h>

#include "inject/stack.h"

/* Of the linker: where this library lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

/* Larger frames are left to the unwinder: a step reads no memory far above a frame that is there. */
enum { FRAME_MOST_BYTES = 4096 };

struct walk {
	struct stack *stack;
	uint64_t outermost;          /* the last marker of Python; 0 = to the end */
	struct stack_native last;    /* the frame before, whose caller comes next */
	struct stack_native missing; /* the frame whose step was not known */
	bool ended;                  /* at the outermost frame that is wanted */
};

static bool is_ours(uint64_t address)
{
	return address - (uintptr_t)__ehdr_start < (uintptr_t)(_etext - __ehdr_start);
}

/* False when the stack ends with this frame. */
static bool put(struct walk *walk, struct stack_native frame)
{
	struct stack *stack = walk->stack;

	walk->last = frame;
	if (stack->native_count == 0 && is_ours(frame.address))
		return true;
	stack->native[stack->native_count++] = frame;
	walk->ended = stack->native_count == STACK_NATIVE ||
		      (walk->outermost && frame.sp > walk->outermost);
	return !walk->ended;
}

/* -- steps ----------------------------------------------------------------------------------- */

static struct stack_step *step_at(struct stack *stack, struct stack_native frame)
{
	uint64_t hash = (frame.address ^ frame.sp << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return &stack->steps[hash >> 32 & (STACK_STEPS - 1)];
}

static bool is_same(struct stack_native one, struct stack_native other)
{
	return one.address == other.address && one.sp == other.sp;
}

/* Does the frame return to that caller? Its return address is the last word of its part of the stack. */
__attribute__((no_sanitize("address"))) static bool returns_to(struct stack_native frame,
							       struct stack_native caller)
{
	uint64_t bytes = caller.sp - frame.sp;

	return bytes >= sizeof(uint64_t) && bytes <= FRAME_MOST_BYTES &&
	       ((const uint64_t *)(uintptr_t)caller.sp)[-1] == caller.address + 1;
}

static void learn(struct walk *walk, struct stack_native caller)
{
	struct stack_native frame = walk->last;

	if (frame.address && (!caller.address || returns_to(frame, caller)))
		*step_at(walk->stack, frame) = (struct stack_step){frame, caller};
}

/* Goes from the frame to the end by known steps. False, and nothing was put, when one is missing. */
static bool go_on(struct walk *walk, struct stack_native frame)
{
	struct walk before = *walk;
	uint32_t count = walk->stack->native_count;

	while (put(walk, frame)) {
		const struct stack_step *step = step_at(walk->stack, frame);
		if (!is_same(step->frame, frame) ||
		    (step->caller.address && !returns_to(frame, step->caller))) {
			*walk = before;
			walk->missing = frame;
			walk->stack->native_count = count;
			return false;
		}
		if (!step->caller.address)
			break;
		frame = step->caller;
	}
	walk->ended = true;
	return true;
}

/* -- the unwinder ---------------------------------------------------------------------------- */

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	int before_instruction = 0;
	struct stack_native frame = {.address = _Unwind_GetIPInfo(context, &before_instruction),
				     .sp = _Unwind_GetCFA(context)};

	if (!frame.address)
		return _URC_END_OF_STACK;
	if (!before_instruction)
		frame.address--; /* a return address: the call is before it */
	learn(walk, frame);
	if (is_same(walk->last, walk->missing) && go_on(walk, frame))
		return _URC_END_OF_STACK;
	return put(walk, frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

__attribute__((noinline)) void stack_native(struct stack *stack)
{
	struct walk walk = {.stack = stack};

	stack->native_count = 0;
	if (stack->group_count)
		walk.outermost = stack->groups[stack->group_count - 1].marker;
	if (go_on(&walk, (struct stack_native){(uintptr_t)__builtin_return_address(0) - 1,
					       (uintptr_t)__builtin_dwarf_cfa()}))
		return;
	_Unwind_Backtrace(take, &walk);
	if (!walk.ended)
		learn(&walk, (struct stack_native){0, 0});
}
