"""The hook gets into every CPython found, however it is started; the program notices nothing."""
import os
import pathlib
import subprocess
import sys
import venv

import shimmed
import pythons
import tap

STUB = pathlib.Path(__file__).parent / "stub"

# Allocates enough for a few ticks; prints what a program could see of us.
PROGRAM = """
import sys
def work(n):
    return [bytearray(200000) for _ in range(n)]
for _ in range(20): work(5)
print(sys.argv[1:], sys.exc_info(), sorted(m for m in sys.modules if "loopmem" in m))
print(sys.stderr.write("to stderr" + chr(10)))
"""

# The files of ours that were run, each as a module that no list of the program's has.
FILES = """
import gc
for _ in range(20): junk = [bytearray(200000) for _ in range(5)]
ours = lambda: sorted(m.__name__ for m in gc.get_objects() if type(m) is type(gc) and m.__name__[:8] == "loopmem.")
print(ours())
import multiprocessing.process
print("loopmem.follow" in ours())
"""

# The stub allocates next to nothing when it is imported, torch does: hence the junk.
POOLS = """
junk = [bytearray(200000) for _ in range(100)]
from torch.utils.data import DataLoader

class Numbers:
    def __len__(self): return 5
    def __getitem__(self, index): return index * index

class Runner:
    def __init__(self):
        self.val_dl = DataLoader(Numbers())
    def run(self):
        return sum(x for x in self.val_dl)

def consume(loader):
    return [x for x in loader]

def main():
    train_loader = DataLoader(Numbers(), num_workers=2)
    test_loader = DataLoader(Numbers(), num_workers=1, persistent_workers=True)
    for epoch in range(2):
        assert consume(train_loader) == [0, 1, 4, 9, 16]
        peek = lambda: train_loader
    assert Runner().run() == 30
    for _ in range(2):
        for x in test_loader: pass
main()
print("done")
"""


FOUND = pythons.found()
SUPPORTED = pythons.supported()


def same(command, **env):
    """Runs a command bare and under the shim, compares, returns what the shim left."""
    bare = shimmed.bare(command)
    run = shimmed.under(command, **env)
    assert (run.status, run.stdout, run.stderr) == bare, (command, bare, run.stdout, run.stderr)
    return run


def check(number, state, run):
    for segment in run.segments:
        assert segment.drops[shimmed.DROP_HOOK] == 0, (number, segment.drops)
    owner = run.owner()
    assert owner.python_state == state, (number, owner.python_state, owner.python_reason)
    hexadecimal = int(str(owner.python_version), 16)
    assert hexadecimal >> 16 == number[0] << 8 | number[1], hex(hexadecimal)


def ways(path):
    """Ways to start the same program."""
    script = shimmed.script(PROGRAM, "prog.py")
    return {
        "script": [path, script, "a", "b"], "-c": [path, "-c", PROGRAM, "a"],
        "-I": [path, "-I", script], "-S": [path, "-S", script], "-E": [path, "-E", script],
        "-m": [path, "-m", "prog", "x"], "-O": [path, "-O", script],
        "-X dev": [path, "-X", "dev", script],
    }


@tap.claim
def there_is_a_python_to_try():
    assert SUPPORTED, FOUND
    print("#", ", ".join(f"{major}.{minor}" for major, minor in SUPPORTED))


@tap.claim
def it_is_installed_however_python_is_started():
    for number, path in SUPPORTED.items():
        for name, command in ways(path).items():
            run = same(command)
            check((*number, name), shimmed.INSTALLED, run)


@tap.claim
def a_program_that_loads_no_data_runs_one_file_of_ours():
    for number, path in SUPPORTED.items():
        run = shimmed.under([path, "-c", FILES])
        assert run.stdout == "['loopmem.hook', 'loopmem.shim']\nTrue\n", (number, run.stdout, run.stderr)


@tap.claim
def a_tick_at_every_allocation_changes_nothing():
    for number, path in SUPPORTED.items():
        for name in ("script", "-S"):
            check(number, shimmed.INSTALLED, same(ways(path)[name], LOOPMEM_SAMPLE_BYTES="1"))


@tap.claim
def a_venv_and_its_pth_lines_are_start_up():
    where = pathlib.Path(os.environ["TEST_TMP"]) / "venv"
    venv.create(where, symlinks=True)
    (packages,) = where.glob("lib/python*/site-packages")
    (packages / "work.pth").write_text(
        "import sys; sys.pth = sum(len(bytearray(100000)) for _ in range(50))\n")
    (packages / "sitecustomize.py").write_text("junk = [bytearray(100000) for _ in range(50)]\n")
    path = str(where / "bin" / "python")
    check(sys.version_info[:2], shimmed.INSTALLED, same([path, shimmed.script(PROGRAM)]))


@tap.claim
def frames_with_builtins_of_their_own_do_not_matter():
    program = "exec(compile('while work(): pass', 'x', 'exec'), {'__builtins__': {}, 'work': work})"
    text = f"""
n = iter(range(300))
def work():
    bytearray(100000)
    return next(n, None) is not None
{program}
"""
    for number, path in SUPPORTED.items():
        for _ in range(3):
            check(number, shimmed.INSTALLED, same([path, "-c", text]))


