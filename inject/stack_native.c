/*
 * stack_native.c: the native stack.
 *
 * A loop comes by the same code again and again, so the rule by which a frame finds its caller (frame_rule.h) is read once
 * for each address of code and remembered in a word: most steps are a look at that word and at two words of the stack.
 * A stack with a frame that has no such rule (a signal's, one that aligned its stack) is left to the unwinder of the compiler's
 * runtime, which is a hundred times slower. That is linked in (libgcc_eh.a) and hidden, so this library needs no
 * other, and no exception of the program passes through it. With glibc 2.35 it finds unwind tables without a lock.
 */
#include <unwind.h>

#include "inject/claim.h"
#include "inject/frame_rule.h"
#include "inject/stack.h"

/* Of the linker: where this library lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

enum {
	RULES = 1 << 12,
	FRAME_MOST_BYTES =
		1 << 12, /* larger ones are left to the unwinder: a step reads no memory far above
				       a frame that is there, even by a rule of code that was since unloaded */
};

/*
 * A rule in a word, with the address it holds for. 0 = none yet.
 *
 *     63            17 16     15  14       5  4     0
 *    ┌────────────────┬──────────┬───────────┬───────┐
 *    │    address     │   kind   │   words   │  bp   │
 *    └────────────────┴──────────┴───────────┴───────┘
 */
enum {
	BP_BITS = 5,
	WORDS_BITS = 10,
	KIND_BITS = 2,
	ADDRESS_SHIFT = BP_BITS + WORDS_BITS + KIND_BITS,
};
_Static_assert(FRAME_MOST_BYTES / 8 < 1 << WORDS_BITS, "the words of a frame fit");

static uint64_t rules[RULES];      /* atomic, each for itself */
static uint32_t forget_generation; /* atomic; odd while rules are being forgotten */

/* A frame and the base pointer in it. */
struct place {
	struct stack_native frame;
	uint64_t bp;
};

struct walk {
	struct stack *stack;
	uint64_t outermost; /* the last marker of Python; 0 = to the end */
	uint32_t compared;  /* DEBUG */
};

static bool is_ours(uint64_t address)
{
	return address - (uintptr_t)__ehdr_start < (uintptr_t)(_etext - __ehdr_start);
}

/* False when the stack ends with this frame. */
static bool put(const struct walk *walk, struct stack_native frame)
{
	struct stack *stack = walk->stack;

	if (stack->native_count == 0 && is_ours(frame.address))
		return true;
	stack->native[stack->native_count++] = frame;
	return stack->native_count < STACK_NATIVE &&
	       (!walk->outermost || frame.sp <= walk->outermost);
}

/* -- rules ----------------------------------------------------------------------------------- */

/* The two words in which the rule of an address may lie, the newer one first: with one word for each, two
 * addresses of a loop that share it would have their rules read for ever, which costs a hundred times a look. */
static uint64_t *pair_of(uint64_t address)
{
	return &rules[(address * UINT64_C(0x9e3779b97f4a7c15) >> 53) * 2];
}
_Static_assert(RULES == 2 << 11, "the index of a pair is 11 bits of a hash");

static uint64_t pack(uint64_t address, struct frame_rule rule)
{
	uint64_t words = rule.bytes / 8, bp = rule.bp_below / 8;

	if (rule.bytes % 8 || rule.bytes > FRAME_MOST_BYTES || rule.bp_below % 8 || bp >> BP_BITS)
		return address << ADDRESS_SHIFT; /* hard */
	return address << ADDRESS_SHIFT | (uint64_t)rule.kind << (WORDS_BITS + BP_BITS) |
	       words << BP_BITS | bp;
}

static struct frame_rule unpack(uint64_t word)
{
	return (struct frame_rule){
		.kind = word >> (WORDS_BITS + BP_BITS) & ((1 << KIND_BITS) - 1),
		.bytes = (uint32_t)(word >> BP_BITS & ((1 << WORDS_BITS) - 1)) * 8,
		.bp_below = (uint32_t)(word & ((1 << BP_BITS) - 1)) * 8,
	};
}

/* The code of `address` is in a call, so its own rule is of what lies there now. The rule that makes way for it need not be: it may be
 * forgotten between being read and being written, and would be back. So where rules were forgotten meanwhile the pair is given up. */
