/*
 * python_boot.c: brings the embedded Python files into the interpreter.
 *
 * A tick queues one pending call at most; the call runs on the main thread between two bytecodes,
 * with the GIL. As long as Python is still starting it does nothing, and a later tick queues it
 * again: from inside the call it would run again at once, at every check of the evaluation loop.
 */
#include "inject/python_boot.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "inject/python/faults_py.h"
#include "inject/python/follow_py.h"
#include "inject/python/frames_py.h"
#include "inject/python/frameworks_py.h"
#include "inject/python/groups_py.h"
#include "inject/python/hook_py.h"
#include "inject/python/length_py.h"
#include "inject/python/lightning_py.h"
#include "inject/python/names_py.h"
#include "inject/python/phases_py.h"
#include "inject/python/pools_py.h"
#include "inject/python/processes_py.h"
#include "inject/python/stages_py.h"
#include "inject/python/users_py.h"
#include "inject/python/wrappers_py.h"
#include "inject/python_api.h"
#include "inject/python_around.h"
#include "inject/python_calls.h"
#include "inject/python_frame.h"
#include "inject/python_objects.h"
#include "inject/python_site.h"
#include "inject/self.h"
#include "inject/stack.h"
#include "inject/text.h"
#include "inject/thread_slots.h"

enum {
	FILE_INPUT = 257,  /* Py_file_input */
	WITHOUT_TEXTS = 2, /* as python -OO: nobody reads our docstrings there */
};

static const struct {
	const char *name;
	const char *source;
	const char *module;
	const char *file;
} sources[] = {
#define SOURCE(name)                                                         \
	{                                                                    \
#name, name##_py, "loopmem." #name, "<loopmem>/" #name ".py" \
	}
	SOURCE(faults), SOURCE(follow),    SOURCE(frames),    SOURCE(frameworks), SOURCE(groups),
	SOURCE(hook),   SOURCE(length),    SOURCE(lightning), SOURCE(names),      SOURCE(phases),
	SOURCE(pools),  SOURCE(processes), SOURCE(stages),    SOURCE(users),      SOURCE(wrappers),
#undef SOURCE
};

/* How far this process is. Only the main thread moves it on; other threads read it. */
static enum {
	BOOT_LOOKING, /* no interpreter found yet */
	BOOT_WAITING, /* found: queue the call, until it has done its work */
	BOOT_CLOSED,  /* done, or never to be done */
} progress;

static int queued;        /* 1 while a call is in the interpreter's queue; atomic */
static uint32_t looks;    /* ticks of the main thread that looked or might have; BOOT_LOOKING */
static PyObject *modules; /* of load(), by name. With the GIL, as the next */
static PyObject *shim;

enum { SOON = 512 };      /* ticks that come early for the hook's sake */
enum { LOOKS = 1 << 12 }; /* a process that has no interpreter by then is left in peace */

static void set_state(enum loopmem_python_state state, const char *reason)
{
	text_copy(self_segment->python_reason, sizeof(self_segment->python_reason), reason);
	__atomic_store_n(&self_segment->python_state, state, __ATOMIC_RELEASE);
}

static void close_boot(void)
{
	__atomic_store_n(&progress, BOOT_CLOSED, __ATOMIC_RELEASE);
	thread_tick_soon(0);
}

static void close_with(enum loopmem_python_state state, const char *reason)
{
	set_state(state, reason);
	close_boot();
}

/* -- load() ---------------------------------------------------------------------------------- */

static struct python_method load_method;

static PyObject *loaded_module(const char *name)
{
	PyObject *loaded = py.PySys_GetObject("modules");

	return loaded ? py.PyDict_GetItemString(loaded, name) : NULL;
}

/* Not PyEval_GetBuiltins: the frame that the call interrupts may have an empty dictionary of its
 * own, as namedtuple's has. */
static int add_names(PyObject *names)
{
	PyObject *builtins = loaded_module("builtins");
	PyObject *load = builtins ? py.PyCFunction_NewEx(&load_method, NULL, NULL) : NULL;
	int failed = !load || py.PyDict_SetItemString(names, "load", load) ||
		     py.PyDict_SetItemString(names, "shim", shim) ||
		     py.PyDict_SetItemString(names, "__builtins__", builtins);

	if (load)
		py.Py_DecRef(load);
	return failed;
}

