/*
 * stack_python.c: the frames of Python that run on the calling thread, read in place.
 *
 * The thread itself reads, inside malloc, so nothing moves meanwhile; what CPython links before it calls malloc is
 * whole (a frame whose prologue has not run is known and left out, as CPython hides it from sys._getframe). A line
 * costs a walk over the function's line table, so it is looked up once for each (code, instruction); addresses of code
 * are used again for other functions, so what makes it a function is part of the key.
 */
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/loaded.h"
#include "inject/locks.h"
#include "inject/python_api.h"
#include "inject/python_check.h"
#include "inject/python_layout.h"
#include "inject/real.h"
#include "inject/site_table.h"
#include "inject/stack.h"

enum {
	KNOWN_LEAST = 1 << 8, /* a page */
	KNOWN_MOST = 1 << 12,
	OWNED_BY_GENERATOR = 1,
	OWNED_BY_LOOP =
		3, /* from here on: a frame that only marks where an evaluation loop begins */
	THREAD_STATE_BYTES = 264, /* of the smallest one: what lies closer than that is inside */
	PATIENCE = 1000,          /* yields */
};

/* A looked-up frame: by a hash of what makes it one. */
struct known {
	uint64_t key; /* 0 = free */
	uint32_t record;
	bool imports; /* a frame of the import system */
};

/* Alone on its pages, so that a fork's child can drop them: records of a parent's sites file are none of the child's. Only so
 * much of it is used as there is need for. */
static struct known known[KNOWN_MOST] __attribute__((aligned(65536)));
_Static_assert(sizeof(known) % 65536 == 0, "nothing else lies on its pages");
static uint32_t known_used = KNOWN_LEAST; /* entries, a power of 2 */
static uint32_t pushed_out;               /* of them, since there were so many */
static bool known_busy; /* atomic: all of `known` and the buffers of look_up are in use */

static struct python_layout at; /* written once, by the check */
static bool checked;            /* the layout holds; atomic */
static bool closed;             /* the check gave its answer */
static struct range {
	uint64_t start, end;
} eval_loop, interpreter;

/* -- one frame ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *pointer)
{
	hash = (hash ^ (uintptr_t)pointer) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t key_of(const char *code, int instruction)
{
	uint64_t lines = (uint32_t)python_int(code, at.firstlineno);
	uint64_t key = mix(lines << 32 | (uint32_t)instruction, code);

	key = mix(key, python_word(code, at.name));
	key = mix(key, python_word(code, at.filename));
	key = mix(key, python_word(code, at.linetable));
	return key ? key : 1;
}

static bool begins(const char *file, size_t bytes, const char *with)
{
	return bytes >= strlen(with) && !memcmp(file, with, strlen(with));
}

static struct known look_up(uint64_t key, char *code, int instruction)
{
	static char function[LOOPMEM_SITES_TEXT], file[LOOPMEM_SITES_TEXT]; /* known_busy */
	char *name = python_word(code, at.qualname >= 0 ? at.qualname : at.name);
	size_t function_bytes = python_text(&at, name, function, sizeof(function));
	size_t file_bytes = python_text(&at, python_word(code, at.filename), file, sizeof(file));
	int line = py.PyCode_Addr2Line((PyObject *)code, instruction);
	struct known found = {.key = key, .imports = begins(file, file_bytes, "<frozen importlib")};

	if (begins(file, file_bytes, "<loopmem>/") || !lock_enter(LOCK_SITES))
		return found;
	found.record = site_table_python(function, function_bytes, file, file_bytes, line);
	lock_leave(LOCK_SITES);
	return found;
}

/* Its place: where another one stands there, more places are used soon, and half of those that are known keep theirs. */
static struct known *known_at(uint64_t key)
{
	struct known *entry = &known[key & (known_used - 1)];

	if (!entry->key || entry->key == key || known_used == KNOWN_MOST ||
	    ++pushed_out < known_used / 4)
		return entry;
	known_used *= 2;
	pushed_out = 0;
	return &known[key & (known_used - 1)];
}

