"""groups.py: processes that a program starts for itself, told to the shim as groups: pools that hand out
no batches.

    multiprocessing.Pool, an executor    one group each, whatever replaces its workers later
    Process(...).start(), a manager      one group for each line that starts them
    plain os.fork                        not here: the shim notes its line, the collector groups

Loaded when the first such process is started, or the first executor made: what is called comes from processes.py.
"""
import _weakref
import posix
import sys

frames = load("frames")
processes = load("processes")
users = load("users")

# What the outermost package between the user's line and the start of a process, if it is listed here, makes of it.
KINDS = {
    "multiprocessing.pool": "Pool",
    "multiprocessing.managers": "Manager",
    "concurrent.futures.process": "ProcessPoolExecutor",
    "loky.process_executor": "loky",
    "joblib.externals.loky.process_executor": "loky",
    "joblib.parallel": "joblib",
    "torch.multiprocessing.spawn": "spawn",
}
EXECUTORS = [name for name in load("hook").WANTED if KINDS.get(name)]

groups = {}  # key: its Group. Emptied in a forked child: those are the parent's
made = {}  # id of an executor: (weak reference to it, the label of the line that made it)
begun = {}  # id of a process that is being started: its Group


class Group:
    """`number` is the pool's, 0 when there was no room; `maker` a weak reference to the object that
    starts the processes, None for those of a line."""

    __slots__ = ("number", "maker", "births", "processes")

    def __init__(self, maker):
        self.number, self.births, self.processes = 0, 0, []
        self.maker = None if maker is None else _weakref.ref(maker)


class Start:
    """What the frames tell of a process that is being started."""

    def __init__(self, kind="Process"):
        self.kind, self.maker, self.workers = kind, None, None
        self.text = self.line = None
        between = True
        for frame in frames.callers():
            module = frame.f_globals.get("__name__")
            module = module if type(module) is str else ""
            package = module.partition(".")[0]
            between = between and (package in processes.BETWEEN or frame.f_code.co_filename.startswith("<loopmem>"))
            if between:
                self.kind = KINDS.get(module, self.kind)
                self.see(module, frame)
            elif package not in processes.BETWEEN and users.is_users(frame, package) and not users.is_installed(
                    frame.f_code.co_filename):
                self.line = users.line(frame)
                break

    def see(self, module, frame):
        if self.maker is not None:
            return
        space = dict(frames.variables(frame))
        owner = frames.owner(frame, space)
        if module == "multiprocessing.pool" and "inqueue" in space:
            self.maker, self.workers = space["inqueue"], space.get("processes")
        elif any(cls.__module__ in EXECUTORS for cls in type(owner).__mro__):
            self.maker, self.workers = owner, frames.fields(owner).get("_max_workers")

    def key(self):
        return self.label() if self.maker is None else id(self.maker)

    def label(self):
        """"Pool prepare.py:12"; of an executor the line that made it, not its first submit()."""
        if self.text is None:
            maker, self.text = made.get(id(self.maker), (lambda: None, ""))
            if self.maker is None or maker() is not self.maker:
                site = self.line or shim.site().decode("utf-8", "replace")
                self.text = f"{self.kind} {site}" if site else self.kind
        return self.text


def making(executor):
    """Notes the line that makes an executor."""
    key = id(executor)
    kinds = [KINDS[cls.__module__] for cls in type(executor).__mro__ if cls.__module__ in EXECUTORS]
    made[key] = _weakref.ref(executor, lambda _: made.pop(key, None)), Start(kinds[-1]).label()


# -- births -----------------------------------------------------------------------------------

def begin(start, process):
    sweep(True)
    group = Group(start.maker)
    workers = start.workers if type(start.workers) is int else shim.UNKNOWN
    shown = start.label()
    shim.pool_begin(
        group, shim.OTHER, processes.started_as(getattr(type(process), "_start_method", None)), shim.GROUP,
        shim.UNKNOWN, workers, shim.UNKNOWN, shim.UNKNOWN, shim.UNKNOWN,
        shown.encode(), b"", shown.partition(" ")[2].encode(), b"")
    return group


def starting(process):
    start = Start()
    key = start.key()
    group = groups.get(key)
    if group is None or (group.maker is not None and group.maker() is not start.maker):
        if group is not None:  # of one at the same address that is gone
            end(key)
        group = begin(start, process)
        if not group.number:
            return None
        groups[key] = group
    begun[id(process)] = group
    return group


def started(process):
    group = begun.pop(id(process), None)
    pid = getattr(frames.fields(process).get("_popen"), "pid", None)
    if group is None or not pid:
        return
    group.processes.append(_weakref.ref(process))
    shim.pool_worker(group.number, pid, group.births)
    group.births += 1
    sweep(False)


# -- the end: when it was exactly, the collector sees by the deaths of the processes -------------------

def sweep(whole):
    """Ends groups that will start nothing more: no process of theirs lives, nor does their maker.
    `whole`: a maker that has no process now is not waited for either. What lives, multiprocessing
    has just looked up itself, at the beginning of start()."""
    alive = {id(child) for child in list(sys.modules["multiprocessing.process"]._children)}
    for key, group in list(groups.items()):
        group.processes = [known for known in group.processes if id(known()) in alive]
        gone = whole or group.maker is None or group.maker() is None
        if gone and not group.processes and group not in begun.values():
            end(key)


def end(key):
    group = groups.pop(key, None)
    if group is not None:
        shim.pool_end(group.number)


posix.register_at_fork(after_in_child=groups.clear)
posix.register_at_fork(after_in_child=begun.clear)
