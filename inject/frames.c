/*
 * frames.c: merges the two sides of a stack, and finds it again in the sites file.
 *
 * A node is found frame by frame from the outermost one inward, each by a look into a large table. Most stacks were met
 * before, so the leaf's node is remembered by a hash of the whole stack, and compared on the way out, where the records lie
 * beside each other.
 */
#include "inject/frames.h"

#include <string.h>

#include "inject/modules.h"
#include "inject/site_table.h"
#include "inject/stack.h"

enum { LEAVES = 1 << 10 };

static uint32_t leaves[LEAVES]; /* nodes, by a hash of their stacks. LOCK_SITES */

/* -- both sides in one row ------------------------------------------------------------------- */

static void put(struct frames *frames, struct frame frame)
{
	frames->cut = frames->count == FRAMES_MOST;
	if (!frames->cut)
		frames->frame[frames->count++] = frame;
}

static void put_group(struct frames *frames, const struct stack *stack,
		      const struct stack_group *group)
{
	for (uint32_t i = 0; i < group->count; i++)
		put(frames, (struct frame){.python = stack->python[group->first + i]});
}

/* Leaf first: each evaluation loop is replaced by the frames of Python that it runs, the interpreter's other frames are
 * left out. The native side never decides how many frames Python has: what it did not reach follows at the end. */
void frames_merge(struct frames *frames, const struct stack *stack)
{
	uint32_t group = 0;

	frames->count = 0;
	frames->cut = false;
	for (uint32_t i = 0; i < stack->native_count; i++) {
		const struct stack_native *frame = &stack->native[i];
		const struct stack_native *next = i + 1 < stack->native_count ? frame + 1 : NULL;
		if (group < stack->group_count &&
		    stack_is_group(&stack->groups[group], frame, next))
			put_group(frames, stack, &stack->groups[group++]);
		else if (!stack->group_count || !stack_is_interpreter(frame->address))
			put(frames, (struct frame){.address = frame->address});
		if (stack->group_count && group == stack->group_count)
			return; /* what runs Python at all is of no interest */
	}
	while (group < stack->group_count)
		put_group(frames, stack, &stack->groups[group++]);
	frames->cut |= !stack->group_count && stack->native_count == STACK_NATIVE;
}

/* -- its node -------------------------------------------------------------------------------- */

static uint32_t module_of(const struct frame *frame)
{
	return frame->python ? 0 : modules_at(frame->address);
}

/* The outermost frame of a stack that is too deep, in the form of one of Python; 0 = no room. */
static uint32_t outside(void)
{
	static const char name[] = "(outer frames left out)";
	uint32_t record = site_table_python(name, sizeof(name) - 1, "", 0, 0);

	return record ? site_table_node(0, record) : 0;
}

static bool is_node_of(uint32_t node, const struct frames *frames, uint32_t outermost)
{
	for (uint32_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->frame[i];
		if (!node || node == outermost ||
		    !site_table_climb(&node, frame->python, module_of(frame), frame->address))
			return false;
	}
	return node == outermost;
}

static uint32_t make_node(const struct frames *frames, uint32_t outermost)
{
	uint32_t node = outermost;

	for (uint32_t i = frames->count; i-- > 0;) {
		const struct frame *frame = &frames->frame[i];
		uint32_t record = frame->python;
		if (!record)
			record = site_table_native(module_of(frame), frame->address);
		node = record ? site_table_node(node, record) : 0;
		if (!node)
			return 0;
	}
	return node;
}

static uint32_t *leaf_of(const struct frames *frames)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < frames->count; i++)
		hash = (hash ^ frames->frame[i].address ^ frames->frame[i].python) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return &leaves[hash >> 54];
}
_Static_assert(LEAVES == 1 << 10, "the index of a leaf is 10 bits of a hash");

uint32_t frames_node(const struct frames *frames)
{
	uint32_t outermost = frames->cut ? outside() : 0;
	uint32_t *leaf = leaf_of(frames);

	if (frames->cut && !outermost)
		return 0;
	if (!*leaf || !is_node_of(*leaf, frames, outermost))
		*leaf = make_node(frames, outermost);
	return *leaf;
}

void frames_forked(void)
{
	if (site_table_header())
		memset(leaves, 0, sizeof(leaves));
}
