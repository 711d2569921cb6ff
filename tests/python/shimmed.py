"""Runs programs under the real shim and reads what it left.

    run = shimmed.run("train.py text", options=["-I"])   # run.stdout, .stderr, .status
    owner = run.owner()                                   # the segment of the first process
    owner.pools, owner.workers, owner.events, owner.python_state
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["LOOPMEM_BUILD"])
SHIM = BUILD / "libloopmem.so"
SEGDUMP = BUILD / "tests" / "targets" / "segdump"
STAGES = ("other", "train", "sanity", "validate", "test", "predict")
ABSENT, WAITING, INSTALLED, HOOKED, REFUSED = range(5)
DROP_HOOK = 4

Event = collections.namedtuple("Event", "kind pool value value2")
WORDS = re.compile(r"(\w+) ('[^']*'|\S+)")


class Segment:
    def __init__(self, text):
        self.pools, self.workers, self.events, self.drops = {}, {}, [], {}
        for line in text.splitlines():
            key, _, rest = line.partition(" ")
            getattr(self, f"read_{key}", lambda rest: setattr(self, key, number(rest)))(rest)

    def read_pool(self, rest):
        pool = {key: number(value.strip("'")) for key, value in WORDS.findall("id " + rest)}
        pool["stage"] = STAGES[pool["stage"]]
        self.pools[pool["id"]] = pool

    def read_worker(self, rest):
        pool, pid, worker = map(int, rest.split())
        self.workers.setdefault(pool, {})[worker] = pid

    def read_event(self, rest):
        kind, *numbers = rest.split()[:4]
        self.events.append(Event(kind, *map(int, numbers)))

    def read_drop(self, rest):
        kind, count = map(int, rest.split())
        self.drops[kind] = count

    def of(self, pool):
        """Kinds of the events of one pool, in order."""
        return [event.kind for event in self.events if event.pool == pool]

    def at(self, kind, pool):
        return next(i for i, e in enumerate(self.events) if (e.kind, e.pool) == (kind, pool))


def number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


class Run:
    def __init__(self, done, folder):
        self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        dump = subprocess.run([SEGDUMP, folder], stdout=subprocess.PIPE, text=True,
                              errors="replace").stdout
        self.segments = [Segment(part) for part in re.split(r"^segment .*\n", dump, flags=re.M)[1:]]

    def owner(self):
        """The process that was started: the one whose parent has no segment."""
        pids = {segment.pid for segment in self.segments}
        (first,) = [s for s in self.segments if s.parent_pid not in pids]
        return first


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "PYTHON"))}
    return {**clean, "PYTHONDONTWRITEBYTECODE": "1", **more}


def bare(command, **env):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(**env), timeout=280, cwd=os.environ["TEST_TMP"])
    return done.returncode, done.stdout, done.stderr


def under(command, **env):
    """A command under the shim. LOOPMEM_* settings and others as keywords."""
    with tempfile.TemporaryDirectory(dir=os.environ["TEST_TMP"]) as folder:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=280,
            cwd=os.environ["TEST_TMP"],
            env=environment(LD_PRELOAD=str(SHIM), LOOPMEM_DIR=folder, **env))
        return Run(done, folder)


def script(text, name="program.py"):
    """A program in the test's folder."""
    path = pathlib.Path(os.environ["TEST_TMP"]) / name
    path.write_text(text)
    return str(path)


def run(text, name="program.py", **env):
    return under([sys.executable, script(text, name)], **env)
