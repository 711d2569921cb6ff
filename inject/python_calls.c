/*
 * python_calls.c: the module `shim`. Each function takes plain numbers and bytes, calls loopmem.h,
 * and returns None; a wrong argument raises, and is then counted like any other fault of the hook.
 */
#include "inject/python_calls.h"

#include <stddef.h>
#include <stdlib.h>

#include "inject/bare.h"
#include "inject/loopmem.h"
#include "inject/pools.h"
#include "inject/python_around.h"
#include "inject/python_frame.h"
#include "inject/python_site.h"
#include "inject/segment.h"
#include "inject/self.h"
#include "inject/text.h"
#include "inject/thread.h"

static PyObject *none(void)
{
	py.Py_IncRef(python_none());
	return python_none();
}

/* Sets `number` of the given object: a signal handler may raise before a caller could do it. */
static PyObject *call_pool_begin(PyObject *self, PyObject *args)
{
	struct loopmem_pool_spec spec = {0};
	int stage, start, flags, failed;
	long long expected;
	PyObject *object, *number;
	const char *framework;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "OiiiiiiiLyyyy", &object, &stage, &start, &flags,
				 &spec.epoch, &spec.workers, &spec.batch_size, &spec.prefetch,
				 &expected, &spec.label, &spec.dataset, &spec.origin, &framework))
		return NULL;
	spec.stage = (enum loopmem_stage)stage;
	spec.start = (enum loopmem_start)start;
	spec.flags = (uint32_t)flags;
	spec.expected_batches = expected;
	number = py.PyLong_FromLong(pools_begin(&spec, framework));
	failed = !number || py.PyObject_SetAttrString(object, "number", number);
	if (number)
		py.Py_DecRef(number);
	return failed ? NULL : none();
}

static PyObject *call_pool_worker(PyObject *self, PyObject *args)
{
	int pool, pid, worker_id;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "iii", &pool, &pid, &worker_id))
		return NULL;
	loopmem_pool_worker((loopmem_pool)pool, pid, worker_id);
	return none();
}

static PyObject *call_pool_expect(PyObject *self, PyObject *args)
{
	int pool;
	long long batches;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "iL", &pool, &batches))
		return NULL;
	loopmem_pool_expect((loopmem_pool)pool, batches);
	return none();
}

static PyObject *call_pool_reuse(PyObject *self, PyObject *args)
{
	int pool, stage, epoch;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "iii", &pool, &stage, &epoch))
		return NULL;
	pools_reused((loopmem_pool)pool, (enum loopmem_stage)stage, epoch);
	return none();
}

/* next_end(pool, batches) when this thread is in that pool's next; batches < 0: it failed. Returns
 * how many batches were handed out. A second call for the same next does nothing. */
static PyObject *call_next_end(PyObject *self, PyObject *args)
{
	int pool, batches;
	bool inside;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "ii", &pool, &batches))
		return NULL;
	inside = pool && thread.pool == (loopmem_pool)pool;
	if (inside && batches < 0)
		pools_next_failed((loopmem_pool)pool);
	else if (inside)
		loopmem_next_end((loopmem_pool)pool, (uint32_t)batches);
	return py.PyLong_FromLong(inside && batches > 0 ? batches : 0);
}

static PyObject *call_release_note(PyObject *self, PyObject *args)
{
	int pool, why_not;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "ii", &pool, &why_not))
		return NULL;
	pools_released((loopmem_pool)pool, (enum loopmem_release)why_not);
	return none();
}

static PyObject *on_pool(PyObject *args, void (*function)(loopmem_pool))
{
	int pool;

	if (!py.PyArg_ParseTuple(args, "i", &pool))
		return NULL;
	function((loopmem_pool)pool);
	return none();
}

#define ON_POOL(name, function)                               \
	static PyObject *name(PyObject *self, PyObject *args) \
	{                                                     \
		(void)self;                                   \
		return on_pool(args, function);               \
	}
ON_POOL(call_next_begin, loopmem_next_begin)
ON_POOL(call_pool_exhausted, loopmem_pool_exhausted)
ON_POOL(call_pool_closing, loopmem_pool_closing)
ON_POOL(call_pool_end, loopmem_pool_end)

/* The call of a weak reference whose iterator is gone. Built in, so that no signal handler of the
 * user can raise in it: what is raised there is lost. */
static PyObject *call_gone(PyObject *self, PyObject *reference)
{
	PyObject *live, *key;
	int pool;

	(void)reference;
	if (!py.PyArg_ParseTuple(self, "OOi", &live, &key, &pool))
		return NULL;
	if (py.PyDict_DelItem(live, key) == 0)
		loopmem_pool_end((loopmem_pool)pool);
	else
		py.PyErr_Clear();
	return none();
}

/* when_gone(live, key, pool): takes the pool out of `live` and ends it, when called. */
static PyObject *call_when_gone(PyObject *self, PyObject *args)
{
	static struct python_method gone = {"gone", call_gone, PYTHON_ONE, NULL};

	(void)self;
	return py.PyCFunction_NewEx(&gone, args, NULL);
}

static PyObject *call_phase_begin(PyObject *self, PyObject *args)
{
	int stage, epoch;
	const char *name;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "iiy", &stage, &epoch, &name))
		return NULL;
	loopmem_phase_begin((enum loopmem_stage)stage, epoch, name);
	return none();
}

static PyObject *call_phase_end(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	loopmem_phase_end();
	return none();
}

/* A fault that the hook caught itself. */
static PyObject *call_dropped(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	self_drop(LOOPMEM_DROP_HOOK);
	return none();
}

