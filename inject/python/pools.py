"""pools.py: the life of every data-loader iterator, told to the shim as the life of a pool.

    _BaseDataLoaderIter.__init__      born       before the first worker is forked
    _reset(first_iter=True)           started    the workers have pids
    _next_data                        asked, answered; the last batch makes it exhausted
    _reset(first_iter=False)          started    again: persistent workers, the next epoch
    _shutdown_workers                 ending, ended

Each function here runs inside wrappers.around: before or after torch's own method, never instead of
it, with the shim's guard raised, and what it raises is swallowed and counted. A signal handler of
the user's may raise at any call in it: then the second half of each pair runs, perhaps twice.
"""
import _weakref
import posix

faults = load("faults")
stages = load("stages")
frames = load("frames")
wrappers = load("wrappers")
processes = load("processes")

FAILED = -1  # next_end: neither a batch nor the end
live = {}  # id of the iterator: its Pool. Emptied in a forked child: those are the parent's.
followed = set()  # weak references to the classes whose methods have our calls around them
wrapped = set()  # (weak reference to a class, name) of those methods


class Pool:
    """What is known of one live iterator. Holds no reference to it or to its loader."""

    __slots__ = ("number", "key", "iterator", "processes", "stage", "trainer", "limit", "expected",
                 "taken", "exhausted", "kept", "noted", "busy", "gone")

    def __init__(self, iterator, loader, place):
        self.number = 0  # set by pool_begin
        self.key = id(iterator)
        self.processes = loader.num_workers
        self.kept, self.noted = kept(loader), False
        self.busy = set()  # methods of it that run now: those of a base class do not count again
        self.gone = False  # ended inside next
        self.begin_use(place)

    def begin_use(self, place):
        self.stage = place.stage
        self.trainer = None if place.trainer is None else id(place.trainer)
        self.limit, self.expected = place.limit, place.expected
        self.taken = 0
        self.exhausted = False


def enter(args, method):
    """The pool of an iterator when a method of it begins that is not inside itself, else None."""
    pool = live.get(id(args[0]))
    if pool is None or method in pool.busy:
        return None
    pool.busy.add(method)
    return pool


def leave(args, method):
    """The same when it ended; None when that was seen already."""
    pool = live.get(id(args[0]))
    if pool is None or method not in pool.busy:
        return None
    return pool


def argument(args, kwargs, position, name, default=None):
    return args[position] if len(args) > position else kwargs.get(name, default)


# -- birth ------------------------------------------------------------------------------------

def started_by(loader):
    """How the workers of a loader come to life."""
    if not loader.num_workers:
        return shim.NONE
    if getattr(loader, "worker_method", None) == "thread":
        return shim.THREAD
    context = loader.multiprocessing_context
    return processes.started_as(context.get_start_method(allow_none=True) if context else None)


def is_stateful(loader):
    return all(hasattr(type(loader), name) for name in ("state_dict", "load_state_dict"))


def per_batch(loader):
    size = frames.fields(loader).get("batch_size")
    if size is None:
        size = frames.fields(frames.fields(loader).get("batch_sampler")).get("batch_size")
    return size if type(size) is int else None


def kept(loader):
    """Why the workers of a loader are not released early, 0 = no reason."""
    if loader.num_workers and loader.persistent_workers:
        return shim.KEPT_PERSISTENT
    return shim.KEPT_STATEFUL if is_stateful(loader) else 0


def flags(loader, place):
    persistent = loader.num_workers and loader.persistent_workers
    return ((shim.PERSISTENT if persistent else 0)
            | (shim.STATEFUL if is_stateful(loader) else 0)
            | (shim.NAMED if place.named else 0))


def where(loader):
    """stages.place, or nothing known: a pool without a name is better than none."""
    try:
        return stages.place(loader)
    except Exception as error:
        faults.swallow(error)
        return stages.Place()


def born(args, kwargs):
    iterator, loader = args[0], argument(args, kwargs, 1, "loader")
    adopt(type(iterator))
    place = where(loader)
    settle(place)
    pool = Pool(iterator, loader, place)
    if pool.key in live:  # one at the same address that ended without telling
        end(live[pool.key])
    live[pool.key] = pool
    shim.pool_begin(
        pool, place.stage, started_by(loader), flags(loader, place), unknown(place.epoch),
        pool.processes, unknown(per_batch(loader)), unknown(prefetched(loader)),
        unknown(place.expected), text(place.label, shim.LABEL_BYTES),
        text(type(loader.dataset).__name__, shim.LABEL_BYTES),
        text(place.origin, shim.ORIGIN_BYTES), text(place.framework, shim.TEXT_BYTES))
    if not pool.number:  # the table is full
        del live[pool.key]
        return None
    tells = hasattr(type(iterator), "_shutdown_workers")
    pool.iterator = _weakref.ref(
        iterator, None if tells else shim.when_gone(live, pool.key, pool.number))
    return pool


def conceived(args, failed):
    pool = live.get(id(args[0]))
    if pool is not None and (failed is not None or not pool.number):
        end(pool)


def prefetched(loader):
    return loader.prefetch_factor if loader.num_workers else None


def text(string, size):
    """A string as bytes that fit a field of the segment with its zero, cut between characters."""
    encoded = string.encode("utf-8", "backslashreplace").replace(b"\0", b"?")[: size - 1]
    return encoded.decode("utf-8", "ignore").encode()