@tap.claim
def what_multiprocessing_needs_of_it_is_compiled_when_that_is_imported():
    program = shimmed.script("""
import gc, sys
def work():
    return len([bytearray(100000) for _ in range(50)])
for _ in range(20): work()
def ours():
    return sorted(getattr(o, "__name__", "") for o in gc.get_objects() if type(o) is type(sys))
print("loopmem.hook" in ours(), "loopmem.follow" in ours(), "loopmem.processes" in ours())
import multiprocessing.process
print("loopmem.hook" in ours(), "loopmem.follow" in ours(), "loopmem.processes" in ours())
""", "late.py")
    for number, path in SUPPORTED.items():
        run = shimmed.under([path, program])
        check(number, shimmed.INSTALLED, run)
        assert run.stdout.split("\n")[:2] == ["True False False", "True True True"], (number, run.stdout, run.stderr)


@tap.claim
def processes_made_by_multiprocessing_have_it_too():
    # The first process hands out work and allocates next to nothing after its imports.
    text = """
import multiprocessing
def work(n): return len([bytearray(100000) for _ in range(n)])
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(work, [50, 60]))
"""
    for number, path in SUPPORTED.items():
        run = same([path, shimmed.script(text, "methods.py")])
        check(number, shimmed.INSTALLED, run)
        states = [segment.python_state for segment in run.segments]
        assert states.count(shimmed.INSTALLED) >= 4, (number, states)


# What may be going on when a tick comes.
MOMENTS = {
    "an empty program": "",
    "exit functions": """
import atexit
atexit.register(lambda: [bytearray(200000) for _ in range(50)])
""",
    "daemon threads at exit": """
import threading, time
def work():
    while True: [bytearray(100000) for _ in range(20)]
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
""",
    "the main thread in C": """
import threading
done = []
def work(): done.append(len([bytearray(100000) for _ in range(100)]))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(done)
""",
    "a fork in a thread": """
import os, threading
def work():
    [bytearray(100000) for _ in range(30)]
    child = os.fork()
    if not child:
        print("child", len([bytearray(100000) for _ in range(50)]), flush=True)
        os._exit(0)
    print("parent", os.waitpid(child, 0)[1], flush=True)
thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
    "another interpreter": """
try: import _interpreters as interpreters
except ImportError:
    try: import _xxsubinterpreters as interpreters
    except ImportError: interpreters = None
if interpreters:
    other = interpreters.create()
    interpreters.run_string(other, "print(len([bytearray(100000) for _ in range(50)]))")
    interpreters.destroy(other)
print(len([bytearray(100000) for _ in range(50)]))
""",
}


@tap.claim
def any_moment_for_a_tick_is_harmless():
    for number, path in SUPPORTED.items():
        for name, text in MOMENTS.items():
            for bytes_ in ("524288", "1"):
                run = same([path, "-W", "ignore", "-c", text], LOOPMEM_SAMPLE_BYTES=bytes_)
                states = {segment.python_state for segment in run.segments}
                assert shimmed.REFUSED not in states, (number, name, states)


@tap.claim
def loaders_are_followed_in_every_version():
    for number, path in SUPPORTED.items():
        run = same([path, "-c", f"import sys; sys.path.insert(0, {str(STUB)!r})\n" + POOLS])
        check(number, shimmed.HOOKED, run)
        owner = run.owner()
        rows = [(p["stage"], p["epoch"], p["label"], p["batches"], p["workers"], p["state"])
                for p in owner.pools.values()]
        assert rows == [
            ("train", 0, "train_loader", 5, 2, "ended"),
            ("train", 1, "train_loader", 5, 2, "ended"),
            ("validate", 1, "val_dl", 5, 0, "ended"), ("test", -1, "test_loader", 10, 1, "ended"),
        ], (number, rows)
        forked = [event.value for event in owner.events if event.kind == "fork"]
        told = [owner.workers[pool][worker] for pool in sorted(owner.workers)
                for worker in sorted(owner.workers[pool])]
        assert told == forked and len(told) == 5, (number, told, forked)


@tap.claim
def another_loader_module_is_refused_and_left_alone():
    folder = pathlib.Path(os.environ["TEST_TMP"]) / "other"
    for part in ("torch", "torch/utils", "torch/utils/data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / part / "__init__.py").write_text("")
    (folder / "torch/__init__.py").write_text("__version__ = '9.9'")
    (folder / "torch/utils/data/dataloader.py").write_text(
        "class _BaseDataLoaderIter:\n    def __init__(self, loader): pass\n")
    text = f"""
import sys
junk = [bytearray(100000) for _ in range(50)]
sys.path.insert(0, {str(folder)!r})
import torch.utils.data.dataloader as d
print(d._BaseDataLoaderIter.__init__.__code__.co_varnames)
"""
    run = same([sys.executable, "-c", text])
    check(sys.version_info[:2], shimmed.REFUSED, run)
    assert run.owner().python_reason == "torch 9.9 has no _BaseDataLoaderIter.__next__"


@tap.claim
def versions_it_was_not_made_for_are_refused():
    others = {n: path for n, path in FOUND.items() if n not in SUPPORTED}
    if not others:
        raise tap.Skip("no Python older than 3.8 or newer than 3.15 here")
    for number, path in others.items():
        check(number, shimmed.REFUSED, same([path, "-c", PROGRAM]))


tap.run()
