"""Programs print, return, raise and end under the shim as they do without it."""
import concurrent.futures
import functools
import re
import sys

import shimmed
import tap

HEAD = """
import os, sys, signal, threading, time, warnings, traceback, random
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
class Numbers(Dataset):
    def __init__(self, count, bad=None): self.count, self.bad = count, bad
    def __len__(self):
        print("asked for its length")
        return self.count
    def __getitem__(self, index):
        if index == self.bad: raise ValueError("bad item")
        return torch.tensor(float(index))
"""

# Each ends its process in its own way.
ENDING = {
    "a_dataset_that_raises_in_a_worker": """
for batch in DataLoader(Numbers(8, bad=3), batch_size=2, num_workers=2): print(batch)
""",
    "a_dataset_that_raises_in_the_process": """
for batch in DataLoader(Numbers(8, bad=3), batch_size=2): print(batch)
""",
    "a_user_who_raises_between_batches": """
for batch in DataLoader(Numbers(8), batch_size=2, num_workers=2): raise KeyError("mine")
""",
    "sys_exit_in_a_loop": """
for batch in DataLoader(Numbers(8), batch_size=2, num_workers=2): sys.exit(3)
""",
    # A worker that is orphaned in the middle of a batch may never end, without us too: the kernel ends it.
    "os_exit_in_a_loop": """
import ctypes
trainer = os.getpid()
def end_with_the_trainer(worker):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != trainer: os._exit(0)
for batch in DataLoader(Numbers(8), batch_size=2, num_workers=2, worker_init_fn=end_with_the_trainer):
    print("out", flush=True)
    os._exit(5)
""",
    # It comes in the middle of a wait, so that both stacks are the same.
    "an_interrupt": """
signal.signal(signal.SIGALRM, signal.default_int_handler)
class Slow(Numbers):
    def __getitem__(self, index):
        time.sleep(3 if index else 0)
        return index
for batch in DataLoader(Slow(100), num_workers=1): signal.setitimer(signal.ITIMER_REAL, 1.5)
""",
}

# All run in one process, one after the other.
GOING_ON = {
    "a_run_to_the_end": """
torch.manual_seed(1); random.seed(1)
train_loader = DataLoader(Numbers(8), batch_size=2, shuffle=True, num_workers=2)
for epoch in range(2):
    print([batch.tolist() for batch in train_loader], random.random(), torch.rand(1))
print(sys.exc_info(), sys.modules.keys() & {"loopmem"}, sys.getrefcount(train_loader))
""",
    "a_worker_that_is_killed": """
class Dies(Numbers):
    def __getitem__(self, index): os.kill(os.getpid(), signal.SIGKILL)
try:
    list(DataLoader(Dies(4), num_workers=1))
except RuntimeError as error:
    print(type(error), "pid" in str(error))
""",
    "warnings_name_the_users_line": """
warnings.simplefilter("always")
class Short(IterableDataset):
    def __len__(self): return 1
    def __iter__(self): return iter(range(3))
loader = DataLoader(Short())
len(loader)
for batch in loader: pass
DataLoader(Numbers(4), num_workers=64)
for batch in DataLoader(Numbers(4), pin_memory=True): pass
""",
    "stacks_have_no_frame_of_ours": """
class Looks(Numbers):
    def __getitem__(self, index):
        frame, names = sys._getframe(), []
        while frame: names.append(frame.f_code.co_name); frame = frame.f_back
        return names
print(next(iter(DataLoader(Looks(1), batch_size=None))))
try:
    next(iter(DataLoader(Numbers(2, bad=0))))
except ValueError:
    print([entry.name for entry in traceback.extract_tb(sys.exc_info()[2])])
""",
    "a_profile_and_a_trace_see_nothing": """
seen = set()
def note(frame, event, argument): seen.add((event, frame.f_code.co_filename.rpartition("/")[2]))
loader = DataLoader(Numbers(4), num_workers=1)
sys.setprofile(note); threading.setprofile(note)
for batch in loader: pass
sys.setprofile(None)
print(sorted(file for _, file in seen if "loopmem" in file))
def trace(frame, event, argument): note(frame, event, argument); return trace
sys.settrace(trace)
for batch in loader: pass
sys.settrace(None)
print(sorted(file for _, file in seen if "loopmem" in file))
""",
    "subclasses_and_direct_calls_of_methods": """
from torch.utils.data import dataloader
class Mine(dataloader._MultiProcessingDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        print("born", self._num_workers)
    def _next_data(self):
        data = super()._next_data()
        print("data", data)
        return data
class Loader(DataLoader):
    def _get_iterator(self): return Mine(loader=self)
for batch in Loader(Numbers(3), num_workers=1): pass
iterator = iter(DataLoader(Numbers(4), num_workers=1))
print(next(iterator), iterator._shutdown_workers(), iterator._shutdown)
try: dataloader._SingleProcessDataLoaderIter()
except TypeError as error: print(error)
""",
    "functions_that_are_looked_at": """
import concurrent.futures, inspect, multiprocessing.process, pickle, types
from torch.utils.data import dataloader
iterator = dataloader._MultiProcessingDataLoaderIter
class Executor(concurrent.futures.ProcessPoolExecutor): pass
class Child(multiprocessing.process.BaseProcess): pass
for function in (iterator.__init__, iterator._next_data, dataloader._BaseDataLoaderIter.__init__, Executor.__init__, Child.start):
    print(function.__name__, function.__qualname__, function.__module__, function.__doc__)
    print(inspect.signature(function), inspect.getfullargspec(function), function.__code__.co_argcount, function.__defaults__)
    print(inspect.isfunction(function), isinstance(function, types.FunctionType), callable(function))
    print(len(inspect.getsource(function)), hasattr(function, "nothing"), function.__globals__["__name__"])
    print(pickle.loads(pickle.dumps(function)) is function, str(function).partition(" at ")[0])
live = iter(DataLoader(Numbers(1)))
print(inspect.signature(live._next_data), inspect.ismethod(live._next_data), live._next_data.__self__ is live)
print(inspect.signature(Executor), inspect.signature(iterator))
try: iterator._next_data.nothing
except AttributeError as error: print(error)
""",
    "threads_that_share_an_iterator": """
iterator, lock, got = iter(DataLoader(Numbers(40), num_workers=2)), threading.Lock(), []
def take():
    for _ in range(10):
        with lock: got.append(float(next(iterator)))
threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(got) == [float(x) for x in range(40)])
""",
}