def unknown(value):
    return shim.UNKNOWN if value is None else value


# -- workers, re-use --------------------------------------------------------------------------

def starting(args, kwargs):
    pool = enter(args, "_reset")
    if pool is None:
        return None
    iterator, loader = args[0], argument(args, kwargs, 1, "loader")
    if argument(args, kwargs, 2, "first_iter", False):
        for index, worker in enumerate(iterator._workers):
            pid = getattr(worker, "pid", None)
            if pid:
                shim.pool_worker(pool.number, pid, index)
    else:
        place = where(loader)
        settle(place)
        pool.begin_use(place)
        shim.pool_reuse(pool.number, place.stage, unknown(place.epoch))
        shim.pool_expect(pool.number, unknown(place.expected))
    return pool


def started(args, failed):
    pool = leave(args, "_reset")
    if pool is not None:
        pool.busy.discard("_reset")


# -- delivery ---------------------------------------------------------------------------------

def asked(args, kwargs):
    pool = enter(args, "_next_data")
    if pool is not None:
        shim.next_begin(pool.number)
    return pool


def answered(args, failed):
    pool = leave(args, "_next_data")
    if pool is None:
        return
    if failed is None:
        pool.taken += shim.next_end(pool.number, 1)
        pool.busy.discard("_next_data")
        if not pool.exhausted and is_over(pool, args[0]):
            exhaust(pool)
            release(pool, args[0])
    elif issubclass(failed, StopIteration):
        shim.next_end(pool.number, 0)
        exhaust(pool)
    else:
        shim.next_end(pool.number, FAILED)
    if pool.gone:
        end(pool)
    pool.busy.discard("_next_data")


def is_over(pool, iterator):
    """Whether the batch just handed out was the last: the loop's limit is met, or every task sent
    to a worker has come back (torch sends more as long as its sampler has more). A length that we
    worked out ourselves is good enough only where no workers would be ended for it."""
    limit = pool.limit if pool.processes else pool.expected
    if limit is not None and pool.taken >= limit:
        return True
    if not pool.processes:
        return False
    working = iterator._workers_status
    for task in iterator._task_info.values():
        if len(task) == 2 or working[task[0]]:
            return False
    return True


def exhaust(pool):
    if not pool.exhausted:
        pool.exhausted = True
        shim.pool_exhausted(pool.number)


def settle(place):
    """A loader starts while a trainer has a train pool: if its epoch was told to stop nobody asks that
    one again, else it is needed after this validation."""
    for pool in list(live.values()) if place.trainer is not None else ():
        if pool.trainer != id(place.trainer) or pool.stage != shim.TRAIN or pool.exhausted:
            continue
        if place.train_over:
            exhaust(pool)
            release(pool, pool.iterator())
        elif place.stage == shim.VALIDATE:
            keep(pool, shim.KEPT_NEEDED)


# -- the end ----------------------------------------------------------------------------------

def release(pool, iterator):
    """With --release-idle-workers: ends the workers of an exhausted pool as torch itself would at a
    further next(), which then finds nothing left. Persistent and stateful ones stay, said once."""
    if not shim.RELEASE or not pool.processes or iterator is None:
        return
    if pool.kept:
        keep(pool, pool.kept)
        return
    shim.release_note(pool.number, shim.RELEASED)
    iterator._shutdown_workers()
    iterator._task_info.clear()
    iterator._rcvd_idx = iterator._send_idx


def keep(pool, why):
    """Says once why the workers of a pool stay, where the option asks to end them."""
    if shim.RELEASE and pool.processes and not pool.noted:
        shim.release_note(pool.number, why)
        pool.noted = True


def ending(args, kwargs):
    pool = enter(args, "_shutdown_workers")
    if pool is None:
        return None
    if "_next_data" in pool.busy:
        exhaust(pool)
    shim.pool_closing(pool.number)
    return pool


def ended(args, failed):
    pool = leave(args, "_shutdown_workers")
    if pool is None:
        return
    if getattr(args[0], "_shutdown", True):  # else Python is exiting: torch left them alone
        if "_next_data" in pool.busy:
            pool.gone = True
        else:
            end(pool)
    pool.busy.discard("_shutdown_workers")


def end(pool):
    if live.get(pool.key) is pool:
        shim.pool_end(pool.number)
        del live[pool.key]


# -- the methods ------------------------------------------------------------------------------

DELIVERY = (("_next_data", asked, answered),)
WORKERS = DELIVERY + (("_reset", starting, started), ("_shutdown_workers", ending, ended))


def wrap(cls, name, before, after):
    """Puts our calls around a method where its class or a base class defines it."""
    owner = next(base for base in cls.__mro__ if name in base.__dict__)
    key = (_weakref.ref(owner), name)
    if key not in wrapped:
        wrapped.add(key)
        setattr(owner, name, wrappers.around(owner.__dict__[name], before, after))


def adopt(cls):
    """Follows one more class of iterators: torch's own, or one derived from them elsewhere."""
    if _weakref.ref(cls) not in followed:
        followed.add(_weakref.ref(cls))
        for name, before, after in WORKERS if hasattr(cls, "_shutdown_workers") else DELIVERY:
            wrap(cls, name, before, after)


def follow(base, classes):
    wrap(base, "__init__", born, conceived)
    for cls in classes:
        adopt(cls)
    posix.register_at_fork(after_in_child=live.clear)