/* Runs one source as a module, which `modules` then holds. */
static PyObject *run_source(size_t i)
{
	PyObject *module = py.PyModule_New(sources[i].module), *code = NULL, *result = NULL;
	PyObject *names = module ? py.PyModule_GetDict(module) : NULL;

	if (names && !add_names(names))
		code = py.Py_CompileStringExFlags(sources[i].source, sources[i].file, FILE_INPUT,
						  NULL, WITHOUT_TEXTS);
	if (code) {
		result = py.PyEval_EvalCode(code, names, names);
		py.Py_DecRef(code);
	}
	if (result)
		py.Py_DecRef(result);
	if (result && py.PyDict_SetItemString(modules, sources[i].name, module) == 0)
		return module;
	if (module)
		py.Py_DecRef(module);
	return NULL;
}

/* A new reference to the module made of one of our files, or NULL with an exception. */
static PyObject *load(const char *name)
{
	PyObject *module = py.PyDict_GetItemString(modules, name);

	if (module) {
		py.Py_IncRef(module);
		return module;
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i].name, name) == 0)
			return run_source(i);
	py.PyErr_SetString(python_exception(py.PyExc_KeyError), name);
	return NULL;
}

/* Unseen by tracers: it may come in the middle of the program's import. */
static PyObject *call_load(PyObject *self, PyObject *args)
{
	PyObject *module;
	const char *name;
	void *traced;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "s", &name))
		return NULL;
	traced = python_untraced_enter();
	module = load(name);
	python_untraced_leave(traced);
	return module;
}

static struct python_method load_method = {"load", call_load, PYTHON_VARARGS, NULL};

/* -- the pending call ------------------------------------------------------------------------ */

/* The truth of an attribute path from `object`; `otherwise` when there is none. No exception is
 * left. */
static bool truth(PyObject *object, const char *first, const char *second, bool otherwise)
{
	PyObject *inner = object ? py.PyObject_GetAttrString(object, first) : NULL;
	PyObject *value = inner && second ? py.PyObject_GetAttrString(inner, second) : NULL;
	bool result = otherwise;

	if (value || (inner && !second))
		result = py.PyObject_IsTrue(value ? value : inner) > 0;
	if (inner)
		py.Py_DecRef(inner);
	if (value)
		py.Py_DecRef(value);
	py.PyErr_Clear();
	return result;
}

/* Start-up is over when `site` has been imported to its end (its .pth lines and sitecustomize too)
 * or is not wanted, and nothing is being imported at this moment. */
static bool has_started(void)
{
	PyObject *site = loaded_module("site"), *frame;

	if (!truth(py.PySys_GetObject("flags"), "no_site", NULL, false) &&
	    (!site || truth(site, "__spec__", "_initializing", false)))
		return false;
	frame = py.PyEval_GetFrame();
	return !frame || !python_frame_is_in(frame, "<frozen importlib");
}

static PyObject *attribute_of(const char *module, const char *name)
{
	PyObject *loaded = load(module), *attribute = NULL;

	if (loaded) {
		attribute = py.PyObject_GetAttrString(loaded, name);
		py.Py_DecRef(loaded);
	}
	return attribute;
}

static PyObject *find_judge(void)
{
	return attribute_of("faults", "raised_by_user");
}

/* hook.install(): true when it is done, false when it wants to be called again. */
static PyObject *install(void)
{
	PyObject *start, *done = NULL;

	if (!modules)
		modules = py.PyDict_New();
	if (!shim)
		shim = python_calls_module();
	if (!modules || !shim)
		return NULL;
	python_set_judge(find_judge);
	start = attribute_of("hook", "install");
	if (start) {
		done = py.PyObject_CallFunctionObjArgs(start, NULL);
		py.Py_DecRef(start);
	}
	return done;
}

