"""The Python hook under test without the shim: its files as modules, and a `shim` that records.

    shim = recorder.start()          # follows torch in this process
    shim.calls                       # [("pool_begin", 1, {...}), ("next_begin", 1), ...]
"""
import ctypes
import os
import pathlib
import sys
import types

PYTHON = pathlib.Path(os.environ["SRC"]) / "inject" / "python"
STAGES = ("OTHER", "TRAIN", "SANITY", "VALIDATE", "TEST", "PREDICT")
SPEC = ("stage", "start", "flags", "epoch", "workers", "batch_size", "prefetch", "expected",
        "label", "dataset", "origin", "framework")

# In the shim this is C and has no frame; here its frames look like torch's own, which are skipped.
AROUND = '''
def guarded(function, *args):
    try:
        return function(*args)
    except Exception as error:
        shim.drops.append(repr(error))
        return False

def around(function, before, after):
    def call(*args, **kwargs):
        wanted = guarded(before, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            if wanted is not None:
                guarded(after, args, type(error))
            raise
        if wanted is not None:
            guarded(after, args, None)
        return result
    return call
'''


def variable(frame, names, index):
    """What shim.values does in C, for the versions this may run with."""
    if sys.version_info >= (3, 13):
        return frame.f_locals.get(names[index])
    if sys.version_info >= (3, 12):
        get = ctypes.pythonapi.PyFrame_GetVar
        get.restype, get.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.py_object]
        try:
            return get(frame, names[index])
        except NameError:
            return None
    assert sys.version_info >= (3, 11)
    inner = ctypes.c_void_p.from_address(id(frame) + 24).value
    slot = inner + 72 + 8 * index
    if not ctypes.c_void_p.from_address(slot).value:
        return None
    value = ctypes.py_object.from_address(slot).value
    try:
        return value.cell_contents if isinstance(value, types.CellType) else value
    except ValueError:  # an empty cell
        return None


class Shim:
    """Records the calls of the hook; raises on a number of them when told to."""

    NONE, FORK, SPAWN, FORKSERVER, THREAD = range(5)
    PERSISTENT, STATEFUL, NAMED, GROUP = 1, 2, 4, 8
    UNKNOWN = -1
    INSTALLED, HOOKED, REFUSED = 2, 3, 4
    KEPT_PERSISTENT, KEPT_STATEFUL, KEPT_NEEDED = 1, 2, 3
    RELEASED, RELEASE = 0, False
    LABEL_BYTES, ORIGIN_BYTES, REASON_BYTES, TEXT_BYTES = 64, 160, 128, 40

    def __init__(self):
        for value, name in enumerate(STAGES):
            setattr(self, name, value)
        self.calls, self.drops, self.pools, self.states = [], [], 0, []
        self.failing = ()  # names of calls that raise
        scope = {"__name__": "torch._around", "shim": self}
        exec(compile(AROUND, "<around>", "exec"), scope)
        self.around = scope["around"]
        self.method = ctypes.pythonapi.PyInstanceMethod_New
        self.method.restype, self.method.argtypes = ctypes.py_object, [ctypes.py_object]

    def dropped(self):
        self.drops.append(repr(sys.exc_info()[1]))

    def values(self, frame, names):
        return tuple(variable(frame, names, i) for i in range(len(names)))

    def site(self):
        return b""

    def forking(self):
        pass

    def forked(self):
        pass

    def state(self, code, reason):
        self.states.append((code, reason.decode()))

    def when_gone(self, live, key, pool):
        return lambda _: live.pop(key, None) and self.pool_end(pool)

    def pool_begin(self, pool, *spec):
        self.fail("pool_begin")
        self.pools += 1
        spec = {key: value.decode() if isinstance(value, bytes) else value
                for key, value in zip(SPEC, spec)}
        spec["stage"] = STAGES[spec["stage"]].lower()
        self.calls.append(("pool_begin", self.pools, spec))
        pool.number = self.pools

    def next_end(self, pool, batches):
        self.fail("next_end")
        self.calls.append(("next_failed", pool) if batches < 0 else ("next_end", pool, batches))
        return max(batches, 0)

    def fail(self, name):
        if name in self.failing:
            raise RuntimeError(f"forced in {name}")

    def __getattr__(self, name):
        def record(*args):
            self.fail(name)
            self.calls.append((name, *args))
        if name.startswith(("pool_", "next_", "phase_", "release_")):
            return record
        raise AttributeError(name)

    # -- what the tests ask ----------------------------------------------------------------

    def begun(self, **wanted):
        """The specs of the pools born so far, by number."""
        found = {number: spec for name, number, *rest in self.calls if name == "pool_begin"
                 for spec in rest}
        return {n: s for n, s in found.items() if all(s[k] == v for k, v in wanted.items())}

    def of(self, pool):
        """Names of the calls on one pool, in order, deliveries counted: next*4."""
        names = []
        for name, number, *rest in self.calls:
            if number != pool or name == "next_begin":
                continue
            name = {"next_end": "next" if rest and rest[0] else "end of next"}.get(name, name)
            if names and names[-1][0] == name:
                names[-1][1] += 1
            else:
                names.append([name, 1])
        return [name if count == 1 else f"{name}*{count}" for name, count in names]

    def at(self, name, pool):
        return self.calls.index(next(c for c in self.calls if c[:2] == (name, pool)))


def modules(shim):
    """load() of the hook: each file as a module outside sys.modules."""
    loaded = {}

    def load(name):
        if name not in loaded:
            module = loaded[name] = types.ModuleType(f"loopmem.{name}")
            module.shim, module.load = shim, load
            source = (PYTHON / f"{name}.py").read_text()
            exec(compile(source, f"<loopmem>/{name}.py", "exec"), module.__dict__)
        return loaded[name]
    return load


def start():
    shim = Shim()
    shim.load = modules(shim)
    assert shim.load("hook").install()
    return shim