static const struct known *known_frame(char *code, int instruction)
{
	uint64_t key = key_of(code, instruction);
	struct known *entry = known_at(key);

	if (entry->key == key)
		return entry;
	*entry = look_up(key, code, instruction);
	if (!entry->record)
		entry->key = 0;
	return entry;
}

/* In bytes, as PyCode_Addr2Line wants it. */
static int instruction_of(const char *frame, const char *code)
{
	if (at.minor >= 11)
		return (int)(python_word(frame, at.instruction) - (code + at.bytecode));
	return at.minor == 10 ? 2 * python_int(frame, at.instruction)
			      : python_int(frame, at.instruction);
}

static int owner_of(const char *frame)
{
	return at.owner < 0 ? OWNED_BY_GENERATOR : frame[at.owner];
}

/* CPython hides a frame until its prologue has run; so do we. 3.13 puts a trampoline under calls of __init__, which
 * is never more. */
static bool is_incomplete(const char *frame, const char *code, int instruction)
{
	return at.traceable >= 0 && owner_of(frame) != OWNED_BY_GENERATOR &&
	       instruction < 2 * python_int(code, at.traceable);
}

/* False when this can be no frame. *importing: the one before is of the import system, which takes six frames to get from one
 * module to the next: of such a row the innermost is kept. */
static bool take(struct stack *stack, const char *frame, bool *importing)
{
	char *code = python_code(&at, python_word(frame, at.code));
	struct stack_group *group = &stack->groups[stack->group_count - 1];
	const struct known *seen;
	bool skip;
	int instruction;

	if (!code || python_type_of((PyObject *)code) != py.PyCode_Type)
		return false;
	instruction = instruction_of(frame, code);
	if (is_incomplete(frame, code, instruction))
		return true;
	seen = known_frame(code, instruction < 0 ? 0 : instruction);
	if (!seen->record)
		return true;
	skip = *importing && seen->imports;
	*importing = seen->imports;
	if (skip)
		return true;
	stack->python[stack->python_count++] = seen->record;
	group->count++;
	return true;
}

/* -- all frames ------------------------------------------------------------------------------ */

static bool begin_group(struct stack *stack, const char *marker)
{
	if (stack->group_count == STACK_GROUPS)
		return false;
	stack->groups[stack->group_count++] =
		(struct stack_group){(uintptr_t)marker, stack->python_count, 0};
	return true;
}

/* The cframe around this one. The last one lies inside the thread state, and what is behind it is not set. */
static const char *next_cframe(const char *state, const char *cframe)
{
	const char *next = cframe ? python_word(cframe, at.cframe_next) : NULL;

	return next && (uintptr_t)(next - state) >= THREAD_STATE_BYTES ? next : NULL;
}

static const char *first_cframe(const char *state)
{
	const char *cframe = at.cframe < 0 ? NULL : python_word(state, at.cframe);

	return cframe && (uintptr_t)(cframe - state) >= THREAD_STATE_BYTES ? cframe : NULL;
}

/* Does the evaluation loop of this frame end with it? (3.13 tells by the frame behind.) */
static bool is_last_of_loop(const char *frame)
{
	if (at.minor <= 10)
		return true;
	return at.minor == 11 && frame[at.entry];
}

static bool walk(struct stack *stack, const char *state)
{
	const char *cframe = first_cframe(state), *frame = python_word(state, at.top);
	bool begun = false, importing = false;

	if (at.current >= 0)
		frame = frame ? python_word(frame, at.current) : NULL;
	for (; frame && stack->python_count < STACK_PYTHON; frame = python_word(frame, at.back)) {
		if (at.minor >= 12 && owner_of(frame) >= OWNED_BY_LOOP) {
			if (at.minor >= 13 && begun)
				stack->groups[stack->group_count - 1].marker = (uintptr_t)frame;
			cframe = next_cframe(state, cframe);
			begun = false;
			continue;
		}
		if (!begun && !begin_group(stack, cframe))
			return true;
		begun = true;
		if (!take(stack, frame, &importing))
			return false;
		if (is_last_of_loop(frame)) {
			cframe = next_cframe(state, cframe);
			begun = false;
		}
	}
	return true;
}