static int boot(void *unused)
{
	enum python_outcome outcome = PYTHON_OK;
	PyObject *done;

	(void)unused;
	__atomic_store_n(&queued, 0, __ATOMIC_RELEASE);
	if (progress != BOOT_WAITING)
		return 0;
	void *traced = python_untraced_enter();
	stack_python_check();
	if (stack_python_is_checked())
		python_objects_start(stack_python_is_read());
	if (py.PySys_GetObject("getobjects")) {
		close_with(LOOPMEM_PYTHON_REFUSED, "this Python traces references");
	} else if (has_started()) {
		done = install();
		outcome = done ? PYTHON_OK : python_judge();
		if (outcome == PYTHON_OURS)
			close_with(LOOPMEM_PYTHON_REFUSED, "the hook failed to start");
		else if (done && py.PyObject_IsTrue(done) > 0)
			close_boot();
		if (done)
			py.Py_DecRef(done);
	}
	python_untraced_leave(traced);
	return outcome == PYTHON_USERS ? -1 : 0;
}

/* -- the tick -------------------------------------------------------------------------------- */

/* 3.8 says on stderr that a call was queued too late, once its exit has begun. So there only while
 * the main program's own frame is at the bottom of the stack. Offsets of 3.8's PyThreadState.frame,
 * PyFrameObject.f_back and f_code, PyCodeObject.co_name, and of the data of an ASCII str. */
static bool is_plainly_running(void)
{
	enum { TSTATE_FRAME = 24, F_BACK = 24, F_CODE = 32, CO_NAME = 112, STR_DATA = 48 };
	static const char *const programs[] = {"<module>", "_run_module_as_main"};
	char *frame = *(char **)((char *)py.PyGILState_GetThisThreadState() + TSTATE_FRAME);
	char *name;

	if (!frame)
		return false;
	while (*(char **)(frame + F_BACK))
		frame = *(char **)(frame + F_BACK);
	name = *(char **)(*(char **)(frame + F_CODE) + CO_NAME);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(name + STR_DATA, programs[i]) == 0)
			return true;
	return false;
}

/* Looking takes the loader's lock. Only the main thread does it, at its ticks 1, 2, 4, 8, ...:
 * another thread may run for a constructor that holds the lock and waits for it. */
static bool look_for_python(void)
{
	const char *reason = NULL;

	if (getpid() != gettid() || looks >= LOOKS)
		return false;
	looks++;
	if (looks & (looks - 1))
		return false;
	switch (python_api_find(&reason)) {
	case PYTHON_NONE:
		return false;
	case PYTHON_UNSUPPORTED:
		self_segment->python_version = python_api_version();
		close_with(LOOPMEM_PYTHON_REFUSED, reason);
		return false;
	case PYTHON_FOUND:
		break;
	}
	self_segment->python_version = python_api_version();
	set_state(LOOPMEM_PYTHON_WAITING, "");
	__atomic_store_n(&progress, BOOT_WAITING, __ATOMIC_RELEASE);
	thread_tick_soon(SOON);
	return true;
}

void python_boot_tick(void)
{
	int seen = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);

	if (seen == BOOT_CLOSED || (seen == BOOT_LOOKING && !look_for_python()))
		return;
	if (!python_api_is_ours() || (python_api_minor() == 8 && !is_plainly_running()))
		return;
	if (__atomic_exchange_n(&queued, 1, __ATOMIC_ACQ_REL))
		return;
	if (py.Py_AddPendingCall(boot, NULL) < 0)
		__atomic_store_n(&queued, 0, __ATOMIC_RELEASE);
}

bool python_boot_fork_site(struct fork_site *site)
{
	int seen = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);

	if (seen == BOOT_CLOSED || (seen == BOOT_LOOKING && !look_for_python()))
		return false;
	if (!python_api_is_ours() || py.PyErr_Occurred())
		return false;
	python_site_find(site);
	site->claimed = false; /* nobody is there to claim the child */
	return site->text[0] != '\0';
}

/* A call that was queued in the parent may or may not be in the child's queue: boot() counts on
 * neither. */
void python_boot_forked(void)
{
	/* Looking takes the loader's lock, which a thread of the parent may have held. */
	if (!thread_is_alone())
		looks = LOOKS;
	__atomic_store_n(&queued, 0, __ATOMIC_RELEASE);
}
