"""follow.py: finds torch's data loaders and puts the calls of pools.py around four of their methods,
and multiprocessing for processes.py.

Compiled when one of hook.WANTED is imported. What torch has to look like is checked first; if it does
not, nothing of it is touched.
"""
import sys

faults = load("faults")
wrappers = load("wrappers")

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


def loaders(module):
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


def starts(module):
    load("processes").follow_starts(module)


def executor(module):
    load("processes").follow_executor(module)


FOLLOWED = {
    "torch.utils.data.dataloader": loaders,
    "multiprocessing.process": starts,
    "concurrent.futures.process": executor,
    "loky.process_executor": executor,
    "joblib.externals.loky.process_executor": executor,
}


def follow(finder, name, module):
    finder.wanted.discard(name)
    if not finder.wanted:
        sys.meta_path[:] = [other for other in sys.meta_path if other is not finder]
    FOLLOWED[name](module)


def follow_present(finder, present):
    """Follows modules that are imported already. False: one is being imported at this moment."""
    ready = [name for name in present
             if not getattr(getattr(sys.modules[name], "__spec__", None), "_initializing", False)]
    for name in ready:
        follow(finder, name, sys.modules[name])
    return ready == present


def found(finder, name, path, target):
    """The spec that the other finders have for a module; follow() is called when it has run."""
    for other in list(sys.meta_path):
        find = getattr(other, "find_spec", None)
        spec = None if other is finder or find is None else find(name, path, target)
        if spec is not None:
            if hasattr(spec.loader, "exec_module"):
                attach(finder, name, spec.loader)
            return spec
    return None


def attach(finder, name, loader):
    def executed(args, failed):
        if vars(loader).pop("exec_module", None) is not None and failed is None:
            follow(finder, name, args[0])

    loader.exec_module = wrappers.around(
        loader.exec_module, lambda args, kwargs: True, executed)
