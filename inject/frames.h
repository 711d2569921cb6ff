/*
 * frames.h: one stack as it goes into the sites file: native frames and frames of Python in one row, and its node there.
 */
#ifndef INJECT_FRAMES_H
#define INJECT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct stack; /* stack.h */

enum { FRAMES_MOST = 1024 }; /* the innermost are kept */

/* An address inside a call, or, where it is not 0, a record of Python. */
struct frame {
	uint64_t address;
	uint32_t python;
};

struct frames {
	uint32_t count;
	bool cut;                        /* there are frames outside of the last one */
	struct frame frame[FRAMES_MOST]; /* from the leaf */
};

/* Both sides of a stack in their order. */
void frames_merge(struct frames *frames, const struct stack *stack);

/* The node of the leaf, found or made; 0 = no room for it. Each module is looked at anew, see modules_begin. LOCK_SITES. */
uint32_t frames_node(const struct frames *frames);

/* In the child of a fork, before site_table_forked: nodes are made anew. A child without samples writes nothing. */
void frames_forked(void);

#endif