MARK = "==== "
ONE_AFTER_THE_OTHER = f"""
import sys
def run(name, text):
    print("{MARK}" + name, flush=True)
    print("{MARK}" + name, file=sys.stderr, flush=True)
    exec(compile(text, name + ".py", "exec"), {{"__name__": "__main__"}})
    sys.stdout.flush()
"""


def settled(text):
    """Text without what differs between any two runs: pids, addresses, and which of two lines of torch hands a batch
    over (it depends on the worker that is first)."""
    text = re.sub(r'(dataloader\.py", line )\d+(, in _next_data)', r"\1X\2", text)
    return re.sub(r"0x[0-9a-f]+|\(pid\(?s?\)? ?\d+[^)]*\)|pid \d+", "X", text)


def both(text):
    """(status, stdout, stderr) of a program bare and under the shim, and what the shim left."""
    command = [sys.executable, shimmed.script(text, f"program{len(text)}.py")]
    with concurrent.futures.ThreadPoolExecutor(1) as second:
        bare = second.submit(shimmed.bare, command)
        run = shimmed.under(command)
    assert all(segment.drops[shimmed.DROP_HOOK] == 0 for segment in run.segments)
    assert run.owner().python_state == shimmed.HOOKED
    return bare.result(), (run.status, run.stdout, run.stderr)


@functools.lru_cache(None)
def sections():
    """By program: what it wrote to stdout and stderr, bare and under the shim."""
    calls = (f"run({name!r}, {HEAD + text!r})" for name, text in GOING_ON.items())
    bare, profiled_ = both(ONE_AFTER_THE_OTHER + "\n".join(calls))
    assert bare[0] == profiled_[0] == 0, (bare, profiled_)
    found = {name: [] for name in GOING_ON}
    for text in bare[1:] + profiled_[1:]:
        for part in text.split(MARK)[1:]:
            name, _, rest = part.partition("\n")
            found[name].append(settled(rest))
    return found


def claim_for(name, check):
    check.__name__ = name
    tap.claim(check)


def ends_alike(text):
    def check():
        bare, run = both(HEAD + text)
        assert bare[0] == run[0], (bare, run)
        assert settled(bare[1]) == settled(run[1]), (bare[1], run[1])
        assert settled(bare[2]) == settled(run[2]), (bare[2], run[2])
    return check


def goes_on_alike(name):
    def check():
        out, err, profiled_out, profiled_err = sections()[name]
        assert out == profiled_out, (out, profiled_out)
        assert err == profiled_err, (err, profiled_err)
    return check


for name, text in ENDING.items():
    claim_for(name, ends_alike(text))
for name in GOING_ON:
    claim_for(name, goes_on_alike(name))


@tap.claim
def exceptions_of_signal_handlers_all_arrive():
    run = shimmed.run("""
import signal, time
from torch.utils.data import DataLoader
class Tick(Exception): pass
armed, fired, caught, ours = False, 0, 0, []
def handler(number, frame):
    global armed, fired
    if armed:
        armed, fired = False, fired + 1
        raise Tick()
class Numbers:
    def __init__(self, count): self.count = count
    def __len__(self): return self.count
    def __getitem__(self, index): return index
def files(trace):
    while trace:
        yield trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
signal.signal(signal.SIGALRM, handler)
loader = DataLoader(Numbers(1), collate_fn=list)
for batch in loader: pass
end = time.time() + 2
signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
while time.time() < end:
    try:
        armed = True
        while time.time() < end:
            for batch in loader: pass
        armed = False
    except Tick as tick:
        caught += 1
        ours += [name for name in files(tick.__traceback__) if "loopmem" in name]
signal.setitimer(signal.ITIMER_REAL, 0)
print(fired > 50, fired - caught, ours)
""")
    assert (run.status, run.stdout, run.stderr) == (0, "True 0 []\n", ""), (run.stdout, run.stderr)
    owner = run.owner()
    assert set(owner.drops.values()) == {0}, owner.drops
    assert owner.delivering == 0
    assert all(pool["state"] == "ended" for pool in owner.pools.values())


tap.run()
