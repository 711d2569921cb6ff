"""processes.py: our calls around the start of processes: workers of data loaders are pools.py's, all others go to
groups.py. Each function here runs inside wrappers.around, see pools.py.
"""
import sys

frames = load("frames")
wrappers = load("wrappers")

STARTS = {"fork": shim.FORK, "spawn": shim.SPAWN, "forkserver": shim.FORKSERVER, "loky": shim.SPAWN}

# Packages between the user's line and the start of a process.
BETWEEN = frozenset("multiprocessing concurrent joblib loky torch torchdata threading contextlib".split())

loaders = {}  # iterators of torch's that live, by id: follow.py puts those of pools.py here
followed = set()  # names of modules whose methods have our calls around them


def started_as(name):
    """The constant of a start method; None: the program's default, which asking would settle."""
    if name is None:
        default = sys.modules["multiprocessing"].context._default_context
        name = default.get_start_method(allow_none=True)
        if name is None:
            name = default._default_context.get_start_method(allow_none=True)
    return STARTS.get(name, shim.FORK)


def is_loaders():
    """Whether an iterator of torch's starts the process: it is among the frames up to the user's own."""
    for frame in frames.callers():
        module = frame.f_globals.get("__name__")
        package = module.partition(".")[0] if type(module) is str else ""
        if package not in BETWEEN and not frame.f_code.co_filename.startswith("<loopmem>"):
            return False
        if id(frames.owner(frame, dict(frames.variables(frame)))) in loaders:
            return True
    return False


def starting(args, kwargs):
    return None if loaders and is_loaders() else load("groups").starting(args[0])


def started(args, failed):
    load("groups").started(args[0])


def making(args, kwargs):
    load("groups").making(args[0])


def wrap(cls, name, before, after):
    setattr(cls, name, wrappers.around(cls.__dict__[name], before, after))


def follow_starts(module):
    cls = getattr(module, "BaseProcess", None)
    if module.__name__ in followed or "start" not in getattr(cls, "__dict__", {}):
        return
    followed.add(module.__name__)
    wrap(cls, "start", starting, started)


def follow_executor(module):
    cls = getattr(module, "ProcessPoolExecutor", None)
    if module.__name__ in followed or "__init__" not in getattr(cls, "__dict__", {}):
        return
    followed.add(module.__name__)
    wrap(cls, "__init__", making, lambda args, failed: None)
