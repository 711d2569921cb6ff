"""hook.py: finds torch's data loaders and puts the calls of pools.py around four of their methods,
and multiprocessing for processes.py.

Runs inside the user's program, started by python_boot.c, which gives every file here two names:
`shim` (the C functions of python_calls.c) and `load` (gives another file here as a module).
No module of ours is in sys.modules and nothing but `sys` and built-in modules is imported before
torch or multiprocessing is; nor are files compiled here before, since every program of Python pays for
those. What torch has to look like is checked first; if it does not, nothing of it is touched.
"""
import posix
import sys

faults = load("faults")
wrappers = load("wrappers")

TARGET = "torch.utils.data.dataloader"
STARTS = "multiprocessing.process"
EXECUTORS = ("concurrent.futures.process", "loky.process_executor",
             "joblib.externals.loky.process_executor")

# class, method, its first arguments, names that its code must use. All of it or none.
NEEDED = (
    ("_BaseDataLoaderIter", "__init__", ("self", "loader"), ()),
    ("_BaseDataLoaderIter", "__next__", ("self",), ("_next_data",)),
    ("_SingleProcessDataLoaderIter", "_next_data", ("self",), ()),
    ("_MultiProcessingDataLoaderIter", "__init__", ("self", "loader"), ("_workers", "_reset")),
    ("_MultiProcessingDataLoaderIter", "_next_data", ("self",),
     ("_task_info", "_workers_status", "_shutdown_workers")),
    ("_MultiProcessingDataLoaderIter", "_reset", ("self", "loader", "first_iter"),
     ("_task_info", "_rcvd_idx", "_send_idx")),
    ("_MultiProcessingDataLoaderIter", "_shutdown_workers", ("self",), ("_shutdown",)),
    ("_MultiProcessingDataLoaderIter", "__del__", ("self",), ("_shutdown_workers",)),
)


def missing(module):
    """What the feature tests do not find in torch's loader module, None if all is there."""
    for class_name, method, arguments, names in NEEDED:
        cls = getattr(module, class_name, None)
        code = getattr(getattr(cls, "__dict__", {}).get(method), "__code__", None)
        if code is None:
            return f"{class_name}.{method}"
        if code.co_varnames[: len(arguments)] != arguments:
            return f"{class_name}.{method}({', '.join(arguments)})"
        for name in names:
            if name not in code.co_names:
                return f"{name} in {class_name}.{method}"
    return None


def follow(module):
    """Puts our calls around the methods of a freshly imported loader module."""
    what = missing(module)
    version = f"torch {getattr(sys.modules.get('torch'), '__version__', '?')}"
    if what:
        shim.state(shim.REFUSED, f"{version} has no {what}".encode())
        return
    pools = load("pools")
    pools.follow(module._BaseDataLoaderIter, (
        module._SingleProcessDataLoaderIter, module._MultiProcessingDataLoaderIter))
    load("processes").loaders = pools.live
    shim.state(shim.HOOKED, version.encode())


def follow_starts(module):
    load("processes").follow_starts(module)


def follow_executor(module):
    load("processes").follow_executor(module)


class Finder:
    """First in sys.meta_path until one module is imported: lets the others find it, and follows it
    when its code has run. Finds nothing itself."""

    def __init__(self, wanted, follower):
        self.wanted, self.follower = wanted, follower

    def find_spec(self, name, path=None, target=None):
        if name != self.wanted:
            return None
        try:
            spec = self.others(name, path, target)
            if spec is not None and hasattr(spec.loader, "exec_module"):
                self.attach(spec.loader)
            return spec
        except Exception as error:
            faults.swallow(error)
            return None

    def others(self, name, path, target):
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            if finder is not self and find is not None:
                spec = find(name, path, target)
                if spec is not None:
                    return spec
        return None

    def attach(self, loader):
        def executed(args, failed):
            if vars(loader).pop("exec_module", None) is None:
                return
            if failed is None:
                sys.meta_path.remove(self)
                self.follower(args[0])

        loader.exec_module = wrappers.around(
            loader.exec_module, lambda args, kwargs: True, executed)


def await_module(name, follower):
    """Follows a module now or when it is imported. False: it is being imported at this moment."""
    module = sys.modules.get(name)
    if module is None:
        if not any(type(finder) is Finder and finder.wanted == name for finder in sys.meta_path):
            sys.meta_path.insert(0, Finder(name, follower))
    elif getattr(getattr(module, "__spec__", None), "_initializing", False):
        return False
    else:
        follower(module)
    return True


def install():
    """Follows what there is to follow now or when it is imported. False: ask again later."""
    load("phases").publish()
    shim.state(shim.INSTALLED, b"")
    followers = {STARTS: follow_starts, TARGET: follow}
    followers.update((name, follow_executor) for name in EXECUTORS)
    return all([await_module(name, follower) for name, follower in followers.items()])


posix.register_at_fork(before=shim.forking, after_in_parent=shim.forked)