/* site(): the line of the user's code that runs, b"" when there is none. */
static PyObject *call_site(PyObject *self, PyObject *args)
{
	struct fork_site site;

	(void)self;
	(void)args;
	python_site_find(&site);
	return py.PyBytes_FromString(site.text);
}

/* For os.register_at_fork, where an exception would be printed and lost: these raise none. */
static PyObject *call_forking(PyObject *self, PyObject *args)
{
	struct fork_site site;

	(void)self;
	(void)args;
	guard_enter();
	python_site_find(&site);
	fork_site_announce(&site);
	guard_leave();
	return none();
}

static PyObject *call_forked(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	fork_site_announce(NULL);
	return none();
}

static PyObject *call_state(PyObject *self, PyObject *args)
{
	struct loopmem_segment *segment = self_segment;
	int state;
	const char *reason;

	(void)self;
	if (!py.PyArg_ParseTuple(args, "iy", &state, &reason))
		return NULL;
	text_copy(segment->python_reason, sizeof(segment->python_reason), reason);
	__atomic_store_n(&segment->python_state, (uint32_t)state, __ATOMIC_RELEASE);
	if (state == LOOPMEM_PYTHON_HOOKED)
		bare_announce(); /* to workers that are spawned before their pool is known */
	return none();
}

/* As in PyMethodDef: ends with a row of zeros. */
static struct python_method methods[] = {
	{"pool_begin", call_pool_begin, PYTHON_VARARGS, NULL},
	{"pool_worker", call_pool_worker, PYTHON_VARARGS, NULL},
	{"pool_expect", call_pool_expect, PYTHON_VARARGS, NULL},
	{"pool_exhausted", call_pool_exhausted, PYTHON_VARARGS, NULL},
	{"pool_reuse", call_pool_reuse, PYTHON_VARARGS, NULL},
	{"pool_closing", call_pool_closing, PYTHON_VARARGS, NULL},
	{"pool_end", call_pool_end, PYTHON_VARARGS, NULL},
	{"when_gone", call_when_gone, PYTHON_VARARGS, NULL},
	{"next_begin", call_next_begin, PYTHON_VARARGS, NULL},
	{"next_end", call_next_end, PYTHON_VARARGS, NULL},
	{"phase_begin", call_phase_begin, PYTHON_VARARGS, NULL},
	{"phase_end", call_phase_end, PYTHON_NOARGS, NULL},
	{"release_note", call_release_note, PYTHON_VARARGS, NULL},
	{"site", call_site, PYTHON_NOARGS, NULL},
	{"forking", call_forking, PYTHON_NOARGS, NULL},
	{"forked", call_forked, PYTHON_NOARGS, NULL},
	{"dropped", call_dropped, PYTHON_NOARGS, NULL},
	{"state", call_state, PYTHON_VARARGS, NULL},
	{"around", python_around, PYTHON_VARARGS, NULL},
	{"method", python_method, PYTHON_VARARGS, NULL},
	{"values", python_frame_values, PYTHON_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static const struct {
	const char *name;
	long value;
} constants[] = {
	{"OTHER", LOOPMEM_STAGE_OTHER},
	{"TRAIN", LOOPMEM_STAGE_TRAIN},
	{"SANITY", LOOPMEM_STAGE_SANITY},
	{"VALIDATE", LOOPMEM_STAGE_VALIDATE},
	{"TEST", LOOPMEM_STAGE_TEST},
	{"PREDICT", LOOPMEM_STAGE_PREDICT},
	{"NONE", LOOPMEM_START_NONE},
	{"FORK", LOOPMEM_START_FORK},
	{"SPAWN", LOOPMEM_START_SPAWN},
	{"FORKSERVER", LOOPMEM_START_FORKSERVER},
	{"THREAD", LOOPMEM_START_THREAD},
	{"PERSISTENT", LOOPMEM_POOL_PERSISTENT},
	{"STATEFUL", LOOPMEM_POOL_STATEFUL},
	{"NAMED", LOOPMEM_POOL_NAMED},
	{"GROUP", LOOPMEM_POOL_GROUP},
	{"UNKNOWN", LOOPMEM_UNKNOWN},
	{"LABEL_BYTES", LOOPMEM_LABEL},
	{"ORIGIN_BYTES", LOOPMEM_ORIGIN},
	{"TEXT_BYTES", LOOPMEM_TEXT},
	{"REASON_BYTES", LOOPMEM_REASON},
	{"INSTALLED", LOOPMEM_PYTHON_INSTALLED},
	{"HOOKED", LOOPMEM_PYTHON_HOOKED},
	{"REFUSED", LOOPMEM_PYTHON_REFUSED},
	{"RELEASED", LOOPMEM_RELEASED},
	{"KEPT_PERSISTENT", LOOPMEM_KEPT_PERSISTENT},
	{"KEPT_STATEFUL", LOOPMEM_KEPT_STATEFUL},
	{"KEPT_NEEDED", LOOPMEM_KEPT_NEEDED},
};

PyObject *python_calls_module(void)
{
	PyObject *module = py.PyModule_New("loopmem.shim");
	const char *release = secure_getenv("LOOPMEM_RELEASE");
	int failed = !module || py.PyModule_AddFunctions(module, methods);

	for (size_t i = 0; !failed && i < sizeof(constants) / sizeof(constants[0]); i++)
		failed = py.PyModule_AddIntConstant(module, constants[i].name, constants[i].value);
	failed = failed ||
		 py.PyModule_AddIntConstant(module, "RELEASE", release && release[0] == '1');
	if (failed && module)
		py.Py_DecRef(module);
	return failed ? NULL : module;
}