/* The state of the calling thread, also while it lets others run (torch allocates like that): its frames stand still
 * until it goes on. NULL = none, or not certain: with several interpreters up to 3.11 only the one that holds the GIL
 * is. */
static const char *thread_state(void)
{
	const char *own, *running;

	if (!py.Py_IsInitialized())
		return NULL;
	own = py.PyGILState_GetThisThreadState();
	running = at.minor >= 13 ? py.PyThreadState_GetUnchecked()
				 : py._PyThreadState_UncheckedGet();
	if (at.minor >= 12 && running)
		return running;
	if (own && own != running && py.PyInterpreterState_Next(py.PyInterpreterState_Head()))
		return NULL;
	return own;
}

/* `known` is used by one thread at a time; who looks up a line never waits for anything. */
static bool enter_known(void)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (!__atomic_exchange_n(&known_busy, true, __ATOMIC_ACQUIRE))
			return true;
		sched_yield();
	}
	return false;
}

bool stack_python(struct stack *stack)
{
	const char *state = NULL;
	bool sound;

	stack->python_count = stack->group_count = 0;
	if (__atomic_load_n(&checked, __ATOMIC_ACQUIRE))
		state = thread_state();
	if (!state || !python_word(state, at.top))
		return true;
	if (!enter_known())
		return false;
	sound = walk(stack, state);
	__atomic_store_n(&known_busy, false, __ATOMIC_RELEASE);
	if (!sound)
		stack->python_count = stack->group_count = 0;
	return sound;
}

static bool is_in(const struct range *range, uint64_t address)
{
	return address - range->start < range->end - range->start;
}

bool stack_is_group(const struct stack_group *group, const struct stack_native *frame,
		    const struct stack_native *next)
{
	if (!group->marker)
		return is_in(&eval_loop, frame->address);
	return next && group->marker >= frame->sp && group->marker < next->sp;
}

bool stack_is_interpreter(uint64_t address)
{
	return is_in(&interpreter, address);
}

void stack_python_forked(void)
{
	REAL(madvise)(known, sizeof(known), MADV_DONTNEED);
	known_used = KNOWN_LEAST;
	pushed_out = 0;
	known_busy = false;
}

/* -- before the first one -------------------------------------------------------------------- */

static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct range *range = data, found = {UINT64_MAX, 0};

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uint64_t end = start + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		found.start = start < found.start ? start : found.start;
		found.end = end > found.end ? end : found.end;
	}
	if (!is_in(&found, range->start))
		return 0;
	*range = found;
	return 1;
}

static void find_interpreter(void)
{
	static const char loop[] = "_PyEval_EvalFrameDefault";
	void *code = loaded_first(loop) ? dlsym(RTLD_DEFAULT, loop) : NULL;
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (code && dladdr1(code, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		eval_loop = (struct range){(uintptr_t)code, (uintptr_t)code + symbol->st_size};
	interpreter.start = (uintptr_t)(void *)py.PyCode_Addr2Line;
	dl_iterate_phdr(find_object, &interpreter);
}

void stack_python_check(void)
{
	struct python_layout layout;
	const char *reason;

	if (closed)
		return;
	reason = python_layout_find(&layout);
	if (!reason && !python_check(&layout, &reason))
		return; /* no frame to look at */
	closed = true;
	if (!reason) {
		at = layout;
		find_interpreter();
		__atomic_store_n(&checked, true, __ATOMIC_RELEASE);
	}
	site_table_python_state(reason ? LOOPMEM_STACKS_OFF : LOOPMEM_STACKS_READ,
				reason ? reason : "");
}

bool stack_python_is_read(void)
{
	return __atomic_load_n(&checked, __ATOMIC_ACQUIRE);
}

bool stack_python_is_checked(void)
{
	return closed;
}