static uint64_t remember(uint64_t address, struct frame_rule rule)
{
	uint64_t *pair = pair_of(address), word = pack(address, rule);
	uint32_t generation = __atomic_load_n(&forget_generation, __ATOMIC_ACQUIRE);
	uint64_t newer = __atomic_load_n(&pair[0], __ATOMIC_RELAXED);

	if (newer >> ADDRESS_SHIFT != address)
		__atomic_store_n(&pair[1], newer, __ATOMIC_RELAXED);
	__atomic_store_n(&pair[0], word, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (generation % 2 || __atomic_load_n(&forget_generation, __ATOMIC_RELAXED) != generation) {
		__atomic_store_n(&pair[0], 0, __ATOMIC_RELAXED);
		__atomic_store_n(&pair[1], 0, __ATOMIC_RELAXED);
	}
	return word;
}

static struct frame_rule rule_at(uint64_t address)
{
	const uint64_t *pair = pair_of(address);

	for (int i = 0; i < 2; i++) {
		uint64_t word = __atomic_load_n(&pair[i], __ATOMIC_RELAXED);
		if (word >> ADDRESS_SHIFT == address)
			return unpack(word);
	}
	return unpack(remember(address, frame_rule_at(address)));
}

/* One caller at a time. */
void stack_native_forget(uint64_t start, uint64_t end)
{
	uint32_t generation = __atomic_load_n(&forget_generation, __ATOMIC_RELAXED) | 1;

	__atomic_store_n(&forget_generation, generation, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int i = 0; i < RULES; i++) {
		uint64_t address = __atomic_load_n(&rules[i], __ATOMIC_RELAXED) >> ADDRESS_SHIFT;
		if (address - start < end - start)
			__atomic_store_n(&rules[i], 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&forget_generation, generation + 1, __ATOMIC_RELEASE);
}

/* -- by rules -------------------------------------------------------------------------------- */

__attribute__((no_sanitize("address"))) static uint64_t word_below(uint64_t address, uint64_t bytes)
{
	return *(const uint64_t *)(uintptr_t)(address - bytes);
}

/* To the caller. False where the rule leads out of what can be part of the stack. */
static bool step(struct place *place, struct frame_rule rule)
{
	uint64_t from = rule.kind == FRAME_RULE_FROM_SP ? place->frame.sp : place->bp;
	uint64_t end = from + rule.bytes;

	if (end % 8 || end - place->frame.sp - 8 > FRAME_MOST_BYTES)
		return false;
	if (rule.bp_below)
		place->bp = word_below(end, rule.bp_below);
	place->frame = (struct stack_native){word_below(end, 8) - 1, end};
	return true;
}

/* False when a frame has no simple rule. */
static bool by_rules(const struct walk *walk, struct place place)
{
	while (put(walk, place.frame)) {
		struct frame_rule rule = rule_at(place.frame.address);
		if (rule.kind == FRAME_RULE_OUTERMOST)
			return true;
		if (rule.kind == FRAME_RULE_HARD || !step(&place, rule))
			return false;
	}
	return true;
}

/* -- by the unwinder ------------------------------------------------------------------------- */

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
	const struct walk *walk = data;
	int before_instruction = 0;
	struct stack_native frame = {.address = _Unwind_GetIPInfo(context, &before_instruction),
				     .sp = _Unwind_GetCFA(context)};

	if (!frame.address)
		return _URC_END_OF_STACK;
	if (!before_instruction)
		frame.address--; /* a return address: the call is before it */
	return put(walk, frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* What has no table (code made at run time) is the end for the unwinder, and has no rule: that is remembered. */
static void unwind(const struct walk *walk)
{
	struct stack *stack = walk->stack;

	stack->native_count = 0;
	if (_Unwind_Backtrace(take, (void *)walk) == _URC_END_OF_STACK && stack->native_count)
		remember(stack->native[stack->native_count - 1].address,
			 (struct frame_rule){.kind = FRAME_RULE_OUTERMOST});
}

#ifdef LOOPMEM_DEBUG
static _Unwind_Reason_Code claim_same(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	const struct stack_native *frame = &walk->stack->native[walk->compared];
	int before_instruction = 0;
	uint64_t address = _Unwind_GetIPInfo(context, &before_instruction);

	if (_Unwind_GetCFA(context) < walk->stack->native[0].sp)
		return _URC_NO_REASON;
	CLAIM(frame->sp == _Unwind_GetCFA(context));
	CLAIM(frame->address == address - !before_instruction);
	return ++walk->compared < walk->stack->native_count ? _URC_NO_REASON : _URC_END_OF_STACK;
}
#endif

/* A build for tests takes every stack twice. */
static void compare(struct walk *walk)
{
	(void)walk;
#ifdef LOOPMEM_DEBUG
	if (walk->stack->native_count)
		_Unwind_Backtrace(claim_same, walk);
	CLAIM(walk->compared == walk->stack->native_count);
#endif
}

__attribute__((noinline)) void stack_native(struct stack *stack)
{
	const uint64_t *own = __builtin_frame_address(0);
	struct walk walk = {.stack = stack};
	struct place caller = {
		{(uintptr_t)__builtin_return_address(0) - 1, (uintptr_t)__builtin_dwarf_cfa()},
		own[0],
	};

	stack->native_count = 0;
	if (stack->group_count)
		walk.outermost = stack->groups[stack->group_count - 1].marker;
	if (by_rules(&walk, caller))
		compare(&walk);
	else
		unwind(&walk);
}
