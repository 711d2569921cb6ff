/*
 * frame_rule.h: how a frame of machine code finds its caller, read from the unwind table that the compiler left for it.
 *
 * The table of a function (.eh_frame; DWARF 4, section 6.4, and the Linux Standard Base for its form in memory) is a small
 * program that can say anything. Nearly all of it says one of a few things, and these fit a word. What does not is told apart,
 * never guessed.
 *
 * Takes no lock with glibc 2.35 and later, allocates nothing. Valid until the code is unloaded.
 */
#ifndef INJECT_FRAME_RULE_H
#define INJECT_FRAME_RULE_H

#include <stdint.h>

enum frame_rule_kind {
	FRAME_RULE_HARD, /* not in this form: ask the unwinder. Zero, so that an empty rule is hard */
	FRAME_RULE_FROM_SP,
	FRAME_RULE_FROM_BP,
	FRAME_RULE_OUTERMOST, /* it has no caller */
};

/* The frame's part of the stack ends, and its caller's begins, `bytes` above the frame's stack or base pointer. The return
 * address is the last word below that end. */
struct frame_rule {
	enum frame_rule_kind kind;
	uint32_t bytes;
	uint32_t
		bp_below; /* where the caller's base pointer was saved, below the end; 0 = it was not touched */
};

/* The rule at an address inside a call. Never reads the stack. */
struct frame_rule frame_rule_at(uint64_t address);

#endif
