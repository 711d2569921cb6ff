"""Programs under the shim, and what their segments hold (read by tests/targets/segdump).

    run = segments.run([segments.target("heapwork"), "100"])
    run.stdout, run.returncode, run.segments      # list of Segment
"""
import os
import shlex
import subprocess
import tempfile

BUILD = os.environ["LOOPMEM_BUILD"]
SHIM = os.path.join(BUILD, "libloopmem.so")
TMP = os.environ["TEST_TMP"]


def target(name):
    return os.path.join(BUILD, "tests/targets", name)


class Segment:
    """Figures as attributes; rows, events, pools and workers as lists of words."""

    def __init__(self, path):
        self.path = path
        self.drops, self.rows, self.events = {}, [], []
        self.pools, self.workers, self.regions = [], [], {}

    def take(self, line):
        key, _, value = line.partition(" ")
        if key == "drop":
            kind, count = value.split()
            self.drops[int(kind)] = int(count)
        elif key == "row":
            self.rows.append([int(word) for word in value.split()])
        elif key == "event":
            kind, pool, first, second, text = value.split(" ", 4)
            self.events.append((kind, int(pool), int(first), int(second), text))
        elif key == "region":
            kind, *counts = value.split()
            names = ("map_bytes", "maps", "unmap_bytes", "unmaps", "discard_bytes")
            self.regions[kind] = dict(zip(names, map(int, counts)))
        elif key == "worker":
            self.workers.append([int(word) for word in value.split()])
        elif key == "pool":
            words = shlex.split(value)
            fields = dict(zip(words[1::2], words[2::2]), id=words[0])
            self.pools.append({k: int(v) if v.lstrip("-").isdigit() else v for k, v in fields.items()})
        elif value.lstrip("-").isdigit():
            setattr(self, key, int(value))
        else:
            setattr(self, key, value)

    def kinds(self):
        return [event[0] for event in self.events]

    def counts(self):
        """The heap as a list, in the order of heapwork's ledger."""
        return [self.alloc_bytes, self.allocs, self.free_bytes, self.frees,
                self.inherited_free_bytes, self.inherited_frees]


def born(segment):
    """When the segment was made, for sorting."""
    return int(segment.path.rsplit("-", 1)[1].split(".")[0], 16)


def read(directory):
    dump = subprocess.run([target("segdump"), directory], capture_output=True, text=True)
    found = []
    for line in dump.stdout.splitlines():
        if line.startswith("segment "):
            found.append(Segment(line.split(" ", 1)[1]))
        elif found:
            found[-1].take(line)
    return found


def environment(directory, preload=(), **more):
    """The environment that puts the shim into a program; `preload` are libraries behind it."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "LD_"))}
    clean.update(LD_PRELOAD=":".join([SHIM, *preload]), LOOPMEM_COLLECT="0", **more)
    if directory:
        clean["LOOPMEM_DIR"] = directory
    return clean


def new_directory():
    return tempfile.mkdtemp(prefix="segments-", dir=TMP)


class Run:
    def __init__(self, command, directory=None, preload=(), **more):
        self.directory = directory or new_directory()
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env=environment(self.directory, preload, **more))
        self.stdout, self.stderr, self.returncode = done.stdout, done.stderr, done.returncode
        self.segments = read(self.directory)

    def of(self, pid):
        """The last segment of a process: the one of its last image."""
        found = [segment for segment in self.segments if segment.pid == pid]
        return max(found, key=born) if found else None


def run(command, **more):
    return Run(command, **more)
