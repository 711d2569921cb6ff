/*
 * stack.h: the call stack of the calling thread, native frames and Python frames, before they have names.
 *
 * Nothing here allocates, locks or calls into the interpreter but for reading a line number. Not to be called with a
 * lock of ours held.
 */
#ifndef INJECT_STACK_H
#define INJECT_STACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STACK_NATIVE = 768, /* frames at most, the innermost */
	STACK_PYTHON = 1536,
	STACK_GROUPS = 512,
};

/* One frame of machine code. Its own part of the stack begins at `sp`, its caller's at the next frame's. */
struct stack_native {
	uint64_t address; /* inside the call */
	uint64_t sp;
};

/* The frames of Python that one run of the evaluation loop, one native frame, stands for: `count` of them from
 * `first` on. `marker` lies in that native frame's part of the stack; 0 = it is only known by its code. */
struct stack_group {
	uint64_t marker;
	uint32_t first, count;
};

struct stack {
	uint32_t native_count, python_count, group_count;
	struct stack_native native[STACK_NATIVE];
	uint32_t python[STACK_PYTHON]; /* records of the sites file */
	struct stack_group groups[STACK_GROUPS];
};

/* Fills the native part, without frames of this library. Where Python was read before, it ends at the outermost
 * evaluation loop. */
void stack_native(struct stack *stack);

/* Other code than before may lie between these addresses: what was remembered of it is forgotten, by one thread at a time, whatever other
 * threads remember meanwhile. */
void stack_native_forget(uint64_t start, uint64_t end);

/* Fills the Python part, whether or not this thread holds the GIL. False when the frames made no sense. */
bool stack_python(struct stack *stack);

/* True when a native frame is the evaluation loop that the group stands for. `next` is its caller or NULL. */
bool stack_is_group(const struct stack_group *group, const struct stack_native *frame,
		    const struct stack_native *next);

/* The interpreter's own code: its frames say nothing beside Python's. */
bool stack_is_interpreter(uint64_t address);

/* Compares what the reading of frames relies on with what the interpreter itself says, once; on the main thread with
 * the GIL and the guard raised, no exception set. Does nothing as long as no frame runs. */
void stack_python_check(void);

/* True once that was done and they agreed. */
bool stack_python_is_read(void);
/* Once that was done, either way. */
bool stack_python_is_checked(void);

/* In the child of a fork: what was remembered of the sites file is forgotten. */
void stack_python_forked(void);

#endif
